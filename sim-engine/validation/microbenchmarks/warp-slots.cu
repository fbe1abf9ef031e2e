// Which warp slots (%warpid) blocks' warps get, resident together and in turn.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void ids(unsigned* out, long long wait) {
  unsigned sm, id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(id));
  const long long begin = clock64();
  const long long mine = wait + (threadIdx.x / 32 * 7 + blockIdx.x * 13) % 11 * wait / 10;
  while (clock64() - begin < mine) {}
  if (threadIdx.x % 32 == 0) {
    unsigned* at = out + 3 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
    at[0] = sm; at[1] = id; at[2] = (unsigned)(begin >> 4);
  }
}
int main() {
  unsigned* out;
  cudaMallocManaged(&out, 1 << 24);
  for (int warps : {1, 2, 3, 4, 6, 8, 16, 32}) {
    const int blocks = 132 * (64 / warps > 32 ? 32 : 64 / warps) * 2;
    ids<<<blocks, warps * 32>>>(out, 20000);
    cudaDeviceSynchronize();
    printf("%d warps:", warps);
    const unsigned sm = out[0];
    for (int b = 0, shown = 0; b < blocks && shown < 24; b++)
      if (out[3 * b * warps] == sm) {
        printf(" [");
        for (int w = 0; w < warps; w++) printf(w ? " %u" : "%u", out[3 * (b * warps + w) + 1]);
        printf("]");
        shown++;
      }
    printf("\n");
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
