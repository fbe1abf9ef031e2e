// Two translation units: the kernels, a class and the sizes are defined in the other.
#include "solver.h"

extern "C" const int kBlock;
int columns = 96;

int main() {
  Solver solver(64, columns);
  for (int k = 0; k < 10; k++) solver.step(0.1f * k);
  float *extra;
  cudaMalloc(&extra, kBlock * sizeof(float));
  clear<<<1, kBlock>>>(extra, kBlock);
  finish(extra, solver.cells());
}
//= clear 1 128 | extra[512]+0=? 128
