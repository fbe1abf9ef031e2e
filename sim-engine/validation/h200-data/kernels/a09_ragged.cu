// Lengths of sequences for attention, cumulative, and a work list of tiles.
#include <algorithm>
#include <random>
#include <vector>

struct Tile { int seq, q; };
__global__ void attend(const int *cu, const int *tile_seq, const int *tile_q, const float *q, float *o, int d) {
  int s = tile_seq[blockIdx.x], first = tile_q[blockIdx.x], begin = cu[s], end = cu[s + 1];
  int row = begin + first + threadIdx.x;
  if (row >= end) return;
  float acc = 0;
  for (int k = begin; k < end; k++) acc += q[k * d] * q[row * d];
  o[row] = acc;
}
int main() {
  const int batch = 64, maxlen = 1024, tile = 64;
  std::mt19937 gen(0);
  std::uniform_int_distribution<int> len(16, maxlen);
  std::vector<int> seqlen(batch), cu(1, 0);
  for (auto &l : seqlen) l = len(gen);
  for (int l : seqlen) cu.push_back(cu.back() + l);
  std::vector<int> tile_seq, tile_q;
  for (int b = 0; b < batch; b++)
    for (int q = 0; q < seqlen[b]; q += tile) { tile_seq.push_back(b); tile_q.push_back(q); }
  int total = cu.back();



  int *dc, *dt, *dq0; float *dq, *dout;
  cudaMalloc(&dc, cu.size() * 4); cudaMalloc(&dt, tile_seq.size() * 4); cudaMalloc(&dq0, tile_q.size() * 4);
  cudaMalloc(&dq, (size_t)total * 64 * 4); cudaMalloc(&dout, total * 4);
  cudaMemcpy(dc, cu.data(), cu.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dt, tile_seq.data(), tile_seq.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dq0, tile_q.data(), tile_q.size() * 4, cudaMemcpyHostToDevice);
  attend<<<tile_seq.size(), tile>>>(dc, dt, dq0, dq, dout, 64);
}
