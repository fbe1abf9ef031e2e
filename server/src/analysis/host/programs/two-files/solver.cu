#include "solver.h"
extern int columns;
extern "C" const int kBlock = 128;
__global__ void clear(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 0; }
__global__ void advance(float *p, int n, float t) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += t; }
Solver::Solver(int rows, int cols) : rows_(rows), cols_(cols) { cudaMalloc(&field_, rows * columns * sizeof(float)); }
void Solver::step(float time) { advance<<<(cells() + kBlock - 1) / kBlock, kBlock>>>(field_, cells(), time); }
int Solver::cells() const { return rows_ * cols_; }
void finish(float *p, int n) { clear<<<n / kBlock, kBlock>>>(p, n); }
