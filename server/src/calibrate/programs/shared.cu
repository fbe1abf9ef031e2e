// Shared memory and shuffles: one warp, each step needs the one before. Two loops of which one has twice as many steps in a turn.
#include "measure.h"

enum Op { LOAD, ATOMIC, SHUFFLE };
// Each word holds its own address, which is what a step reads. Loads go by `ways` to a bank, each on a word of its own; atomics by
// `ways` to a word.
template <int OP, int N> __global__ void chain(long long *out, int turns, int ways) {
  __shared__ unsigned table[32 * 32];
  const unsigned first = (unsigned)__cvta_generic_to_shared(table), lane = threadIdx.x;
  for (int i = lane; i < 32 * 32; i += 32) table[i] = first + i * 4;
  __syncthreads();
  unsigned x = OP == SHUFFLE ? lane : first + (OP == ATOMIC ? lane / ways : (lane % ways) * 32 + lane / ways) * 4;
  long long t0 = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (OP == LOAD) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x));
      if (OP == ATOMIC) asm volatile("atom.shared.add.u32 %0, [%0], 0;" : "+r"(x));
      if (OP == SHUFFLE) x = __shfl_xor_sync(0xffffffffu, x, 1);
    }
  }
  long long t1 = clock64();
  if (lane == 0) out[0] = t1 - t0;
  if (x == 1) out[1] = 1;
}

template <int OP> static double step(int ways) {
  const int turns = 64;
  double more = cycles([&] { chain<OP, 64><<<1, 32>>>(outDevice, turns, ways); });
  double less = cycles([&] { chain<OP, 32><<<1, 32>>>(outDevice, turns, ways); });
  return slope(more, less, 32.0 * turns);
}

int main() {
  begin();
  for (int i = 0; i < samples; ++i) {
    const double load = step<LOAD>(1), conflict = step<LOAD>(32), alone = step<ATOMIC>(1), together = step<ATOMIC>(32);
    sample("sharedLatency", load);
    sample("conflictLatency", (conflict - load) / 31);
    sample("sharedAtomicLatency", alone - load);
    sample("sharedAtomicInterval", (together - alone) / 31);
    sample("shuffleLatency", step<SHUFFLE>(1));
  }
  return 0;
}
