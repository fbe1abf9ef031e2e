// C = alpha * A * B + beta * C in single precision, one step of tuning after another. Row-major, sizes that the tiles divide.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    cudaError_t error = (call);                                                       \
    if (error != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }

// Each thread one element, neighbours along a row of C.
__global__ void rowPerThread(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
  }
}

// Tiles of both operands in shared memory.
template <int TILE>
__global__ void sharedTile(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int base = 0; base < k; base += TILE) {
    as[ty][tx] = a[row * k + base + tx];
    bs[ty][tx] = b[(base + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + col] = alpha * sum + beta * c[row * n + col];
}

// A column of results in registers.
template <int BM, int BN, int BK, int TM>
__global__ void columnOfResults(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  __shared__ float as[BM * BK];
  __shared__ float bs[BK * BN];
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int aCol = threadIdx.x % BK, aRow = threadIdx.x / BK;
  const int bCol = threadIdx.x % BN, bRow = threadIdx.x / BN;
  float results[TM] = {0.0f};
  for (int base = 0; base < k; base += BK) {
    as[aRow * BK + aCol] = a[aRow * k + aCol];
    bs[bRow * BN + bCol] = b[bRow * n + bCol];
    __syncthreads();
    a += BK;
    b += BK * n;
    for (int i = 0; i < BK; i++) {
      float value = bs[i * BN + threadCol];
      for (int r = 0; r < TM; r++) results[r] += as[(threadRow * TM + r) * BK + i] * value;
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; r++) {
    int at = (threadRow * TM + r) * n + threadCol;
    c[at] = alpha * results[r] + beta * c[at];
  }
}

// A square of results in registers, scalars loaded.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM * BN / (TM * TN))
    squareOfResults(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  constexpr int threads = BM * BN / (TM * TN);
  __shared__ float as[BM * BK];
  __shared__ float bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int aRow = threadIdx.x / BK, aCol = threadIdx.x % BK, aStep = threads / BK;
  const int bRow = threadIdx.x / BN, bCol = threadIdx.x % BN, bStep = threads / BN;
  float acc[TM][TN] = {};
  float u[TM], v[TN];
  for (int base = 0; base < k; base += BK) {
    for (int r = 0; r < BM; r += aStep) as[(aRow + r) * BK + aCol] = a[(aRow + r) * k + aCol];
    for (int r = 0; r < BK; r += bStep) bs[(bRow + r) * BN + bCol] = b[(bRow + r) * n + bCol];
    __syncthreads();
    a += BK;
    b += BK * n;
    for (int i = 0; i < BK; i++) {
      for (int r = 0; r < TM; r++) u[r] = as[(threadRow * TM + r) * BK + i];
      for (int s = 0; s < TN; s++) v[s] = bs[i * BN + threadCol * TN + s];
      for (int r = 0; r < TM; r++)
        for (int s = 0; s < TN; s++) acc[r][s] += u[r] * v[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; r++)
    for (int s = 0; s < TN; s++) {
      int at = (threadRow * TM + r) * n + threadCol * TN + s;
      c[at] = alpha * acc[r][s] + beta * c[at];
    }
}

// The same with float4: A is stored transposed, so that columns of it are read as vectors.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM * BN / (TM * TN))
    vectorLoads(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  __shared__ float as[BK * BM];
  __shared__ float bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int aRow = threadIdx.x / (BK / 4), aCol = threadIdx.x % (BK / 4);
  const int bRow = threadIdx.x / (BN / 4), bCol = threadIdx.x % (BN / 4);
  float acc[TM * TN] = {0.0f};
  float u[TM] = {0.0f};
  float v[TN] = {0.0f};
  for (int base = 0; base < k; base += BK) {
    float4 t = reinterpret_cast<const float4 *>(&a[aRow * k + aCol * 4])[0];
    as[(aCol * 4 + 0) * BM + aRow] = t.x;
    as[(aCol * 4 + 1) * BM + aRow] = t.y;
    as[(aCol * 4 + 2) * BM + aRow] = t.z;
    as[(aCol * 4 + 3) * BM + aRow] = t.w;
    reinterpret_cast<float4 *>(&bs[bRow * BN + bCol * 4])[0] = reinterpret_cast<const float4 *>(&b[bRow * n + bCol * 4])[0];
    __syncthreads();
    a += BK;
    b += BK * n;
    for (int i = 0; i < BK; ++i) {
      for (int r = 0; r < TM; ++r) u[r] = as[i * BM + threadRow * TM + r];
      for (int s = 0; s < TN; ++s) v[s] = bs[i * BN + threadCol * TN + s];
      for (int r = 0; r < TM; ++r)
        for (int s = 0; s < TN; ++s) acc[r * TN + s] += u[r] * v[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; r += 1)
    for (int s = 0; s < TN; s += 4) {
      float4 *place = reinterpret_cast<float4 *>(&c[(threadRow * TM + r) * n + threadCol * TN + s]);
      float4 t = place[0];
      t.x = alpha * acc[r * TN + s] + beta * t.x;
      t.y = alpha * acc[r * TN + s + 1] + beta * t.y;
      t.z = alpha * acc[r * TN + s + 2] + beta * t.z;
      t.w = alpha * acc[r * TN + s + 3] + beta * t.w;
      place[0] = t;
    }
}

// Each warp a tile of its own, in pieces; more than one load a thread.
template <int BM, int BN, int BK, int WM, int WN, int WNITER, int TM, int TN, int THREADS>
__global__ void __launch_bounds__(THREADS)
    warpTiles(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  constexpr int WMITER = (WM * WN) / (32 * TM * TN * WNITER);
  constexpr int WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  __shared__ float as[BM * BK];
  __shared__ float bs[BK * BN];
  const int warp = threadIdx.x / 32;
  const int warpCol = warp % (BN / WN), warpRow = warp / (BN / WN);
  const int lane = threadIdx.x % 32;
  const int laneCol = lane % (WSUBN / TN), laneRow = lane / (WSUBN / TN);
  a += blockIdx.y * BM * k;
  b += blockIdx.x * BN;
  c += (blockIdx.y * BM + warpRow * WM) * n + blockIdx.x * BN + warpCol * WN;
  const int aRow = threadIdx.x / (BK / 4), aCol = threadIdx.x % (BK / 4);
  constexpr int aStep = THREADS * 4 / BK;
  const int bRow = threadIdx.x / (BN / 4), bCol = threadIdx.x % (BN / 4);
  constexpr int bStep = THREADS / (BN / 4);
  float acc[WMITER * TM * WNITER * TN] = {0.0f};
  float u[WMITER * TM] = {0.0f};
  float v[WNITER * TN] = {0.0f};
  for (int base = 0; base < k; base += BK) {
    for (int r = 0; r + aStep <= BM; r += aStep) {
      const float4 t = reinterpret_cast<const float4 *>(&a[(aRow + r) * k + aCol * 4])[0];
      as[(aCol * 4 + 0) * BM + aRow + r] = t.x;
      as[(aCol * 4 + 1) * BM + aRow + r] = t.y;
      as[(aCol * 4 + 2) * BM + aRow + r] = t.z;
      as[(aCol * 4 + 3) * BM + aRow + r] = t.w;
    }
    for (int r = 0; r + bStep <= BK; r += bStep)
      reinterpret_cast<float4 *>(&bs[(bRow + r) * BN + bCol * 4])[0] =
          reinterpret_cast<const float4 *>(&b[(bRow + r) * n + bCol * 4])[0];
    __syncthreads();
    for (int i = 0; i < BK; ++i) {
      for (int w = 0; w < WMITER; ++w)
        for (int r = 0; r < TM; ++r) u[w * TM + r] = as[i * BM + warpRow * WM + w * WSUBM + laneRow * TM + r];
      for (int w = 0; w < WNITER; ++w)
        for (int s = 0; s < TN; ++s) v[w * TN + s] = bs[i * BN + warpCol * WN + w * WSUBN + laneCol * TN + s];
      for (int w = 0; w < WMITER; ++w)
        for (int x = 0; x < WNITER; ++x)
          for (int r = 0; r < TM; ++r)
            for (int s = 0; s < TN; ++s) acc[(w * TM + r) * (WNITER * TN) + x * TN + s] += u[w * TM + r] * v[x * TN + s];
    }
    a += BK;
    b += BK * n;
    __syncthreads();
  }
  for (int w = 0; w < WMITER; ++w)
    for (int x = 0; x < WNITER; ++x) {
      float *tile = c + w * WSUBM * n + x * WSUBN;
      for (int r = 0; r < TM; r += 1)
        for (int s = 0; s < TN; s += 4) {
          float4 t = reinterpret_cast<float4 *>(&tile[(laneRow * TM + r) * n + laneCol * TN + s])[0];
          const int i = (w * TM + r) * (WNITER * TN) + x * TN + s;
          t.x = alpha * acc[i + 0] + beta * t.x;
          t.y = alpha * acc[i + 1] + beta * t.y;
          t.z = alpha * acc[i + 2] + beta * t.z;
          t.w = alpha * acc[i + 3] + beta * t.w;
          reinterpret_cast<float4 *>(&tile[(laneRow * TM + r) * n + laneCol * TN + s])[0] = t;
        }
    }
}

// Two buffers: the next tiles are fetched into registers while this one is multiplied, and stored behind it.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM * BN / (TM * TN))
    doubleBuffered(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b, float beta,
                   float *__restrict__ c) {
  __shared__ float as[2][BK][BM];
  __shared__ float bs[2][BK][BN];
  const int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
  const int aRow = threadIdx.x / (BK / 4), aCol = threadIdx.x % (BK / 4) * 4;
  const int bRow = threadIdx.x / (BN / 4), bCol = threadIdx.x % (BN / 4) * 4;
  const float *aFrom = a + (blockIdx.y * BM + aRow) * k + aCol;
  const float *bFrom = b + bRow * n + blockIdx.x * BN + bCol;
  float acc[TM][TN] = {{0.0f}};
  float u[TM], v[TN];
  float4 nextA = *reinterpret_cast<const float4 *>(aFrom);
  float4 nextB = *reinterpret_cast<const float4 *>(bFrom);
  as[0][aCol + 0][aRow] = nextA.x;
  as[0][aCol + 1][aRow] = nextA.y;
  as[0][aCol + 2][aRow] = nextA.z;
  as[0][aCol + 3][aRow] = nextA.w;
  *reinterpret_cast<float4 *>(&bs[0][bRow][bCol]) = nextB;
  __syncthreads();
  int now = 0;
  for (int base = BK; base <= k; base += BK) {
    if (base < k) {
      nextA = *reinterpret_cast<const float4 *>(aFrom + base);
      nextB = *reinterpret_cast<const float4 *>(bFrom + base * n);
    }
#pragma unroll
    for (int i = 0; i < BK; i++) {
#pragma unroll
      for (int r = 0; r < TM; r++) u[r] = as[now][i][ty * TM + r];
#pragma unroll
      for (int s = 0; s < TN; s++) v[s] = bs[now][i][tx * TN + s];
#pragma unroll
      for (int r = 0; r < TM; r++)
#pragma unroll
        for (int s = 0; s < TN; s++) acc[r][s] += u[r] * v[s];
    }
    if (base < k) {
      now ^= 1;
      as[now][aCol + 0][aRow] = nextA.x;
      as[now][aCol + 1][aRow] = nextA.y;
      as[now][aCol + 2][aRow] = nextA.z;
      as[now][aCol + 3][aRow] = nextA.w;
      *reinterpret_cast<float4 *>(&bs[now][bRow][bCol]) = nextB;
      __syncthreads();
    }
  }
#pragma unroll
  for (int r = 0; r < TM; r++)
#pragma unroll
    for (int s = 0; s < TN; s += 4) {
      float4 *place = reinterpret_cast<float4 *>(&c[(blockIdx.y * BM + ty * TM + r) * n + blockIdx.x * BN + tx * TN + s]);
      float4 t = *place;
      t.x = alpha * acc[r][s] + beta * t.x;
      t.y = alpha * acc[r][s + 1] + beta * t.y;
      t.z = alpha * acc[r][s + 2] + beta * t.z;
      t.w = alpha * acc[r][s + 3] + beta * t.w;
      *place = t;
    }
}

int main() {
  const int m = 2048, n = 2048, k = 2048;
  const float alpha = 1.5f, beta = 0.5f;
  std::vector<float> host(m * k);
  for (int i = 0; i < m * k; i++) host[i] = (i * 7 % 13) * 0.1f - 0.5f;
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, sizeof(float) * m * k));
  CHECK(cudaMalloc(&b, sizeof(float) * k * n));
  CHECK(cudaMalloc(&c, sizeof(float) * m * n));
  CHECK(cudaMemcpy(a, host.data(), sizeof(float) * m * k, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), sizeof(float) * k * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(c, 0, sizeof(float) * m * n));

  rowPerThread<<<dim3(n / 32, m / 8), dim3(32, 8)>>>(m, n, k, alpha, a, b, beta, c);
  sharedTile<16><<<dim3(n / 16, m / 16), dim3(16, 16)>>>(m, n, k, alpha, a, b, beta, c);
  sharedTile<32><<<dim3(n / 32, m / 32), dim3(32, 32)>>>(m, n, k, alpha, a, b, beta, c);
  columnOfResults<64, 64, 8, 8><<<dim3(ceilDiv(n, 64), ceilDiv(m, 64)), 512>>>(m, n, k, alpha, a, b, beta, c);
  squareOfResults<64, 64, 8, 4, 4><<<dim3(ceilDiv(n, 64), ceilDiv(m, 64)), 256>>>(m, n, k, alpha, a, b, beta, c);
  squareOfResults<128, 128, 8, 8, 8><<<dim3(ceilDiv(n, 128), ceilDiv(m, 128)), 256>>>(m, n, k, alpha, a, b, beta, c);
  vectorLoads<128, 128, 8, 8, 8><<<dim3(n / 128, m / 128), 256>>>(m, n, k, alpha, a, b, beta, c);
  vectorLoads<64, 64, 16, 4, 4><<<dim3(n / 64, m / 64), 256>>>(m, n, k, alpha, a, b, beta, c);
  warpTiles<128, 128, 16, 64, 64, 4, 8, 4, 128><<<dim3(n / 128, m / 128), 128>>>(m, n, k, alpha, a, b, beta, c);
  warpTiles<64, 128, 16, 32, 64, 1, 4, 4, 128><<<dim3(n / 128, m / 64), 128>>>(m, n, k, alpha, a, b, beta, c);
  doubleBuffered<128, 128, 8, 8, 8><<<dim3(n / 128, m / 128), 256>>>(m, n, k, alpha, a, b, beta, c);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  return 0;
}
