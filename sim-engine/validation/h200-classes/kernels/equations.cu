// Linear algebra step by step: transposes, elimination, triangles, powers, three diagonals.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void flip(const double *a, double *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  b[x * n + y] = a[y * n + x];
}

__global__ void flipTile(const double *a, double *b, int n) {
  __shared__ double t[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = a[y * n + x];
  __syncthreads();
  b[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

__global__ void factors(const float *a, float *m, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) m[i] = a[i * n + k] / a[k * n + k];
}

__global__ void rowsBelow(float *a, const float *m, int n, int k) {
  int j = k + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * n + j] -= m[i] * a[k * n + j];
}

// A thread a system of 64 unknowns with three diagonals, systems side by side.
__global__ void thomas(const float *lower, const float *diag, const float *upper, float *rhs, float *work, int n, int systems) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float b = diag[s], c = upper[s] / b, d = rhs[s] / b;
  work[s] = c;
  rhs[s] = d;
  for (int i = 1; i < n; i++) {
    int k = i * systems + s;
    float m = 1.f / (diag[k] - lower[k] * c);
    c = upper[k] * m;
    d = (rhs[k] - lower[k] * d) * m;
    work[k] = c;
    rhs[k] = d;
  }
  for (int i = n - 2; i >= 0; i--) {
    int k = i * systems + s;
    d = rhs[k] - work[k] * d;
    rhs[k] = d;
  }
}

// One block solves with a lower triangle.
__global__ void forwards(const float *L, float *x, int n) {
  for (int i = 0; i < n; i++) {
    if (threadIdx.x == 0) x[i] /= L[i * n + i];
    __syncthreads();
    float v = x[i];
    for (int j = i + 1 + threadIdx.x; j < n; j += blockDim.x) x[j] -= L[j * n + i] * v;
    __syncthreads();
  }
}

int main() {
  const int n = 2048;
  double *a, *b;
  float *m, *x, h[2048];
  for (int i = 0; i < n; i++) h[i] = 1.f + i % 5;
  cudaMalloc(&a, n * n * sizeof(double));
  cudaMalloc(&b, n * n * sizeof(double));
  cudaMalloc(&m, n * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  for (int i = 0; i < n; i++) cudaMemcpy((float *)a + i * n, h, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; i++) cudaMemcpy((float *)b + i * n, h, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
  thomas<<<16384 / 128, 128>>>((float *)a, (float *)a + 64 * 16384, (float *)a + 128 * 16384, (float *)b, (float *)b + 64 * 16384, 64, 16384);
  forwards<<<1, 512>>>((float *)a, x, 512);
  factors<<<n / 256, 256>>>((float *)a, m, n, 0);
  rowsBelow<<<dim3(n / 32, n / 8), dim3(32, 8)>>>((float *)a, m, n, 0);
  flip<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  flipTile<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
