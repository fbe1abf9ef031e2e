// Routing of tokens to experts: top 2 of random weights, tokens by expert.
#include <random>
#include <vector>

__global__ void expert(const int *offset, const int *token, const float *x, float *y, int dim) {
  int e = blockIdx.x;
  for (int i = offset[e] + threadIdx.y; i < offset[e + 1]; i += blockDim.y)
    for (int j = threadIdx.x; j < dim; j += blockDim.x) y[i * dim + j] = x[token[i] * dim + j];
}
int main() {
  const int tokens = 4096, experts = 16, dim = 128;
  std::mt19937 gen(17);
  std::discrete_distribution<int> route({8, 4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  std::vector<std::vector<int>> lists(experts);
  for (int t = 0; t < tokens; t++) {
    int a = route(gen), b;
    do { b = route(gen); } while (b == a);
    lists[a].push_back(t);
    lists[b].push_back(t);
  }
  std::vector<int> offset = {0}, token;
  for (const auto &l : lists) {
    token.insert(token.end(), l.begin(), l.end());
    offset.push_back(token.size());
  }



  int *d_off, *dt; float *dx, *dy; cudaMalloc(&d_off, offset.size() * 4); cudaMalloc(&dt, token.size() * 4); cudaMalloc(&dx, tokens * dim * 4); cudaMalloc(&dy, 2 * tokens * dim * 4);
  cudaMemcpy(d_off, offset.data(), offset.size() * 4, cudaMemcpyHostToDevice); cudaMemcpy(dt, token.data(), token.size() * 4, cudaMemcpyHostToDevice);
  expert<<<experts, dim3(32, 8)>>>(d_off, dt, dx, dy, dim);
}
