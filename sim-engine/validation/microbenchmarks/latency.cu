// Latencies of the H200 model: dependent instructions, code met for the first time, data met for the first time, and how warps that
// do the same drift apart. One line a result.
//   nvcc -O3 -arch=sm_90 latency.cu -o latency && ./latency
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
  do {                                                                                            \
    cudaError_t e_ = (call);                                                                      \
    if (e_ != cudaSuccess) { printf("error %s line %d\n", cudaGetErrorString(e_), __LINE__); }    \
  } while (0)

static long long *out;
static long long host[1 << 20];
__device__ unsigned sinkU;

// ---------------------------------------------------------------- chains: each step needs the one before; none can be folded away
enum Op { FADD, FMUL, FFMA, LOP3, IADD_LOP3, IMAD, WIDE, SHF, IMNMX, SETP_SEL, FSETP_SEL, LEA, POPC, BREV, I2F_F2I, RCP, EX2, SHFL, VOTE, REDUX, DADD, DFMA, LDS, FMNMX, PRMT };
template <int OP> __global__ void chain(long long *out, unsigned a, unsigned b) {
  __shared__ unsigned table[256];
  for (int i = threadIdx.x; i < 256; i += 32) table[i] = i * 4;
  __syncthreads();
  unsigned x = a + threadIdx.x * 4; float f = __uint_as_float(a), g = __uint_as_float(b); double d = a, e = b;
  unsigned long long w = a + threadIdx.x;
  const unsigned me = threadIdx.x;
  long long t0 = 0, t1 = 0;
  for (int pass = 0; pass < 2; ++pass) {
    t0 = clock64();
#pragma unroll
    for (int i = 0; i < 128; ++i) {
      if (OP == FADD) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(f) : "f"(g));
      if (OP == FMUL) asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(f) : "f"(g));
      if (OP == FFMA) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(g));
      if (OP == FMNMX) { if (i & 1) asm volatile("max.f32 %0, %0, %1;" : "+f"(f) : "f"(g)); else asm volatile("min.f32 %0, %0, %1;" : "+f"(f) : "f"(__uint_as_float(x))); }
      if (OP == LOP3) asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(a), "r"(b));
      if (OP == IADD_LOP3) asm volatile("{add.s32 %0, %0, %1; lop3.b32 %0, %0, %1, %2, 0x6a;}" : "+r"(x) : "r"(a), "r"(b));
      if (OP == IMAD) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
      if (OP == WIDE) asm volatile("{.reg .u32 l; cvt.u32.u64 l, %0; mad.wide.u32 %0, l, %1, %0;}" : "+l"(w) : "r"(a));
      if (OP == SHF) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
      if (OP == PRMT) asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
      if (OP == LEA) asm volatile("{.reg .u32 t; shl.b32 t, %0, 3; add.s32 %0, t, %1;}" : "+r"(x) : "r"(a));
      if (OP == IMNMX) { if (i & 1) asm volatile("max.s32 %0, %0, %1;" : "+r"(x) : "r"(a)); else asm volatile("min.s32 %0, %0, %1;" : "+r"(x) : "r"(b)); }
      if (OP == SETP_SEL) asm volatile("{.reg .pred p; setp.gt.s32 p, %0, %1; selp.s32 %0, %2, %1, p;}" : "+r"(x) : "r"(a), "r"(b));
      if (OP == FSETP_SEL) asm volatile("{.reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %2, %1, p;}" : "+f"(f) : "f"(g), "f"(__uint_as_float(x)));
      if (OP == POPC) asm volatile("popc.b32 %0, %0;" : "+r"(x));
      if (OP == BREV) asm volatile("brev.b32 %0, %0;" : "+r"(x));
      if (OP == I2F_F2I) asm volatile("{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}" : "+r"(x));
      if (OP == RCP) asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(f));
      if (OP == EX2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
      if (OP == SHFL) asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(x) : "r"(x & 31));
      if (OP == VOTE) asm volatile("{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; xor.b32 %0, %0, %2;}" : "+r"(x) : "r"(a), "r"(me));
      if (OP == REDUX) asm volatile("{redux.sync.add.s32 %0, %0, 0xffffffff; xor.b32 %0, %0, %1;}" : "+r"(x) : "r"(me));
      if (OP == DADD) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(d) : "d"(e));
      if (OP == DFMA) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(d) : "d"(e));
      if (OP == LDS) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(x));
    }
    t1 = clock64();
  }
  if (threadIdx.x == 0) { out[0] = t1 - t0; sinkU = x + __float_as_uint(f) + (unsigned)d + (unsigned)w; }
}
template <int OP> static void latency(const char *name, unsigned a = 16, unsigned b = 8) {
  for (int i = 0; i < 2; ++i) chain<OP><<<1, 32>>>(out, a, b);
  CHECK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
  printf("latency %s %.2f\n", name, host[0] / 128.0);
}

