// Attention with masks: scores below the diagonal, softmax of uneven rows, a window, weighted sums.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scores(float *s, const float *q, const float *k, int T, int D) {
  int t2 = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y, h = blockIdx.z;
  if (t2 > t) return;
  const float *a = q + (h * T + t) * D, *b = k + (h * T + t2) * D;
  float v = 0.f;
  for (int i = 0; i < D; i++) v += a[i] * b[i];
  s[(h * T + t) * T + t2] = v * rsqrtf((float)D);
}

// A warp a row of which only the first own + 1 count.
__global__ void softmaxBelow(float *p, const float *s, int T, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int own = row % T;
  const float *x = s + (size_t)row * T;
  float *y = p + (size_t)row * T;
  float m = -FLT_MAX;
  for (int i = lane; i <= own; i += 32) m = fmaxf(m, x[i]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float sum = 0.f;
  for (int i = lane; i <= own; i += 32) sum += expf(x[i] - m);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  float r = 1.f / sum;
  for (int i = lane; i <= own; i += 32) y[i] = expf(x[i] - m) * r;
  for (int i = own + 1 + lane; i < T; i += 32) y[i] = 0.f;
}

// A block a row.
__global__ void softmaxBlock(float *p, const float *s, int T) {
  __shared__ float part[4];
  int row = blockIdx.x, own = row % T, t = threadIdx.x;
  const float *x = s + (size_t)row * T;
  float m = -FLT_MAX;
  for (int i = t; i <= own; i += 128) m = fmaxf(m, x[i]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (t % 32 == 0) part[t / 32] = m;
  __syncthreads();
  m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float sum = 0.f;
  for (int i = t; i <= own; i += 128) {
    float e = __expf(x[i] - m);
    p[(size_t)row * T + i] = e;
    sum += e;
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  for (int i = t; i < T; i += 128) p[(size_t)row * T + i] = i <= own ? p[(size_t)row * T + i] / sum : 0.f;
}

// Each position looks back at 128 others; a warp a position, a lane two dimensions of 64.
__global__ void window(float *out, const float2 *q, const float2 *k, const float2 *v, int T) {
  int t = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x, h = blockIdx.y;
  const float2 *kk = k + h * T * 32, *vv = v + h * T * 32;
  float2 mine = q[(h * T + t) * 32 + lane], acc = make_float2(0.f, 0.f);
  float m = -1e30f, sum = 0.f;
  for (int j = max(0, t - 127); j <= t; j++) {
    float2 c = kk[j * 32 + lane];
    float s = mine.x * c.x + mine.y * c.y;
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    float n = fmaxf(m, s), f = __expf(m - n), e = __expf(s - n);
    float2 w = vv[j * 32 + lane];
    acc.x = acc.x * f + e * w.x;
    acc.y = acc.y * f + e * w.y;
    sum = sum * f + e;
    m = n;
  }
  ((float2 *)out)[(h * T + t) * 32 + lane] = make_float2(acc.x / sum, acc.y / sum);
}

int main() {
  const int H = 12, T = 1024, D = 64;
  float *q, *k, *v, *s, *p, *h = (float *)malloc(H * T * D * sizeof(float));
  for (int i = 0; i < H * T * D; i++) h[i] = rand() / (float)RAND_MAX - 0.5f;
  cudaMalloc(&q, H * T * D * sizeof(float));
  cudaMalloc(&k, H * T * D * sizeof(float));
  cudaMalloc(&v, H * T * D * sizeof(float));
  cudaMalloc(&s, H * T * T * sizeof(float));
  cudaMalloc(&p, H * T * T * sizeof(float));
  cudaMemcpy(q, h, H * T * D * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(k, h, H * T * D * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(v, h, H * T * D * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(s, 0, H * T * T * sizeof(float));
  scores<<<dim3(T / 128, T, H), 128>>>(s, q, k, T, D);
  softmaxBelow<<<H * T / 8, 256>>>(p, s, T, H * T);
  softmaxBlock<<<H * T, 128>>>(p, s, T);
  window<<<dim3(T / 4, H), dim3(32, 4)>>>(p, (float2 *)q, (float2 *)k, (float2 *)v, T);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
