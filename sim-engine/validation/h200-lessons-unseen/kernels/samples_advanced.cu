// Second sampler: features beyond plain kernels. Cooperative groups, asynchronous
// copies, tensor cores, warp aggregation, memory fences, streams, textures, and a
// finite-difference step with a register queue.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;
using namespace nvcuda;

static void die(const char* expr, cudaError_t e, int line) {
  fprintf(stderr, "[%d] %s -> %s\n", line, expr, cudaGetErrorString(e));
  exit(2);
}
#define CU(expr) do { cudaError_t e = (expr); if (e != cudaSuccess) die(#expr, e, __LINE__); } while (0)

// ---------------------------------------------------------- group reduction
template <typename Group>
__device__ double reduceGroup(const Group& g, double* scratch, double val) {
  const unsigned lane = g.thread_rank();
  for (unsigned i = g.size() / 2; i > 0; i /= 2) {
    scratch[lane] = val;
    g.sync();
    if (lane < i) val += scratch[lane + i];
    g.sync();
  }
  return val;
}

__global__ void cgReduce(const float* in, double* out, size_t n) {
  __shared__ double scratch[256];
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  double mine = 0;
  for (size_t i = grid.thread_rank(); i < n; i += grid.size()) mine += in[i];
  auto tile = cg::tiled_partition<32>(block);
  double t = reduceGroup(tile, scratch + 32 * tile.meta_group_rank(), mine);
  cg::sync(block);
  if (tile.thread_rank() == 0) atomicAdd(out, t);
}

// ------------------------------------------- async-copy matrix multiplication
constexpr int BM = 64, BN = 64, BK = 16, STAGES = 3;

__global__ void __launch_bounds__(256) asyncCopyMatmul(float* C, const float* A, const float* B, int M, int N, int K) {
  __shared__ alignas(16) float As[STAGES][BM][BK + 4];
  __shared__ alignas(16) float Bs[STAGES][BK][BN];
  const int t = threadIdx.x;
  const int rowA = t / 4, colA = (t % 4) * 4;   // one float4 of A per thread
  const int rowB = t / 16, colB = (t % 16) * 4; // one float4 of B per thread
  const float* pa = A + (size_t)(blockIdx.y * BM + rowA) * K + colA;
  const float* pb = B + (size_t)rowB * N + blockIdx.x * BN + colB;
  const int tiles = K / BK;
  auto issue = [&](int tile) {
    if (tile < tiles) {
      __pipeline_memcpy_async(&As[tile % STAGES][rowA][colA], pa + tile * BK, 16);
      __pipeline_memcpy_async(&Bs[tile % STAGES][rowB][colB], pb + (size_t)tile * BK * N, 16);
    }
    __pipeline_commit();
  };
  for (int s = 0; s < STAGES - 1; ++s) issue(s);
  float acc[4][4] = {};
  const int ty = t / 16, tx = t % 16;
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    issue(tile + STAGES - 1);
    const int s = tile % STAGES;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float4 b = *reinterpret_cast<float4*>(&Bs[s][k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float a = As[s][ty * 4 + i][k];
        acc[i][0] += a * b.x; acc[i][1] += a * b.y; acc[i][2] += a * b.z; acc[i][3] += a * b.w;
      }
    }
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&C[(size_t)(blockIdx.y * BM + ty * 4 + i) * N + blockIdx.x * BN + tx * 4]) =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// ------------------------------------------------------- tensor cores, simple
// D = alpha * A * B + beta * C, A row-major, B column-major, a warp per 16x16 tile
__global__ void simpleWmmaGemm(const half* a, const half* b, const float* c, float* d, int m, int n, int k, float alpha, float beta) {
  int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warpN = blockIdx.y * blockDim.y + threadIdx.y;
  if (warpM * 16 >= m || warpN * 16 >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, fc;
  wmma::fill_fragment(acc, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + (size_t)warpM * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + (size_t)warpN * 16 * k + i, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  size_t at = (size_t)warpM * 16 * n + warpN * 16;
  wmma::load_matrix_sync(fc, c + at, n, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = alpha * acc.x[i] + beta * fc.x[i];
  wmma::store_matrix_sync(d + at, fc, n, wmma::mem_row_major);
}

// ----------------------------------------------------- warp aggregated atomics
__device__ int atomicAggInc(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
  return active.shfl(base, 0) + active.thread_rank();
}
__global__ void filterPositive(float* dst, int* nres, const float* src, int n) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id >= n) return;
  float v = src[id];
  if (v > 0) dst[atomicAggInc(nres)] = v;
}

// -------------------------------------------------- threadfence, single launch
__device__ unsigned int retirement = 0;

__global__ void threadFenceReduce(const float* in, volatile float* partial, float* out, unsigned n) {
  __shared__ float s[256];
  __shared__ bool last;
  unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += in[i];
  auto tree = [&](float v) {
    s[t] = v;
    __syncthreads();
    for (unsigned k = 128; k > 0; k >>= 1) {
      if (t < k) s[t] += s[t + k];
      __syncthreads();
    }
  };
  tree(sum);
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&retirement, gridDim.x - 1) == gridDim.x - 1;  // wraps to zero by itself
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (unsigned i = t; i < gridDim.x; i += 256) sum += partial[i];
  tree(sum);
  if (t == 0) *out = s[0];
}

