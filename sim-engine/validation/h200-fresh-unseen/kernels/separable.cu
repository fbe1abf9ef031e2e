// Gaussian blur as two passes, rows and columns, each block with an apron in shared memory; and in one pass to compare with.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define RADIUS 8
#define LENGTH (2 * RADIUS + 1)
__constant__ float weights[LENGTH];

#define ROW_X 16
#define ROW_Y 4
#define STEPS 8
__global__ void blurRows(float *dst, const float *src, int width, int pitch) {
  __shared__ float tile[ROW_Y][(STEPS + 2) * ROW_X];
  const int baseX = (blockIdx.x * STEPS - 1) * ROW_X + threadIdx.x;
  const int baseY = blockIdx.y * ROW_Y + threadIdx.y;
  src += baseY * pitch + baseX;
  dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = 1; i < 1 + STEPS; i++) tile[threadIdx.y][threadIdx.x + i * ROW_X] = src[i * ROW_X];
  tile[threadIdx.y][threadIdx.x] = baseX >= 0 ? src[0] : 0;
  tile[threadIdx.y][threadIdx.x + (STEPS + 1) * ROW_X] = width - baseX > (STEPS + 1) * ROW_X ? src[(STEPS + 1) * ROW_X] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 1 + STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; j++) sum += weights[RADIUS - j] * tile[threadIdx.y][threadIdx.x + i * ROW_X + j];
    dst[i * ROW_X] = sum;
  }
}

#define COL_X 16
#define COL_Y 8
__global__ void blurColumns(float *dst, const float *src, int height, int pitch) {
  __shared__ float tile[COL_X][(STEPS + 2) * COL_Y + 1];
  const int baseX = blockIdx.x * COL_X + threadIdx.x;
  const int baseY = (blockIdx.y * STEPS - 1) * COL_Y + threadIdx.y;
  src += baseY * pitch + baseX;
  dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = 1; i < 1 + STEPS; i++) tile[threadIdx.x][threadIdx.y + i * COL_Y] = src[i * COL_Y * pitch];
  tile[threadIdx.x][threadIdx.y] = baseY >= 0 ? src[0] : 0;
  tile[threadIdx.x][threadIdx.y + (STEPS + 1) * COL_Y] = height - baseY > (STEPS + 1) * COL_Y ? src[(STEPS + 1) * COL_Y * pitch] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 1 + STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; j++) sum += weights[RADIUS - j] * tile[threadIdx.x][threadIdx.y + i * COL_Y + j];
    dst[i * COL_Y * pitch] = sum;
  }
}

__global__ void blurDirect(float *dst, const float *src, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
      sum += weights[RADIUS + dx] * weights[RADIUS + dy] * src[py * width + px];
    }
  dst[y * width + x] = sum;
}

int main() {
  const int width = 3072, height = 3072;
  float h[LENGTH];
  float total = 0;
  for (int i = 0; i < LENGTH; i++) total += h[i] = expf(-(i - RADIUS) * (i - RADIUS) / 18.0f);
  for (int i = 0; i < LENGTH; i++) h[i] /= total;
  cudaMemcpyToSymbol(weights, h, sizeof(h));
  float *image = (float *)malloc(width * height * sizeof(float));
  for (int i = 0; i < width * height; i++) image[i] = (float)(rand() % 256);
  float *a, *b;
  cudaMalloc(&a, width * height * sizeof(float));
  cudaMalloc(&b, width * height * sizeof(float));
  cudaMemcpy(a, image, width * height * sizeof(float), cudaMemcpyHostToDevice);
  blurRows<<<dim3(width / (STEPS * ROW_X), height / ROW_Y), dim3(ROW_X, ROW_Y)>>>(b, a, width, width);
  blurColumns<<<dim3(width / COL_X, height / (STEPS * COL_Y)), dim3(COL_X, COL_Y)>>>(a, b, height, width);
  blurDirect<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(b, a, width, height);
  cudaMemcpy(image, b, width * height * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", image[1000]);
  return 0;
}
