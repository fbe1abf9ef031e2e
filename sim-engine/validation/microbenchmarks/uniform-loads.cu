// Loads of constant memory for the warp (ULDC) among those by lane, of blocks that are soon out of step: cycles an SM takes for an element of four
// words, by the size of the table and of the blocks. nvcc -O3 -arch=sm_90 uniform-loads.cu; cuobjdump -sass shows a ULDC.64 and an LDC.64 for each.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int most = 2048;
__constant__ float4 table[most];

__global__ void nearest(int n, float2 *out, float ox, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = (i % 97) * scale + 0.1f, y = (i % 89) * scale + 0.2f, z = 1 / sqrtf(x * x + y * y + 1);
  float2 best = make_float2(1e30f, -1);
  for (int k = 0; k < n; k++) {
    const float4 q = table[k];
    const float cx = ox - q.x, cy = ox - q.y, cz = ox - q.z;
    const float b = cx * x + cy * y + cz * z, c = cx * cx + cy * cy + cz * cz - q.w * q.w, d = b * b - c;
    if (d >= 0) {
      float s = sqrtf(d), t = -b - s;
      if (t < 1e-3f) t = -b + s;
      if (t > 1e-3f && t < best.x) best = make_float2(t, k);
    }
  }
  out[i] = best;
}

int main() {
  float2 *out;
  int sms, clock;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  const int threads = sms * 2048 * 4;
  cudaMalloc(&out, threads * sizeof(float2));
  float4 *host = new float4[most];
  for (int k = 0; k < most; k++) host[k] = make_float4(k % 17 - 8, k % 13 - 6, 5 + k % 11, 0.9f + k % 3 * 0.2f);
  cudaMemcpyToSymbol(table, host, most * sizeof(float4));
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int block : {64, 256, 1024})
    for (int n : {64, 112, 128, 136, 144, 160, 200, 256, 512, 1024, 2048}) {
      float best = 1e30f;
      for (int r = 0; r < 4; r++) {
        cudaEventRecord(begin);
        nearest<<<threads / block, block>>>(n, out, 0, 0.01f);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        best = ms < best ? ms : best;
      }
      // Warps of an SM, one element each.
      printf("blocks of %4d, %4d elements: %7.1f us, %6.2f cycles of the SM an element\n", block, n, best * 1000, best * clock / (threads / 32.0 / sms * n));
    }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
