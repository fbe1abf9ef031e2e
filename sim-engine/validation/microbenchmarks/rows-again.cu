// Rows that a warp each reads, and then reads again, writes, or both: what Nsight Compute counts by their number and length.
#include <cstdio>
#include <cstdlib>
template <int MODE> __global__ void rows(float *in, float *out, const float *other, int width) {
  int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  float *x = in + (size_t)row * width; float *y = out + (size_t)row * width; const float *z = other + (size_t)row * width;
  float s = 0;
  for (int i = lane; i < width; i += 32) s += x[i] + (MODE == 4 ? z[i] : 0.f);
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (MODE == 3) { if (!lane) out[row] = s; return; }
  if (MODE == 2) { for (int i = lane; i < width; i += 32) y[i] = s; return; }
  if (MODE == 1 || MODE == 4) {
    float t = 0;
    for (int i = lane; i < width; i += 32) { float d = x[i] - s + (MODE == 4 ? z[i] : 0.f); t += d * d; }
    for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(~0u, t, o);
    if (!lane) out[row] = t;
    return;
  }
  if (MODE == 0) for (int i = lane; i < width; i += 32) y[i] = x[i] - s;
  if (MODE == 5) for (int i = lane; i < width; i += 32) x[i] = x[i] - s;
  if (MODE == 6) for (int i = lane; i < width; i += 32) __stcs(&y[i], x[i] - s);
  if (MODE == 7) for (int i = lane; i < width; i += 128) {
    float a = x[i], b = x[i + 32], c = x[i + 64], d = x[i + 96];
    y[i] = a - s; y[i + 32] = b - s; y[i + 64] = c - s; y[i + 96] = d - s; }
}
// What pass 2 does, alone: a copy.
__global__ void copyRows(float *in, float *out, int width) {
  int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  float *x = in + (size_t)row * width; float *y = out + (size_t)row * width;
  for (int i = lane; i < width; i += 32) y[i] = x[i] - 1.f;
}
int main() {
  float *a, *b, *c; size_t n = (size_t)16384 * 2048;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&c, n * 4); cudaMemset(a, 0, n * 4); cudaMemset(c, 0, n * 4);
  int sizes[][2] = {{2048, 512}, {2048, 1024}, {4096, 512}, {4096, 1024}, {8192, 256}, {8192, 512}, {8192, 1024}, {8192, 2048}, {16384, 1024}};
  for (auto &s : sizes) {
    int g = s[0] / 8;
    rows<0><<<g, 256>>>(a, b, c, s[1]); rows<1><<<g, 256>>>(a, b, c, s[1]); rows<2><<<g, 256>>>(a, b, c, s[1]); rows<3><<<g, 256>>>(a, b, c, s[1]);
    rows<4><<<g, 256>>>(a, b, c, s[1]); rows<5><<<g, 256>>>(a, b, c, s[1]); rows<6><<<g, 256>>>(a, b, c, s[1]); rows<7><<<g, 256>>>(a, b, c, s[1]);
    copyRows<<<g, 256>>>(a, b, s[1]);
  }
  return cudaDeviceSynchronize();
}
