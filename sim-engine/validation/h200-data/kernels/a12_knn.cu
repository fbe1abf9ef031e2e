// k distinct random neighbours per point through a set
#include <random>
#include <set>
#include <vector>

__global__ void mean(const int *nb, const float *f, float *out, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0; for (int j = 0; j < k; j++) s += f[nb[i * k + j]];
  out[i] = s / k;
}
int main() {
  const int n = 5000, k = 8;
  std::mt19937 rng(3);
  std::vector<int> nb;
  nb.reserve(n * k);
  for (int i = 0; i < n; i++) {
    std::set<int> chosen;
    while ((int)chosen.size() < k) {
      int c = rng() % n;
      if (c != i) chosen.insert(c);
    }
    for (int c : chosen) nb.push_back(c);
  }



  int *dn; float *df, *dout; cudaMalloc(&dn, nb.size() * 4); cudaMalloc(&df, n * 4); cudaMalloc(&dout, n * 4);
  cudaMemcpy(dn, nb.data(), nb.size() * 4, cudaMemcpyHostToDevice);
  mean<<<(n + 127) / 128, 128>>>(dn, df, dout, n, k);
}
