// 256 multiply-adds a turn in 32 chains, of which register-banks.py chooses the registers: nvcc -arch=sm_90 -O3 -cubin register-banks.cu
extern "C" __global__ void __launch_bounds__(1024, 1) k(const float *in, float *out, long long *cycles, int turns) {
  float sums[32], factors[16];
#pragma unroll
  for (int i = 0; i < 16; i++) factors[i] = in[threadIdx.x + i * 1024];
#pragma unroll
  for (int i = 0; i < 32; i++) sums[i] = in[threadIdx.x + (i + 16) * 1024];
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; turn++) {
#pragma unroll
    for (int k = 0; k < 8; k++)
#pragma unroll
      for (int i = 0; i < 32; i++) sums[i] = fmaf(factors[(k + i) % 16], factors[(k * 3 + i * 5 + 1) % 16], sums[i]);
  }
  long long end = clock64();
  float all = 0;
#pragma unroll
  for (int i = 0; i < 32; i++) all += sums[i];
  out[threadIdx.x] = all;
  if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - begin;
}
