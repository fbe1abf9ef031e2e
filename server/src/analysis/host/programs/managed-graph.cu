// Managed memory, a graph in compressed rows built by host loops, launches in a level loop.
#include <cstdlib>

__global__ void levels(const int *rowStart, const int *columns, int *level, int current, int nodes, int *changed) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] != current) return;
  for (int e = rowStart[node]; e < rowStart[node + 1]; e++)
    if (level[columns[e]] < 0) {
      level[columns[e]] = current + 1;
      *changed = 1;
    }
}

constexpr int kNodes = 50000;
constexpr int kDegree = 12;

int main() {
  int *rowStart, *columns, *level, *changed;
  cudaMallocManaged(&rowStart, (kNodes + 1) * sizeof(int));
  cudaMallocManaged(&columns, kNodes * kDegree * sizeof(int));
  cudaMallocManaged(&level, kNodes * sizeof(int));
  cudaMallocManaged(&changed, sizeof(int));
  for (int i = 0; i <= kNodes; i++) rowStart[i] = i * kDegree;
  for (int i = 0; i < kNodes; i++)
    for (int j = 0; j < kDegree; j++) columns[i * kDegree + j] = rand() % kNodes;
  for (int i = 0; i < kNodes; i++) level[i] = -1;
  level[0] = 0;
  int current = 0;
  do {
    *changed = 0;
    levels<<<(kNodes + 127) / 128, 128>>>(rowStart, columns, level, current, kNodes, changed);
    cudaDeviceSynchronize();
    current++;
  } while (*changed);
}
//= levels 391 128 | rowStart[200004]+0=linear(0,12) columns[2400000]+0=uniform(0,50000) level[200000]+0=[0,4)values(0) [4,200000)constant(-1) 0 50000 changed[4]+0=zero
