import { testRule } from "../testing/rule-tables.ts";
import rule from "./idle-gpu.ts";

const program = (launch: string, loop = "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x"): string => `
__global__ void scale(float *out, const float *in, int n) {
  for (${loop}) out[i] = 2 * in[i];
}
int main() {
  const int n = 1 << 18;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  ${launch}
}`;

testRule(rule, {
  clean: {
    "all SMs": program("scale<<<1024, 256>>>(out, in, n);"),
    "little to do": program("scale<<<1, 256>>>(out, in, 1024);"),
    "beside what takes longer": program(
      "for (int k = 0; k < 100000; ++k) scale<<<1024, 256>>>(out, in, n);\n  scale<<<1, 1>>>(out, in, n);",
      "int i = threadIdx.x; i < n; i += blockDim.x",
    ),
    "of which nobody says how large it is": program('int g = atoi(getenv("G")); scale<<<g, 1>>>(out, in, n);', "int i = 0; i < n; ++i"),
  },
  found: {
    "one thread": {
      code: program(
        `scale<<<1, 1>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`scale\` gives work to 1 of 132 SMs, one thread, for`,
        "int i = 0; i < n; ++i",
      ),
    },
    "few blocks of a loop that goes on by the grid's size": {
      code: program(`scale<<<4, 256>>>(out, in, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`scale\` gives work to 4 of 132 SMs, in blocks of 256 threads: its loop goes on by the grid's size, so launch 1056 blocks of 256.`),
    },
  },
});
