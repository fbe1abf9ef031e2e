// The Best Practices Guide, 9.2.1.3 and 9.2.1.4: copies with an offset and with a stride; and table 3.1's copy from one array to another.
__global__ void offsetCopy(float *odata, const float *idata, int offset) {
  int xid = blockIdx.x * blockDim.x + threadIdx.x + offset;
  odata[xid] = idata[xid];
}
__global__ void strideCopy(float *odata, const float *idata, int stride) {
  int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  odata[xid] = idata[xid];
}

int main() {
  const int n = 1 << 25;
  float *in, *out;
  cudaMalloc(&in, (n + 32) * 4); cudaMalloc(&out, (n + 32) * 4);
  offsetCopy<<<n / 256, 256>>>(out, in, 0);
  offsetCopy<<<n / 256, 256>>>(out, in, 8);
  offsetCopy<<<n / 256, 256>>>(out, in, 1);
  strideCopy<<<n / 256, 256>>>(out, in, 1);
  strideCopy<<<n / 2 / 256, 256>>>(out, in, 2);
  strideCopy<<<n / 8 / 256, 256>>>(out, in, 8);
  cudaDeviceSynchronize();
  return 0;
}
