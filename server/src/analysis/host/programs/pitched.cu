// Pitched memory, streams in a loop, halos.
__global__ void stencil(const float *in, float *out, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) out[y * (pitch / 4) + x] = in[y * (pitch / 4) + x - 1];
}

#define WIDTH 1000
#define HEIGHT 600
#define TILE_X 32
#define TILE_Y 4
#define STREAMS 4

int main() {
  float *in, *out;
  size_t pitch;
  cudaMallocPitch((void **)&in, &pitch, WIDTH * sizeof(float), HEIGHT);
  cudaMallocPitch((void **)&out, &pitch, WIDTH * sizeof(float), HEIGHT);
  cudaMemset2D(in, pitch, 0, WIDTH * sizeof(float), HEIGHT);
  cudaStream_t streams[STREAMS];
  for (int s = 0; s < STREAMS; s++) cudaStreamCreate(&streams[s]);
  const int rows = HEIGHT / STREAMS;
  const dim3 block(TILE_X, TILE_Y);
  const dim3 grid((WIDTH + TILE_X - 1) / TILE_X, (rows + TILE_Y - 1) / TILE_Y);
  for (int s = 0; s < STREAMS; s++) {
    float *from = (float *)((char *)in + s * rows * pitch);
    stencil<<<grid, block, 0, streams[s]>>>(from, out + s * rows * (pitch / sizeof(float)), pitch, WIDTH, rows);
  }
  stencil<<<grid, block>>>(in + 1, (float *)((char *)out + pitch), pitch, WIDTH - 1, rows);
}
//= stencil 32x38 32x4 | in[2457600]+0=zero out[2457600]+0=? 4096 1000 150
//= stencil 32x38 32x4 | in[2457600]+4=zero out[2457600]+4096=? 4096 999 150
