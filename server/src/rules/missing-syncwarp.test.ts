import { testRule } from "../testing/rule-tables.ts";
import rule from "./missing-syncwarp.ts";

testRule(rule, {
  clean: {
    synchronised: `__device__ void f(volatile float *s, int i) {
  s[i] += s[i + 16];
  __syncwarp();
  s[i] += s[i + 8];
}`,
    "not volatile": `__device__ void f(float *s, int i) {
  s[i] += s[i + 16];
  s[i] += s[i + 8];
}`,
    "its own element": `__device__ void f(volatile float *s, int i) {
  s[i] = s[i] + 1;
  s[i] = s[i] * 2;
}`,
    "one step": `__device__ void f(volatile float *s, int i) {
  s[i] += s[i + 16];
}`,
  },
  found: {
    "the tail of a reduction": {
      code: `__device__ void f(volatile float *s, int i) {
  s[i] += s[i + 32];
//^^^^^^^^^^^^^^^^^ 3 steps
  s[i] += s[i + 16];
  s[i] += s[i + 8];
}`,
    },
    "under conditions, of a shared array": {
      code: `template <int N> __global__ void k() {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  if (N >= 64) s[i] = s[i] + s[i + 32];
//             ^^^^^^^^^^^^^^^^^^^^^^^
  if (N >= 32) { s[i] = max(s[i], s[i + 16]); }
}`,
    },
  },
});
