import { testRule } from "../testing/rule-tables.ts";
import rule from "./division-by-run-time-value.ts";

const program = (index: string): string => `
__global__ void ring(float *out, const float *in, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += in[${index}];
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  ring<<<16384, 256>>>(out, in, 1000003, 20);
}`;

testRule(rule, {
  clean: {
    "by a constant": program("(i + k) % 1000003"),
    "a mask": program("(i + k) & ((1 << shift) - 1)"),
    "a compare": program("i + k < n ? i + k : i + k - n"),
    "once, which is nothing": `__global__ void once(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i % n];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  once<<<65536, 256>>>(out, in, 1 << 24);
}`,
  },
  found: {
    "in a loop": {
      code: program(`(i + k) % n];
    //        ^^^^^^^^^^^ Division by \`n\``).replace("`n`];", "`n`"),
    },
  },
});
