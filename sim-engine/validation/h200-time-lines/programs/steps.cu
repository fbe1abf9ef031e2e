// Many steps of three short kernels, the host asks no more than that they run.
__global__ void advance(float *position, const float *speed, int n, float dt) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) position[i] += dt * speed[i]; }
__global__ void bounce(const float *position, float *speed, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && (position[i] < 0.0f || position[i] > 1.0f)) speed[i] = -speed[i]; }
__global__ void damp(float *speed, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) speed[i] *= 0.999f; }
int main() {
  const int n = 1 << 16;
  float *position, *speed;
  cudaMalloc(&position, n * sizeof(float));
  cudaMalloc(&speed, n * sizeof(float));
  cudaMemset(position, 0, n * sizeof(float));
  cudaMemset(speed, 0, n * sizeof(float));
  for (int step = 0; step < 2000; step++) {
    advance<<<n / 256, 256>>>(position, speed, n, 0.01f);
    bounce<<<n / 256, 256>>>(position, speed, n);
    damp<<<n / 256, 256>>>(speed, n);
  }
  cudaDeviceSynchronize();
  return 0;
}
