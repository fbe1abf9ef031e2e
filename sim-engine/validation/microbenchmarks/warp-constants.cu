// Loads of constant memory for the warp (ULDC.64, two words each) by blocks that go along the same table, begun one after the other: cycles the SM
// takes for a load, by words of the table, warps of a block and blocks of an SM. nvcc -O3 -arch=native warp-constants.cu
#include <cstdio>
#include <cuda_runtime.h>

constexpr int most = 8192;
__constant__ float table[most];

__global__ void along(const float *in, float *out, long long *cycles, int n, int times, int apart) {
  const float x = in[threadIdx.x];
  float s = 0;
  long long begin = clock64();
  const long long wait = begin + (long long)(blockIdx.x * 2654435761u % 1024) * apart;
  while (begin < wait) begin = clock64();
  for (int t = 0; t < times; t++)
    for (int k = 0; k < n; k++) s = fmaf(x, table[k], s);
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

int main() {
  float *in, *out;
  long long *cycles;
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaMalloc(&in, 4096);
  cudaMemset(in, 0, 4096);
  cudaMalloc(&out, sms * 2048 * sizeof(float));
  cudaMallocManaged(&cycles, sms * 32 * sizeof(long long));
  for (int active : {1, sms})
    for (int threads : {32, 64, 256, 1024})
      for (int blocks : {1, 2, 8, 32}) {
        if (threads * blocks > 2048) continue;
        printf("%3d SMs, %2d blocks of %4d:", active, blocks, threads);
        for (int n : {16, 32, 64, 128, 192, 256, 512, 1024, 4096}) {
          const int times = 16384 / n;
          double best = 1e30;
          for (int r = 0; r < 2; r++) {
            // One SM alone has all of its blocks where no other has any: so few are only asked of one block.
            if (active == 1 && blocks > 1) break;
            along<<<active * blocks, threads>>>(in, out, cycles, n, times, r == 0 ? 0 : 16);
            cudaDeviceSynchronize();
            double sum = 0;
            for (int b = 0; b < active * blocks; b++) sum += cycles[b];
            best = sum / (active * blocks) / ((double)times * n / 2 * (threads / 32) * blocks);
            printf(r == 0 ? " %5.1f" : "/%-5.1f", best);
          }
        }
        printf("\n");
      }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
