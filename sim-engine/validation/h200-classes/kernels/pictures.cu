// Pictures: sums along rows and columns, bilateral and median filters, scaling, blocks of cosines, erosion.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
__constant__ float gauss[17], cosines[64];

__global__ void alongRows(const float *in, float *out, int w, int h) {
  __shared__ float s[4][64 + 16];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  for (int i = threadIdx.x; i < 80; i += 64) {
    int xx = min(max((int)(blockIdx.x * 64 + i - 8), 0), w - 1);
    s[threadIdx.y][i] = in[y * w + xx];
  }
  __syncthreads();
  float v = 0.f;
#pragma unroll
  for (int k = 0; k < 17; k++) v += gauss[k] * s[threadIdx.y][threadIdx.x + k];
  out[y * w + x] = v;
}

__global__ void alongColumns(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float v = 0.f;
  for (int k = -8; k <= 8; k++) v += gauss[k + 8] * in[min(max(y + k, 0), h - 1) * w + x];
  out[y * w + x] = v;
}

__global__ void bilateral(const float *in, float *out, int w, int h, int r, float a, float b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < r || y < r || x >= w - r || y >= h - r) return;
  float c = in[y * w + x], s = 0.f, n = 0.f;
  for (int dy = -r; dy <= r; dy++)
    for (int dx = -r; dx <= r; dx++) {
      float v = in[(y + dy) * w + x + dx], d = v - c;
      float f = __expf(-(dx * dx + dy * dy) * a - d * d * b);
      s += f * v;
      n += f;
    }
  out[y * w + x] = s / n;
}

__global__ void median3(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  unsigned char v[9];
  for (int i = 0; i < 9; i++) v[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
  for (int i = 0; i < 5; i++)
    for (int j = i + 1; j < 9; j++)
      if (v[j] < v[i]) {
        unsigned char t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  out[y * w + x] = v[4];
}

__global__ void scaleUp(const uchar4 *in, uchar4 *out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float sx = x * (float)(w - 1) / (ow - 1), sy = y * (float)(h - 1) / (oh - 1);
  int ix = (int)sx, iy = (int)sy;
  float fx = sx - ix, fy = sy - iy;
  int jx = min(ix + 1, w - 1), jy = min(iy + 1, h - 1);
  uchar4 a = in[iy * w + ix], b = in[iy * w + jx], c = in[jy * w + ix], d = in[jy * w + jx];
  auto mix = [&](int p, int q, int r, int s) { return (unsigned char)((p * (1 - fx) + q * fx) * (1 - fy) + (r * (1 - fx) + s * fx) * fy); };
  out[y * ow + x] = make_uchar4(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), 255);
}

__global__ void cosineBlocks(const float *in, float *out, int w) {
  __shared__ float a[8][8], b[8][8];
  int tx = threadIdx.x, ty = threadIdx.y, i = (blockIdx.y * 8 + ty) * w + blockIdx.x * 8 + tx;
  a[ty][tx] = in[i];
  __syncthreads();
  float v = 0.f;
  for (int k = 0; k < 8; k++) v += cosines[ty * 8 + k] * a[k][tx];
  b[ty][tx] = v;
  __syncthreads();
  v = 0.f;
  for (int k = 0; k < 8; k++) v += b[ty][k] * cosines[tx * 8 + k];
  out[i] = v;
}

int main() {
  const int w = 2048, h = 2048;
  float *a, *b, g[64];
  for (int i = 0; i < 64; i++) g[i] = cosf(i);
  cudaMemcpyToSymbol(gauss, g, 17 * sizeof(float));
  cudaMemcpyToSymbol(cosines, g, 64 * sizeof(float));
  cudaMalloc(&a, w * h * sizeof(float));
  cudaMalloc(&b, 4 * w * h * sizeof(float));
  cudaMemset(a, 0, w * h * sizeof(float));
  alongRows<<<dim3(w / 64, h / 4), dim3(64, 4)>>>(a, b, w, h);
  alongColumns<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h);
  bilateral<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(a, b, w, h, 4, 0.05f, 10.f);
  median3<<<dim3(w / 32, h / 8), dim3(32, 8)>>>((unsigned char *)a, (unsigned char *)b, w, h);
  scaleUp<<<dim3(2 * w / 32, 2 * h / 8), dim3(32, 8)>>>((uchar4 *)a, (uchar4 *)b, w, h, 2 * w, 2 * h);
  cosineBlocks<<<dim3(w / 8, h / 8), dim3(8, 8)>>>(a, b, w);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
