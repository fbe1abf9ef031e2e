// Particles sorted into cells.
#include <cstdlib>
#include <numeric>
#include <vector>

__global__ void forces(const int *cell_start, const int *order, const float *x, float *f, int cells) {
  int c = blockIdx.x;
  for (int i = cell_start[c] + threadIdx.x; i < cell_start[c + 1]; i += blockDim.x) {
    float s = 0;
    for (int j = cell_start[c]; j < cell_start[c + 1]; j++) s += x[order[j]] - x[order[i]];
    f[order[i]] = s;
  }
}
static float frand() { return rand() / (float)RAND_MAX; }
int main() {
  const int n = 20000, side = 12, cells = side * side * side;
  std::vector<float> x(n), y(n), z(n);
  for (int i = 0; i < n; i++) { x[i] = frand(); y[i] = frand() * frand(); z[i] = frand(); }
  std::vector<int> cell(n), count(cells, 0), cell_start(cells + 1, 0), order(n);
  for (int i = 0; i < n; i++) {
    int cx = (int)(x[i] * side), cy = (int)(y[i] * side), cz = (int)(z[i] * side);
    if (cx >= side) cx = side - 1;
    if (cy >= side) cy = side - 1;
    if (cz >= side) cz = side - 1;
    cell[i] = (cz * side + cy) * side + cx;
    count[cell[i]]++;
  }
  std::partial_sum(count.begin(), count.end(), cell_start.begin() + 1);
  std::vector<int> next = cell_start;
  for (int i = 0; i < n; i++) order[next[cell[i]]++] = i;



  int *ds, *dord; float *dx, *df; cudaMalloc(&ds, (cells + 1) * 4); cudaMalloc(&dord, n * 4); cudaMalloc(&dx, n * 4); cudaMalloc(&df, n * 4);
  cudaMemcpy(ds, cell_start.data(), (cells + 1) * 4, cudaMemcpyHostToDevice); cudaMemcpy(dord, order.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
  forces<<<cells, 64>>>(ds, dord, dx, df, cells);
}
