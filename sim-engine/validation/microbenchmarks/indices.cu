// Loops of unknown length that read by indices of all forms: which of them nvcc unrolls by sixteen decides how many loads are under way.
// Profiled: `ncu --metrics gpu__time_duration.sum`.
#include <cuda_runtime.h>

__global__ void s_tid(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  int t = threadIdx.x;
  for (int c = 0; c < n; c++) s += a[c * 256 + t];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_tid(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[c * 256 + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_plus(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[c + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_rows(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[c * m + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void s_rows(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  int t = threadIdx.x;
  for (int c = 0; c < n; c++) s += a[c * m + t];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_bdim(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[c * blockDim.x + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void uc_tid(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (unsigned c = 0; c < n; c++) s += a[c * 256 + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void uc_plain(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (unsigned c = 0; c < n; c++) s += a[c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_row2(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[threadIdx.x * m + c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void s_row2(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  int t = threadIdx.x;
  for (int c = 0; c < n; c++) s += a[t * m + c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_two(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[threadIdx.x * m + c] * b[c * m + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void s_two(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  int t = threadIdx.x;
  int u = threadIdx.y;
  for (int c = 0; c < n; c++) s += a[u * m + c] * b[c * m + t];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_col(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < n; c++) s += a[c * m + t];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void z_t(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  size_t t = threadIdx.x;
  for (int c = 0; c < n; c++) s += a[c * 256 + t];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_ord(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c++) s += a[threadIdx.x + c * 256];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_step(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n; c += 2) s += a[c * 256 + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_from(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c=m; c < n; c++) s += a[c * 256 + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_noleft(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c = 0; c < n * 4; c++) s += a[c * 256 + threadIdx.x];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void u_strided(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (unsigned c=threadIdx.x; c < n; c += 256) s += a[c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void us_strided(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (unsigned c=threadIdx.x; c < n; c += blockDim.x) s += a[c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

__global__ void s_strided(const float* a, const float* b, float* o, int n, int m) {
  float s = 0;
  for (int c=threadIdx.x; c < n; c += blockDim.x) s += a[c];
  o[blockIdx.x * 256 + threadIdx.x] = s;
}

int main() {
  float *a, *o;
  cudaMalloc(&a, 1 << 30);
  cudaMalloc(&o, 1 << 28);
  s_tid<<<132, 256>>>(a, a, o, 1024, 1024);
  u_tid<<<132, 256>>>(a, a, o, 1024, 1024);
  u_plus<<<132, 256>>>(a, a, o, 1024, 1024);
  u_rows<<<132, 256>>>(a, a, o, 1024, 1024);
  s_rows<<<132, 256>>>(a, a, o, 1024, 1024);
  u_bdim<<<132, 256>>>(a, a, o, 1024, 1024);
  uc_tid<<<132, 256>>>(a, a, o, 1024, 1024);
  uc_plain<<<132, 256>>>(a, a, o, 1024, 1024);
  u_row2<<<132, 256>>>(a, a, o, 1024, 1024);
  s_row2<<<132, 256>>>(a, a, o, 1024, 1024);
  u_two<<<132, 256>>>(a, a, o, 1024, 1024);
  s_two<<<132, 256>>>(a, a, o, 1024, 1024);
  u_col<<<132, 256>>>(a, a, o, 1024, 1024);
  z_t<<<132, 256>>>(a, a, o, 1024, 1024);
  u_ord<<<132, 256>>>(a, a, o, 1024, 1024);
  u_step<<<132, 256>>>(a, a, o, 1024, 1024);
  u_from<<<132, 256>>>(a, a, o, 1024, 0);
  u_noleft<<<132, 256>>>(a, a, o, 1024, 1024);
  u_strided<<<132, 256>>>(a, a, o, 262144, 1024);
  us_strided<<<132, 256>>>(a, a, o, 262144, 1024);
  s_strided<<<132, 256>>>(a, a, o, 262144, 1024);
  return cudaDeviceSynchronize();
}
