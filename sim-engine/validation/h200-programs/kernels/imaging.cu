#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace img {
enum { WIDTH = 1920, HEIGHT = 1080, CHANNELS = 3 };
constexpr int RADIUS = 5;
__constant__ float weights[(2 * RADIUS + 1)];

struct Pixel { uint8_t r, g, b; };

__global__ void grayscale(const Pixel *in, uint8_t *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    Pixel p = in[y * w + x];
    out[y * w + x] = (uint8_t)(0.299f * p.r + 0.587f * p.g + 0.114f * p.b);
  }
}

__global__ void blurRows(const float *in, float *out, int w, int h, int pitch) {
  __shared__ float tile[8][64 + 2 * RADIUS];
  int x0 = blockIdx.x * 64, y = blockIdx.y * 8 + threadIdx.y;
  for (int i = threadIdx.x; i < 64 + 2 * RADIUS; i += 64) {
    int x = min(max(x0 + i - RADIUS, 0), w - 1);
    tile[threadIdx.y][i] = y < h ? in[y * pitch + x] : 0.f;
  }
  __syncthreads();
  int x = x0 + threadIdx.x;
  if (x < w && y < h) {
    float s = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) s += weights[k] * tile[threadIdx.y][threadIdx.x + k];
    out[y * pitch + x] = s;
  }
}

__global__ void blurColumnsNaive(const float *in, float *out, int w, int h, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) {
    int yy = y + k;
    if (yy >= 0 && yy < h) s += weights[k + RADIUS] * in[yy * pitch + x];
  }
  out[y * pitch + x] = s;
}

__global__ void histogram256(const uint8_t *in, unsigned *hist, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}

__global__ void rotate90(const uint8_t *in, uint8_t *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[x * h + (h - 1 - y)] = in[y * w + x];
}

__global__ void bilinear(const float *__restrict__ in, float *__restrict__ out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
  int x0 = max(0, (int)floorf(fx)), y0 = max(0, (int)floorf(fy));
  int x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float ax = fx - x0, ay = fy - y0;
  out[y * ow + x] = (1 - ay) * ((1 - ax) * in[y0 * w + x0] + ax * in[y0 * w + x1]) + ay * ((1 - ax) * in[y1 * w + x0] + ax * in[y1 * w + x1]);
}

__global__ void scanRows(const float *in, float *out, int w) {
  extern __shared__ float buf[];
  int row = blockIdx.x, t = threadIdx.x;
  float carry = 0;
  for (int base = 0; base < w; base += blockDim.x) {
    float v = base + t < w ? in[row * w + base + t] : 0;
    buf[t] = v;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
      float add = t >= d ? buf[t - d] : 0;
      __syncthreads();
      buf[t] += add;
      __syncthreads();
    }
    if (base + t < w) out[row * w + base + t] = buf[t] + carry;
    carry += buf[blockDim.x - 1];
    __syncthreads();
  }
}
}  // namespace img

template <class T>
struct DeviceArray {
  T *ptr = nullptr;
  size_t n;
  DeviceArray(size_t count) : n(count) { cudaMalloc(&ptr, n * sizeof(T)); }
  ~DeviceArray() { cudaFree(ptr); }
  void upload(const std::vector<T> &h) { cudaMemcpy(ptr, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice); }
  operator T *() { return ptr; }
};

inline int divUp(int a, int b) { return (a + b - 1) / b; }

int main() {
  using namespace img;
  const int n = WIDTH * HEIGHT;
  DeviceArray<Pixel> rgb(n);
  DeviceArray<uint8_t> gray(n), turned(n);
  DeviceArray<unsigned> hist(256);
  size_t pitchBytes;
  float *a, *b;
  cudaMallocPitch(&a, &pitchBytes, WIDTH * sizeof(float), HEIGHT);
  cudaMallocPitch(&b, &pitchBytes, WIDTH * sizeof(float), HEIGHT);
  int pitch = pitchBytes / sizeof(float);
  std::vector<uint8_t> host(n);
  for (int i = 0; i < n; i++) host[i] = rand() & 0xff;
  dim3 block(32, 8), grid(divUp(WIDTH, block.x), divUp(HEIGHT, block.y));
  grayscale<<<grid, block>>>(rgb, gray, WIDTH, HEIGHT);
  blurRows<<<dim3(divUp(WIDTH, 64), divUp(HEIGHT, 8)), dim3(64, 8)>>>(a, b, WIDTH, HEIGHT, pitch);
  blurColumnsNaive<<<grid, block>>>(b, a, WIDTH, HEIGHT, pitch);
  gray.upload(host);
  histogram256<<<132 * 2, 256>>>(gray, hist, n);
  rotate90<<<grid, block>>>(gray, turned, WIDTH, HEIGHT);
  const int ow = 1280, oh = 720;
  bilinear<<<dim3(divUp(ow, 16), divUp(oh, 16)), dim3(16, 16)>>>(a, b, WIDTH, HEIGHT, ow, oh);
  scanRows<<<HEIGHT, 256, 256 * sizeof(float)>>>(a, b, WIDTH);
  cudaDeviceSynchronize();
  return cudaGetLastError() != cudaSuccess;
}
