import { testRule } from "../testing/rule-tables.ts";
import rule from "./narrow-global-access.ts";

const program = (body: string, type = "float", launch = "n / 256, 256"): string => `
__global__ void k(${type} *out, const ${type} *in, ${type} by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  const int n = 1 << 24;
  ${type} *in, *out;
  cudaMalloc(&in, (n + 32) * sizeof(${type}));
  cudaMalloc(&out, (n + 32) * sizeof(${type}));
  cudaMemset(in, 0, n * sizeof(${type}));
  k<<<${launch}>>>(out, in, by, n);
}`;

testRule(rule, {
  clean: {
    "vectors already": program("  ((float4 *)out)[i] = ((const float4 *)in)[i];", "float", "n / 1024, 256"),
    "one element beside": program("  out[i] = in[i] + in[i + 1];"),
    "from where each launch says": program("  out[i + int(by)] = in[i + int(by)];").replace(
      "k<<<n / 256, 256>>>(out, in, by, n);",
      "k<<<n / 256, 256>>>(out, in, 1, n);\n  k<<<n / 256, 256>>>(out, in, 8, n);",
    ),
    "in another order": program("  out[n - 1 - i] = in[i * 7 % n];"),
    "in a loop": program("  for (; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];", "float", "1056, 256"),
    "with others of the block": program(`  __shared__ float t[256];
  t[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = t[255 - threadIdx.x];`),
    "where the arithmetic is what takes the time": program(
      "  float x = in[i];\n#pragma unroll\n  for (int k = 0; k < 100; ++k) x = sinf(x);\n  out[i] = x;",
    ),
  },
  found: {
    "a copy": {
      code: program(`  out[i] = in[i];
//^^^^^^ Each thread of \`k\` moves 4 bytes at a time`),
    },
    "with a bound, and what all share": {
      code: program(`  if (i < n) out[i] = by * in[i] + by;
  //         ^^^^^^ Let each take 4 neighbours as one vector of 16 bytes`),
    },
  },
});
