// A tour of newer CUDA features, Ampere/Hopper era.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

#define CUDA_CALL(expr)                                                                          \
  do {                                                                                           \
    if (auto ec = (expr); ec != cudaSuccess)                                                     \
      throw std::runtime_error(std::string(#expr) + ": " + cudaGetErrorString(ec));              \
  } while (0)

struct Deleter {
  void operator()(void* p) const { cudaFree(p); }
};
template <typename T>
using dev_ptr = std::unique_ptr<T[], Deleter>;
template <typename T>
dev_ptr<T> make_dev(std::size_t n) {
  void* p = nullptr;
  CUDA_CALL(cudaMalloc(&p, n * sizeof(T)));
  CUDA_CALL(cudaMemset(p, 0, n * sizeof(T)));
  return dev_ptr<T>(static_cast<T*>(p));
}

// 1. Block-wide multi-stage pipeline: stream tiles through shared memory, saxpy-like polynomial
template <int kStages, int kTile>
__global__ void __launch_bounds__(256) pipelinePolynomial(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  __shared__ alignas(16) float stage[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);

  int fetch = blockIdx.x, slotIn = 0, slotOut = 0;
  for (int s = 0; s < kStages && fetch < tiles; ++s, fetch += gridDim.x) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[slotIn], in + (size_t)fetch * kTile, cuda::aligned_size_t<16>(sizeof(float) * kTile), pipe);
    pipe.producer_commit();
    slotIn = (slotIn + 1) % kStages;
  }
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    pipe.consumer_wait();
    for (int k = threadIdx.x; k < kTile; k += blockDim.x) {
      float x = stage[slotOut][k];
      out[(size_t)t * kTile + k] = ((0.25f * x - 0.5f) * x + 1.f) * x + 2.f;
    }
    pipe.consumer_release();
    slotOut = (slotOut + 1) % kStages;
    if (fetch < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[slotIn], in + (size_t)fetch * kTile, cuda::aligned_size_t<16>(sizeof(float) * kTile), pipe);
      pipe.producer_commit();
      slotIn = (slotIn + 1) % kStages;
      fetch += gridDim.x;
    }
  }
}

// 2. Thread-private pipeline (plain cp.async groups), double buffered dot product
__global__ void asyncDot(const float4* __restrict__ a, const float4* __restrict__ b, float* result, int n4) {
  __shared__ float4 sa[2][256], sb[2][256];
  const int t = threadIdx.x, step = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + t;
  auto load = [&](int slot, int idx) {
    __pipeline_memcpy_async(&sa[slot][t], &a[idx], sizeof(float4));
    __pipeline_memcpy_async(&sb[slot][t], &b[idx], sizeof(float4));
  };
  if (i < n4) load(0, i);
  __pipeline_commit();
  float sum = 0.f;
  for (int slot = 0; i < n4; i += step, slot ^= 1) {
    if (i + step < n4) load(slot ^ 1, i + step);
    __pipeline_commit();
    __pipeline_wait_prior(1);            // own copies only: no block barrier needed
    float4 p = sa[slot][t], q = sb[slot][t];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  __pipeline_wait_prior(0);
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) atomicAdd(result, sum);
}

// 3. cuda::barrier with split arrive / wait: smooth tiles, independent work between the two phases
__global__ void barrierSmooth(const float* __restrict__ in, float* __restrict__ out, int n, int tilesPerBlock) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ float s[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int k = 0; k < tilesPerBlock; ++k) {
    int g = (blockIdx.x * tilesPerBlock + k) * 256 + threadIdx.x;
    float v = g < n ? in[g] : 0.f;
    s[threadIdx.x] = v;
    auto token = bar.arrive();
    float own = __expf(-v * v);                    // does not need the neighbours
    bar.wait(std::move(token));
    float l = threadIdx.x ? s[threadIdx.x - 1] : v;
    float r = threadIdx.x < 255 ? s[threadIdx.x + 1] : v;
    if (g < n) out[g] = own * (0.25f * l + 0.5f * v + 0.25f * r);
    bar.arrive_and_wait();
  }
}

