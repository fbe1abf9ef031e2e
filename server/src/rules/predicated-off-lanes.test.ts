import { testRule } from "../testing/rule-tables.ts";
import rule from "./predicated-off-lanes.ts";

const program = (length: string, rest = ""): string => `
__global__ void sums(float *out, const float *values, const int *rows, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; ++k) sum += sinf(values[k]);
${rest}
  out[row] = sum;
}
int main() {
  const int n = 250000;
  int *starts = new int[n + 1];
  int at = 0;
  for (int i = 0; i < n; ++i) {
    starts[i] = at;
    at += ${length};
  }
  starts[n] = at;
  int *rows;
  float *values, *out;
  cudaMalloc(&rows, (n + 1) * sizeof(int));
  cudaMalloc(&values, 100000000 * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(values, 0, 100000000 * sizeof(float));
  cudaMemcpy(rows, starts, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  sums<<<(n + 255) / 256, 256>>>(out, values, rows, n);
}`;

testRule(rule, {
  clean: {
    "rows of one length": program("8"),
    "rows of which nobody knows the length": program("length(i)"),
    "rows of some lengths": program("8 + i % 5"),
    "what all threads agree on, with few behind it": program(
      "8",
      "  for (int d = 128; d > 0; d /= 2)\n    if (threadIdx.x < d) for (int k = 0; k < 20; ++k) sum += sinf(sum);",
    ),
    "a warp for each scheduler, and no more": program("i % 32 ? 400 : 6400").replaceAll("250000", "16000"),
    "one thread": `
__global__ void until(float *x, const float *limits) {
  for (int k = 0; x[k] < limits[k]; ++k) x[k] = sinf(limits[k]);
}
int main() {
  float *x, *limits, all[1000] = {};
  for (int i = 0; i < 900; ++i) all[i] = i;
  cudaMalloc(&x, 4000);
  cudaMalloc(&limits, 4000);
  cudaMemset(x, 0, 4000);
  cudaMemcpy(limits, all, 4000, cudaMemcpyHostToDevice);
  until<<<1, 1>>>(x, limits);
}`,
  },
  found: {
    "one long row among short ones": {
      code: program("i % 32 ? 4 : 64").replace(
        "++k) sum",
        "++k)\n//                        ^^^^^^^^^^^^^^^^^ Of the warps' lanes less than half work in the loop while `k < rows[row + 1]`\n    sum",
      ),
    },
  },
});
