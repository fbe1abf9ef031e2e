/** Analyses of nothing in particular: what it takes to run at speed is there when the first file comes. */
import { ProgramDatabase } from "../analysis/program-database.ts";
import { lint } from "../lint.ts";

const sample = `#include <cstdio>
#define CHECK(call) do { if ((call) != cudaSuccess) return 1; } while (0)
struct Point { float x, y; };
template <typename T, int N> __device__ T total(const T *values) {
  T sum = 0;
  for (int i = 0; i < N; i++) sum += values[i];
  return sum;
}
__global__ void step(Point *points, const float *weights, unsigned n) {
  __shared__ float tile[256];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? weights[i] : 0.5;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k <<= 1) tile[threadIdx.x] += tile[threadIdx.x ^ k];
  if (i < n && threadIdx.x % 32 == 0) points[i].x = total<float, 4>(tile) * (points[i].y > 0 ? 1.0f : -1.0f);
}
int main(int argc, char **argv) {
  const unsigned n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  Point *points = nullptr;
  float *weights = nullptr;
  CHECK(cudaMalloc(&points, n * sizeof(Point)));
  CHECK(cudaMalloc((void **)&weights, n * sizeof(float)));
  dim3 block(256), grid((n + block.x - 1) / block.x);
  step<<<grid, block>>>(points, weights, n);
  printf("%u\\n", n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
`;

const path = "/warm-up.cu";
/** Edits until code that runs at every keystroke runs at its speed. */
const edits = 24;

/** The grammar must be loaded. Each step takes some milliseconds, but the first, which takes some tenths of a second. */
export function* warmUp(): Generator<void, void, void> {
  const programs = new ProgramDatabase({ read: () => undefined });
  programs.configure(path, { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] });
  for (let edit = 0; edit <= edits; edit++) {
    const blanks = " ".repeat(1 + (edit % 3));
    const step = edit % 2 ? `k <<= ${edit}` : "k <<= 1";
    programs.setText(path, sample.repeat(2).replaceAll("k <<= 1", step).replaceAll("  float *weights", `${blanks}float *weights`));
    lint(programs.program(path), undefined, { quick: true });
    yield;
    programs.prepareForEdits(path);
  }
}
