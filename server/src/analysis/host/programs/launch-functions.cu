// The runtime's launch functions: cudaLaunchKernel, a cooperative one, cudaLaunchKernelEx with attributes.
__global__ void scale(float *p, float by, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= by; }
__global__ void persistent(float *p, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += 1; }

int main() {
  int n = 1 << 18;
  float by = 0.25f;
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  cudaMemset(p, 0, n * sizeof(float));
  void *args[] = {&p, &by, &n};
  cudaLaunchKernel((const void *)scale, dim3((n + 255) / 256), dim3(256), args, 0, nullptr);

  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  void *more[] = {(void *)&p, (void *)&n};
  cudaLaunchCooperativeKernel((void *)persistent, prop.multiProcessorCount, 1024, more);

  cudaLaunchConfig_t config = {};
  config.gridDim = n / 512;
  config.blockDim = dim3(512, 1, 1);
  config.dynamicSmemBytes = 4096;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, scale, p + n / 2, 2.0f, n / 2);
}
//= scale 1024 256 | p[1048576]+0=zero 0.25 262144
//= persistent 132 1024 | p[1048576]+0=? 262144
//= scale 512 512 4096 | p[1048576]+524288=? 2 131072