// 4. Warp integer reductions: matrix row statistics, one warp per row of 1024 ints
__global__ void rowStats(const int* __restrict__ m, int4* stats, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  int sum = 0, lo = INT32_MAX, hi = INT32_MIN;
  unsigned bits = 0;
#pragma unroll 8
  for (int k = 0; k < 32; ++k) {
    int v = __ldg(&m[(size_t)row * 1024 + k * 32 + lane]);
    sum += v;
    lo = min(lo, v);
    hi = max(hi, v);
    bits |= (unsigned)v;
  }
  sum = __reduce_add_sync(0xffffffffu, sum);
  lo = __reduce_min_sync(0xffffffffu, lo);
  hi = __reduce_max_sync(0xffffffffu, hi);
  bits = __reduce_or_sync(0xffffffffu, bits);
  if (lane == 0) stats[row] = make_int4(sum, lo, hi, (int)bits);
}

// 5. __match_any_sync: group-by-key sum, lanes holding the same key combine before the atomic
__global__ void groupByKey(const int* __restrict__ keys, const int* __restrict__ vals, int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool live = i < n;
  unsigned active = __ballot_sync(0xffffffffu, live);
  if (!live) return;
  int key = keys[i], v = vals[i];
  unsigned peers = __match_any_sync(active, key);
  int total = __reduce_add_sync(peers, v);
  if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&sums[key], total);
}

// 6. Sub-warp tiles: 8 lanes normalise a small vector of 16 halves
__global__ void normaliseHalf(__half2* data, int vectors) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (v >= vectors) return;
  __half2 h = data[(size_t)v * 8 + tile.thread_rank()];
  float2 f = __half22float2(h);
  float norm = cg::reduce(tile, f.x * f.x + f.y * f.y, cg::plus<float>());
  float inv = rsqrtf(norm + 1e-6f);
  data[(size_t)v * 8 + tile.thread_rank()] = __hmul2(h, __float2half2_rn(inv));
}

// 7. Opt-in shared memory: a 96 KB lookup table per block, weighted gathers from it
__constant__ float weights[64];
__global__ void bigSharedGather(const float* __restrict__ table, const int* __restrict__ idx, float* __restrict__ out, int n,
                                int tableSize) {
  extern __shared__ float lut[];
  for (int k = threadIdx.x; k < tableSize; k += blockDim.x) lut[k] = table[k];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int p = idx[i];
    float acc = 0.f;
#pragma unroll 4
    for (int w = 0; w < 16; ++w) {
      acc += weights[w] * lut[p];
      p += 977;
      if (p >= tableSize) p -= tableSize;
    }
    out[i] = acc;
  }
}

// 8. Texture object, bilinear rotation of an image
__global__ void rotateTexture(cudaTextureObject_t tex, float* out, int w, int h, float angle) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = (x + 0.5f) / w - 0.5f, v = (y + 0.5f) / h - 0.5f;
  float c = cosf(angle), s = sinf(angle);
  out[y * w + x] = tex2D<float>(tex, u * c - v * s + 0.5f, u * s + v * c + 0.5f);
}

