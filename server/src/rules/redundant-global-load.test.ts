import { testRule } from "../testing/rule-tables.ts";
import rule from "./redundant-global-load.ts";

interface Parts {
  readonly parameters?: string;
  readonly before?: string;
  readonly after?: string;
  readonly weight?: string;
}

/** Rows of sums of nine elements, each times a weight. */
const smooth = (sum: string, { parameters = "const float *w", before = "", after = "", weight = "float" }: Parts = {}): string => `
struct Pair { float scale, offset; };
__global__ void smooth(float *out, const float *in, ${parameters}, int n, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
${before}  for (int row = 0; row < rows; ++row) {
    const float *from = in + row * (n + 8) + x;
    float s = 0;
${sum}
${after || "    out[row * n + x] = s;"}
  }
}
int main() {
  const int n = 1 << 18, rows = 64;
  float *in, *out;
  ${weight} *w;
  cudaMalloc(&in, rows * (n + 8) * sizeof(float));
  cudaMalloc(&out, rows * n * sizeof(float));
  cudaMalloc(&w, 64 * sizeof(${weight}));
  cudaMemset(in, 0, rows * (n + 8) * sizeof(float));
  cudaMemset(w, 0, 64 * sizeof(${weight}));
  smooth<<<n / 256, 256>>>(out, in, w, n, rows);
}`;
const sum = "    for (int k = 0; k < 9; ++k) s += w[k] * from[k];";

testRule(rule, {
  clean: {
    "where the compiler can tell": smooth(sum, { parameters: "const float *__restrict__ w" }),
    "in registers": smooth("    for (int k = 0; k < 9; ++k) s += v[k] * from[k];", {
      before: "  float v[9];\n  for (int k = 0; k < 9; ++k) v[k] = w[k];\n",
    }),
    "another place in each turn": smooth("    for (int k = 0; k < 9; ++k) s += w[row % 7 + k] * from[k];"),
    "which others may change between barriers": smooth(sum, { after: "    out[row * n + x] = s;\n    __syncthreads();" }),
    "in few of the turns": smooth("    for (int k = 0; k < 9; ++k) s += from[k];\n    if (row % 32 == 7) s *= w[0];"),
    // It is under a condition: nothing but that keeps it in the loop.
    "what a condition keeps there, with all pointers told apart": smooth(
      "    for (int k = 0; k < 9; ++k) if (n - 8 != row) s += w[8] * from[k];",
      { parameters: "const float *__restrict__ w" },
    ).replace("float *out, const float *in", "float *__restrict__ out, const float *__restrict__ in"),
    "what is volatile": smooth(sum, { parameters: "const volatile float *w" }),
    "where it costs nothing": smooth("    s = w[0] * from[0];"),
  },
  found: {
    "weights of a sum": {
      code: smooth(`${sum}\n                                   //^^^^ \`w[k]\` is loaded in every turn of the loop`),
      unsafe: smooth(sum, { parameters: "const float *__restrict__ w" }),
    },
    "members of structures": {
      code: smooth(
        `    for (int k = 0; k < 9; ++k) s += w[k].scale * from[k] + w[k].offset;
                                   //^^^^^^^^^^ and 1 more are loaded in every turn of the loop`,
        { parameters: "const Pair *w", weight: "Pair" },
      ),
      unsafe: smooth("    for (int k = 0; k < 9; ++k) s += w[k].scale * from[k] + w[k].offset;", {
        parameters: "const Pair *__restrict__ w",
        weight: "Pair",
      }),
    },
  },
});
