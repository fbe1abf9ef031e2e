// Lecture 7: reductions step by step, then prefix sums, then stream compaction.
// All data are unsigned integers so that every variant can be compared exactly.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
  if (code != cudaSuccess) {
    fprintf(stderr, "GPU error: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
  }
}

using uint = unsigned int;

// step 1: interleaved addressing with a divergent branch
__global__ void reduce1(const uint *in, uint *out)
{
  extern __shared__ uint sdata[];
  uint tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  sdata[tid] = in[i];
  __syncthreads();
  for (uint s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// step 2: no divergence, but strided (bank-conflicting) indices
__global__ void reduce2(const uint *in, uint *out)
{
  extern __shared__ uint sdata[];
  uint tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  sdata[tid] = in[i];
  __syncthreads();
  for (uint s = 1; s < blockDim.x; s *= 2) {
    uint idx = 2 * s * tid;
    if (idx < blockDim.x) sdata[idx] += sdata[idx + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// step 3: sequential addressing
__global__ void reduce3(const uint *in, uint *out)
{
  extern __shared__ uint sdata[];
  uint tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  sdata[tid] = in[i];
  __syncthreads();
  for (uint s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// step 4: the first addition happens while loading
__global__ void reduce4(const uint *in, uint *out)
{
  extern __shared__ uint sdata[];
  uint tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
  sdata[tid] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (uint s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

__device__ uint warpSum(uint v)
{
#pragma unroll
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);
  return v;
}

// step 5: the last warp uses shuffles
__global__ void reduce5(const uint *in, uint *out)
{
  extern __shared__ uint sdata[];
  uint tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
  sdata[tid] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (uint s = blockDim.x / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) {
    uint v = warpSum(sdata[tid] + sdata[tid + 32]);
    if (tid == 0) out[blockIdx.x] = v;
  }
}

// step 6: completely unrolled, block size known at compile time
template <uint BS>
__global__ void reduce6(const uint *in, uint *out)
{
  __shared__ uint sdata[BS];
  uint tid = threadIdx.x, i = blockIdx.x * (BS * 2) + tid;
  sdata[tid] = in[i] + in[i + BS];
  __syncthreads();
  if constexpr (BS >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
  if constexpr (BS >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
  if constexpr (BS >= 128) { if (tid < 64)  sdata[tid] += sdata[tid + 64];  __syncthreads(); }
  if (tid < 32) {
    uint v = warpSum(sdata[tid] + sdata[tid + 32]);
    if (tid == 0) out[blockIdx.x] = v;
  }
}

// step 7: many elements per thread
template <uint BS>
__global__ void reduce7(const uint *in, uint *out, uint n)
{
  __shared__ uint sdata[BS / 32];
  uint tid = threadIdx.x, sum = 0;
  for (uint i = blockIdx.x * (BS * 2) + tid; i < n; i += BS * 2 * gridDim.x)
    sum += in[i] + in[i + BS];
  sum = warpSum(sum);
  if (tid % 32 == 0) sdata[tid / 32] = sum;
  __syncthreads();
  if (tid < 32) {
    uint v = warpSum(tid < BS / 32 ? sdata[tid] : 0);
    if (tid == 0) out[blockIdx.x] = v;
  }
}

// Hillis-Steele: inclusive scan within each block, double buffered
__global__ void scanHillis(const uint *in, uint *out)
{
  extern __shared__ uint buf[];
  const uint n = blockDim.x, t = threadIdx.x;
  uint cur = 0;
  buf[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (uint d = 1; d < n; d <<= 1) {
    uint nxt = 1 - cur;
    uint v = buf[cur * n + t];
    if (t >= d) v += buf[cur * n + t - d];
    buf[nxt * n + t] = v;
    cur = nxt;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = buf[cur * n + t];
}

// Blelloch: exclusive, work-efficient scan of 2*blockDim elements per block
__global__ void scanBlelloch(const uint *in, uint *out, uint *totals)
{
  extern __shared__ uint tree[];
  const uint n = 2 * blockDim.x, t = threadIdx.x;
  const uint base = blockIdx.x * n;
  tree[2 * t] = in[base + 2 * t];
  tree[2 * t + 1] = in[base + 2 * t + 1];
  uint offset = 1;
  for (uint d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    if (totals) totals[blockIdx.x] = tree[n - 1];
    tree[n - 1] = 0;
  }
  for (uint d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      uint l = offset * (2 * t + 1) - 1, r = offset * (2 * t + 2) - 1;
      uint tmp = tree[l];
      tree[l] = tree[r];
      tree[r] += tmp;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[2 * t];
  out[base + 2 * t + 1] = tree[2 * t + 1];
}

__global__ void addOffsets(uint *data, const uint *offsets)
{
  uint i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
  uint o = offsets[blockIdx.x];
  data[i] += o;
  data[i + blockDim.x] += o;
}

// keep the elements that are divisible by three; order within a block is kept
__global__ void compact(const uint *in, uint *out, uint *count, uint n)
{
  __shared__ uint warpCount[32];
  __shared__ uint blockBase;
  uint i = blockIdx.x * blockDim.x + threadIdx.x;
  uint lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  uint v = i < n ? in[i] : 1;
  bool keep = i < n && v % 3 == 0;
  uint ballot = __ballot_sync(~0u, keep);
  if (lane == 0) warpCount[wid] = __popc(ballot);
  __syncthreads();
  if (threadIdx.x == 0) {
    uint run = 0;
    for (uint w = 0; w < blockDim.x / 32; ++w) { uint c = warpCount[w]; warpCount[w] = run; run += c; }
    blockBase = atomicAdd(count, run);
  }
  __syncthreads();
  if (keep) out[blockBase + warpCount[wid] + __popc(ballot & ((1u << lane) - 1))] = v;
}

int main()
{
  const uint n = 1u << 24, ns = 1u << 22, bs = 256;
  std::vector<uint> h(n), part(n / bs), scanned(ns);
  uint x = 2463534242u, ref = 0;
  for (auto &v : h) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; v = x & 1023; ref += v; }
  uint *d_in, *d_out, *d_part, *d_tot, *d_cnt;
  gpuErrchk(cudaMalloc(&d_in, n * sizeof(uint)));
  gpuErrchk(cudaMalloc(&d_out, n * sizeof(uint)));
  gpuErrchk(cudaMalloc(&d_part, n / bs * sizeof(uint)));
  gpuErrchk(cudaMalloc(&d_tot, 2048 * sizeof(uint)));
  gpuErrchk(cudaMalloc(&d_cnt, sizeof(uint)));
  gpuErrchk(cudaMemset(d_cnt, 0, sizeof(uint)));
  gpuErrchk(cudaMemcpy(d_in, h.data(), n * sizeof(uint), cudaMemcpyHostToDevice));

  int bad = 0;
  auto finish = [&](const char *name, uint blocks) {
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(part.data(), d_part, blocks * sizeof(uint), cudaMemcpyDeviceToHost));
    uint s = std::accumulate(part.begin(), part.begin() + blocks, 0u);
    if (s != ref) { ++bad; printf("%s: %u, expected %u\n", name, s, ref); }
  };
  const size_t sm = bs * sizeof(uint);
  reduce1<<<n / bs, bs, sm>>>(d_in, d_part);            finish("reduce1", n / bs);
  reduce2<<<n / bs, bs, sm>>>(d_in, d_part);            finish("reduce2", n / bs);
  reduce3<<<n / bs, bs, sm>>>(d_in, d_part);            finish("reduce3", n / bs);
  reduce4<<<n / bs / 2, bs, sm>>>(d_in, d_part);        finish("reduce4", n / bs / 2);
  reduce5<<<n / bs / 2, bs, sm>>>(d_in, d_part);        finish("reduce5", n / bs / 2);
  reduce6<bs><<<n / bs / 2, bs>>>(d_in, d_part);        finish("reduce6", n / bs / 2);
  reduce7<512><<<528, 512>>>(d_in, d_part, n);          finish("reduce7", 528);

  scanHillis<<<ns / 512, 512, 2 * 512 * sizeof(uint)>>>(d_in, d_out);
  gpuErrchk(cudaGetLastError());
  uint probe; // the 300th inclusive prefix of the first block
  gpuErrchk(cudaMemcpy(&probe, d_out + 299, sizeof(uint), cudaMemcpyDeviceToHost));
  bad += probe != std::accumulate(h.begin(), h.begin() + 300, 0u);

  // 2048 blocks of 2048 elements; the totals fit in one block of the same kernel
  scanBlelloch<<<ns / 2048, 1024, 2048 * sizeof(uint)>>>(d_in, d_out, d_tot);
  scanBlelloch<<<1, 1024, 2048 * sizeof(uint)>>>(d_tot, d_tot, nullptr);
  addOffsets<<<ns / 2048, 1024>>>(d_out, d_tot);
  gpuErrchk(cudaGetLastError());
  gpuErrchk(cudaMemcpy(scanned.data(), d_out, ns * sizeof(uint), cudaMemcpyDeviceToHost));
  uint run = 0;
  for (uint i = 0; i < ns; ++i) { bad += scanned[i] != run; run += h[i]; }

  compact<<<n / 256, 256>>>(d_in, d_out, d_cnt, n);
  gpuErrchk(cudaGetLastError());
  gpuErrchk(cudaDeviceSynchronize());
  uint cnt, want = 0;
  gpuErrchk(cudaMemcpy(&cnt, d_cnt, sizeof(uint), cudaMemcpyDeviceToHost));
  for (uint v : h) want += v % 3 == 0;
  bad += cnt != want;
  printf("sum %u, kept %u of %u: %s\n", ref, cnt, n, bad ? "FAIL" : "PASS");
  cudaFree(d_in); cudaFree(d_out); cudaFree(d_part); cudaFree(d_tot); cudaFree(d_cnt);
  return bad != 0;
}
