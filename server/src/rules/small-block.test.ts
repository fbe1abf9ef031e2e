import { testRule } from "../testing/rule-tables.ts";
import rule from "./small-block.ts";

const program = (launch: string, body = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  c[i] = a[i] + b[i];"): string => `
__global__ void add(float *c, const float *a, const float *b) {
${body}
}
int main() {
  const int n = 1 << 24;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  ${launch}
}`;

testRule(rule, {
  clean: {
    "blocks of 256": program("add<<<n / 256, 256>>>(c, a, b);"),
    "few of them, so that nothing is gained": program("add<<<8, 32>>>(c, a, b);"),
    "a kernel that has its block in mind": program(
      "add<<<n / 32, 32>>>(c, a, b);",
      "  int i = blockIdx.x * 32 + threadIdx.x;\n  c[i] = a[i] + b[i];",
    ),
    "a warp for each row": program(
      "add<<<n / 32, 32>>>(c, a, b);",
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  c[i] = __shfl_down_sync(0xffffffff, a[i], 1);",
    ),
  },
  found: {
    "blocks of a warp": {
      code: program(`add<<<n / 32, 32>>>(c, a, b);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`add\` is launched in 524,288 blocks of 32 threads, of which an SM holds 32 (occupancy 50 %). Launch 65536 blocks of 256.`),
      unsafe: program("add<<<n / 256, 256>>>(c, a, b);"),
    },
    "rounded up, by a variable": {
      code: program(`const int threads = 32;
  add<<<(n + threads - 1) / threads, threads>>>(c, a, b);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^`),
      unsafe: program(`const int threads = 256;
  add<<<(n + threads - 1) / threads, threads>>>(c, a, b);`),
    },
    "blocks whose number is said otherwise": {
      code: program(`add<<<524288, 32>>>(c, a, b);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^`),
    },
  },
});
