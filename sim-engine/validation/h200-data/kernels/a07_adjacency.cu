#include <random>
#include <vector>

__global__ void bfs(const int *start, const int *adj, int *level, int *changed, int n, int now) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && level[v] == now)
    for (int e = start[v]; e < start[v + 1]; e++)
      if (level[adj[e]] < 0) { level[adj[e]] = now + 1; *changed = 1; }
}
int main() {
  const int n = 10000;
  std::mt19937 gen(2023);
  std::vector<std::vector<int>> g(n);
  std::uniform_int_distribution<> pick(0, n - 1);
  for (int i = 0; i < 5 * n; i++) {
    int a = pick(gen), b = pick(gen);
    if (a == b) continue;
    g[a].push_back(b);
    g[b].push_back(a);
  }
  std::vector<int> start(n + 1), adj;
  for (int v = 0; v < n; v++) {
    start[v] = adj.size();
    for (int w : g[v]) adj.push_back(w);
  }
  start[n] = adj.size();
  std::vector<int> level(n, -1);
  level[0] = 0;



  int *ds, *da, *dl, *dc;
  cudaMalloc(&ds, (n + 1) * 4); cudaMalloc(&da, adj.size() * 4); cudaMalloc(&dl, n * 4); cudaMalloc(&dc, 4);
  cudaMemcpy(ds, start.data(), (n + 1) * 4, cudaMemcpyHostToDevice); cudaMemcpy(da, adj.data(), adj.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dl, level.data(), n * 4, cudaMemcpyHostToDevice);
  bfs<<<(n + 255) / 256, 256>>>(ds, da, dl, dc, n, 0);
}