// --------------------------------------------------------------------- streams
__global__ void streamInit(int* data, const int* factor, int iterations, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= n) return;
  int v = idx & 1;
  for (int i = 0; i < iterations; i++) v += *factor ^ (i & 1);
  data[idx] = v;
}

// --------------------------------------------------------------------- texture
__global__ void rotateTexture(cudaTextureObject_t tex, float* out, int w, int h, float theta) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
  float tu = u * cosf(theta) - v * sinf(theta) + 0.5f, tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
  out[y * w + x] = tex2D<float>(tex, tu, tv);
}

// -------------------------------------------------------------------- FDTD 3D
constexpr int RAD = 4, FX = 32, FY = 16;
__constant__ float stencil[RAD + 1];

// volume is padded by RAD on every side; (nx, ny, nz) are the inner sizes
__global__ void __launch_bounds__(FX * FY) fdtd3d(float* out, const float* in, int nx, int ny, int nz) {
  __shared__ float tile[FY + 2 * RAD][FX + 2 * RAD];
  const int px = nx + 2 * RAD, plane = px * (ny + 2 * RAD);
  const int tx = threadIdx.x, ty = threadIdx.y, sx = tx + RAD, sy = ty + RAD;
  const int x = blockIdx.x * FX + tx, y = blockIdx.y * FY + ty;
  int idx = (y + RAD) * px + x + RAD;  // in the first (halo) plane
  float q[2 * RAD + 1];
  for (int i = 0; i < 2 * RAD; ++i) q[i + 1] = in[idx + i * plane];
  for (int z = 0; z < nz; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * RAD; ++i) q[i] = q[i + 1];
    q[2 * RAD] = in[idx + (z + 2 * RAD) * plane];
    const int c = idx + (z + RAD) * plane;
    __syncthreads();
    if (ty < RAD) { tile[ty][sx] = in[c - RAD * px]; tile[ty + FY + RAD][sx] = in[c + FY * px]; }
    if (tx < RAD) { tile[sy][tx] = in[c - RAD]; tile[sy][tx + FX + RAD] = in[c + FX]; }
    tile[sy][sx] = q[RAD];
    __syncthreads();
    float v = stencil[0] * q[RAD];
#pragma unroll
    for (int i = 1; i <= RAD; ++i)
      v += stencil[i] * (q[RAD - i] + q[RAD + i] + tile[sy - i][sx] + tile[sy + i][sx] + tile[sy][sx - i] + tile[sy][sx + i]);
    out[c] = v;
  }
}

template <typename T> T* dev(size_t n, const T* h = nullptr) {
  T* d; CU(cudaMalloc(&d, n * sizeof(T)));
  if (h) CU(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice)); else CU(cudaMemset(d, 0, n * sizeof(T)));
  return d;
}
template <typename T> T get(const T* d) { T h; CU(cudaGetLastError()); CU(cudaMemcpy(&h, d, sizeof(T), cudaMemcpyDeviceToHost)); return h; }

