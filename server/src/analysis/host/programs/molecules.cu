// Simulation state in a struct of device pointers passed by value, cells and neighbour lists built by the host, time steps.
#include <cmath>
#include <cstdlib>
#include <cstring>

typedef struct {
  float4 *position;
  float4 *force;
  int *cellStart, *neighbours;
  int particles, cells, perCell;
  float cutoff;
} State;

__global__ void forces(State s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.particles) return;
  float4 f = make_float4(0, 0, 0, 0);
  for (int k = 0; k < 32; k++) f.x += s.position[s.neighbours[i * 32 + k]].x;
  s.force[i] = f;
}
__global__ void integrate(float4 *position, const float4 *force, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) position[i].x += dt * force[i].x;
}

static State makeState(int side) {
  State s;
  memset(&s, 0, sizeof(s));
  s.cells = side * side * side;
  s.perCell = 16;
  s.particles = s.cells * s.perCell;
  s.cutoff = cbrtf(1.0f / s.cells);
  cudaMalloc((void **)&s.position, s.particles * sizeof(float4));
  cudaMalloc((void **)&s.force, s.particles * sizeof(*s.force));
  cudaMalloc((void **)&s.cellStart, (s.cells + 1) * sizeof(int));
  cudaMalloc((void **)&s.neighbours, s.particles * 32 * sizeof(int));
  int *start = (int *)malloc((s.cells + 1) * sizeof(int));
  for (int c = 0; c <= s.cells; c++) start[c] = c * s.perCell;
  cudaMemcpy(s.cellStart, start, (s.cells + 1) * sizeof(int), cudaMemcpyHostToDevice);
  int *list = new int[s.particles * 32];
  for (int i = 0; i < s.particles; i++)
    for (int k = 0; k < 32; k++) list[i * 32 + k] = (i + rand() % 64) % s.particles;
  cudaMemcpy(s.neighbours, list, s.particles * 32 * sizeof(int), cudaMemcpyHostToDevice);
  free(start);
  delete[] list;
  return s;
}

int main(int argc, char **argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 16;
  State state = makeState(side);
  const float dt = 1e-3f;
  const int threads = 128, blocks = (state.particles + threads - 1) / threads;
  for (float t = 0; t < 0.05f; t += dt) {
    forces<<<blocks, threads>>>(state);
    integrate<<<blocks, threads>>>(state.position, state.force, dt, state.particles);
  }
}
//= forces 512 128 | {0:position+0 8:force+0 16:cellStart+0 24:neighbours+0 32:65536 36:4096 40:16 44:0.0625}
//= integrate 512 128 | position[1048576]+0=? force[1048576]+0=? 0.001 65536
