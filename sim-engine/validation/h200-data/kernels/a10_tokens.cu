// Token ids by Zipf's law through a cumulative table.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

__global__ void embed(const int *ids, const float *table, float *out, int dim) {
  for (int j = threadIdx.x; j < dim; j += blockDim.x) out[blockIdx.x * dim + j] = table[ids[blockIdx.x] * dim + j];
}
int main() {
  const int vocab = 32000, tokens = 4096, dim = 256;
  std::vector<double> cdf(vocab);
  double sum = 0;
  for (int i = 0; i < vocab; i++) { sum += 1.0 / (i + 1); cdf[i] = sum; }
  for (auto &c : cdf) c /= sum;
  srand48(7);
  std::vector<int> ids(tokens);
  for (int t = 0; t < tokens; t++) {
    double u = drand48();
    ids[t] = std::lower_bound(cdf.begin(), cdf.end(), u) - cdf.begin();
  }



  int *di; float *dt, *dout; cudaMalloc(&di, tokens * 4); cudaMalloc(&dt, (size_t)vocab * dim * 4); cudaMalloc(&dout, (size_t)tokens * dim * 4);
  cudaMemcpy(di, ids.data(), tokens * 4, cudaMemcpyHostToDevice);
  embed<<<tokens, 128>>>(di, dt, dout, dim);
}
