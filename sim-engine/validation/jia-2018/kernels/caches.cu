// Table 3.1, latencies: one thread goes along a chain of addresses; table 3.2 and 3.4: what an SM reads of its L1, and all SMs of the L2.
// Chains are launched with as many turns, then with twice as many; between them are 64 steps a turn.
// The address of a line is what stands in the line before.
__global__ void fill(char **lines, int n) {
  int i = threadIdx.x;
  if (i < n) lines[i * 16] = (char *)&lines[(i + 1 == n ? 0 : i + 1) * 16];
}
template <bool L1> __global__ void chase(char **first, char **out, int turns) {
  char **p = first;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      if (L1) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
      else asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
    }
  }
  *out = (char *)p;
}
__global__ void chaseShared(unsigned *out, int turns) {
  __shared__ unsigned table[256];
  unsigned first = (unsigned)__cvta_generic_to_shared(table), at = first + threadIdx.x * 4;
  for (int i = threadIdx.x; i < 256; i += 32) table[i] = first + i * 4;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 64; ++i) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at));
  }
  out[threadIdx.x] = at;
}

// Every warp reads all of the array, of 8 KB, in 8 bytes a lane.
__global__ void l1(const double *in, double *out, int turns) {
  double sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {
      double value;
      asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(value) : "l"(in + i * 32 + (threadIdx.x & 31)));
      sum += value;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Every block reads all of the array, which the L2 holds: 512 KB.
__global__ void l2(const double *in, double *out, int turns) {
  double sum = 0;
  for (int turn = 0; turn < turns; ++turn)
    for (int i = threadIdx.x; i < 65536; i += 1024) sum += __ldcg(&in[(i + blockIdx.x * 4096) & 65535]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Every thread reads from shared memory, adds, and writes there, as many bytes as a bank has: 8 on a K80.
template <class T> __global__ void shared(T *out, int turns) {
  __shared__ T table[1024];
  table[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 16; ++i) *(volatile T *)&table[threadIdx.x] = *(volatile T *)&table[threadIdx.x] + 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x];
}

int main() {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  const int sms = prop.multiProcessorCount;
  char **lines, **end; unsigned *u; double *in, *out; float *f;
  cudaMalloc(&lines, 8192); cudaMalloc(&end, 8); cudaMalloc(&u, 128); cudaMalloc(&in, 1 << 19);
  cudaMalloc(&out, sms * 2 * 1024 * 8); cudaMalloc(&f, sms * 2 * 1024 * 4);
  cudaMemset(in, 0, 1 << 19);
  fill<<<1, 64>>>(lines, 64);
  chase<true><<<1, 1>>>(lines, end, 16); chase<true><<<1, 1>>>(lines, end, 32);
  chase<false><<<1, 1>>>(lines, end, 16); chase<false><<<1, 1>>>(lines, end, 32);
  chaseShared<<<1, 32>>>(u, 16); chaseShared<<<1, 32>>>(u, 32);
  l1<<<sms, 1024>>>(in, out, 16); l1<<<sms, 1024>>>(in, out, 32);
  l2<<<sms * 2, 1024>>>(in, out, 4); l2<<<sms * 2, 1024>>>(in, out, 8);
  shared<float><<<sms * 2, 1024>>>(f, 16); shared<float><<<sms * 2, 1024>>>(f, 32);
  shared<double><<<sms * 2, 1024>>>(out, 16); shared<double><<<sms * 2, 1024>>>(out, 32);
  cudaDeviceSynchronize();
  return 0;
}
