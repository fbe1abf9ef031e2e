// Pictures: grey values, a box blur, edges, by bytes and by words.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void toGrey(const uchar4 *rgba, unsigned char *grey, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) {
    uchar4 p = rgba[y * cols + x];
    grey[y * cols + x] = .299f * p.x + .587f * p.y + .114f * p.z;
  }
}

__global__ void toGreyBytes(unsigned char *out, const unsigned char *rgb, int width, int height) {
  int col = threadIdx.x + blockIdx.x * blockDim.x, row = threadIdx.y + blockIdx.y * blockDim.y;
  if (col < width && row < height) {
    int offset = row * width + col;
    unsigned char r = rgb[offset * 3], g = rgb[offset * 3 + 1], b = rgb[offset * 3 + 2];
    out[offset] = 0.21f * r + 0.72f * g + 0.07f * b;
  }
}

#define BLUR 3
__global__ void boxBlur(const unsigned char *in, unsigned char *out, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h) {
    int sum = 0, pixels = 0;
    for (int r = -BLUR; r <= BLUR; ++r)
      for (int c = -BLUR; c <= BLUR; ++c) {
        int y = row + r, x = col + c;
        if (y >= 0 && y < h && x >= 0 && x < w) {
          sum += in[y * w + x];
          ++pixels;
        }
      }
    out[row * w + col] = (unsigned char)(sum / pixels);
  }
}

__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h) {
  __shared__ unsigned char tile[18][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = threadIdx.y; j < 18; j += 16)
    for (int i = threadIdx.x; i < 34; i += 32) {
      int px = min(max((int)blockIdx.x * 32 + i - 1, 0), w - 1), py = min(max((int)blockIdx.y * 16 + j - 1, 0), h - 1);
      tile[j][i] = in[py * w + px];
    }
  __syncthreads();
  if (x >= w || y >= h) return;
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  float gx = tile[j - 1][i + 1] + 2 * tile[j][i + 1] + tile[j + 1][i + 1] - tile[j - 1][i - 1] - 2 * tile[j][i - 1] - tile[j + 1][i - 1];
  float gy = tile[j + 1][i - 1] + 2 * tile[j + 1][i] + tile[j + 1][i + 1] - tile[j - 1][i - 1] - 2 * tile[j - 1][i] - tile[j - 1][i + 1];
  float g = sqrtf(gx * gx + gy * gy);
  out[y * w + x] = g > 255 ? 255 : (unsigned char)g;
}

int main() {
  const int w = 3840, h = 2160;
  unsigned char *host = (unsigned char *)malloc(w * h * 4);
  for (int i = 0; i < w * h * 4; i++) host[i] = rand() & 255;
  unsigned char *rgba, *grey, *out;
  cudaMalloc(&rgba, w * h * 4);
  cudaMalloc(&grey, w * h);
  cudaMalloc(&out, w * h);
  cudaMemcpy(rgba, host, w * h * 4, cudaMemcpyHostToDevice);
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  toGrey<<<grid, block>>>((const uchar4 *)rgba, grey, h, w);
  toGreyBytes<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(grey, rgba, w, h);
  boxBlur<<<grid, block>>>(grey, out, w, h);
  sobel<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(grey, out, w, h);
  cudaMemcpy(host, out, w * h, cudaMemcpyDeviceToHost);
  printf("%d\n", host[1000]);
  return 0;
}