int main() {
  int fails = 0;
  auto expect = [&](bool ok, const char* what) { if (!ok) { ++fails; printf("mismatch: %s\n", what); } };
  const int n = 1 << 23;
  std::vector<float> h(n);
  unsigned s = 5; double ref = 0; int pos = 0;
  for (auto& v : h) { s = s * 1664525u + 1013904223u; v = int(s >> 24) - 100; ref += v; pos += v > 0; }
  float* d = dev(n, h.data()); double* dsum = dev<double>(1);
  cgReduce<<<528, 256>>>(d, dsum, n);
  expect(get(dsum) == ref, "cg reduce");
  float* dpart = dev<float>(1056); float* dtotal = dev<float>(1);
  threadFenceReduce<<<1056, 256>>>(d, dpart, dtotal, n);
  expect(fabs(get(dtotal) - ref) < 1e-4 * fabs(ref), "threadfence");
  float* dfilt = dev<float>(n); int* dcount = dev<int>(1);
  filterPositive<<<n / 256, 256>>>(dfilt, dcount, d, n);
  expect(get(dcount) == pos, "filter");

  const int M = 1024, N = 1536, K = 1024;
  float* dc = dev<float>((size_t)M * N);
  asyncCopyMatmul<<<dim3(N / BN, M / BM), 256>>>(dc, d, d + (size_t)M * K, M, N, K);
  double e = 0;
  for (int k = 0; k < K; ++k) e += (double)h[(size_t)77 * K + k] * h[(size_t)M * K + (size_t)k * N + 99];
  expect(fabs(get(dc + (size_t)77 * N + 99) - e) < 1e-3 * (1000 + fabs(e)), "async matmul");

  std::vector<half> ha((size_t)M * K), hb((size_t)K * N);
  for (size_t i = 0; i < ha.size(); ++i) ha[i] = __float2half(float(i % 5) - 2);
  for (size_t i = 0; i < hb.size(); ++i) hb[i] = __float2half(float(i % 7) - 3);
  half *da = dev(ha.size(), ha.data()), *db = dev(hb.size(), hb.data()); float* dd = dev<float>((size_t)M * N);
  simpleWmmaGemm<<<dim3(M / 64, N / 64), dim3(128, 4)>>>(da, db, dc, dd, M, N, K, 2.0f, 0.0f);
  e = 0;
  for (int k = 0; k < K; ++k) e += 2.0 * (int((33u * K + k) % 5) - 2) * (int((21u * K + k) % 7) - 3);
  expect(fabs(get(dd + 33 * N + 21) - e) < 1e-2, "wmma");

  cudaStream_t st[3]; const int five = 5; int* dfac = dev(1, &five); int* dbuf = dev<int>(3 << 20);
  CU(cudaDeviceSynchronize());
  for (auto& q : st) CU(cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking));
  for (int i = 0; i < 3; ++i) streamInit<<<(1 << 20) / 512, 512, 0, st[i]>>>(dbuf + (i << 20), dfac, 100, 1 << 20);
  for (auto& q : st) { CU(cudaStreamSynchronize(q)); CU(cudaStreamDestroy(q)); }
  expect(get(dbuf + (2 << 20) + 1) == 1 + 50 * (5 + 4), "streams");

  const int W = 2048, H = 2048;
  for (int y = 0; y < H; ++y) for (int x = 0; x < W; ++x) h[(size_t)y * W + x] = x + 2.0f * y;
  cudaArray_t arr; cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
  CU(cudaMallocArray(&arr, &fmt, W, H));
  CU(cudaMemcpy2DToArray(arr, 0, 0, h.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
  cudaResourceDesc rd = {}; rd.resType = cudaResourceTypeArray; rd.res.array.array = arr;
  cudaTextureDesc td = {}; td.normalizedCoords = 1; td.filterMode = cudaFilterModeLinear;
  td.addressMode[0] = td.addressMode[1] = cudaAddressModeWrap; td.readMode = cudaReadModeElementType;
  cudaTextureObject_t tex; CU(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
  rotateTexture<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(tex, d, W, H, 0.5f);
  double u = 1100. / W - 0.5, v = 900. / H - 0.5, tu = (u * cos(.5) - v * sin(.5) + .5) * W - .5, tv = (v * cos(.5) + u * sin(.5) + .5) * H - .5;
  expect(fabs(get(d + (size_t)900 * W + 1100) - (tu + 2 * tv)) < 0.1, "texture");
  CU(cudaDestroyTextureObject(tex)); CU(cudaFreeArray(arr));

  const int G = 256, P = G + 2 * RAD; std::vector<float> ones((size_t)P * P * P, 1.0f);
  const float coef[RAD + 1] = {0.4f, 0.05f, 0.03f, 0.015f, 0.005f};
  CU(cudaMemcpyToSymbol(stencil, coef, sizeof(coef)));
  float *vin = dev(ones.size(), ones.data()), *vout = dev<float>(ones.size());
  fdtd3d<<<dim3(G / FX, G / FY), dim3(FX, FY)>>>(vout, vin, G, G, G);
  expect(fabs(get(vout + ((size_t)100 * P + 100) * P + 100) - 1.0f) < 1e-5, "fdtd");
  CU(cudaDeviceSynchronize());
  printf("%s\n", fails ? "FAIL" : "PASS");
  return fails;
}