// ---------------------------------------------------------------- loops: a body of N dependent adds, one turn's cycles
template <int N> __global__ void loop(long long *out, int turns, unsigned a, unsigned b) {
  unsigned x = a + threadIdx.x;
  long long t0 = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; ++i) {
#pragma unroll
    for (int k = 0; k < N; ++k) asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(x) : "r"(a), "r"(b));
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) { out[0] = t1 - t0; sinkU = x; }
}
// lanes part and meet in each turn
__global__ void diverge(long long *out, int turns, unsigned a, int bit) {
  unsigned x = a + threadIdx.x, y = x;
  long long t0 = clock64();
#pragma unroll 1
  for (int i = 0; i < turns; ++i) {
    if ((threadIdx.x >> bit) & 1) { asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(x) : "r"(a)); asm volatile("bar.warp.sync 0xffff0000;"); }
    else { asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(y) : "r"(a)); asm volatile("bar.warp.sync 0x0000ffff;"); }
    __syncwarp();
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) { out[0] = t1 - t0; sinkU = x + y; }
}

// ---------------------------------------------------------------- code met for the first time: N instructions in a row, twice
template <int N> __global__ void straight(long long *out, float g) {
  float f[4] = {g, g + 1, g + 2, g + 3};
  long long t[3];
  t[0] = clock64();
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i & 3]) : "f"(g));
    t[pass + 1] = clock64();
  }
  if (threadIdx.x == 0) { out[blockIdx.x * 2] = t[1] - t[0]; out[blockIdx.x * 2 + 1] = t[2] - t[1]; sinkU = f[0] + f[1] + f[2] + f[3]; }
}

// ---------------------------------------------------------------- data met for the first time
__global__ void flush(unsigned *p, size_t n) { for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = i; }
// Lane 0 of each block: an argument; a word of the block's own place; another line of the same 4 KB; another 64 KB; another 2 MB.
__global__ void first(const unsigned *p, size_t stride, size_t far, long long *out) {
  long long t0 = clock64();
  const unsigned *q = p + blockIdx.x * stride / 4;
  unsigned x;
  asm volatile("{.reg .pred p; setp.ne.u64 p, %1, 0; selp.b32 %0, 0, 1, p;}" : "=r"(x) : "l"(q));
  long long t1 = clock64() + x;
  long long t[4];
  size_t offsets[4] = {0, 1024, 16384, far / 4};
  for (int i = 0; i < 4; ++i) {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(q + x + offsets[i]));
    t[i] = clock64() + (x & 0);
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0xffffffff; selp.b32 %0, 1, 0, p;}" : "+r"(x));
    t[i] = clock64() + x;
  }
  if (threadIdx.x == 0) {
    long long *o = out + blockIdx.x * 5;
    o[0] = t1 - t0; o[1] = t[0] - t1; o[2] = t[1] - t[0]; o[3] = t[2] - t[1]; o[4] = t[3] - t[2];
  }
}

// ---------------------------------------------------------------- equal warps: when each ends
// what: 0 arithmetic, 1 shared loads, 2 loads that hit the L1
__global__ void ends(long long *out, int what, int turns, const unsigned *p, unsigned a) {
  __shared__ unsigned table[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = 0;
  __syncthreads();
  long long t0 = clock64();
  unsigned x = 0, y = a + threadIdx.x, z = y + 1;
#pragma unroll 4
  for (int i = 0; i < turns; ++i) {
    if (what == 0) { asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(y) : "r"(a)); asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(z) : "r"(a)); }
    else if (what == 1) x += *(volatile unsigned *)&table[(threadIdx.x + x) & 1023];
    else { unsigned v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p + ((threadIdx.x + x) & 1023))); x += v; }
  }
  long long t1 = clock64();
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = t1 - t0;
  if (x + y + z == 12345) sinkU = x;
}

static void mean(const char *what, int grid, int each, const char *const *names) {
  CHECK(cudaMemcpy(host, out, 8 * grid * each, cudaMemcpyDeviceToHost));
  printf("%s", what);
  for (int k = 0; k < each; ++k) {
    std::vector<long long> v;
    for (int b = 0; b < grid; ++b) v.push_back(host[b * each + k]);
    std::sort(v.begin(), v.end());
    double sum = 0; for (long long x : v) sum += x;
    printf(" %s %.0f (%lld to %lld)", names[k], sum / grid, v.front(), v.back());
  }
  printf("\n");
}

