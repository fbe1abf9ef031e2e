// srand(time(0)): counts and offsets of random length, in plain C.
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void segsum(const int *off, const float *v, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0; for (int k = off[i]; k < off[i + 1]; k++) s += v[k];
  out[i] = s;
}
int main() {
  int n = 8192;
  srand(time(NULL));
  int *off = (int *)malloc((n + 1) * sizeof(int));
  off[0] = 0;
  for (int i = 0; i < n; i++) off[i + 1] = off[i] + 1 + rand() % 63;
  int total = off[n];
  float *v = (float *)malloc(total * sizeof(float));
  for (int i = 0; i < total; i++) v[i] = (float)rand() / RAND_MAX;



  int *d_off; float *dv, *dout; cudaMalloc(&d_off, (n + 1) * 4); cudaMalloc(&dv, total * 4); cudaMalloc(&dout, n * 4);
  cudaMemcpy(d_off, off, (n + 1) * 4, cudaMemcpyHostToDevice); cudaMemcpy(dv, v, total * 4, cudaMemcpyHostToDevice);
  segsum<<<(n + 255) / 256, 256>>>(d_off, dv, dout, n);
}
