// The same bytes moved one, two, four and sixteen at a time.
template <typename T> __global__ void copy(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template <typename T> __global__ void invert(const T *in, T *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 255 - in[i];
}
__global__ void invert4(const uchar4 *in, uchar4 *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uchar4 v = in[i];
    out[i] = make_uchar4(255 - v.x, 255 - v.y, 255 - v.z, 255 - v.w);
  }
}
__global__ void grey(const unsigned char *rgb, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (unsigned char)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]);
}
__global__ void greyPlanes(const unsigned char *r, const unsigned char *g, const unsigned char *b, unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (unsigned char)(0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i]);
}
int main() {
  const int bytes = 1 << 26;
  unsigned char *a, *b;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMemset(a, 7, bytes);
  copy<unsigned char><<<bytes / 256, 256>>>(a, b, bytes);
  copy<unsigned short><<<bytes / 2 / 256, 256>>>((unsigned short *)a, (unsigned short *)b, bytes / 2);
  copy<float><<<bytes / 4 / 256, 256>>>((float *)a, (float *)b, bytes / 4);
  copy<float4><<<bytes / 16 / 256, 256>>>((float4 *)a, (float4 *)b, bytes / 16);
  invert<unsigned char><<<132 * 8, 256>>>(a, b, bytes);
  invert<unsigned short><<<132 * 8, 256>>>((unsigned short *)a, (unsigned short *)b, bytes / 2);
  invert4<<<132 * 8, 256>>>((uchar4 *)a, (uchar4 *)b, bytes / 4);
  grey<<<bytes / 4 / 256, 256>>>(a, b, bytes / 4);
  greyPlanes<<<bytes / 4 / 256, 256>>>(a, a + bytes / 4, a + bytes / 2, b, bytes / 4);
  cudaDeviceSynchronize();
  return 0;
}
