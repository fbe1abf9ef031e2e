import { testRule } from "../testing/rule-tables.ts";
import rule from "./misaligned-access.ts";

const program = (kernel: string, host = "k<<<4, 64>>>(out, in, 1);"): string => `
__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    "vectors from the start": program("  ((float4 *)out)[i] = ((const float4 *)in)[i];"),
    "pairs from an even place": program("  *(float2 *)(out + 2 * i) = *(const float2 *)(in + 2 * i + 2);"),
    "scalars anywhere": program("  out[i] = in[i + n];"),
    "a shared array of vectors": program(
      "  __shared__ float4 s[64];\n  s[threadIdx.x] = ((const float4 *)in)[i];\n  ((float4 *)out)[i] = s[threadIdx.x];",
    ),
    "a thread's own array, wherever the compiler puts it": program(
      "  unsigned char own[16];\n  *(uint4 *)own = make_uint4(i, i, i, i);\n  out[i] = own[(i + n) % 16];",
    ),
    "an offset of whole vectors": program("  ((float4 *)out)[i] = ((const float4 *)(in + 4 * n))[i];"),
  },
  found: {
    "a row that is no multiple of the vector": {
      code: program(
        `  ((float4 *)(out + blockIdx.x * 65))[threadIdx.x % 16] = make_float4(0, 0, 0, 0);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes 16 bytes at byte`,
      ),
    },
    "one element further": {
      code: program(
        `  float2 v = *(const float2 *)(in + 2 * i + n);
  //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reads 8 bytes at byte 4 of \`in\`, which is no multiple of 8
  out[i] = v.x + v.y;`,
      ),
    },
    "in the second half of a shared array": {
      code: program(
        `  __shared__ __align__(16) float s[130];
  *(float4 *)(s + 65 + 4 * (threadIdx.x % 16)) = make_float4(0, 0, 0, 0);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ of \`s\`
  out[i] = s[65];`,
      ),
    },
  },
});
