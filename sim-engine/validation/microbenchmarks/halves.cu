// What a launch takes that reads and writes 33.5 MB: rows of 4 KB, a warp each, or all side by side; read by words or by 16 bytes; from memory, or what
// the L2 holds. Half of what memory brings, and of what is written, goes to the other half of the L2 (lts__t_sectors_srcunit_ltcfabric).
#include <cstdio>
__global__ void readAll(const float4* p, size_t n, float* o) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float4 v = __ldcg(p + i);
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 1.2345f) *o = s;
}
#define ROW                                                  \
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; \
  unsigned lane = threadIdx.x & 31u;                         \
  const float* x = in + (size_t)row * width;                 \
  float* y = out + (size_t)row * width;
__global__ void storeRow(float* out, const float* in, unsigned width) { ROW if (x) for (unsigned i = lane; i < width; i += 32u) y[i] = 1.f; }
__global__ void storeSideBySide(float* out, unsigned width) {
  size_t n = (size_t)8192 * width;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = 1.f;
}
__global__ void copyRow(float* out, const float* in, unsigned width) { ROW for (unsigned i = lane; i < width; i += 32u) y[i] = x[i] - 1.f; }
__global__ void copySideBySide(float* out, const float* in, unsigned width) {
  size_t n = (size_t)8192 * width;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) out[i] = in[i] - 1.f;
}
__global__ void copyOnce(float* out, const float* in) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  out[i] = in[i] - 1.f;
}
__global__ void copyRow4(float* out, const float* in, unsigned width) {
  ROW for (unsigned i = lane; i < width / 4; i += 32u) {
    float4 v = ((const float4*)x)[i];
    v.x -= 1;
    ((float4*)y)[i] = v;
  }
}
__global__ void readRow(float* out, const float* in, unsigned width) {
  ROW float s = 0;
  for (unsigned i = lane; i < width; i += 32u) s += x[i];
  if (s == 1.2345f) y[0] = s;
}
__global__ void readRowAgain(float* out, const float* in, unsigned width) {
  ROW float s = 0;
  for (unsigned i = lane; i < width; i += 32u) s += __ldcg(x + i);
  if (s == 1.2345f) y[0] = s;
}
int main() {
  const unsigned rows = 8192, width = 1024;
  float *in, *out, *other, *o;
  const size_t bytes = (size_t)rows * width * 4, others = (size_t)400 << 20;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMalloc(&other, others);
  cudaMalloc(&o, 4);
  cudaMemset(in, 0, bytes);
  cudaMemset(other, 0, others);
  auto cold = [&] { for (int k = 0; k < 2; k++) readAll<<<528, 256>>>((float4*)other, others / 16, o); };
  auto warm = [&] { cold(); readAll<<<528, 256>>>((float4*)in, bytes / 16, o); };
  cold(); storeRow<<<rows / 4, 128>>>(out, in, width);
  cold(); storeSideBySide<<<rows / 4, 128>>>(out, width);
  cold(); copyRow<<<rows / 4, 128>>>(out, in, width);
  warm(); copyRow<<<rows / 4, 128>>>(out, in, width);
  cold(); copySideBySide<<<rows / 4, 128>>>(out, in, width);
  warm(); copySideBySide<<<rows / 4, 128>>>(out, in, width);
  cold(); copyOnce<<<rows * width / 256, 256>>>(out, in);
  warm(); copyOnce<<<rows * width / 256, 256>>>(out, in);
  cold(); copyRow4<<<rows / 4, 128>>>(out, in, width);
  warm(); copyRow4<<<rows / 4, 128>>>(out, in, width);
  cold(); readRow<<<rows / 4, 128>>>(out, in, width); readRowAgain<<<rows / 4, 128>>>(out, in, width);
  cudaDeviceSynchronize();
  puts(cudaGetErrorString(cudaGetLastError()));
}
