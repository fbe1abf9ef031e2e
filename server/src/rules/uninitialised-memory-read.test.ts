import { testRule } from "../testing/rule-tables.ts";
import rule from "./uninitialised-memory-read.ts";

const program = (kernel: string, host = "k<<<1, 256>>>(out, in, 200);"): string => `
__global__ void k(float *out, const float *in, int n) {
  int t = threadIdx.x;
${kernel}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  ${host}
}`;

testRule(rule, {
  clean: {
    "all written": program("  __shared__ float s[256];\n  s[t] = t < n ? in[t] : 0;\n  __syncthreads();\n  out[t] = s[255 - t];"),
    "read as far as written": program(
      "  __shared__ float s[256];\n  if (t < n) s[t] = in[t];\n  __syncthreads();\n  if (t < n) out[t] = s[n - 1 - t];",
    ),
    "written by few for all": program(
      "  __shared__ float s[256];\n  for (int j = t; j < 256; j += 32) s[j] = in[j];\n  __syncthreads();\n  for (int j = 0; j < 256; ++j) out[t] += s[j];",
      "k<<<1, 32>>>(out, in, 200);",
    ),
    "filled in a loop that is long": program(
      "  extern __shared__ float s[];\n  for (int j = t; j < 8192; j += 256) s[j] = 0;\n  __syncthreads();\n  out[t] = s[8191 - t];",
      "k<<<1, 256, 8192 * sizeof(float)>>>(out, in, 200);",
    ),
    "where data lets it be written": program(
      "  __shared__ float s[256];\n  if (in[t] > 0) s[t] = in[t];\n  __syncthreads();\n  if (in[255 - t] > 0) out[t] = s[255 - t];\n  out[t + 256] = s[t];",
    ).replace("cudaMalloc(&out", "read(in);\n  cudaMalloc(&out"),
    "by asynchronous copies": program(
      "  __shared__ __align__(16) float s[256];\n  __pipeline_memcpy_async(&s[t], &in[t], 4);\n  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  __syncthreads();\n  out[t] = s[255 - t];",
    ).replace("\n__global__", "#include <cuda_pipeline.h>\n__global__"),
  },
  found: {
    "a rest that is not filled": {
      code: program(`  __shared__ float s[256];
  if (t < n) s[t] = in[t];
  __syncthreads();
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ thread (0, 0, 0) of block (0, 0, 0) reads \`s[255 - t]\`, element 255 of \`s\``),
    },
    "a sum that nobody set": {
      code: program(`  __shared__ float sums[32];
  if (t < 8) sums[t] = in[t];
  __syncthreads();
  if (t < 32) out[t] = sums[t];
  //                   ^^^^^^^ element 8 of \`sums\``),
    },
  },
});
