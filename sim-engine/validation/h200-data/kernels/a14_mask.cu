// Sparse mask and the list of what it keeps; hand-written xorshift.
#include <cstdint>
#include <vector>

static uint32_t state = 2463534242u;
static uint32_t xorshift() { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state; }
__global__ void blocks(const uint8_t *mask, const int *list, const float *a, float *c, int nb) {
  int b = list[blockIdx.x];
  if (mask[b]) c[b * 64 + threadIdx.x] = a[b * 64 + threadIdx.x] * 2;
}
int main() {
  const int side = 128, nb = side * side;
  std::vector<uint8_t> mask(nb);
  std::vector<int> list;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      bool keep = i == j || xorshift() % 10 == 0;
      mask[i * side + j] = keep;
      if (keep) list.emplace_back(i * side + j);
    }



  uint8_t *dm; int *dl; float *da, *dc; cudaMalloc(&dm, nb); cudaMalloc(&dl, list.size() * 4); cudaMalloc(&da, nb * 256); cudaMalloc(&dc, nb * 256);
  cudaMemcpy(dm, mask.data(), nb, cudaMemcpyHostToDevice); cudaMemcpy(dl, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice);
  blocks<<<list.size(), 64>>>(dm, dl, da, dc, nb);
}
