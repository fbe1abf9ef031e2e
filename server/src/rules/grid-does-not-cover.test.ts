import { testRule } from "../testing/rule-tables.ts";
import rule from "./grid-does-not-cover.ts";

const program = (kernel: string, launch: string, more = ""): string => `${more}
__global__ void k(float *x, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${kernel}
}
int main() {
  float *x;
  cudaMalloc(&x, 10000 * sizeof(float));
  cudaMemset(x, 0, 10000 * sizeof(float));
${launch}
}`;
const each = "  if (i < n) x[i] *= 2;";

testRule(rule, {
  clean: {
    "rounded up": program(each, "  k<<<(10000 + 255) / 256, 256>>>(x, 10000, 0);"),
    "just so": program(each, "  k<<<40, 250>>>(x, 10000, 0);"),
    "a grid-stride loop": program("  for (; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;", "  k<<<4, 256>>>(x, 10000, 0);"),
    "a grid-stride loop behind the first turn": program(
      "  if (i < n) x[i] *= 2;\n  for (int j = i + gridDim.x * blockDim.x; j < n; j += gridDim.x * blockDim.x) x[j] *= 2;",
      "  k<<<32, 256>>>(x, 10000, 0);",
    ),
    "blocks that return before": program(`  if (blockIdx.x >= 40) return;\n${each}`, "  k<<<50, 250>>>(x, 10000, 0);"),
    "blocks that do something else": program(
      `  if (blockIdx.x < 20) {\n  ${each}\n  } else {\n    int j = i - 20 * blockDim.x;\n    if (5000 + j < n) x[5000 + j] *= 3;\n  }`,
      "  k<<<40, 250>>>(x, 10000, 0);",
    ),
    "a part that has its own bound": program(each, "  k<<<4, 256>>>(x, 1024, 0);"),
    "parts, in several launches": program(
      "  if (first + i < n) x[first + i] *= 2;",
      "  k<<<20, 256>>>(x, 10000, 0);\n  k<<<20, 256>>>(x, 10000, 5120);",
    ),
    "parts, in a loop": program(
      "  if (first + i < n) x[first + i] *= 2;",
      "  for (int f = 0; f < 10000; f += 1024) k<<<4, 256>>>(x, 10000, f);",
    ),
    "a rest for another kernel": program(
      each,
      "  k<<<39, 256>>>(x, 10000, 0);\n  rest<<<1, 32>>>(x, 9984);",
      "__global__ void rest(float *x, int from) { if (threadIdx.x < 16) x[from + threadIdx.x] *= 2; }",
    ),
    "two elements a thread, of which one is compared": program(
      "  if (i < n) { x[i] *= 2; x[i + 5000] *= 2; }",
      "  k<<<20, 250>>>(x, 10000, 0);",
    ),
    "four elements a thread": program("  if (4 * i < n) for (int j = 0; j < 4; j++) x[4 * i + j] *= 2;", "  k<<<10, 250>>>(x, 10000, 0);"),
    "a size that nobody knows": `__global__ void k(float *x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = 0; }
void run(float *x, int n) { k<<<4, 256>>>(x, n); }`,
  },
  found: {
    "rounded down": {
      code: program(
        each,
        `  k<<<10000 / 256, 256>>>(x, 10000, 0);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ indices end at 9,983, and \`i < n\` asks for less than 10,000. Nothing stores to the last 64 bytes of \`x\``,
      ),
    },
    "an early return": {
      code: program(
        "  if (i >= n) return;\n  x[i] *= 2;",
        `  k<<<39, 256>>>(x, 10000, 0);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ do not cover`,
      ),
    },
    "parts that leave a rest": {
      code: program(
        "  if (first + i < n) x[first + i] *= 2;",
        `  k<<<19, 256>>>(x, 10000, 0);
  k<<<19, 256>>>(x, 10000, 4864);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ indices end at 9,727`,
      ),
    },
  },
});
