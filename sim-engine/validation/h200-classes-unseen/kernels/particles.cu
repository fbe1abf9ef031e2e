// Particles: all pairs, tiles of them, neighbours in a list, cells, and the step.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void allPairs(const float4 *p, float3 *acc, int n, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float ax = 0, ay = 0, az = 0;
  float4 me = p[i];
  for (int j = 0; j < n; j++) {
    float4 q = p[j];
    float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    float d2 = dx * dx + dy * dy + dz * dz + eps;
    float inv = rsqrtf(d2);
    float f = q.w * inv * inv * inv;
    ax += f * dx;
    ay += f * dy;
    az += f * dz;
  }
  acc[i] = make_float3(ax, ay, az);
}

__global__ void pairsTiled(const float *x, const float *y, const float *z, float *ax, float *ay, float *az, int n) {
  __shared__ float sx[128], sy[128], sz[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float px = x[i], py = y[i], pz = z[i], fx = 0, fy = 0, fz = 0;
  for (int t = 0; t < n; t += 128) {
    sx[threadIdx.x] = x[t + threadIdx.x];
    sy[threadIdx.x] = y[t + threadIdx.x];
    sz[threadIdx.x] = z[t + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; j++) {
      float dx = sx[j] - px, dy = sy[j] - py, dz = sz[j] - pz;
      float r = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = 1.f / (r * r * r);
      fx += dx * f;
      fy += dy * f;
      fz += dz * f;
    }
    __syncthreads();
  }
  ax[i] = fx;
  ay[i] = fy;
  az[i] = fz;
}

// Lennard-Jones over a list of 32 neighbours, stored a neighbour after the other.
__global__ void neighbours(const float4 *p, const int *list, float4 *force, int n, float cutoff2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = p[i], f = make_float4(0, 0, 0, 0);
  for (int k = 0; k < 32; k++) {
    float4 q = p[list[k * n + i]];
    float dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cutoff2) {
      float inv = 1.f / r2, six = inv * inv * inv, s = inv * six * (48.f * six - 24.f);
      f.x += s * dx;
      f.y += s * dy;
      f.z += s * dz;
      f.w += 4.f * six * (six - 1.f);
    }
  }
  force[i] = f;
}

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void moveStructs(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Particle q = p[i];
    q.x += q.vx * dt;
    q.y += q.vy * dt;
    q.z += q.vz * dt;
    if (q.x < 0.f || q.x > 1.f) q.vx = -q.vx;
    if (q.y < 0.f || q.y > 1.f) q.vy = -q.vy;
    p[i] = q;
  }
}

__global__ void cellOf(const Particle *p, int *cell, int *count, int n, int side) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int cx = min(side - 1, (int)(p[i].x * side)), cy = min(side - 1, (int)(p[i].y * side)), cz = min(side - 1, (int)(p[i].z * side));
  int c = (cz * side + cy) * side + cx;
  cell[i] = c;
  atomicAdd(&count[c], 1);
}

int main() {
  const int n = 16384, many = 1 << 20, side = 64;
  float4 *h = (float4 *)malloc(n * sizeof(float4)), *p, *force;
  for (int i = 0; i < n; i++) h[i] = make_float4(rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, 1.f);
  int *l = (int *)malloc(32 * n * sizeof(int)), *list, *cell, *count;
  for (int i = 0; i < 32 * n; i++) l[i] = rand() % n;
  Particle *hp = (Particle *)malloc(many * sizeof(Particle)), *dp;
  for (int i = 0; i < many; i++) {
    hp[i].x = rand() / (float)RAND_MAX;
    hp[i].y = rand() / (float)RAND_MAX;
    hp[i].z = rand() / (float)RAND_MAX;
    hp[i].vx = hp[i].vy = hp[i].vz = 0.1f;
  }
  float3 *acc;
  float *s;
  cudaMalloc(&p, n * sizeof(float4));
  cudaMalloc(&force, n * sizeof(float4));
  cudaMalloc(&acc, n * sizeof(float3));
  cudaMalloc(&list, 32 * n * sizeof(int));
  cudaMalloc(&s, 6 * n * sizeof(float));
  cudaMalloc(&dp, many * sizeof(Particle));
  cudaMalloc(&cell, many * sizeof(int));
  cudaMalloc(&count, side * side * side * sizeof(int));
  cudaMemset(s, 0, 6 * n * sizeof(float));
  cudaMemset(count, 0, side * side * side * sizeof(int));
  cudaMemcpy(p, h, n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(list, l, 32 * n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dp, hp, many * sizeof(Particle), cudaMemcpyHostToDevice);
  allPairs<<<n / 128, 128>>>(p, acc, n, 1e-4f);
  pairsTiled<<<n / 128, 128>>>(s, s + n, s + 2 * n, s + 3 * n, s + 4 * n, s + 5 * n, n);
  neighbours<<<n / 64, 64>>>(p, list, force, n, 0.25f);
  moveStructs<<<many / 256, 256>>>(dp, many, 0.01f);
  cellOf<<<many / 256, 256>>>(dp, cell, count, many, side);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
