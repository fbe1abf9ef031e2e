// Particles: all-pairs gravity in tiles, neighbours from sorted cells, moving them, soft collisions.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Particle { float x, y, z, mass, vx, vy, vz; int kind; };
struct Soa { float *x, *y, *z, *vx, *vy, *vz; };
struct Cells {
  int dim; float size;
  __host__ __device__ int at(int x, int y, int z) const { return (z * dim + y) * dim + x; }
  __host__ __device__ int coord(float v) const {
    int c = (int)(v / size);
    return c < 0 ? 0 : c >= dim ? dim - 1 : c;
  }
};

__global__ void nbodyTiles(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n, float eps2) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 128) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; k++) {
      float4 o = tile[k];
      float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
      float f = o.w * inv * inv * inv;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    __syncthreads();
  }
  if (i < n) acc[i] = make_float4(ax, ay, az, 0);
}

// pos is sorted by cell; cell c holds start[c] .. start[c + 1].
__global__ void density(const float4 *pos, const int *start, float *rho, Cells g, int n, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i];
  int cx = g.coord(p.x), cy = g.coord(p.y), cz = g.coord(p.z);
  float sum = 0, h2 = h * h;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, g.dim - 1); z++)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, g.dim - 1); y++)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, g.dim - 1); x++) {
        int c = g.at(x, y, z);
        for (int j = start[c], end = start[c + 1]; j < end; j++) {
          float4 q = pos[j];
          float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
          float d = h2 - r2;
          if (d > 0) sum += q.w * d * d * d;
        }
      }
  rho[i] = 1.5666815f * sum / powf(h, 9.f);
}

// Overlapping spheres push each other apart; the three cells of a row in x are one run of particles.
__global__ void __launch_bounds__(64) collide(const float4 *pos, const float4 *vel, const int *start, float4 *force, Cells g, int n, float radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i], v = vel[i], f = make_float4(0, 0, 0, 0);
  int cx = g.coord(p.x), cy = g.coord(p.y), cz = g.coord(p.z), x0 = max(cx - 1, 0), x1 = min(cx + 1, g.dim - 1);
  for (int r = 0; r < 9; r++) {
    int y = cy + r % 3 - 1, z = cz + r / 3 - 1;
    if (y < 0 || z < 0 || y >= g.dim || z >= g.dim) continue;
    int end = start[g.at(x1, y, z) + 1];
    for (int j = start[g.at(x0, y, z)]; j < end; j++) {
      float4 q = pos[j], u = vel[j];
      float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, d = sqrtf(dx * dx + dy * dy + dz * dz);
      if (j == i || d >= 2 * radius || d == 0) continue;
      float spring = -0.5f * (2 * radius - d) / d, damp = 0.02f;
      f.x += spring * dx + damp * (u.x - v.x), f.y += spring * dy + damp * (u.y - v.y), f.z += spring * dz + damp * (u.z - v.z);
    }
  }
  force[i] = f;
}

__global__ void moveAos(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].vz -= 9.81f * dt;
  p[i].x += p[i].vx * dt, p[i].y += p[i].vy * dt, p[i].z += p[i].vz * dt;
  if (p[i].z < 0) p[i].z = -p[i].z, p[i].vz *= -0.8f;
}

__global__ void moveSoa(Soa s, int n, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float vz = s.vz[i] - 9.81f * dt, z = s.z[i] + vz * dt;
    s.x[i] += s.vx[i] * dt, s.y[i] += s.vy[i] * dt;
    s.z[i] = fabsf(z);
    s.vz[i] = z < 0 ? -0.8f * vz : vz;
  }
}

int main() {
  const int n = 262144, bodies = 20000, many = 4000000;
  const Cells g = {40, 1.f / 40};
  std::vector<float4> raw(n), pos(n);
  std::vector<int> start(g.dim * g.dim * g.dim + 1, 0);
  auto cell = [&](float4 p) { return g.at(g.coord(p.x), g.coord(p.y), g.coord(p.z)); };
  for (auto &p : raw) {
    p = make_float4(drand48(), drand48(), drand48(), 1.f / n);
    start[cell(p) + 1]++;
  }
  for (size_t c = 1; c < start.size(); c++) start[c] += start[c - 1];
  std::vector<int> next(start);
  for (auto &p : raw) pos[next[cell(p)]++] = p;
  float4 *dp, *dv, *df, *db;
  float *rho, *soa;
  Particle *aos; int *ds;
  cudaMalloc(&dp, n * 16), cudaMalloc(&dv, n * 16), cudaMalloc(&df, n * 16), cudaMalloc(&db, bodies * 16);
  cudaMalloc(&ds, start.size() * 4), cudaMalloc(&rho, n * 4);
  cudaMalloc(&aos, many * sizeof(Particle)), cudaMalloc(&soa, 6 * many * sizeof(float));
  cudaMemcpy(dp, pos.data(), n * 16, cudaMemcpyHostToDevice);
  cudaMemcpy(db, raw.data(), bodies * 16, cudaMemcpyHostToDevice);
  cudaMemcpy(ds, start.data(), start.size() * 4, cudaMemcpyHostToDevice);
  cudaMemset(dv, 0, n * 16), cudaMemset(aos, 0, many * sizeof(Particle)), cudaMemset(soa, 0, 6 * many * sizeof(float));
  nbodyTiles<<<(bodies + 127) / 128, 128>>>(db, df, bodies, 1e-4f);
  density<<<n / 128, 128>>>(dp, ds, rho, g, n, g.size);
  collide<<<n / 64, 64>>>(dp, dv, ds, df, g, n, 0.4f * g.size);
  moveAos<<<(many + 255) / 256, 256>>>(aos, many, 1e-3f);
  moveSoa<<<2112, 256>>>(Soa{soa, soa + many, soa + 2 * many, soa + 3 * many, soa + 4 * many, soa + 5 * many}, many, 1e-3f);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
