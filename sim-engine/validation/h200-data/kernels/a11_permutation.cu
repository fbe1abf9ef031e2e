#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

__global__ void permute(const int *p, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[p[i]];
}
int main() {
  const int n = 1 << 16, keep = 20000;
  std::vector<int> p(n);
  std::iota(p.begin(), p.end(), 0);
  std::mt19937 g(11);
  std::shuffle(p.begin(), p.end(), g);
  p.resize(keep);
  std::sort(p.begin(), p.end());



  int *dp; float *di, *dout; cudaMalloc(&dp, keep * 4); cudaMalloc(&di, n * 4); cudaMalloc(&dout, keep * 4);
  cudaMemcpy(dp, p.data(), keep * 4, cudaMemcpyHostToDevice);
  permute<<<(keep + 255) / 256, 256>>>(dp, di, dout, keep);
}
