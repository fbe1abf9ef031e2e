// Graph from an edge list: count degrees, prefix sum, fill with a cursor.
#include <cstdlib>
#include <vector>

__global__ void gather(const int *offsets, const int *edges, const float *rank, float *out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0.f;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) sum += rank[edges[e]];
  out[v] = sum;
}
int main() {
  const int n = 16384, m = 16 * n;
  srand(42);
  std::vector<int> src(m), dst(m);
  for (int e = 0; e < m; e++) {
    src[e] = rand() % n;
    dst[e] = rand() % n;
  }
  std::vector<int> offsets(n + 1, 0);
  for (int e = 0; e < m; e++) offsets[src[e] + 1]++;
  for (int v = 0; v < n; v++) offsets[v + 1] += offsets[v];
  std::vector<int> cursor(offsets.begin(), offsets.end() - 1);
  std::vector<int> edges(m);
  for (int e = 0; e < m; e++) edges[cursor[src[e]]++] = dst[e];



  int *d_off, *d_edges; float *d_rank, *d_out;
  cudaMalloc(&d_off, (n + 1) * sizeof(int)); cudaMalloc(&d_edges, m * sizeof(int));
  cudaMalloc(&d_rank, n * sizeof(float)); cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_off, offsets.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_edges, edges.data(), m * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(d_off, d_edges, d_rank, d_out, n);
  cudaDeviceSynchronize();
}
