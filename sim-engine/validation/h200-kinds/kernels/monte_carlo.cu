// Random numbers and finance with hand-made generators, and two Mandelbrot sets.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__host__ __device__ inline unsigned hash(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct XorShift {
  unsigned s;
  __device__ explicit XorShift(unsigned seed) : s(hash(seed) | 1u) {}
  __device__ float next() {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return (s >> 8) * (1.0f / 16777216.0f);
  }
};

__global__ void countPi(unsigned long long *hits, int perThread) {
  XorShift rng(blockIdx.x * blockDim.x + threadIdx.x);
  int mine = 0;
  for (int i = 0; i < perThread; i++) {
    float x = rng.next(), y = rng.next();
    mine += x * x + y * y <= 1.0f;
  }
  mine = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)mine);
}

// An arithmetic Asian call: paths of 'steps' days with a 64-bit LCG and Box-Muller pairs.
__global__ void asianPaths(float *blockSums, int steps, float s0, float strike, float drift, float vol) {
  __shared__ float sum[192];
  unsigned long long z = hash(blockIdx.x * blockDim.x + threadIdx.x) * 2862933555777941757ull + 3037000493ull;
  float logS = __logf(s0), total = 0.f;
  for (int d = 0; d < steps; d += 2) {
    z = z * 6364136223846793005ull + 1442695040888963407ull;
    float u = ((unsigned)(z >> 40) + 1) * (1.0f / 16777216.0f);
    z = z * 6364136223846793005ull + 1442695040888963407ull;
    float v = (unsigned)(z >> 40) * (1.0f / 16777216.0f);
    float r = sqrtf(-2.0f * logf(u)), sn, cs;
    sincospif(2.0f * v, &sn, &cs);
    logS += drift + vol * r * cs;
    total += expf(logS);
    logS += drift + vol * r * sn;
    total += expf(logS);
  }
  sum[threadIdx.x] = fmaxf(total / steps - strike, 0.0f);
  __syncthreads();
  for (int d = 96; d >= 3; d /= 2) {
    if (threadIdx.x < d) sum[threadIdx.x] += sum[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) blockSums[blockIdx.x] = sum[0] + sum[1] + sum[2];
}

template <typename T>
__global__ void mandelbrot(unsigned short *image, int w, int h, T cx, T cy, T scale, int maxIter) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  T x0 = cx + (px - w / 2) * scale, y0 = cy + (py - h / 2) * scale, x = 0, y = 0;
  int it = 0;
  while (it < maxIter && x * x + y * y < (T)4) {
    T t = x * x - y * y + x0;
    y = 2 * x * y + y0;
    x = t;
    it++;
  }
  image[py * w + px] = it;
}

__device__ __forceinline__ float cnd(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

__global__ void blackScholes(const float *S, const float *X, const float *T, float2 *__restrict__ price, float r, float sigma, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float s = S[i], k = X[i], root = sqrtf(T[i]);
    float d1 = (logf(s / k) + (r + 0.5f * sigma * sigma) * T[i]) / (sigma * root), d2 = d1 - sigma * root;
    float disc = k * expf(-r * T[i]), call = s * cnd(d1) - disc * cnd(d2);
    price[i] = make_float2(call, call - s + disc);
  }
}

// American put, a block for each: the tree's current level stays in shared memory.
template <int STEPS>
__global__ void binomialPut(const float *S, const float *X, float *price, float u, float p, float disc) {
  __shared__ float val[2][STEPS + 1];
  float s = S[blockIdx.x], k = X[blockIdx.x], lu = log2f(u);
  for (int i = threadIdx.x; i <= STEPS; i += blockDim.x) val[0][i] = fmaxf(k - s * exp2f(lu * (2 * i - STEPS)), 0.0f);
  __syncthreads();
  int cur = 0;
  for (int level = STEPS - 1; level >= 0; level--) {
    for (int i = threadIdx.x; i <= level; i += blockDim.x) {
      float hold = disc * (p * val[cur][i + 1] + (1.0f - p) * val[cur][i]);
      val[cur ^ 1][i] = fmaxf(hold, k - s * exp2f(lu * (2 * i - level)));
    }
    __syncthreads();
    cur ^= 1;
  }
  if (threadIdx.x == 0) price[blockIdx.x] = val[cur][0];
}

int main() {
  const int n = 4000000, w = 1600, h = 1200;
  float *host = (float *)malloc(3 * n * sizeof(float)), *in, *sums, *puts;
  for (int i = 0; i < n; i++) {
    host[i] = 5.f + 25.f * rand() / RAND_MAX;
    host[n + i] = 1.f + 99.f * rand() / RAND_MAX;
    host[2 * n + i] = 0.25f + 9.75f * rand() / RAND_MAX;
  }
  float2 *price;
  unsigned short *image;
  unsigned long long *hits;
  cudaMalloc(&in, 3 * n * sizeof(float)), cudaMalloc(&price, n * sizeof(float2)), cudaMalloc(&image, w * h * sizeof(short));
  cudaMalloc(&hits, 8), cudaMalloc(&sums, 1024 * sizeof(float)), cudaMalloc(&puts, 1024 * sizeof(float));
  cudaMemcpy(in, host, 3 * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(hits, 0, 8);
  countPi<<<512, 256>>>(hits, 2000);
  asianPaths<<<1000, 192>>>(sums, 252, 100.f, 105.f, 0.0001f, 0.0126f);
  mandelbrot<float><<<dim3(w / 16, h / 16), dim3(16, 16)>>>(image, w, h, -0.5f, 0.f, 0.002f, 512);
  mandelbrot<double><<<dim3(w / 32, h / 4), dim3(32, 4)>>>(image, w, h, -0.743643, 0.131825, 1e-6, 1000);
  blackScholes<<<(n / 4 + 127) / 128, 128>>>(in, in + n, in + 2 * n, price, 0.02f, 0.30f, n);
  binomialPut<1024><<<400, 256>>>(in, in + n, puts, 1.0094f, 0.5f, 0.99995f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
