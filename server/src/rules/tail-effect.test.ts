import { testRule } from "../testing/rule-tables.ts";
import rule from "./tail-effect.ts";

const body = `    for (int k = threadIdx.x; k < 12288; k += blockDim.x) tile[k] = in[t * 12288 + k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 1024; ++k) sum += tile[k] * tile[k + 6144 - threadIdx.x];
    out[t * blockDim.x + threadIdx.x] = sum;`;
const match = (launch: string, sum = body): string => `
__global__ void match(float *out, const float *in) {
  __shared__ float tile[12288];
  int t = blockIdx.x;
${sum}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 8192 * 12288 * sizeof(float));
  cudaMalloc(&out, 8192 * 256 * sizeof(float));
  cudaMemset(in, 0, 8192 * 12288 * sizeof(float));
  ${launch}
}`;

testRule(rule, {
  clean: {
    "whole waves": match("match<<<1056, 256>>>(out, in);"),
    "a wave that is nearly full": match("match<<<1000, 256>>>(out, in);"),
    "less than one": match("match<<<400, 256>>>(out, in);"),
    "one of very many": match("match<<<528 * 15 + 8, 256>>>(out, in);"),
    "little, behind four waves": match("match<<<528 * 4 + 8, 256>>>(out, in);"),
    "blocks that have the memory for themselves then": match(
      "match<<<540, 256>>>(out, in);",
      "    float sum = 0;\n    for (int k = threadIdx.x; k < 12288; k += blockDim.x) sum += in[t * 12288 + k];\n    out[t * blockDim.x + threadIdx.x] = tile[0] = sum;",
    ),
  },
  found: {
    "a few blocks behind a whole wave": {
      // Long enough that loads do not decide what the launch is bound by.
      code: match(
        `match<<<540, 256>>>(out, in);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ The SMs hold 528 blocks of \`match\` at once: of 540 the last 12 run by themselves.`,
        body.replace("1024", "4096"),
      ),
    },
  },
});
