// Small kernels of eight streams, beside each other, forked and joined by events.
__global__ void spin(float *x, int n) { float s = x[threadIdx.x]; for (int i = 0; i < n; i++) s = s * 1.0001f + 0.5f; x[blockIdx.x * blockDim.x + threadIdx.x] = s; }
int main() {
  const int streams = 8;
  float *x;
  cudaMalloc(&x, 1 << 24);
  cudaStream_t stream[streams];
  cudaEvent_t fork, join[streams];
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  for (int k = 0; k < streams; k++) { cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking); cudaEventCreateWithFlags(&join[k], cudaEventDisableTiming); }
  for (int turn = 0; turn < 20; turn++) {
    spin<<<132, 256, 0, stream[0]>>>(x, 2000);
    cudaEventRecord(fork, stream[0]);
    for (int k = 1; k < streams; k++) cudaStreamWaitEvent(stream[k], fork, 0);
    for (int k = 0; k < streams; k++) spin<<<66, 256, 0, stream[k]>>>(x + (k << 16), 20000);
    for (int k = 1; k < streams; k++) { cudaEventRecord(join[k], stream[k]); cudaStreamWaitEvent(stream[0], join[k], 0); }
    spin<<<132, 256, 0, stream[0]>>>(x, 2000);
  }
  cudaDeviceSynchronize();
  return 0;
}
