import { testRule } from "../testing/rule-tables.ts";
import rule from "./constant-memory-overflow.ts";

testRule(rule, {
  clean: {
    "64 KB": `__constant__ float t[16384];
__global__ void k(float *a) { a[0] = t[0]; }`,
    "one of them is not used": `__constant__ float t[16384];
namespace tables { __constant__ char u[4]; }
__global__ void k(float *a) { a[0] = t[0]; }`,
    "global memory": `__device__ float t[90000];
__global__ void k(float *a) { a[0] = t[0]; }`,
  },
  found: {
    "in namespaces, by a macro": {
      code: `#define CONSTANT __constant__
namespace tables { CONSTANT float t[16384]; }
CONSTANT char u[4];
//            ^ 64
__global__ void k(float *a) { a[0] = tables::t[0] + u[0]; }`,
    },
    "two together": {
      code: `__constant__ float t[16384];
__constant__ char u[4];
//                ^ 64
__global__ void k(float *a) { a[0] = t[0] + u[0]; }`,
    },
  },
});
