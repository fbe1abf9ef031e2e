// scans.cu -- inclusive/exclusive/segmented scans, collected while tuning the stream compaction step.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cub/block/block_scan.cuh>

typedef unsigned int uint;
typedef unsigned long long ull;

static void ck(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define CK(x) ck((x), __LINE__)

// ---- Hillis-Steele, ping-pong in shared memory; each block scans its own BLOCK elements
template <int BLOCK>
__global__ void hillis_steele(const int* in, int* out, int* sums, int n) {
  __shared__ int buf[2][BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t, src = 0;
  buf[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int off = 1; off < BLOCK; off <<= 1) {
    buf[1 - src][t] = t >= off ? buf[src][t] + buf[src][t - off] : buf[src][t];
    src = 1 - src;
    __syncthreads();
  }
  if (i < n) out[i] = buf[src][t];
  if (t == BLOCK - 1 && sums) sums[blockIdx.x] = buf[src][t];
}

// ---- Blelloch work-efficient exclusive scan, 2*BLOCK elements per block, optional conflict-free padding
template <int BLOCK, bool PADDED>
__global__ void blelloch(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ sums) {
  auto at = [](int i) { return PADDED ? i + (i >> 5) : i; };
  __shared__ int s[2 * BLOCK + (PADDED ? BLOCK / 16 : 0)];
  int t = threadIdx.x, base = blockIdx.x * 2 * BLOCK, off = 1;
  s[at(t)] = in[base + t];
  s[at(t + BLOCK)] = in[base + t + BLOCK];
  for (int d = BLOCK; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[at(off * (2 * t + 2) - 1)] += s[at(off * (2 * t + 1) - 1)];
    off <<= 1;
  }
  __syncthreads();
  if (t == 0) { sums[blockIdx.x] = s[at(2 * BLOCK - 1)]; s[at(2 * BLOCK - 1)] = 0; }
  for (int d = 1; d <= BLOCK; d <<= 1) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      int a = at(off * (2 * t + 1) - 1), b = at(off * (2 * t + 2) - 1);
      int v = s[a]; s[a] = s[b]; s[b] += v;
    }
  }
  __syncthreads();
  out[base + t] = s[at(t)];
  out[base + t + BLOCK] = s[at(t + BLOCK)];
}

__global__ void add_offsets(int* data, const int* offsets, int per_block, int n, bool inclusive_offsets) {
  int off = inclusive_offsets ? (blockIdx.x ? offsets[blockIdx.x - 1] : 0) : offsets[blockIdx.x];
  for (int k = threadIdx.x; k < per_block; k += blockDim.x) {
    int i = blockIdx.x * per_block + k;
    if (i < n) data[i] += off;
  }
}

__device__ __forceinline__ int warp_incl(int v) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(~0u, v, o); if (lane >= o) v += u; }
  return v;
}

template <int BLOCK>
__device__ __forceinline__ int block_incl(int v, int* total) {
  __shared__ int wsum[32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  v = warp_incl(v);
  if (lane == 31) wsum[w] = v;
  __syncthreads();
  if (w == 0) wsum[lane] = warp_incl(lane < BLOCK / 32 ? wsum[lane] : 0);
  __syncthreads();
  if (w) v += wsum[w - 1];
  *total = wsum[BLOCK / 32 - 1];
  __syncthreads();
  return v;
}

// ---- one block walks the whole array carrying the running total
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) single_block_scan(const int* in, int* out, int n) {
  int carry = 0, total;
  for (int base = 0; base < n; base += BLOCK) {
    int i = base + threadIdx.x;
    int v = block_incl<BLOCK>(i < n ? in[i] : 0, &total);
    if (i < n) out[i] = carry + v;
    carry += total;
  }
}

// ---- each warp scans a contiguous run of `run` elements on its own
__global__ void warp_runs(const int* __restrict__ in, int* __restrict__ out, int run, int nruns) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, carry = 0;
  if (w >= nruns) return;
  for (int k = lane; k < run; k += 32) {
    int v = warp_incl(in[w * run + k]) + carry;
    out[w * run + k] = v;
    carry = __shfl_sync(~0u, v, 31);
  }
}

// ---- single pass with decoupled look-back. desc = flag(2 bits)<<32 | value; tiles handed out by atomic
enum : ull { INVALID = 0, AGGREGATE = 1, PREFIX = 2 };

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) lookback_scan(const int* __restrict__ in, int* __restrict__ out, int n, ull* desc, uint* ticket) {
  __shared__ uint s_tile;
  __shared__ int s_prefix;
  if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1u);
  __syncthreads();
  uint tile = s_tile;
  int base = tile * BLOCK * ITEMS + threadIdx.x * ITEMS, v[ITEMS], total;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) v[k] = base + k < n ? in[base + k] : 0;
#pragma unroll
  for (int k = 1; k < ITEMS; k++) v[k] += v[k - 1];
  int incl = block_incl<BLOCK>(v[ITEMS - 1], &total);
  int excl = incl - v[ITEMS - 1];
  if (threadIdx.x < 32) {
    int lane = threadIdx.x, run = 0;
    if (lane == 0) atomicExch(&desc[tile], ((tile ? AGGREGATE : PREFIX) << 32) | (uint)total);
    if (tile) {
      int look = (int)tile - 1 - lane;
      for (;;) {
        ull d = PREFIX << 32;  // before tile 0: prefix of zero
        if (look >= 0) { do { d = *(volatile ull*)&desc[look]; } while ((d >> 32) == INVALID); }
        __syncwarp();
        uint pm = __ballot_sync(~0u, (d >> 32) == PREFIX);
        int last = pm ? __ffs(pm) - 1 : 31, val = lane <= last ? (int)(uint)d : 0;
        run += __reduce_add_sync(~0u, val);
        if (pm) break;
        look -= 32;
      }
      if (lane == 0) atomicExch(&desc[tile], (PREFIX << 32) | (uint)(run + total));
    }
    if (lane == 0) s_prefix = run;
  }
  __syncthreads();
  excl += s_prefix;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) if (base + k < n) out[base + k] = excl + v[k];
}

