/* A sampler of small well-known demonstrations in one program:
 *   matrix product, atomic intrinsics, scan by shuffles, binomial option
 *   pricing, Monte Carlo estimate of pi, a sorting network, the fast Walsh
 *   transform and vector addition in managed memory.
 */
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define checkCudaErrors(val) checkImpl((val), #val, __FILE__, __LINE__)
template <typename E>
void checkImpl(E result, const char *func, const char *file, int line) {
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<int>(result),
            cudaGetErrorName(result), func);
    exit(EXIT_FAILURE);
  }
}

// matrix product: every block computes one square sub-matrix of C
template <int BLOCK_SIZE>
__global__ void MatrixMul(float *C, const float *A, const float *B, int wA, int wB) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BLOCK_SIZE + ty, col = blockIdx.x * BLOCK_SIZE + tx;
  float Csub = 0;
  for (int t = 0; t < wA; t += BLOCK_SIZE) {
    As[ty][tx] = A[row * wA + t + tx];
    Bs[ty][tx] = B[(t + ty) * wB + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * wB + col] = Csub;
}

// one of each atomic intrinsic
__global__ void atomicsDemo(int *data) {
  const int tid = blockDim.x * blockIdx.x + threadIdx.x;
  atomicAdd(&data[0], 10);
  atomicSub(&data[1], 10);
  atomicExch(&data[2], tid);
  atomicMax(&data[3], tid);
  atomicMin(&data[4], tid);
  atomicInc((unsigned int *)&data[5], 17);
  atomicDec((unsigned int *)&data[6], 137);
  atomicCAS(&data[7], tid - 1, tid);
  atomicAnd(&data[8], 2 * tid + 7);
  atomicOr(&data[9], 1 << (tid & 31));
  atomicXor(&data[10], tid);
}

// inclusive scan of each 1024-thread block; the block totals go to partial
__global__ void shuffleScan(int *data, int *partial) {
  __shared__ int sums[32];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = data[id];
  for (int i = 1, n; i < 32; i *= 2)
    if (n = __shfl_up_sync(0xffffffff, value, i); lane >= i) value += n;
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int s = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
    for (int i = 1, n; i < 32; i *= 2)
      if (n = __shfl_up_sync(0xffffffff, s, i); lane >= i) s += n;
    sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) value += sums[warp - 1];
  data[id] = value;
  if (partial && threadIdx.x == blockDim.x - 1) partial[blockIdx.x] = value;
}
__global__ void uniformAdd(int *data, const int *partial) {
  __shared__ int base;
  if (threadIdx.x == 0) base = blockIdx.x ? partial[blockIdx.x - 1] : 0;
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] += base;
}

// European call by backward induction on a recombining tree, one option per block
constexpr int NUM_STEPS = 1024;
struct OptionData { float S, X, vDt, puByDf, pdByDf; };
__global__ void binomialOptions(const OptionData *options, float *value) {
  __shared__ float call[2][NUM_STEPS + 1];
  const OptionData o = options[blockIdx.x];
  for (int i = threadIdx.x; i <= NUM_STEPS; i += blockDim.x) {
    float d = o.S * __expf(o.vDt * (2.0f * i - NUM_STEPS)) - o.X;
    call[0][i] = d > 0 ? d : 0;
  }
  __syncthreads();
  int src = 0;
  for (int step = NUM_STEPS; step > 0; --step) {
    for (int i = threadIdx.x; i < step; i += blockDim.x)
      call[src ^ 1][i] = o.puByDf * call[src][i + 1] + o.pdByDf * call[src][i];
    src ^= 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) value[blockIdx.x] = call[src][0];
}

// Monte Carlo: own 64-bit LCG, a different starting point for each thread
__global__ void monteCarloPi(unsigned long long *hits, unsigned samples) {
  unsigned long long state = 0x9E3779B97F4A7C15ULL * (blockIdx.x * blockDim.x + threadIdx.x + 1);
  unsigned local = 0;
  for (unsigned i = 0; i < samples; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    float x = (unsigned)(state >> 41) * (1.0f / 8388608.0f);
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    float y = (unsigned)(state >> 41) * (1.0f / 8388608.0f);
    local += x * x + y * y <= 1.0f;
  }
  local = __reduce_add_sync(0xffffffff, local);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, (unsigned long long)local);
}

// Batcher's odd-even merge sort of SORT_N key/value pairs in shared memory
constexpr unsigned SORT_N = 1024;
__device__ inline void comparator(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb) {
  if (ka <= kb) return;
  unsigned t = ka; ka = kb; kb = t;
  t = va; va = vb; vb = t;
}

