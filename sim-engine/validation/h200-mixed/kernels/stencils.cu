// Grids: heat in three dimensions, lattice Boltzmann, a game of life on bits, red-black relaxation, a Gaussian pyramid.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdint>
#include <vector>

// Seven points, a plane held in shared memory while z goes up.
template <int BX, int BY>
__global__ void heatMarch(float* __restrict__ out, const float* __restrict__ in, int nx, int ny, int nz, float c) {
  __shared__ float tile[BY + 2][BX + 2];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const size_t plane = (size_t)nx * ny;
  size_t at = (size_t)y * nx + x;
  float below = in[at], here = in[at + plane];
  for (int z = 1; z < nz - 1; z++) {
    at += plane;
    const float above = in[at + plane];
    __syncthreads();
    tile[ty][tx] = here;
    if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[at - 1];
    if (threadIdx.x == BX - 1 && x < nx - 1) tile[ty][BX + 1] = in[at + 1];
    if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[at - nx];
    if (threadIdx.y == BY - 1 && y < ny - 1) tile[BY + 1][tx] = in[at + nx];
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
      out[at] = here + c * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above - 6.0f * here);
    below = here;
    here = above;
  }
}

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

// Collide and stream, nine populations in arrays of their own.
__global__ void latticeBoltzmann(float* out, const float* in, int nx, int ny, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int cells = nx * ny;
  float f[9], rho = 0.f, ux = 0.f, uy = 0.f;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const int sx = (x - ex[k] + nx) % nx, sy = (y - ey[k] + ny) % ny;
    f[k] = in[k * cells + sy * nx + sx];
    rho += f[k];
    ux += f[k] * ex[k];
    uy += f[k] * ey[k];
  }
  ux /= rho;
  uy /= rho;
  const float usq = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const float eu = 3.0f * (ex[k] * ux + ey[k] * uy);
    const float eq = weight[k] * rho * (1.0f + eu + 0.5f * eu * eu - usq);
    out[k * cells + y * nx + x] = f[k] + omega * (eq - f[k]);
  }
}

// Conway's game on bytes.
__global__ void life(uint8_t* out, const uint8_t* in, int width, int height) {
  for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < width * height; cell += blockDim.x * gridDim.x) {
    const int x = cell % width, y = cell - x;
    const int left = (x + width - 1) % width, right = (x + 1) % width;
    const int up = (y + width * height - width) % (width * height), down = (y + width) % (width * height);
    const int alive = in[left + up] + in[x + up] + in[right + up] + in[left + y] + in[right + y] + in[left + down] + in[x + down] + in[right + down];
    out[cell] = alive == 3 || (alive == 2 && in[cell]) ? 1 : 0;
  }
}

// One colour of a checkerboard, in place.
__global__ void redBlack(float* u, const float* rhs, int n, int colour, float w) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1 || ((i + j) & 1) != colour) return;
  const int at = i * n + j;
  u[at] = (1 - w) * u[at] + w * 0.25f * (u[at - 1] + u[at + 1] + u[at - n] + u[at + n] - rhs[at]);
}

// A step of a pyramid: five by five and every second pixel.
__global__ void pyramidDown(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const float k[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  float sum = 0.f;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      const int sx = min(max(2 * x + dx, 0), width - 1), sy = min(max(2 * y + dy, 0), height - 1);
      sum += k[dy + 2] * k[dx + 2] * in[sy * width + sx];
    }
  out[y * (width / 2) + x] = sum;
}

// Twenty-five points along the axes, as seismic codes have them.
__global__ void wave25(float* next, const float* now, const float* before, const float* speed, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 4, y = blockIdx.y * blockDim.y + threadIdx.y + 4, z = blockIdx.z + 4;
  if (x >= nx - 4 || y >= ny - 4 || z >= nz - 4) return;
  const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.025397f, -0.001786f};
  const int sy = nx, sz = nx * ny, at = z * sz + y * sy + x;
  float laplace = 3 * c[0] * now[at];
#pragma unroll
  for (int r = 1; r <= 4; r++)
    laplace += c[r] * (now[at - r] + now[at + r] + now[at - r * sy] + now[at + r * sy] + now[at - r * sz] + now[at + r * sz]);
  next[at] = 2 * now[at] - before[at] + speed[at] * laplace;
}

int main() {
  const int nx = 512, ny = 256, nz = 128, n = 2048;
  const size_t volume = (size_t)nx * ny * nz;
  float *a, *b, *c, *d;
  cudaMalloc(&a, volume * sizeof(float));
  cudaMalloc(&b, volume * sizeof(float));
  cudaMalloc(&c, volume * sizeof(float));
  cudaMalloc(&d, volume * sizeof(float));
  std::vector<float> host(volume);
  for (size_t i = 0; i < volume; i++) host[i] = 0.5f + (float)(i % 97) / 97.0f;
  cudaMemcpy(a, host.data(), volume * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(c, host.data(), volume * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d, host.data(), volume * sizeof(float), cudaMemcpyHostToDevice);
  heatMarch<32, 8><<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(b, a, nx, ny, nz, 0.1f);
  heatMarch<64, 4><<<dim3(nx / 64, ny / 4), dim3(64, 4)>>>(b, a, nx, ny, nz, 0.1f);
  latticeBoltzmann<<<dim3(1024 / 64, 1024 / 4), dim3(64, 4)>>>(b, a, 1024, 1024, 1.2f);
  life<<<264, 256>>>((uint8_t*)b, (const uint8_t*)a, 4096, 2048);
  redBlack<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, d, n, 0, 1.5f);
  redBlack<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, d, n, 1, 1.5f);
  pyramidDown<<<dim3(2048 / 16, 1024 / 16), dim3(16, 16)>>>(b, a, 4096, 2048);
  wave25<<<dim3((nx - 8 + 31) / 32, (ny - 8 + 7) / 8, nz - 8), dim3(32, 8)>>>(b, a, c, d, nx, ny, nz);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