// ---- segmented scan by warp-level (flag, value) operator, then block level in shared memory
template <int BLOCK>
__global__ void segmented_scan(const float* __restrict__ x, const unsigned char* __restrict__ head, float* __restrict__ out, int n) {
  __shared__ float wv[BLOCK / 32];
  __shared__ int wf[BLOCK / 32];
  int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  float v = i < n ? x[i] : 0.f;
  int f = (i < n ? head[i] : 1) || threadIdx.x == 0;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    float u = __shfl_up_sync(~0u, v, o); int g = __shfl_up_sync(~0u, f, o);
    if (lane >= o) { if (!f) v += u; f |= g; }
  }
  if (lane == 31) wv[w] = v, wf[w] = f;
  __syncthreads();
  if (!f) {
    float add = 0.f;
    for (int k = w - 1; k >= 0; --k) { add += wv[k]; if (wf[k]) break; }
    v += add;
  }
  if (i < n) out[i] = v;
}

// ---- compaction with a cub block scan over predicate flags
template <int BLOCK, class Pred>
__global__ void compact_if(const int* __restrict__ in, int* __restrict__ out, uint* count, int n, Pred pred) {
  typedef cub::BlockScan<int, BLOCK> Scan;
  __shared__ typename Scan::TempStorage tmp;
  __shared__ uint base;
  int i = blockIdx.x * BLOCK + threadIdx.x, keep = i < n && pred(in[i]), pos, total;
  Scan(tmp).ExclusiveSum(keep, pos, total);
  if (threadIdx.x == 0) base = atomicAdd(count, (uint)total);
  __syncthreads();
  if (keep) out[base + pos] = in[i];
}
struct DivisibleBy { int d; __device__ bool operator()(int v) const { return v % d == 0; } };

int main() {
  const int N = 1 << 22, BIG = 1 << 23;
  std::vector<int> h(BIG), r(BIG);
  std::vector<float> hx(N);
  std::vector<unsigned char> hh(N);
  uint s = 99;
  for (int i = 0; i < BIG; i++) { s = s * 1664525u + 1013904223u; h[i] = s >> 28; if (i < N) { hx[i] = (s >> 12 & 255) / 256.f; hh[i] = ((s >> 8) & 63) == 0; } }
  int *in, *out, *sums, *sums2; float *x, *y; unsigned char* head; ull* desc; uint* cnt;
  CK(cudaMalloc(&in, BIG * 4)); CK(cudaMalloc(&out, BIG * 4)); CK(cudaMalloc(&sums, 65536 * 4)); CK(cudaMalloc(&sums2, 65536 * 4));
  CK(cudaMalloc(&x, N * 4)); CK(cudaMalloc(&y, N * 4)); CK(cudaMalloc(&head, N)); CK(cudaMalloc(&desc, 65536 * 8)); CK(cudaMalloc(&cnt, 16));
  CK(cudaMemcpy(in, h.data(), BIG * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(x, hx.data(), N * 4, cudaMemcpyHostToDevice));
  CK(cudaMemcpy(head, hh.data(), N, cudaMemcpyHostToDevice)); CK(cudaMemset(cnt, 0, 16)); CK(cudaMemset(sums, 0, 65536 * 4));

  auto verify = [&](const char* what, int n) {
    CK(cudaDeviceSynchronize()); CK(cudaMemcpy(r.data(), out, n * 4, cudaMemcpyDeviceToHost));
    int acc = 0, bad = 0; for (int i = 0; i < n; i++) { acc += h[i]; bad += r[i] != acc; }
    printf("%-20s %s\n", what, bad ? "MISMATCH" : "ok");
  };

  hillis_steele<1024><<<N / 1024, 1024>>>(in, out, sums, N);
  single_block_scan<1024><<<1, 1024>>>(sums, sums2, N / 1024);
  add_offsets<<<N / 1024, 256>>>(out, sums2, 1024, N, true);
  verify("hillis-steele", N);
  hillis_steele<256><<<(1000003 + 255) / 256, 256>>>(in, out, nullptr, 1000003);
  blelloch<512, false><<<N / 1024, 512>>>(in, out, sums);
  blelloch<512, true><<<N / 1024, 512>>>(in, out, sums);
  blelloch<128, true><<<N / 256, 128>>>(in, out, sums);
  warp_runs<<<4096 / 4, 128>>>(in, out, 1024, 4096);
  single_block_scan<512><<<1, 512>>>(in, out, 200000);
  verify("single block", 200000);
  CK(cudaMemset(desc, 0, 65536 * 8));
  lookback_scan<256, 8><<<BIG / 2048, 256>>>(in, out, BIG, desc, cnt);
  verify("lookback 256x8", BIG);
  CK(cudaMemset(desc, 0, 65536 * 8)); CK(cudaMemset(cnt, 0, 16));
  lookback_scan<128, 15><<<(N + 1919) / 1920, 128>>>(in, out, N, desc, cnt);
  verify("lookback 128x15", N);
  segmented_scan<256><<<N / 256, 256>>>(x, head, y, N);
  segmented_scan<1024><<<(3000000 + 1023) / 1024, 1024>>>(x, head, y, 3000000);
  compact_if<256><<<N / 256, 256>>>(in, out, cnt + 1, N, DivisibleBy{3});
  compact_if<512><<<N / 512, 512>>>(in, out, cnt + 2, N, DivisibleBy{16});
  CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  return 0;
}
