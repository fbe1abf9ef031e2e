import { testRule } from "../testing/rule-tables.ts";
import rule from "./constant-memory-overflow.ts";

testRule(rule, {
  clean: {
    "64 KB": `__constant__ float t[16384];
__global__ void k(float *a) { a[0] = t[0]; }`,
    "global memory": `__device__ float t[90000];
__global__ void k(float *a) { a[0] = t[0]; }`,
  },
  found: {
    "two together": {
      code: `__constant__ float t[16384];
__constant__ char u[4];
//                ^ 64
__global__ void k(float *a) { a[0] = t[0] + u[0]; }`,
    },
  },
});
