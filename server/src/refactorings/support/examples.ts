/** Programs that several refactorings show what they do on. */

/** A transpose through a tile of a kind: `[32][32]`. */
export const transpose = (dimensions: string): string => `__global__ void turn(float *out, const float *in, int n) {
  __shared__ float tile${dimensions};
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  turn<<<dim3(128, 128), dim3(32, 8)>>>(out, in, 4096);
}`;

/** A kernel of a thread an element, and its launch for 2^22 elements. */
export const mapping = (
  body: string,
  launch = "map<<<(n + 255) / 256, 256>>>(out, in, n);",
): string => `__global__ void map(float *out, const float *in, int n) {
${body}
}
int main() {
  const int n = 1 << 22;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  ${launch}
}`;

/** A sum of 2^22 elements, with what stands in the kernel behind its index. */
export const total = (body: string): string => `__global__ void total(float *sum, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  const int n = 1 << 22;
  float *in, *sum;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  total<<<n / 256, 256>>>(sum, in, n);
}`;
