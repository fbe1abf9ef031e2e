// Vector addition and friends: the first programs of a course.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    cudaError_t status = (call);                                                            \
    if (status != cudaSuccess) {                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));       \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

__global__ void vecAdd(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void vecAddStride(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}

__global__ void vecAdd4(const float4 *a, const float4 *b, float4 *c, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}

__global__ void normalize3(float *x, float *y, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float length = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
  x[i] /= length;
  y[i] /= length;
  z[i] /= length;
}

int main() {
  const int n = 10000000;
  const size_t bytes = n * sizeof(float);
  float *ha = (float *)malloc(bytes), *hb = (float *)malloc(bytes), *hc = (float *)malloc(bytes);
  for (int i = 0; i < n; i++) {
    ha[i] = rand() / (float)RAND_MAX;
    hb[i] = rand() / (float)RAND_MAX;
  }
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, ha, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, hb, bytes, cudaMemcpyHostToDevice));
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  vecAdd<<<blocks, threads>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  int device, sms;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  vecAddStride<<<sms * 8, threads>>>(da, db, dc, n);
  vecAdd4<<<(n / 4 + threads - 1) / threads, threads>>>((float4 *)da, (float4 *)db, (float4 *)dc, n / 4);
  normalize3<<<blocks, threads>>>(da, db, dc, n);
  CHECK(cudaMemcpy(hc, dc, bytes, cudaMemcpyDeviceToHost));
  printf("%f\n", hc[n - 1]);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  free(ha);
  free(hb);
  free(hc);
  return 0;
}