static unsigned *big; static const size_t bigBytes = (size_t)1 << 30;
static void evict() { flush<<<1056, 256>>>(big, bigBytes / 4); CHECK(cudaDeviceSynchronize()); }
template <int N> static void code() {
  static const char *const names[] = {"first", "second"};
  char label[64];
  for (int grid : {1, 132}) {
    evict();
    straight<N><<<grid, 32>>>(out, 1.5f);
    snprintf(label, sizeof label, "code instructions %d blocks %d", N, grid);
    mean(label, grid, 2, names);
  }
}

int main(int argc, char **argv) {
  CHECK(cudaMalloc(&out, 8 << 20));
  CHECK(cudaMalloc(&big, bigBytes));
  unsigned *data; const size_t dataBytes = (size_t)8 << 30;
  CHECK(cudaMalloc(&data, dataBytes));
  CHECK(cudaMemset(data, 0, dataBytes));
  if (argc > 1 && !strcmp(argv[1], "profile")) {  // under ncu, which empties the caches before each launch
    for (int grid : {1, 8, 132, 528, 1056}) for (size_t stride : {(size_t)1024, (size_t)65536, (size_t)2 << 20}) first<<<grid, 32>>>(data, stride, (size_t)4 << 20, out);
    straight<64><<<132, 32>>>(out, 1.5f); straight<512><<<132, 32>>>(out, 1.5f); straight<4096><<<132, 32>>>(out, 1.5f);
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  latency<FADD>("fadd"); latency<FMUL>("fmul"); latency<FFMA>("ffma"); latency<FMNMX>("fmnmx"); latency<LOP3>("lop3"); latency<IADD_LOP3>("iadd+lop3");
  latency<IMAD>("imad"); latency<WIDE>("imad.wide"); latency<SHF>("shf"); latency<PRMT>("prmt"); latency<LEA>("lea"); latency<IMNMX>("imnmx");
  latency<SETP_SEL>("isetp+sel"); latency<FSETP_SEL>("fsetp+fsel"); latency<POPC>("popc"); latency<BREV>("brev"); latency<I2F_F2I>("i2f+f2i");
  latency<RCP>("rcp"); latency<EX2>("ex2"); latency<SHFL>("shfl"); latency<VOTE>("setp+vote+lop3"); latency<REDUX>("redux+lop3"); latency<DADD>("dadd");
  latency<DFMA>("dfma"); latency<LDS>("lds", 0, 8);
  auto turn = [&](const char *name, auto launch) { launch(); launch(); CHECK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost)); printf("latency %s %.2f\n", name, host[0] / 4096.0); };
  turn("loop body 1", [&] { loop<1><<<1, 32>>>(out, 4096, 16, 8); });
  turn("loop body 2", [&] { loop<2><<<1, 32>>>(out, 4096, 16, 8); });
  turn("loop body 4", [&] { loop<4><<<1, 32>>>(out, 4096, 16, 8); });
  turn("loop body 8", [&] { loop<8><<<1, 32>>>(out, 4096, 16, 8); });
  turn("loop body 16", [&] { loop<16><<<1, 32>>>(out, 4096, 16, 8); });
  turn("divergent branch", [&] { diverge<<<1, 32>>>(out, 4096, 16, 4); });
  code<64>(); code<256>(); code<1024>(); code<4096>(); code<16384>();
  static const char *const places[] = {"argument", "load", "4KB", "64KB", "2MB"};
  for (int grid : {1, 8, 33, 132, 528}) for (size_t stride : {(size_t)1024, (size_t)65536, (size_t)2 << 20}) for (int again = 0; again < 2; ++again) {
    if (again == 0) evict();
    first<<<grid, 32>>>(data, stride, (size_t)4 << 20, out);
    char label[96];
    snprintf(label, sizeof label, "first blocks %d stride %zu %s", grid, stride, again ? "again" : "cold");
    mean(label, grid, 5, places);
  }
  for (int what : {0, 1, 2}) for (int blocks : {1, 8}) {
    int threads = 256;
    CHECK(cudaMemset(data, 0, 4096));
    ends<<<132 * blocks, threads>>>(out, what, 2048, data, 16);
    ends<<<132 * blocks, threads>>>(out, what, 2048, data, 16);
    int n = 132 * blocks * 8;
    CHECK(cudaMemcpy(host, out, 8 * n, cudaMemcpyDeviceToHost));
    std::sort(host, host + n);
    printf("ends what %d warps %d", what, blocks * 8);
    for (int q : {0, 10, 25, 50, 75, 90, 100}) printf(" %d%% %lld", q, host[std::min(n - 1, n * q / 100)]);
    printf("\n");
  }
  printf("done\n");
  return 0;
}
