import { testRule } from "../testing/rule-tables.ts";
import rule from "./repeated-barrier.ts";

testRule(rule, {
  clean: {
    "accesses between": `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  x[i] = s[i + 1];
  __syncthreads();
  s[i] = 0;
}`,
    "a call between": `__device__ void f();
__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  __syncthreads();
  f();
  __syncthreads();
  x[i] = s[0];
}`,
    "a shared scalar between": `__global__ void k(int *x) {
  __shared__ int s;
  __syncthreads();
  s = 1;
  __syncthreads();
  x[0] = s;
}`,
    "the end of a loop": `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  for (int j = 0; j < 4; j++) {
    s[i] = x[j];
    __syncthreads();
    x[i] = s[j];
    __syncthreads();
  }
}`,
    "the end of a function": `__device__ void f(int *s) {
  s[0] = 1;
  __syncthreads();
}`,
  },
  found: {
    "one behind another": {
      code: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  __syncthreads();
//^^^^^^^^^^^^^^^^ nothing
  x[i] = s[i ^ 1];
}`,
      fixed: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  
  x[i] = s[i ^ 1];
}`,
    },
    "with arithmetic between": {
      code: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  int j = i + 1;
  i = j * 2;
  __syncthreads();
//^^^^^^^^^^^^^^^^
  x[i] = s[j];
}`,
      fixed: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
  int j = i + 1;
  i = j * 2;
  
  x[i] = s[j];
}`,
    },
    "at the end": {
      code: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  x[i] = s[i];
  __syncthreads();
//^^^^^^^^^^^^^^^^ ends here
}`,
      fixed: `__global__ void k(int *x) {
  __shared__ int s[256];
  int i = threadIdx.x;
  x[i] = s[i];
  
}`,
    },
  },
});
