// All pairs of bodies: plain, by tiles in shared memory, and what moves them.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Body {
  float x, y, z, vx, vy, vz;
};

__global__ void bodyForce(Body *p, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
    for (int j = 0; j < n; j++) {
      float dx = p[j].x - p[i].x;
      float dy = p[j].y - p[i].y;
      float dz = p[j].z - p[i].z;
      float d = dx * dx + dy * dy + dz * dz + 1e-9f;
      float inv = rsqrtf(d);
      float inv3 = inv * inv * inv;
      Fx += dx * inv3;
      Fy += dy * inv3;
      Fz += dz * inv3;
    }
    p[i].vx += dt * Fx;
    p[i].vy += dt * Fy;
    p[i].vz += dt * Fz;
  }
}

template <int P>
__global__ void tileForce(const float4 *__restrict__ pos, float4 *__restrict__ vel, float dt, int n) {
  __shared__ float4 tile[P];
  int i = blockIdx.x * P + threadIdx.x;
  float4 me = pos[i];
  float3 acc = {0.f, 0.f, 0.f};
  for (int t = 0; t < n / P; t++) {
    tile[threadIdx.x] = pos[t * P + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < P; j++) {
      float4 o = tile[j];
      float3 r = {o.x - me.x, o.y - me.y, o.z - me.z};
      float d2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
      float inv = rsqrtf(d2);
      float s = o.w * inv * inv * inv;
      acc.x += r.x * s;
      acc.y += r.y * s;
      acc.z += r.z * s;
    }
    __syncthreads();
  }
  float4 v = vel[i];
  v.x += acc.x * dt;
  v.y += acc.y * dt;
  v.z += acc.z * dt;
  vel[i] = v;
}

__global__ void integrate(float4 *pos, const float4 *vel, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    pos[i].x += vel[i].x * dt;
    pos[i].y += vel[i].y * dt;
    pos[i].z += vel[i].z * dt;
  }
}

int main() {
  const int n = 16384;
  Body *hb = (Body *)malloc(n * sizeof(Body));
  float *f = (float *)hb;
  for (int i = 0; i < 6 * n; i++) f[i] = 2.0f * (rand() / (float)RAND_MAX) - 1.0f;
  Body *bodies;
  float4 *pos, *vel;
  cudaMalloc(&bodies, n * sizeof(Body));
  cudaMalloc(&pos, n * sizeof(float4));
  cudaMalloc(&vel, n * sizeof(float4));
  cudaMemcpy(bodies, hb, n * sizeof(Body), cudaMemcpyHostToDevice);
  cudaMemcpy(pos, hb, n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemset(vel, 0, n * sizeof(float4));
  bodyForce<<<(n + 255) / 256, 256>>>(bodies, 0.01f, n);
  tileForce<128><<<n / 128, 128>>>(pos, vel, 0.01f, n);
  tileForce<256><<<n / 256, 256>>>(pos, vel, 0.01f, n);
  integrate<<<(n + 255) / 256, 256>>>(pos, vel, 0.01f, n);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
