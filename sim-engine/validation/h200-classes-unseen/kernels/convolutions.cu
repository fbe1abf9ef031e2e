// Convolutions of a network: straight, by channel, columns for a product, pooling, statistics of a batch.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void direct(const float *x, const float *w, const float *b, float *y, int C, int H, int W, int K) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (ox >= W - 2 || oy >= H - 2) return;
  float s = b[k];
  for (int c = 0; c < C; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) s += x[(c * H + oy + i) * W + ox + j] * w[((k * C + c) * 3 + i) * 3 + j];
  y[(k * (H - 2) + oy) * (W - 2) + ox] = s > 0.f ? s : 0.f;
}

__global__ void depthwise(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= C * H * W) return;
  int px = i % W, py = i / W % H, c = i / (W * H);
  float s = 0.f;
  for (int a = -1; a <= 1; a++)
    for (int d = -1; d <= 1; d++) {
      int yy = py + a, xx = px + d;
      if (yy >= 0 && yy < H && xx >= 0 && xx < W) s += x[(c * H + yy) * W + xx] * w[c * 9 + (a + 1) * 3 + d + 1];
    }
  y[i] = s;
}

__global__ void columns(const float *x, float *col, int C, int H, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= C * H * W) return;
  int ox = i % W, oy = i / W % H, c = i / W / H;
  float *to = col + c * 9 * H * W + oy * W + ox;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      int yy = oy + a - 1, xx = ox + b - 1;
      *to = yy >= 0 && xx >= 0 && yy < H && xx < W ? x[(c * H + yy) * W + xx] : 0.f;
      to += H * W;
    }
}

__global__ void maxPool(const float *x, float *y, int planes, int H, int W) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, p = blockIdx.z;
  const float *in = x + p * H * W + 2 * oy * W + 2 * ox;
  if (ox < W / 2 && oy < H / 2) y[(p * (H / 2) + oy) * (W / 2) + ox] = fmaxf(fmaxf(in[0], in[1]), fmaxf(in[W], in[W + 1]));
}

// A block a channel over all pictures.
__global__ void batchStatistics(const float *x, float *mean, float *var, int N, int C, int HW) {
  __shared__ float ss[32], sq[32];
  int c = blockIdx.x;
  float s = 0.f, q = 0.f;
  for (int n = 0; n < N; n++)
    for (int i = threadIdx.x; i < HW; i += blockDim.x) {
      float v = x[(n * C + c) * HW + i];
      s += v;
      q += v * v;
    }
  for (int o = 16; o; o >>= 1) {
    s += __shfl_down_sync(~0u, s, o);
    q += __shfl_down_sync(~0u, q, o);
  }
  if (threadIdx.x % 32 == 0) {
    ss[threadIdx.x / 32] = s;
    sq[threadIdx.x / 32] = q;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? ss[threadIdx.x] : 0.f;
    q = threadIdx.x < blockDim.x / 32 ? sq[threadIdx.x] : 0.f;
    for (int o = 16; o; o >>= 1) {
      s += __shfl_down_sync(~0u, s, o);
      q += __shfl_down_sync(~0u, q, o);
    }
    if (threadIdx.x == 0) {
      mean[c] = s / (N * HW);
      var[c] = q / (N * HW) - mean[c] * mean[c];
    }
  }
}

int main() {
  const int C = 64, H = 128, W = 128, K = 32;
  float *x, *w, *b, *y, *col;
  cudaMalloc(&x, 16 * C * H * W * sizeof(float));
  cudaMalloc(&w, K * C * 9 * sizeof(float));
  cudaMalloc(&b, C * sizeof(float));
  cudaMalloc(&y, 16 * C * H * W * sizeof(float));
  cudaMalloc(&col, 9 * C * H * W * sizeof(float));
  cudaMemset(x, 0, 16 * C * H * W * sizeof(float));
  cudaMemset(w, 0, K * C * 9 * sizeof(float));
  direct<<<dim3(8, 8, K), dim3(16, 16)>>>(x, w, b, y, C, H, W, K);
  depthwise<<<16 * C * H * W / 256, 256>>>(x, w, y, 16 * C, H, W);
  columns<<<C * H * W / 256, 256>>>(x, col, C, H, W);
  maxPool<<<dim3(2, 8, 16 * C), dim3(32, 8)>>>(x, y, 16 * C, H, W);
  batchStatistics<<<C, 512>>>(x, b, w, 16, C, H * W);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
