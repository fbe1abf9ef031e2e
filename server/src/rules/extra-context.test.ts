import { testRule } from "../testing/rule-tables.ts";
import rule from "./extra-context.ts";

testRule(rule, {
  clean: {
    "the driver alone": "void run(CUdevice d) { CUcontext c; cuCtxCreate(&c, 0, d); }",
    "the primary one": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CUcontext c; cuDevicePrimaryCtxRetain(&c, 0); k<<<1, 32>>>(d);
}`,
  },
  found: {
    "beside the runtime": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CUcontext c;
  cuCtxCreate(&c, 0, 0);
//^^^^^^^^^^^ primary
  cudaMalloc(&d, 4);
}`,
    },
  },
});
