import { testRule } from "../testing/rule-tables.ts";
import rule from "./warp-mask-in-divergent-code.ts";

testRule(rule, {
  clean: {
    "whole warps": `__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (threadIdx.x < 32) x += __shfl_down_sync(0xffffffff, x, 1);
  a[0] = x;
}`,
    "another condition": `__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (n > 3) x += __shfl_down_sync(0xffffffff, x, 1);
  a[0] = x;
}`,
    "a mask of its own": `__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (lane < 16) x += __shfl_down_sync(0xffff, x, 1);
  a[0] = x;
}`,
    "the other branch": `__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (lane < 16) a[1] = x; else x += __shfl_down_sync(0xffff, x, 1);
}`,
  },
  found: {
    "the lane": {
      code: `__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (lane < 16) x += __shfl_down_sync(0xffffffff, x, 1);
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ all 32
  a[0] = x;
}`,
    },
    "one thread": {
      code: `#define FULL ~0u
__global__ void k(float *a, int n) {
  int lane = threadIdx.x % 32;
  float x = a[threadIdx.x];
  if (n > 0 && threadIdx.x == 0) { if (n) a[0] = __any_sync(FULL, n); }
//                                               ^^^^^^^^^^^^^^^^^^^
}`,
    },
  },
});
