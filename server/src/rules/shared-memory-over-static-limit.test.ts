import { testRule } from "../testing/rule-tables.ts";
import rule from "./shared-memory-over-static-limit.ts";

testRule(rule, {
  clean: {
    "48 KB": `__global__ void k(float *a) {
  __shared__ float s[12288];
  a[0] = s[0];
}`,
    dynamic: `__global__ void k(float *a) {
  extern __shared__ float s[];
  __shared__ float t[4];
  a[0] = s[90000] + t[0];
}`,
    "a size that is not known": `template <int N> __global__ void k(float *a) {
  __shared__ float s[N * 10000];
  a[0] = s[0];
}`,
    "two kernels": `__global__ void k(float *a) {
  __shared__ float s[8000];
  a[0] = s[0];
}
__global__ void l(float *a) {
  __shared__ float s[8000];
  a[0] = s[0];
}`,
  },
  found: {
    "one array": {
      code: `__global__ void k(float *a) {
  __shared__ int t;
  __shared__ double s[128][64];
//                  ^ 64
  a[0] = s[0][0] + t;
}`,
    },
  },
});
