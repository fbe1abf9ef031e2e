// Everyday image filters on 8-bit pictures: grey, box blur, bilateral, Sobel, transpose, row sums.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Size {
  int w, h;
};

template <typename Pixel>
__global__ void toGrey(const Pixel *rgb, unsigned char *grey, Size s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= s.w || y >= s.h) return;
  Pixel p = rgb[y * s.w + x];
  grey[y * s.w + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);
}

// Rows first into shared memory, then columns from there.
template <int R>
__global__ void boxBlur(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, Size s) {
  __shared__ unsigned char pix[16 + 2 * R][32 + 2 * R];
  __shared__ unsigned short rows[16 + 2 * R][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int y = threadIdx.y; y < 16 + 2 * R; y += 16)
    for (int x = threadIdx.x; x < 32 + 2 * R; x += 32) {
      int gx = min(max(x0 + x - R, 0), s.w - 1), gy = min(max(y0 + y - R, 0), s.h - 1);
      pix[y][x] = in[gy * s.w + gx];
    }
  __syncthreads();
  for (int y = threadIdx.y; y < 16 + 2 * R; y += 16) {
    int sum = 0;
    for (int k = 0; k <= 2 * R; k++) sum += pix[y][threadIdx.x + k];
    rows[y][threadIdx.x] = sum;
  }
  __syncthreads();
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y, sum = 0;
  for (int k = 0; k <= 2 * R; k++) sum += rows[threadIdx.y + k][threadIdx.x];
  if (x < s.w && y < s.h) out[y * s.w + x] = sum / ((2 * R + 1) * (2 * R + 1));
}

__global__ void bilateral5(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, Size s, float invSpace, float invColour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= s.w || y >= s.h) return;
  uchar4 c = in[y * s.w + x];
  float r = 0, g = 0, b = 0, total = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int xx = min(max(x + dx, 0), s.w - 1), yy = min(max(y + dy, 0), s.h - 1);
      uchar4 p = in[yy * s.w + xx];
      float dr = p.x - c.x, dg = p.y - c.y, db = p.z - c.z;
      float w = __expf(-(dx * dx + dy * dy) * invSpace - (dr * dr + dg * dg + db * db) * invColour);
      r += w * p.x, g += w * p.y, b += w * p.z, total += w;
    }
  float inv = 1.f / total;
  out[y * s.w + x] = make_uchar4(r * inv, g * inv, b * inv, c.w);
}

#define TS 16
__global__ void sobel(const unsigned char *in, unsigned char *out, Size s, int threshold) {
  __shared__ int t[TS + 2][TS + 2];
  int x = blockIdx.x * TS + threadIdx.x - 1, y = blockIdx.y * TS + threadIdx.y - 1;  // 18x18 threads
  bool inside = x >= 0 && y >= 0 && x < s.w && y < s.h;
  int i = threadIdx.x, j = threadIdx.y;
  t[j][i] = inside ? in[y * s.w + x] : 0;
  __syncthreads();
  if (!inside || i == 0 || j == 0 || i > TS || j > TS) return;
  int gx = t[j - 1][i + 1] + 2 * t[j][i + 1] + t[j + 1][i + 1] - t[j - 1][i - 1] - 2 * t[j][i - 1] - t[j + 1][i - 1];
  int gy = t[j + 1][i - 1] + 2 * t[j + 1][i] + t[j + 1][i + 1] - t[j - 1][i - 1] - 2 * t[j - 1][i] - t[j - 1][i + 1];
  float m = sqrtf((float)(gx * gx + gy * gy));
  out[y * s.w + x] = m > threshold ? min((int)m, 255) : 0;
}

__global__ void transposeBytes(const unsigned char *in, unsigned char *out, int w, int h) {
  __shared__ unsigned char t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, ox = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    int y = blockIdx.y * 32 + k;
    if (x < w && y < h) t[k][threadIdx.x] = in[y * w + x];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    int oy = blockIdx.x * 32 + k;
    if (ox < h && oy < w) out[oy * h + ox] = t[threadIdx.x][k];
  }
}

// One block for a row: running sums of the row, a piece as wide as the block at a time.
__global__ void scanRows(const unsigned char *in, unsigned int *out, int w) {
  __shared__ unsigned int warpSum[8];
  const unsigned char *row = in + (size_t)blockIdx.x * w;
  unsigned int carry = 0, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int x0 = 0; x0 < w; x0 += 256) {
    int x = x0 + threadIdx.x;
    unsigned int v = x < w ? row[x] : 0;
    for (int d = 1; d < 32; d *= 2) {
      unsigned int o = __shfl_up_sync(0xffffffff, v, d);
      if (lane >= d) v += o;
    }
    if (lane == 31) warpSum[warp] = v;
    __syncthreads();
    unsigned int before = 0, all = 0;
    for (int k = 0; k < 8; k++) all += warpSum[k], before += k < warp ? warpSum[k] : 0;
    if (x < w) out[(size_t)blockIdx.x * w + x] = carry + before + v;
    carry += all;
    __syncthreads();
  }
}

int main() {
  const Size s = {3840, 2160};
  const int n = s.w * s.h;
  std::vector<unsigned char> h(n * 4);
  for (int i = 0; i < n * 4; i++) h[i] = (i / 16) * 37 + (i * 2654435761u >> 28);
  uchar4 *rgba, *smooth;
  unsigned char *rgb, *grey, *tmp;
  unsigned int *sums;
  cudaMalloc(&rgba, n * 4), cudaMalloc(&smooth, n * 4), cudaMalloc(&rgb, n * 3);
  cudaMalloc(&grey, n), cudaMalloc(&tmp, n), cudaMalloc(&sums, n * sizeof(unsigned int));
  cudaMemcpy(rgba, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(rgb, h.data(), n * 3, cudaMemcpyHostToDevice);
  toGrey<uchar3><<<dim3(s.w / 32, (s.h + 7) / 8), dim3(32, 8)>>>((uchar3 *)rgb, grey, s);
  boxBlur<4><<<dim3(s.w / 32, s.h / 16), dim3(32, 16)>>>(grey, tmp, s);
  bilateral5<<<dim3(s.w / 16, s.h / 12), dim3(16, 12)>>>(rgba, smooth, s, 1.f / 8.f, 1.f / 1800.f);
  sobel<<<dim3(s.w / TS, s.h / TS), dim3(TS + 2, TS + 2)>>>(tmp, grey, s, 40);
  transposeBytes<<<dim3(s.w / 32, (s.h + 31) / 32), dim3(32, 8)>>>(grey, tmp, s.w, s.h);
  scanRows<<<s.h, 256>>>(grey, sums, s.w);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
