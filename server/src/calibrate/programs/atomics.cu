// Atomics of all SMs on one word: of whole numbers, and how many times longer those of floats take.
#include "measure.h"

// That all lanes have the same word must not be known: ptxas has the lanes of a warp add up first where it is. So 0 is an argument.
template <bool REAL> __global__ void addAll(unsigned *words, int turns, int zero) {
  unsigned *word = words + threadIdx.x * zero;
  for (int i = 0; i < turns; ++i) {
    if (REAL) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(word), "f"(1.0f));
    else asm volatile("red.global.add.u32 [%0], %1;" ::"l"(word), "r"(1));
  }
}

int main() {
  begin();
  const int blocks = smCount() * 8, threads = 256;
  unsigned *word;
  CHECK(cudaMalloc(&word, 256));
  CHECK(cudaMemset(word, 0, 256));
  const double hz = clockHz(), lanes = (double)blocks * threads;
  for (int i = 0; i < samples; ++i) {
    auto whole = [&](int turns) { return seconds([&] { addAll<false><<<blocks, threads>>>(word, turns, 0); }); };
    auto real = [&](int turns) { return seconds([&] { addAll<true><<<blocks, threads>>>(word, turns, 0); }); };
    const double each = slope(whole(12), whole(4), 8 * lanes);
    sample("atomicInterval", each * hz);
    sample("atomicFloatWork", slope(real(12), real(4), 8 * lanes) / each);
  }
  return 0;
}