__global__ void oddEvenMergeSort(unsigned *keys, unsigned *vals) {
  __shared__ unsigned k[SORT_N], v[SORT_N];
  const unsigned base = blockIdx.x * SORT_N, t = threadIdx.x;
  for (unsigned h = 0; h < 2; ++h) {
    k[t + h * SORT_N / 2] = keys[base + t + h * SORT_N / 2];
    v[t + h * SORT_N / 2] = vals[base + t + h * SORT_N / 2];
  }
  for (unsigned size = 2; size <= SORT_N; size <<= 1) {
    unsigned stride = size / 2, offset = t & (stride - 1);
    __syncthreads();
    unsigned pos = 2 * t - (t & (stride - 1));
    comparator(k[pos], v[pos], k[pos + stride], v[pos + stride]);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      __syncthreads();
      pos = 2 * t - (t & (stride - 1));
      if (offset >= stride) comparator(k[pos - stride], v[pos - stride], k[pos], v[pos]);
    }
  }
  __syncthreads();
  for (unsigned h = 0; h < 2; ++h) {
    keys[base + t + h * SORT_N / 2] = k[t + h * SORT_N / 2];
    vals[base + t + h * SORT_N / 2] = v[t + h * SORT_N / 2];
  }
}

// fast Walsh-Hadamard transform of length 8192: a radix-4 pass in global memory
// (two stages) and eleven stages in shared memory
constexpr int FWT_N = 8192, FWT_TILE = 2048;
__global__ void fwtGlobalRadix4(float *data) {
  const int stride = FWT_N / 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *d = data + (size_t)(i / stride) * FWT_N + i % stride;
  float a = d[0], b = d[stride], c = d[2 * stride], e = d[3 * stride];
  float ac = a + c, be = b + e, amc = a - c, bme = b - e;
  d[0] = ac + be;
  d[stride] = ac - be;
  d[2 * stride] = amc + bme;
  d[3 * stride] = amc - bme;
}
__global__ void fwtShared(float *data) {
  __shared__ float s[FWT_TILE];
  float *d = data + (size_t)blockIdx.x * FWT_TILE;
  for (int i = threadIdx.x; i < FWT_TILE; i += blockDim.x) s[i] = d[i];
  for (int stride = FWT_TILE / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    for (int p = threadIdx.x; p < FWT_TILE / 2; p += blockDim.x) {
      int lo = p & (stride - 1), i0 = 2 * p - lo;
      float a = s[i0], b = s[i0 + stride];
      s[i0] = a + b;
      s[i0 + stride] = a - b;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < FWT_TILE; i += blockDim.x) d[i] = s[i];
}
__global__ void vectorAddManaged(const double *A, const double *B, double *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) C[i] = A[i] + B[i] + 0.0;
}
template <typename T>
T *toDevice(const std::vector<T> &h) {
  T *d;
  checkCudaErrors(cudaMalloc(&d, h.size() * sizeof(T)));
  checkCudaErrors(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}
template <typename T>
void toHost(std::vector<T> &h, const T *d) {
  checkCudaErrors(cudaGetLastError());
  checkCudaErrors(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

int main() {
  int bad = 0;
  auto report = [&](const char *name, bool ok) { printf("%-16s %s\n", name, ok ? "ok" : "WRONG"); bad += !ok; };
  {
    const int hA = 960, wA = 1280, wB = 1600;
    std::vector<float> A(hA * wA, 1.0f), B(wA * wB, 0.01f), C(hA * wB);
    float *dA = toDevice(A), *dB = toDevice(B), *dC = toDevice(C);
    MatrixMul<16><<<dim3(wB / 16, hA / 16), dim3(16, 16)>>>(dC, dA, dB, wA, wB);
    MatrixMul<32><<<dim3(wB / 32, hA / 32), dim3(32, 32)>>>(dC, dA, dB, wA, wB);
    toHost(C, dC);
    report("matrixMul", std::all_of(C.begin(), C.end(), [](float c) { return fabs(c - 12.8f) < 1e-3f; })); cudaFree(dA); cudaFree(dB); cudaFree(dC);
  }
  {
    std::vector<int> h(11, 0); h[8] = h[10] = 0xff;
    auto d = toDevice(h); atomicsDemo<<<64, 256>>>(d);
    toHost(h, d);
    report("atomics", h[0] == 163840 && h[1] == -163840 && h[3] == 16383 && h[4] == 0 && h[9] == -1); cudaFree(d);
  }
  {
    const int n = 1 << 20;
    std::vector<int> h(n);
    std::vector<int> r(n), zero(1024, 0);
    for (int i = 0; i < n; ++i) h[i] = i % 7;
    int *d = toDevice(h), *p = toDevice(zero);
    shuffleScan<<<n / 1024, 1024>>>(d, p);
    shuffleScan<<<1, 1024>>>(p, nullptr);
    uniformAdd<<<n / 1024, 1024>>>(d, p);
    toHost(r, d);
    int run = 0, wrong = 0;
    for (int i = 0; i < n; ++i) { run += h[i]; wrong += r[i] != run; }
    report("shuffle scan", wrong == 0); cudaFree(d); cudaFree(p);
  }
  {
    const int opts = 1024;
    std::vector<OptionData> o(opts);
    for (int i = 0; i < opts; ++i) {
      double T = 0.5 + (i % 16) / 8.0, dt = T / NUM_STEPS, v = 0.3 * sqrt(dt), r = 0.05 * dt;
      double u = exp(v), dn = exp(-v), pu = (exp(r) - dn) / (u - dn);
      o[i] = {20.0f, 15.0f + i % 10, (float)v, (float)(pu * exp(-r)), (float)((1 - pu) * exp(-r))};
    }
    std::vector<float> val(opts);
    OptionData *d = toDevice(o);
    auto *dv = toDevice(val);
    binomialOptions<<<opts, 256>>>(d, dv);
    toHost(val, dv);
    report("binomial", val[0] > 5.0f && val[0] < 6.5f);  // S=20, X=15, half a year
    cudaFree(d); cudaFree(dv);
  }
  {
    std::vector<unsigned long long> h(1, 0);
    auto *d = toDevice(h);
    monteCarloPi<<<1056, 256>>>(d, 512);
    toHost(h, d);
    double pi = 4.0 * h[0] / (1056.0 * 256 * 512);
    report("monte carlo", fabs(pi - 3.14159265) < 5e-3); cudaFree(d);
  }
  {
    const unsigned arrays = 2048;
    std::vector<unsigned> k(arrays * SORT_N), v(k.size());
    unsigned s = 1;
    for (size_t i = 0; i < k.size(); ++i) { s = s * 1664525u + 1013904223u; k[i] = s >> 12; v[i] = (unsigned)i; }
    unsigned *dk = toDevice(k), *dv = toDevice(v);
    oddEvenMergeSort<<<arrays, SORT_N / 2>>>(dk, dv);
    auto orig = k;
    toHost(k, dk); toHost(v, dv);
    bool ok = true;
    for (size_t i = 0; i < k.size(); ++i) ok &= (i % SORT_N == 0 || k[i - 1] <= k[i]) && orig[v[i]] == k[i];
    report("sorting network", ok); cudaFree(dk); cudaFree(dv);
  }
  {
    const int batch = 1024;
    std::vector<float> h((size_t)batch * FWT_N), r(h.size());
    for (size_t i = 0; i < h.size(); ++i) h[i] = float((i * 2654435761u >> 20) & 7) - 3.5f;
    auto d = toDevice(h); fwtGlobalRadix4<<<batch * (FWT_N / 4) / 256, 256>>>(d);
    fwtShared<<<batch * (FWT_N / FWT_TILE), 512>>>(d);
    toHost(r, d);
    bool ok = true;
    for (int q : {0, 1, 4097, 8191}) {
      double w = 0;
      for (int i = 0; i < FWT_N; ++i) w += __builtin_parity(i & q) ? -h[3 * FWT_N + i] : h[3 * FWT_N + i];
      ok &= fabs(w - r[3 * FWT_N + q]) < 0.5;
    }
    report("walsh", ok); cudaFree(d);
  }
  {
    const int n = 1 << 19;
    double *a, *b, *c;
    checkCudaErrors(cudaMallocManaged(&a, n * sizeof(double)));
    checkCudaErrors(cudaMallocManaged(&b, n * sizeof(double)));
    checkCudaErrors(cudaMallocManaged(&c, n * sizeof(double)));
    for (int i = 0; i < n; ++i) { a[i] = i; b[i] = 2.0 * i; }
    vectorAddManaged<<<(n + 255) / 256, 256>>>(a, b, c, n);
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaDeviceSynchronize());
    report("managed add", c[n - 1] == 3.0 * (n - 1) && c[12345] == 37035.0); cudaFree(a); cudaFree(b); cudaFree(c);
  }
  checkCudaErrors(cudaDeviceSynchronize());
  printf(bad ? "Result = FAIL\n" : "Result = PASS\n");
  return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
