#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct vec3 {
  float x, y, z;
  vec3() = default;
  __host__ __device__ vec3(float a, float b, float c) : x(a), y(b), z(c) {}
  __host__ __device__ vec3 operator+(const vec3 &o) const { return vec3(x + o.x, y + o.y, z + o.z); }
  __host__ __device__ vec3 operator-(const vec3 &o) const { return vec3(x - o.x, y - o.y, z - o.z); }
  __host__ __device__ vec3 operator*(float s) const { return vec3(x * s, y * s, z * s); }
  __host__ __device__ vec3 &operator+=(const vec3 &o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
};
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Sphere {
  vec3 center;
  float radius;
  vec3 color;
};
struct Body {
  vec3 pos, vel;
  float mass;
};

__constant__ Sphere scene[16];

__global__ void trace(float3 *image, int w, int h, int spheres) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  vec3 origin(0, 0, -5), dir((px - w * 0.5f) / w, (py - h * 0.5f) / h, 1.0f);
  dir = dir * rsqrtf(dot(dir, dir));
  float nearest = 1e20f;
  vec3 color(0.2f, 0.3f, 0.5f);
  for (int s = 0; s < spheres; s++) {
    vec3 oc = origin - scene[s].center;
    float b = dot(oc, dir), c = dot(oc, oc) - scene[s].radius * scene[s].radius, disc = b * b - c;
    if (disc > 0) {
      float t = -b - sqrtf(disc);
      if (t > 0 && t < nearest) {
        nearest = t;
        color = scene[s].color * (1.0f / (1.0f + t));
      }
    }
  }
  image[py * w + px] = make_float3(color.x, color.y, color.z);
}

__global__ void forcesAoS(const Body *bodies, vec3 *acc, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vec3 p = bodies[i].pos, a(0, 0, 0);
  for (int j = 0; j < n; j++) {
    vec3 d = bodies[j].pos - p;
    float r2 = dot(d, d) + 1e-4f;
    float inv = rsqrtf(r2);
    a += d * (bodies[j].mass * inv * inv * inv);
  }
  acc[i] = a;
}

__global__ void forcesTiled(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 p = pos[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n / 128; t++) {
    tile[threadIdx.x] = pos[t * 128 + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < 128; j++) {
      float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
      float s = tile[j].w * inv * inv * inv;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0.f);
}

__global__ void integrate(Body *bodies, const vec3 *acc, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    bodies[i].vel += acc[i] * dt;
    bodies[i].pos += bodies[i].vel * dt;
  }
}

__device__ unsigned xorshift(unsigned &s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__global__ void monteCarloPi(unsigned long long *hits, int trials, unsigned seed) {
  unsigned s = seed ^ (blockIdx.x * blockDim.x + threadIdx.x + 1) * 747796405u;
  unsigned local = 0;
  for (int t = 0; t < trials; t++) {
    float x = xorshift(s) * (1.0f / 4294967296.0f), y = xorshift(s) * (1.0f / 4294967296.0f);
    if (x * x + y * y < 1.0f) local++;
  }
  local = __reduce_add_sync(0xffffffffu, local);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, (unsigned long long)local);
}

__global__ void ising(signed char *spins, int w, int h, int parity, float beta, unsigned seed) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int col = 2 * x + ((y + parity) & 1);
  if (col >= w || y >= h) return;
  int up = spins[((y + h - 1) % h) * w + col], down = spins[((y + 1) % h) * w + col];
  int left = spins[y * w + (col + w - 1) % w], right = spins[y * w + (col + 1) % w];
  int s = spins[y * w + col];
  float dE = 2.0f * s * (up + down + left + right);
  unsigned r = seed ^ (y * w + col);
  if (xorshift(r) * (1.0f / 4294967296.0f) < expf(-beta * dE)) spins[y * w + col] = -s;
}

__global__ void dft(const float2 *in, float2 *out, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  float re = 0, im = 0;
  for (int t = 0; t < n; t++) {
    float s, c;
    sincosf(-6.2831853f * ((k * t) % n) / n, &s, &c);
    re += in[t].x * c - in[t].y * s;
    im += in[t].x * s + in[t].y * c;
  }
  out[k] = make_float2(re, im);
}

template <typename T, int M>
__global__ void batchedCholesky(T *mats, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  T a[M][M];
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j < M; j++) a[i][j] = mats[(i * M + j) * count + id];
#pragma unroll
  for (int j = 0; j < M; j++) {
#pragma unroll
    for (int k = 0; k < j; k++)
#pragma unroll
      for (int i = j; i < M; i++) a[i][j] -= a[i][k] * a[j][k];
    T d = T(1) / sqrt(a[j][j]);
#pragma unroll
    for (int i = j; i < M; i++) a[i][j] *= d;
  }
#pragma unroll
  for (int i = 0; i < M; i++)
#pragma unroll
    for (int j = 0; j <= i; j++) mats[(i * M + j) * count + id] = a[i][j];
}

template <int TPB, typename K, typename... Args>
void launch1d(K kernel, int n, Args... args) {
  kernel<<<(n + TPB - 1) / TPB, TPB>>>(args...);
}

int main(int argc, char **argv) {
  int bodies = argc > 1 ? atoi(argv[1]) : 8192;
  int w = 1280, h = 960;
  float3 *image;
  Body *state;
  vec3 *acc;
  float4 *p4, *a4;
  unsigned long long *hits;
  signed char *spins;
  float *mats;
  cudaMalloc(&image, w * h * sizeof(float3));
  cudaMalloc(&state, bodies * sizeof(Body));
  cudaMalloc(&acc, bodies * sizeof(vec3));
  cudaMalloc(&p4, bodies * sizeof(float4));
  cudaMalloc(&a4, bodies * sizeof(float4));
  cudaMalloc(&hits, 8);
  cudaMalloc(&spins, 2048 * 2048);
  cudaMalloc(&mats, 36 * 100000 * sizeof(float));
  cudaMemset(state, 0, bodies * sizeof(Body));
  cudaMemset(p4, 0, bodies * sizeof(float4));
  cudaMemset(spins, 1, 2048 * 2048);
  Sphere host[16];
  for (int i = 0; i < 16; i++) {
    host[i].center = vec3(i % 4 - 1.5f, i / 4 - 1.5f, 2.0f + i * 0.1f);
    host[i].radius = 0.4f;
    host[i].color = vec3(1, 0.5f, 0.25f);
  }
  cudaMemcpyToSymbol(scene, host, sizeof(host));
  trace<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(image, w, h, 16);
  launch1d<128>(forcesAoS, bodies, state, acc, bodies);
  forcesTiled<<<bodies / 128, 128>>>(p4, a4, bodies);
  launch1d<256>(integrate, bodies, state, (const vec3 *)acc, 0.01f, bodies);
  monteCarloPi<<<1024, 128>>>(hits, 256, 1234u);
  ising<<<dim3(1024 / 32, 2048 / 8), dim3(32, 8)>>>(spins, 2048, 2048, 0, 0.44f, 99u);
  dft<<<16, 64>>>((float2 *)p4, (float2 *)a4, 1024);
  batchedCholesky<float, 6><<<(100000 + 127) / 128, 128>>>(mats, 100000);
  cudaDeviceSynchronize();
  return 0;
}
