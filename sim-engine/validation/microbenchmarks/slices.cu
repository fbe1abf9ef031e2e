// Lone words whose lanes lie so many bytes apart, kept in the L2, by all SMs: how evenly the slices of the L2 share their sectors, and
// what it costs that several warps of a block store to the same ones, a word each.
#include <cstdio>
enum Kind { Load, Store, Sum };
template <Kind KIND>
__global__ void lone(float* data, size_t stride, int groups, int columns, int warpsOfSector, int turns, float* out, long long* cycles) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, teams = gridDim.x * blockDim.x / 32 / warpsOfSector;
  const int team = warp / warpsOfSector;
  float* row = data + ((size_t)(team % groups) * 32 + lane) * (stride / 4) + warp % warpsOfSector;
  int column = team / groups;
  float s = 0;
  long long begin = clock64();
  for (int i = 0; i < turns; i++) {
    float* p = row + (column % columns) * 8;
    if (KIND == Load) s += __ldcg(p);
    if (KIND == Store) __stcg(p, (float)i);
    if (KIND == Sum) atomicAdd((int*)p, 1);
    column += (teams + groups - 1) / groups;
  }
  if (s == 1.2345f) out[0] = s;
  __syncthreads();
  if (threadIdx.x == 0) atomicMax((unsigned long long*)cycles, (unsigned long long)(clock64() - begin));
}
template <Kind KIND>
static void run(const char* name, float* data, size_t bytes, size_t stride, int warpsPerSm, int warpsOfSector, float* out, long long* cycles) {
  const int turns = 256, groups = (int)(bytes / (32 * stride)), columns = (int)(stride / 32), sms = 132;
  for (int warm = 0; warm < 2; warm++) {
    cudaMemset(cycles, 0, 8);
    lone<KIND><<<sms * (warpsPerSm / 8), 256>>>(data, stride, groups, columns, warpsOfSector, turns, out, cycles);
    cudaDeviceSynchronize();
  }
  long long c;
  cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
  printf("lone %s stride %zu mb %zu warps %d of a sector %d sectors/cycle %.1f\n", name, stride, bytes >> 20, warpsPerSm, warpsOfSector,
         32.0 * turns * warpsPerSm * sms / c);
}
int main() {
  float *data, *out;
  long long* cycles;
  const size_t bytes = 32 << 20;
  cudaMalloc(&data, bytes);
  cudaMalloc(&out, 4);
  cudaMalloc(&cycles, 8);
  cudaMemset(data, 0, bytes);
  for (int warpsOfSector : {1, 2, 4, 8})
    for (int warps : {8, 64})
      for (size_t stride : {128, 160, 512, 2048, 4096, 4224, 8192, 16384, 16512, 32768, 32896, 131072}) {
        run<Load>("load", data, bytes, stride, warps, warpsOfSector, out, cycles);
        run<Store>("store", data, bytes, stride, warps, warpsOfSector, out, cycles);
        run<Sum>("sum", data, bytes, stride, warps, warpsOfSector, out, cycles);
      }
  puts(cudaGetErrorString(cudaGetLastError()));
}
