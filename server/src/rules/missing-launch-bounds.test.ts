import { testRule } from "../testing/rule-tables.ts";
import rule from "./missing-launch-bounds.ts";

testRule(rule, {
  clean: {
    "small blocks": `__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 4096);
  k<<<1, 256>>>(x);
}`,
  },
  found: {
    "large blocks": {
      code: `__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }
//              ^ 512
int main() {
  float *x;
  cudaMalloc(&x, 4096);
  k<<<1, 512>>>(x);
}`,
      unsafe: `__global__ void __launch_bounds__(512) k(float *x) { x[threadIdx.x] = 1.0f; }
int main() {
  float *x;
  cudaMalloc(&x, 4096);
  k<<<1, 512>>>(x);
}`,
    },
  },
});
