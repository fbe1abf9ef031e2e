import { testRule } from "../testing/rule-tables.ts";
import rule from "./truncated-ceil.ts";

testRule(rule, {
  clean: {
    "a float": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  n = ceil(n / 256.0); n = ceil((float)n / 256);
}`,
    constants: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  n = ceil(512 / 256);
}`,
  },
  found: {
    integers: {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  n = ceil(n / 256); n = ceilf((float)(n / (n + 1)));
//    ^^^^^^^^^^^^^ cut before
//                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  n = (n + 256 - 1) / 256; n = (n + (n + 1) - 1) / (n + 1);
}`,
    },
  },
});
