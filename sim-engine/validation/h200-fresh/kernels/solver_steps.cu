// Steps of iterative solvers: Jacobi on a dense system, conjugate gradients' vectors, Gauss elimination, shortest paths.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void jacobiDense(const float *A, const float *b, const float *x, float *next, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  float sum = 0.f;
  for (int j = threadIdx.x; j < n; j += 32)
    if (j != row) sum += A[row * n + j] * x[j];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x == 0) next[row] = (b[row] - sum) / A[row * n + row];
}

__global__ void dotProduct(const double *a, const double *b, double *c, int n) {
  __shared__ double cache[256];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  double temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
}

__global__ void updateVectors(double *x, double *r, const double *p, const double *Ap, double alpha, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    x[i] += alpha * p[i];
    r[i] -= alpha * Ap[i];
  }
}

__global__ void eliminate(float *A, int n, int pivot) {
  int col = blockIdx.x * blockDim.x + threadIdx.x + pivot;
  int row = blockIdx.y * blockDim.y + threadIdx.y + pivot + 1;
  if (col < n && row < n) {
    float factor = A[row * n + pivot] / A[pivot * n + pivot];
    if (col > pivot) A[row * n + col] -= factor * A[pivot * n + col];
  }
}

__global__ void floydWarshall(int *dist, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  __shared__ int best;
  if (threadIdx.x == 0) best = dist[i * n + k];
  __syncthreads();
  int through = best + dist[k * n + j];
  if (through < dist[i * n + j]) dist[i * n + j] = through;
}

int main() {
  const int n = 4096, m = 1 << 22;
  std::vector<float> h(n * n, 1.0f);
  float *A, *b, *x, *next;
  double *p, *q, *r, *s, *partial;
  int *dist;
  cudaMalloc(&A, n * n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&next, n * sizeof(float));
  cudaMalloc(&p, m * sizeof(double));
  cudaMalloc(&q, m * sizeof(double));
  cudaMalloc(&r, m * sizeof(double));
  cudaMalloc(&s, m * sizeof(double));
  cudaMalloc(&partial, 1024 * sizeof(double));
  cudaMalloc(&dist, 2048 * 2048 * sizeof(int));
  cudaMemcpy(A, h.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(p, 0, m * sizeof(double));
  cudaMemset(q, 0, m * sizeof(double));
  cudaMemset(dist, 0, 2048 * 2048 * sizeof(int));
  jacobiDense<<<n / 8, dim3(32, 8)>>>(A, b, x, next, n);
  dotProduct<<<32, 256>>>(p, q, partial, m);
  updateVectors<<<(m + 255) / 256, 256>>>(r, s, p, q, 0.5, m);
  eliminate<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, n, 0);
  floydWarshall<<<dim3(2048 / 256, 2048), 256>>>(dist, 2048, 100);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
