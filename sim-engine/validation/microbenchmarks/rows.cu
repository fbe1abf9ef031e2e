// A thread a row: what a warp's accesses to 32 rows cost, by what is read and written, by how many SMs and warps do it.
#include <cstdio>
template <int LOADS, int STORES, bool ONCE>
__global__ void rows(const float* a, const float* b, float* o, int stride, int columns, int passes, long long* cycles) {
  long long t = blockIdx.x * blockDim.x + threadIdx.x;
  a += t * stride; b += t * stride; o += t * stride;
  long long begin = clock64();
  float s = t;
  for (int p = 0; p < passes; p++)
#pragma unroll 4
    for (int c = 0; c < columns; c++) {
      int k = ONCE ? (c * 8) % columns : c;
      if (LOADS > 0) s += a[k];
      if (LOADS > 1) s += b[k];
      if (STORES > 0) o[k] = s;
    }
  if (STORES == 0 && s == 1.2345f) o[0] = s;
  __syncthreads();
  if (threadIdx.x == 0) atomicMax((unsigned long long*)cycles, (unsigned long long)(clock64() - begin));
}
template <int LOADS, int STORES, bool ONCE = false>
void run(const char* name, int sms, int threads, int stride, int columns) {
  static float *a = nullptr, *b, *o; static long long* cycles;
  if (!a) { cudaMalloc(&a, 512 << 20); cudaMalloc(&b, 512 << 20); cudaMalloc(&o, 512 << 20); cudaMalloc(&cycles, 8); cudaMemset(a, 0, 512 << 20); cudaMemset(b, 0, 512 << 20); }
  const int passes = 4;
  for (int warm = 0; warm < 2; warm++) {
    cudaMemset(cycles, 0, 8);
    rows<LOADS, STORES, ONCE><<<sms, threads>>>(a, b, o, stride, columns, passes, cycles);
    cudaDeviceSynchronize();
  }
  long long c; cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost);
  printf("rows %s sms %d warps %d stride %d columns %d cycles/access/warp %.2f\n", name, sms, threads / 32, stride * 4, columns, (double)c / (passes * columns) / (threads / 32));
}
int main() {
  for (int stride : {768, 256, 32, 33})
    for (int sms : {1, 8, 33, 132})
      for (int threads : {32, 128, 256, 512, 1024}) {
        int columns = stride > 64 ? 256 : 32;
        if ((long long)sms * threads * stride * 4 > (500ll << 20)) continue;
        run<1, 0>("load", sms, threads, stride, columns);
        run<0, 1>("store", sms, threads, stride, columns);
        run<1, 1>("load store", sms, threads, stride, columns);
        run<2, 1>("load load store", sms, threads, stride, columns);
        if (stride != 33) run<0, 1, true>("store, a sector each", sms, threads, stride, columns);
      }
  puts(cudaGetErrorString(cudaGetLastError()));
}
