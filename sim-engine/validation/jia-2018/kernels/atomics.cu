// Table 4.2: atomics of so many threads of a warp on one address, each with what the one before gave back. Launched with as
// many turns, then with twice as many: between them are 128 turns of 16 steps. What a load takes (caches.cu) is taken off.
__global__ void onShared(unsigned *out, int turns) {
  __shared__ unsigned word;
  unsigned value = threadIdx.x;
  if (value == 0) word = 0;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 16; ++i) value = atomicExch(&word, value);
  }
  out[threadIdx.x] = value;
}
__global__ void onGlobal(unsigned *out, int turns, unsigned *word) {
  unsigned value = threadIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 16; ++i) value = atomicExch(word, value);
  }
  out[threadIdx.x] = value;
}

int main() {
  unsigned *word, *out;
  cudaMalloc(&word, 4); cudaMalloc(&out, 128);
  cudaMemset(word, 0, 4);
  onShared<<<1, 1>>>(out, 128); onShared<<<1, 1>>>(out, 256);
  onShared<<<1, 2>>>(out, 128); onShared<<<1, 2>>>(out, 256);
  onShared<<<1, 4>>>(out, 128); onShared<<<1, 4>>>(out, 256);
  onShared<<<1, 8>>>(out, 128); onShared<<<1, 8>>>(out, 256);
  onShared<<<1, 16>>>(out, 128); onShared<<<1, 16>>>(out, 256);
  onShared<<<1, 32>>>(out, 128); onShared<<<1, 32>>>(out, 256);
  onGlobal<<<1, 1>>>(out, 128, word); onGlobal<<<1, 1>>>(out, 256, word);
  onGlobal<<<1, 2>>>(out, 128, word); onGlobal<<<1, 2>>>(out, 256, word);
  onGlobal<<<1, 4>>>(out, 128, word); onGlobal<<<1, 4>>>(out, 256, word);
  onGlobal<<<1, 8>>>(out, 128, word); onGlobal<<<1, 8>>>(out, 256, word);
  onGlobal<<<1, 16>>>(out, 128, word); onGlobal<<<1, 16>>>(out, 256, word);
  onGlobal<<<1, 32>>>(out, 128, word); onGlobal<<<1, 32>>>(out, 256, word);
  cudaDeviceSynchronize();
  return 0;
}
