import { testRule } from "../testing/rule-tables.ts";
import rule from "./managed-memory-without-prefetch.ts";

testRule(rule, {
  clean: {
    prefetched: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, n);
  cudaMemPrefetchAsync(d, n, 0);
  k<<<1, 32>>>(d);
}`,
    "nothing is launched": "void f(float *d, int n) { cudaMallocManaged(&d, n); }",
    "an allocator": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void *take(size_t n) {
  void *p;
  cudaMallocManaged(&p, n);
  return p;
}
void run(float *d) { k<<<1, 32>>>(d); }`,
    "a few bytes that host code works out": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  int n = 128;
  float *d;
  cudaMallocManaged(&d, n * 4);
  k<<<1, 32>>>(d);
}`,
    "a few elements, where the host would take other memory if it could": `__global__ void k(int *x) { atomicAdd(&x[threadIdx.x % 10], 1); }
int main() {
  unsigned int count = 10;
  int *d, pageable = 0;
  cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0);
  if (pageable) d = (int *)malloc(sizeof(int) * count);
  else cudaMallocManaged(&d, sizeof(int) * count);
  for (unsigned int i = 0; i < count; i++) d[i] = 0;
  k<<<1, 32>>>(d);
}`,
    "a few bytes": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, 128);
  k<<<1, 32>>>(d);
}`,
  },
  found: {
    "two arrays": {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  cudaMallocManaged(&d, n * 4);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ and 1 more
  cudaMallocManaged(&h, n * 4);
  for (int i = 0; i < n; i++) d[i] = i;
  k<<<1, 32>>>(d);
}`,
    },
    "an array of a size that host code works out": {
      code: `__global__ void k(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  int n = 1 << 20;
  float *d;
  cudaMallocManaged(&d, n * 4);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 4 MB
  k<<<n / 256, 256>>>(d);
}`,
    },
  },
});
