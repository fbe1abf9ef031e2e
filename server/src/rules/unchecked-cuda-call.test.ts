import { testRule } from "../testing/rule-tables.ts";
import rule from "./unchecked-cuda-call.ts";

testRule(rule, {
  clean: {
    "nobody checks": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMalloc(&d, n);
  cudaMemset(d, 0, n);
}`,
    "all are checked": `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());

}`,
    "statements given to a macro": `#define DISPATCH(n, ...) if (n == 4) { constexpr int N = 4; __VA_ARGS__ } else { constexpr int N = 8; __VA_ARGS__ }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  DISPATCH(n, { cudaMalloc(&d, N); cudaMemset(d, 0, N); cudaDeviceSynchronize(); cudaMemset(d, 1, N); })
  cudaMemset(d, 0, n);
}`,
    "what frees": `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  cudaFree(d);
}`,
    "most are not": `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  cudaMalloc(&d, n);
  cudaMalloc(&d, n);
  cudaMalloc(&d, n);
  cudaMalloc(&d, n);
}`,
    "the result is kept": `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  cudaError_t e = cudaMalloc(&d, n);
  if (cudaMalloc(&d, n)) return;
}`,
  },
  found: {
    "by a function that takes more": {
      code: `inline cudaError_t check(cudaError_t e, int line) { if (e != cudaSuccess) printf("%d", line); return e; }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  check(cudaMalloc(&d, n), __LINE__);
  check(cudaMemset(d, 0, n), __LINE__);
  check(cudaDeviceSynchronize(), __LINE__);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
//^^^^^^^^^^ \`check\`
}`,
      unsafe: `inline cudaError_t check(cudaError_t e, int line) { if (e != cudaSuccess) printf("%d", line); return e; }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  check(cudaMalloc(&d, n), __LINE__);
  check(cudaMemset(d, 0, n), __LINE__);
  check(cudaDeviceSynchronize(), __LINE__);
  check(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice), __LINE__);
}`,
    },
    "by a macro that takes something else each time: by hand": {
      code: `#define CHECK(x, what) do { if ((x) != cudaSuccess) puts(what); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n), "one");
  CHECK(cudaMemset(d, 0, n), "two");
  CHECK(cudaDeviceSynchronize(), "three");
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
//^^^^^^^^^^ \`CHECK\`
}`,
    },
    "one is not": {
      code: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
//^^^^^^^^^^ \`CHECK\`
}`,
      unsafe: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
}`,
    },
    "two are not": {
      code: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
//^^^^^^^^^^ The results of 2 calls are dropped; 3 calls of this file are checked by \`CHECK\`
  cudaDeviceSynchronize();
}`,
      unsafe: `#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(1); } while (0)
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMemset(d, 0, n));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());
}`,
    },
    "a function checks": {
      code: `void check(cudaError_t e) { if (e) exit(1); }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  check(cudaMalloc(&d, n));
  check(cudaMemset(d, 0, n));
  check(cudaDeviceSynchronize());
  cudaMemset(d, 0, 4);
//^^^^^^^^^^
}`,
      unsafe: `void check(cudaError_t e) { if (e) exit(1); }
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  check(cudaMalloc(&d, n));
  check(cudaMemset(d, 0, n));
  check(cudaDeviceSynchronize());
  check(cudaMemset(d, 0, 4));
}`,
    },
  },
});
