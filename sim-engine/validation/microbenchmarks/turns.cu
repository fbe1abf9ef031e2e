// Memory read and written turn by turn: how fast, by how much lies side by side of what each turn reads and writes, by whether one warp
// takes that or several of a block, by whether it is read or written at once, and by the share that is written.
#include <cstdio>
#include <cstring>
enum Mode { plain, readsApart, writesApart, inPlace, twoInputs, shuffled };
// Groups of `group` parts of `width` lanes go along a row each: at each turn every part reads READS and writes WRITES times `width` words
// side by side, after those of the part before. What is read decides where the next turn is, so that no two are under way at a time.
template <int READS, int WRITES, Mode MODE>
__global__ void turns(const float* in, float* out, long long rowWords, int group, int width, int shift) {
  constexpr int most = READS > WRITES ? READS : WRITES;
  long long part = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / width;
  int lane = threadIdx.x % width;
  long long row = part / group, member = part % group;
  long long turn = (long long)width * most * group, turnsInRow = rowWords / turn;
  const float* r = in + row * rowWords + shift * (row % 8);
  float* w = (MODE == inPlace ? (float*)in : out) + row * rowWords + shift * (row % 8);
  long long second = (long long)1 << 29;  // words
  float s = 0;
  long long add = 0;
#pragma unroll 1
  for (long long t = 0; t < turnsInRow; t++) {
    long long at = MODE == shuffled ? (t * 37) % turnsInRow : t;
    long long k = at * turn + member * width * most + lane + add;
    float v[most];
#pragma unroll
    for (int u = 0; u < READS; u++) {
      v[u] = r[k + width * u];
      if (MODE == twoInputs) v[u] += r[second + k + width * u];
      if (MODE == readsApart) { s += v[u]; if (s == 1.2345f) k += width; }
    }
    if (MODE != readsApart) for (int u = 0; u < READS; u++) s += v[u];
    if (READS) { if (s == 1.2345f) add += width; }
#pragma unroll
    for (int u = 0; u < WRITES; u++) {
      w[k + width * u] = READS ? v[u % (READS ? READS : 1)] + s : (float)k;
      if (MODE == writesApart) { __nanosleep(300); }
    }
  }
  if (s == 1.2345f) out[0] = s;
}
static float *in, *out;
static bool profiling;
template <int READS, int WRITES, Mode MODE = plain>
void run(const char* what, int warps, int warpsPerBlock, int group, int width, int shift = 0) {
  constexpr int most = READS > WRITES ? READS : WRITES;
  long long parts = (long long)warps * 32 / width, rows = parts / group, turn = (long long)width * most * group;
  long long turnsInRow = ((1ll << 30) / 4 * 6 / 4) / rows / turn | 1;  // 1.5 GB in all
  if (MODE == shuffled && turnsInRow % 37 == 0) turnsInRow += 2;
  long long rowWords = turnsInRow * turn;
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
  float best = 1e9;
  for (int k = 0; k < (profiling ? 1 : 4); k++) {
    cudaEventRecord(a);
    turns<READS, WRITES, MODE><<<warps / warpsPerBlock, warpsPerBlock * 32>>>(in, out, rowWords, group, width, shift);
    cudaEventRecord(b); cudaEventSynchronize(b);
    float ms; cudaEventElapsedTime(&ms, a, b); if (k && ms < best) best = ms;
  }
  double words = (double)rows * turnsInRow * group * width * (READS * (MODE == twoInputs ? 2 : 1) + WRITES);
  printf("turns %s reads %d writes %d parts of %d bytes, %d side by side, shift %d, %d rows of %lld bytes, %d warps of %d: GB/s %.0f\n", what,
         READS, WRITES, width * 4, group, shift * 4, (int)rows, rowWords * 4, warps, warpsPerBlock, words * 4 / best / 1e6);
}
int main(int argc, char** argv) {
  profiling = argc > 1 && !strcmp(argv[1], "profile");
  cudaMalloc(&in, 5ll << 30); cudaMalloc(&out, 3ll << 30); cudaMemset(in, 0, 5ll << 30); cudaMemset(out, 0, 3ll << 30);
  if (profiling) {
    run<1, 0>("read", 8448, 4, 1, 32); run<1, 1>("copied", 8448, 4, 1, 32); run<2, 2>("copied", 8448, 4, 1, 32); run<4, 4>("copied", 8448, 4, 1, 32);
    run<1, 1>("copied", 8448, 8, 8, 32); run<1, 1>("copied", 8448, 32, 32, 32); run<1, 1, inPlace>("in place", 8448, 4, 1, 32); run<1, 1>("copied", 8448, 4, 1, 8);
    for (int group : {1, 8, 32}) {
      run<1, 1>("copied", 8448, 8, group, 32, 1); run<1, 1>("copied", 8448, 8, group, 32, 4); run<1, 1>("copied", 8448, 8, group, 32, 8);
      run<1, 0>("read", 8448, 8, group, 32, 1); run<0, 1>("written", 8448, 8, group, 32, 1); run<0, 4>("written", 8448, 8, group, 32, 1); run<4, 4>("copied", 8448, 8, group, 32, 1);
      run<1, 1, inPlace>("in place", 8448, 8, group, 32, 1); run<1, 1>("copied", 1056, 8, group, 32, 1);
    }
    return 0;
  }
  for (int warps : {4224, 8448}) {
    for (int width : {8, 16, 32}) {
      run<1, 0>("read", warps, 4, 1, width); run<2, 0>("read", warps, 4, 1, width); run<4, 0>("read", warps, 4, 1, width); run<16, 0>("read", warps, 4, 1, width);
      run<0, 1>("written", warps, 4, 1, width); run<0, 2>("written", warps, 4, 1, width); run<0, 4>("written", warps, 4, 1, width); run<0, 16>("written", warps, 4, 1, width);
      run<1, 1>("copied", warps, 4, 1, width); run<2, 2>("copied", warps, 4, 1, width); run<3, 3>("copied", warps, 4, 1, width); run<4, 4>("copied", warps, 4, 1, width); run<8, 8>("copied", warps, 4, 1, width); run<16, 16>("copied", warps, 4, 1, width);
    }
    for (int group : {2, 4, 8, 16, 32}) {
      run<1, 0>("read", warps, group, group, 32); run<1, 1>("copied", warps, group, group, 32); run<2, 2>("copied", warps, group, group, 32); run<4, 4>("copied", warps, group, group, 32);
      run<1, 1>("copied", warps, group, group, 32, 1); run<1, 1, inPlace>("in place", warps, group, group, 32); run<1, 1, inPlace>("in place", warps, group, group, 32, 1); run<1, 1, twoInputs>("two inputs", warps, group, group, 32);
      run<1, 1, shuffled>("shuffled", warps, group, group, 32);
    }
    // Blocks of the grid side by side: 4 and 32 blocks of 8 warps.
    for (int group : {32, 256, 1056}) { run<1, 1>("copied", warps, 8, group, 32); run<1, 1, inPlace>("in place", warps, 8, group, 32); run<1, 1, twoInputs>("two inputs", warps, 8, group, 32); }
    run<4, 4, readsApart>("read apart", warps, 4, 1, 32); run<4, 4, writesApart>("written apart", warps, 4, 1, 32); run<16, 16, readsApart>("read apart", warps, 4, 1, 32); run<16, 16, writesApart>("written apart", warps, 4, 1, 32); run<1, 1, writesApart>("written apart", warps, 4, 1, 32);
    run<1, 1, inPlace>("in place", warps, 4, 1, 32); run<2, 2, inPlace>("in place", warps, 4, 1, 32); run<4, 4, inPlace>("in place", warps, 4, 1, 32); run<16, 16, inPlace>("in place", warps, 4, 1, 32);
    run<1, 1, twoInputs>("two inputs", warps, 4, 1, 32); run<2, 2, twoInputs>("two inputs", warps, 4, 1, 32); run<4, 4, twoInputs>("two inputs", warps, 4, 1, 32); run<16, 16, twoInputs>("two inputs", warps, 4, 1, 32);
    run<1, 1, shuffled>("shuffled", warps, 4, 1, 32); run<4, 4, shuffled>("shuffled", warps, 4, 1, 32); run<16, 16, shuffled>("shuffled", warps, 4, 1, 32); run<1, 0, shuffled>("shuffled", warps, 4, 1, 32); run<0, 1, shuffled>("shuffled", warps, 4, 1, 32);
    run<1, 2>("twice as many writes", warps, 4, 1, 32); run<4, 8>("twice as many writes", warps, 4, 1, 32); run<2, 1>("twice as many reads", warps, 4, 1, 32); run<4, 1>("four times as many reads", warps, 4, 1, 32); run<16, 1>("sixteen times as many reads", warps, 4, 1, 32); run<16, 4>("four times as many reads", warps, 4, 1, 32);
    run<1, 1>("copied", warps, 4, 1, 32, 1); run<4, 4>("copied", warps, 4, 1, 32, 1);
    // Pieces that begin within a sector (shifts of 1 and 4 words), and at a sector but within a line (8).
    for (int group : {1, 8, 32})
      for (int shift : {0, 1, 4, 8}) {
        run<1, 0>("read", warps, 8, group, 32, shift); run<4, 0>("read", warps, 8, group, 32, shift); run<0, 1>("written", warps, 8, group, 32, shift); run<0, 4>("written", warps, 8, group, 32, shift);
        run<2, 2>("copied", warps, 8, group, 32, shift); run<4, 4>("copied", warps, 8, group, 32, shift); run<4, 4, inPlace>("in place", warps, 8, group, 32, shift);
      }
  }
  puts(cudaGetErrorString(cudaGetLastError()));
}
