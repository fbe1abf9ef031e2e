// The opened file has the kernels and wrappers; `main` and its sizes are in another.
extern "C" void smooth(const float *in, float *out, int width, int height, int passes);

__global__ void pass(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x];
}

extern "C" void smooth(const float *in, float *out, int width, int height, int passes) {
  dim3 block(16, 8);
  dim3 grid(width / block.x, height / block.y);
  for (int p = 0; p < passes; ++p) pass<<<grid, block>>>(in, out, width, height);
}
//= pass 40x60 16x8 | a[1228800]+0=zero b[1228800]+0=? 640 480