int run() {
  const int n = 1 << 23;
  std::vector<float> h(n);
  std::vector<int> ints(n), keys(n);
  for (int i = 0; i < n; ++i) {
    h[i] = ((i * 61) % 256) / 128.f - 1.f;
    ints[i] = (int)((i * 7919u) % 1000u) - 300;
    keys[i] = (i / 5 * 37) % 2048;
  }
  auto a = make_dev<float>(n);
  auto b = make_dev<float>(n);
  auto scalar = make_dev<float>(1);
  auto di = make_dev<int>(n);
  auto dk = make_dev<int>(n);
  auto sums = make_dev<int>(2048);
  auto stats = make_dev<int4>(n / 1024);
  CUDA_CALL(cudaMemcpy(a.get(), h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(di.get(), ints.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(dk.get(), keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  constexpr int tile = 1024;
  pipelinePolynomial<4, tile><<<528, 256>>>(a.get(), b.get(), n / tile);
  CUDA_CALL(cudaGetLastError());
  std::vector<float> r(n);
  CUDA_CALL(cudaMemcpy(r.data(), b.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
  float err = 0;
  for (int i = 0; i < n; i += 97) err = std::fmax(err, std::fabs(r[i] - (((0.25f * h[i] - 0.5f) * h[i] + 1.f) * h[i] + 2.f)));
  std::printf("pipeline       max error %g\n", err);

  asyncDot<<<528, 256>>>(reinterpret_cast<const float4*>(a.get()), reinterpret_cast<const float4*>(a.get()), scalar.get(), n / 4);
  CUDA_CALL(cudaGetLastError());
  float dot;
  CUDA_CALL(cudaMemcpy(&dot, scalar.get(), 4, cudaMemcpyDeviceToHost));
  double ref = 0;
  for (float x : h) ref += (double)x * x;
  std::printf("async dot      %.1f (%.1f)\n", dot, ref);

  barrierSmooth<<<n / 256 / 16, 256>>>(a.get(), b.get(), n, 16);
  rowStats<<<n / 1024 / 4, 128>>>(di.get(), stats.get(), n / 1024);
  groupByKey<<<n / 256, 256>>>(dk.get(), di.get(), sums.get(), n);
  CUDA_CALL(cudaGetLastError());
  std::vector<int> hs(2048);
  CUDA_CALL(cudaMemcpy(hs.data(), sums.get(), 2048 * sizeof(int), cudaMemcpyDeviceToHost));
  int4 st;
  CUDA_CALL(cudaMemcpy(&st, stats.get(), sizeof st, cudaMemcpyDeviceToHost));
  long long all = 0, want = 0;
  for (int x : hs) all += x;
  for (int x : ints) want += x;
  std::printf("group by       %lld (%lld); row 0: sum %d min %d max %d\n", all, want, st.x, st.y, st.z);

  const int vectors = n / 16;
  auto halves = make_dev<__half2>((size_t)vectors * 8);
  {
    std::vector<__half> hh(n);
    for (int i = 0; i < n; ++i) hh[i] = __float2half(h[i]);
    CUDA_CALL(cudaMemcpy(halves.get(), hh.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  }
  normaliseHalf<<<(vectors + 31) / 32, 256>>>(halves.get(), vectors);
  CUDA_CALL(cudaGetLastError());

  const int tableSize = 24576;
  std::vector<int> idx(n);
  for (int i = 0; i < n; ++i) idx[i] = (int)((i * 2654435761u) % (unsigned)tableSize);
  CUDA_CALL(cudaMemcpy(di.get(), idx.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  float hw[64];
  for (int k = 0; k < 64; ++k) hw[k] = 1.f / (k + 1);
  CUDA_CALL(cudaMemcpyToSymbol(weights, hw, sizeof hw));
  CUDA_CALL(cudaFuncSetAttribute(bigSharedGather, cudaFuncAttributeMaxDynamicSharedMemorySize, tableSize * (int)sizeof(float)));
  bigSharedGather<<<264, 512, tableSize * sizeof(float)>>>(a.get(), di.get(), b.get(), n, tableSize);
  CUDA_CALL(cudaGetLastError());

  const int W = 2048, H = 2048;
  cudaArray_t arr;
  auto desc = cudaCreateChannelDesc<float>();
  CUDA_CALL(cudaMallocArray(&arr, &desc, W, H));
  CUDA_CALL(cudaMemcpy2DToArray(arr, 0, 0, h.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
  cudaResourceDesc rd{};
  rd.resType = cudaResourceTypeArray;
  rd.res.array.array = arr;
  cudaTextureDesc td{};
  td.addressMode[0] = td.addressMode[1] = cudaAddressModeWrap;
  td.filterMode = cudaFilterModeLinear;
  td.readMode = cudaReadModeElementType;
  td.normalizedCoords = 1;
  cudaTextureObject_t tex = 0;
  CUDA_CALL(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
  rotateTexture<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(tex, b.get(), W, H, 0.5f);
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaMemcpy(r.data(), b.get(), 4 * sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("texture        %.4f %.4f %.4f %.4f\n", r[0], r[1], r[2], r[3]);
  CUDA_CALL(cudaDestroyTextureObject(tex));
  CUDA_CALL(cudaFreeArray(arr));
  return all == want ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
