// Particles, rays, options and images: N bodies in tiles, Mandelbrot, cell lists, binomial trees, an octree-free tree walk, Hough votes.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void bodies(float4* acceleration, const float4* position, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = position[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += 128) {
    tile[threadIdx.x] = position[start + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 128; j++) {
      const float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
      const float r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inv = rsqrtf(r2), s = tile[j].w * inv * inv * inv;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(ax, ay, az, 0);
}

__global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float cr = -2.2f + 3.2f * px / width, ci = -1.3f + 2.6f * py / height;
  float zr = 0, zi = 0;
  int i = 0;
  while (i < limit && zr * zr + zi * zi < 4.0f) {
    const float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    i++;
  }
  image[py * width + px] = (unsigned char)(255 * i / limit);
}

// A sphere list in constant memory, one ray a pixel.
struct Sphere { float x, y, z, radius, r, g, b; };
__constant__ Sphere spheres[24];

__global__ void rays(uchar4* pixels, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float ox = x - width / 2, oy = y - height / 2;
  float r = 0, g = 0, b = 0, nearest = -1e30f;
  for (int i = 0; i < 24; i++) {
    const Sphere s = spheres[i];
    const float dx = ox - s.x, dy = oy - s.y, d2 = dx * dx + dy * dy;
    if (d2 < s.radius * s.radius) {
      const float dz = sqrtf(s.radius * s.radius - d2), t = dz + s.z, shade = dz / s.radius;
      if (t > nearest) {
        nearest = t;
        r = s.r * shade;
        g = s.g * shade;
        b = s.b * shade;
      }
    }
  }
  pixels[y * width + x] = make_uchar4((int)(r * 255), (int)(g * 255), (int)(b * 255), 255);
}

// A binomial tree for each option, a block an option, 256 steps.
__global__ void binomialTree(double* price, const double* s, const double* k, double up, double down, double p, double discount) {
  __shared__ double value[257];
  const double spot = s[blockIdx.x], strike = k[blockIdx.x];
  const int i = threadIdx.x;
  value[i] = fmax(spot * pow(up, 256 - i) * pow(down, i) - strike, 0.0);
  if (i == 0) value[256] = fmax(spot * pow(down, 256.0) - strike, 0.0);
  __syncthreads();
  for (int step = 256; step > 0; step--) {
    double v = 0;
    if (i < step) v = discount * (p * value[i] + (1 - p) * value[i + 1]);
    __syncthreads();
    if (i < step) value[i] = v;
    __syncthreads();
  }
  if (i == 0) price[blockIdx.x] = value[0];
}

// Forces between atoms by lists of neighbours.
__global__ void lennardJones(float3* force, const float3* position, const int* neighbours, const int* counts, int n, int most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 p = position[i];
  float3 f = make_float3(0, 0, 0);
  for (int k = 0; k < counts[i]; k++) {
    const int j = neighbours[k * n + i];
    const float3 q = position[j];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < 6.25f && r2 > 0) {
      const float i2 = 1.0f / r2, i6 = i2 * i2 * i2, s = i6 * (48.0f * i6 - 24.0f) * i2;
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
  }
  force[i] = f;
}

// Bilateral filter, radius three.
__global__ void bilateral(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float centre = in[y * width + x];
  float sum = 0, weight = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -3; dx <= 3; dx++) {
      const int sx = x + dx, sy = y + dy;
      if (sx < 0 || sy < 0 || sx >= width || sy >= height) continue;
      const float v = in[sy * width + sx], d = v - centre;
      const float w = __expf(-(dx * dx + dy * dy) * 0.08f - d * d * 12.5f);
      sum += w * v;
      weight += w;
    }
  out[y * width + x] = sum / weight;
}

// Random walks by a generator of one's own.
__global__ void walks(float* end, int steps, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = seed ^ (i * 747796405u + 2891336453u);
  float x = 0, y = 0;
  for (int k = 0; k < steps; k++) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    const float angle = s * 1.4629180792671596e-9f;
    x += __cosf(angle);
    y += __sinf(angle);
  }
  end[i] = sqrtf(x * x + y * y);
}

int main() {
  const int n = 16384, width = 2048, height = 1024;
  float *a, *b;
  int *list, *counts;
  cudaMalloc(&a, width * height * 16);
  cudaMalloc(&b, width * height * 16);
  cudaMalloc(&list, n * 4 * 64 * 4);
  cudaMalloc(&counts, n * 4 * 4);
  std::vector<float> host(width * height * 4);
  for (size_t i = 0; i < host.size(); i++) host[i] = (float)((i * 48271) % 65521) / 65521.f;
  cudaMemcpy(a, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  std::vector<int> next(n * 4 * 64), number(n * 4);
  for (int i = 0; i < n * 4; i++) {
    number[i] = 24 + i % 17;
    for (int k = 0; k < 64; k++) next[k * n * 4 + i] = (i + (k - 32) * 5 + n * 4) % (n * 4);
  }
  cudaMemcpy(list, next.data(), next.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(counts, number.data(), number.size() * 4, cudaMemcpyHostToDevice);
  Sphere all[24];
  for (int i = 0; i < 24; i++) all[i] = {(i * 97) % 1600 - 800.f, (i * 53) % 800 - 400.f, i * 10.f, 40.f + i * 4, 1.f, .5f, .2f};
  cudaMemcpyToSymbol(spheres, all, sizeof(all));
  std::vector<double> options(2048, 100.0);
  cudaMemcpy(b, options.data(), 2048 * 8, cudaMemcpyHostToDevice);

  bodies<<<n / 128, 128>>>((float4*)(b + 65536), (const float4*)a, n);
  mandelbrot<<<dim3(width / 32, height / 8), dim3(32, 8)>>>((unsigned char*)(b + 65536), width, height, 256);
  rays<<<dim3(width / 16, height / 16), dim3(16, 16)>>>((uchar4*)(b + 65536), width, height);
  binomialTree<<<512, 256>>>((double*)(b + 65536), (const double*)b, (const double*)b + 1024, 1.01, 0.99, 0.51, 0.9999);
  lennardJones<<<n * 4 / 128, 128>>>((float3*)b, (const float3*)a, list, counts, n * 4, 64);
  bilateral<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(b, a, width, height);
  walks<<<1056, 256>>>(b, 1000, 12345u);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
