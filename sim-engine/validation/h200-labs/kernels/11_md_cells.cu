// Lennard-Jones molecular dynamics with cell lists (reduced units, cubic periodic box).
//
// One velocity-Verlet step on the GPU:
//    half kick + drift  ->  bin  ->  scan  ->  scatter  ->  forces  ->  half kick  ->  energies
// plus an all-pairs tiled kernel that is used to validate the cell-list forces.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <array>
#include <cuda_runtime.h>

namespace md {

using real = float;

struct Box {
  real L;        // edge
  int nc;        // cells per edge
  real invCell;  // nc / L
};

[[noreturn]] void die(cudaError_t e, const char *what, int line) {
  std::fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(e));
  std::exit(2);
}
#define MD_TRY(expr)                                   \
  do {                                                 \
    const cudaError_t md_e = (expr);                   \
    if (md_e != cudaSuccess) md::die(md_e, #expr, __LINE__); \
  } while (false)

template <class T> class DeviceArray {
 public:
  explicit DeviceArray(size_t n) : n_(n) { MD_TRY(cudaMalloc(&p_, n * sizeof(T))); }
  ~DeviceArray() { cudaFree(p_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  void put(const std::vector<T> &h) { MD_TRY(cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice)); }
  std::vector<T> get() const {
    std::vector<T> h(n_);
    MD_TRY(cudaMemcpy(h.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
  }
  void clear() { MD_TRY(cudaMemset(p_, 0, n_ * sizeof(T))); }
  T *operator()() { return p_; }

 private:
  T *p_ = nullptr;
  size_t n_;
};

constexpr real kRc = 2.5f;

__host__ __device__ inline real minImage(real d, real L) { return d - L * rintf(d / L); }

// returns f/r and adds to the potential energy
__host__ __device__ inline real ljPair(real r2, real &pot) {
  const real ir2 = 1.0f / r2;
  const real ir6 = ir2 * ir2 * ir2;
  pot += 4.0f * ir6 * (ir6 - 1.0f);
  return 24.0f * ir6 * (2.0f * ir6 - 1.0f) * ir2;
}

__device__ inline int cellOf(float4 p, Box b) {
  const int cx = min(b.nc - 1, (int)(p.x * b.invCell));
  const int cy = min(b.nc - 1, (int)(p.y * b.invCell));
  const int cz = min(b.nc - 1, (int)(p.z * b.invCell));
  return (cz * b.nc + cy) * b.nc + cx;
}

// v += f dt/2 ; x += v dt ; wrap
__global__ void kickDrift(float4 *pos, float4 *vel, const float4 *force, int n, real dt, Box box) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i], v = vel[i];
  const float4 f = force[i];
  v.x += 0.5f * dt * f.x;
  v.y += 0.5f * dt * f.y;
  v.z += 0.5f * dt * f.z;
  p.x += dt * v.x;
  p.y += dt * v.y;
  p.z += dt * v.z;
  p.x -= box.L * floorf(p.x / box.L);
  p.y -= box.L * floorf(p.y / box.L);
  p.z -= box.L * floorf(p.z / box.L);
  pos[i] = p;
  vel[i] = v;
}

__global__ void binParticles(const float4 *pos, int *cell, int *rank, int *count, int n, Box box) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = cellOf(pos[i], box);
  cell[i] = c;
  rank[i] = atomicAdd(&count[c], 1);
}

// exclusive scan by a single block, any number of cells; start[ncells] = n
__global__ void scanCells(const int *count, int *start, int ncells) {
  __shared__ int warpSum[32];
  __shared__ int carry;
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int base = 0; base < ncells; base += blockDim.x) {
    const int i = base + threadIdx.x;
    const int mine = i < ncells ? count[i] : 0;
    int x = mine;
    for (int d = 1; d < 32; d <<= 1) {
      const int y = __shfl_up_sync(0xffffffffu, x, d);
      if (lane >= d) x += y;
    }
    if (lane == 31) warpSum[w] = x;
    __syncthreads();
    if (w == 0) {
      int s = lane < nw ? warpSum[lane] : 0;
      for (int d = 1; d < 32; d <<= 1) {
        const int y = __shfl_up_sync(0xffffffffu, s, d);
        if (lane >= d) s += y;
      }
      if (lane < nw) warpSum[lane] = s;
    }
    __syncthreads();
    const int before = carry + (w > 0 ? warpSum[w - 1] : 0);
    if (i < ncells) start[i] = before + x - mine;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = before + x;
    __syncthreads();
  }
  if (threadIdx.x == 0) start[ncells] = carry;
}

__global__ void scatterSorted(const float4 *pos, float4 *sortedPos, int *sortedId, const int *cell, const int *rank, const int *start, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int dst = start[cell[i]] + rank[i];
  sortedPos[dst] = pos[i];
  sortedId[dst] = i;
}

// one thread per (sorted) particle, 27 neighbour cells; .w of the force is the potential energy share
__global__ void forcesCells(const float4 *__restrict__ sp, const int *__restrict__ id, const int *__restrict__ start, float4 *force, int n, Box box) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = sp[i];
  const int c = cellOf(p, box);
  const int cx = c % box.nc, cy = (c / box.nc) % box.nc, cz = c / (box.nc * box.nc);
  real fx = 0, fy = 0, fz = 0, pot = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int nx = (cx + dx + box.nc) % box.nc, ny = (cy + dy + box.nc) % box.nc, nz = (cz + dz + box.nc) % box.nc;
        const int q = (nz * box.nc + ny) * box.nc + nx;
        const int e = start[q + 1];
        for (int j = start[q]; j < e; ++j) {
          if (j == i) continue;
          const float4 o = sp[j];
          const real rx = minImage(p.x - o.x, box.L), ry = minImage(p.y - o.y, box.L), rz = minImage(p.z - o.z, box.L);
          const real r2 = rx * rx + ry * ry + rz * rz;
          if (r2 < kRc * kRc) {
            const real s = ljPair(r2, pot);
            fx += s * rx;
            fy += s * ry;
            fz += s * rz;
          }
        }
      }
  force[id[i]] = make_float4(fx, fy, fz, 0.5f * pot);
}

template <int TILE>
__global__ void __launch_bounds__(TILE) forcesAllPairs(const float4 *pos, float4 *force, int n, Box box) {
  __shared__ float4 tile[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float4 p = i < n ? pos[i] : make_float4(0, 0, 0, 0);
  real fx = 0, fy = 0, fz = 0, pot = 0;
  for (int base = 0; base < n; base += TILE) {
    const int j0 = base + threadIdx.x;
    tile[threadIdx.x] = j0 < n ? pos[j0] : make_float4(0, 0, 0, 0);
    __syncthreads();
    const int m = min(TILE, n - base);
    for (int k = 0; k < m; ++k) {
      const float4 o = tile[k];
      const real rx = minImage(p.x - o.x, box.L), ry = minImage(p.y - o.y, box.L), rz = minImage(p.z - o.z, box.L);
      const real r2 = rx * rx + ry * ry + rz * rz;
      if (r2 < kRc * kRc && base + k != i) {
        const real s = ljPair(r2, pot);
        fx += s * rx;
        fy += s * ry;
        fz += s * rz;
      }
    }
    __syncthreads();
  }
  if (i < n) force[i] = make_float4(fx, fy, fz, 0.5f * pot);
}

// v += f dt/2 and energy sums: e[0] potential, e[1] kinetic
__global__ void kickAndEnergy(float4 *vel, const float4 *force, double *e, int n, real dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double pe = 0, ke = 0;
  if (i < n) {
    float4 v = vel[i];
    const float4 f = force[i];
    v.x += 0.5f * dt * f.x;
    v.y += 0.5f * dt * f.y;
    v.z += 0.5f * dt * f.z;
    vel[i] = v;
    pe = f.w;
    ke = 0.5 * ((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
  }
  for (int o = 16; o > 0; o >>= 1) {
    pe += __shfl_down_sync(0xffffffffu, pe, o);
    ke += __shfl_down_sync(0xffffffffu, ke, o);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(&e[0], pe);
    atomicAdd(&e[1], ke);
  }
}

}  // namespace md

int main(int argc, char **argv) {
  using namespace md;
  const int side = argc > 1 ? std::atoi(argv[1]) : 25;
  const int n = side * side * side;
  const real rho = 0.8f, dt = 0.002f;
  Box box;
  box.L = std::cbrt(n / rho);
  box.nc = (int)std::floor(box.L / kRc);
  box.invCell = box.nc / box.L;
  if (box.nc < 3) { std::fprintf(stderr, "box too small\n"); return 1; }
  const int ncells = box.nc * box.nc * box.nc;
  std::printf("%d particles, box %.3f, %d^3 cells\n", n, box.L, box.nc);

  // jittered lattice, random velocities without drift
  unsigned long long lcg = 0x853c49e6748fea9bULL;
  auto rnd = [&lcg] {
    lcg = lcg * 6364136223846793005ULL + 1442695040888963407ULL;
    return (real)((lcg >> 40) * (1.0 / 16777216.0));
  };
  std::vector<float4> pos(n), vel(n);
  const real a = box.L / side;
  std::array<double, 3> drift{};
  for (int i = 0; i < n; ++i) {
    pos[i] = make_float4((i % side + 0.4f + 0.2f * rnd()) * a, (i / side % side + 0.4f + 0.2f * rnd()) * a, (i / (side * side) + 0.4f + 0.2f * rnd()) * a, 0);
    vel[i] = make_float4(rnd() - 0.5f, rnd() - 0.5f, rnd() - 0.5f, 0);
    drift[0] += vel[i].x; drift[1] += vel[i].y; drift[2] += vel[i].z;
  }
  for (auto &v : vel) { v.x -= drift[0] / n; v.y -= drift[1] / n; v.z -= drift[2] / n; }

  DeviceArray<float4> dPos(n), dVel(n), dForce(n), dRef(n), dSorted(n);
  DeviceArray<int> dCell(n), dRank(n), dId(n), dCount(ncells), dStart(ncells + 1);
  DeviceArray<double> dE(2);
  dPos.put(pos);
  dVel.put(vel);

  // initial forces
  forcesAllPairs<96><<<(n + 95) / 96, 96>>>(dPos(), dForce(), n, box);
  MD_TRY(cudaGetLastError());

  // one step
  const int tb = 128, gb = (n + tb - 1) / tb;
  kickDrift<<<gb, tb>>>(dPos(), dVel(), dForce(), n, dt, box);
  dCount.clear();
  binParticles<<<gb, tb>>>(dPos(), dCell(), dRank(), dCount(), n, box);
  scanCells<<<1, 512>>>(dCount(), dStart(), ncells);
  scatterSorted<<<gb, tb>>>(dPos(), dSorted(), dId(), dCell(), dRank(), dStart(), n);
  forcesCells<<<(n + 63) / 64, 64>>>(dSorted(), dId(), dStart(), dForce(), n, box);
  dE.clear();
  kickAndEnergy<<<(n + 255) / 256, 256>>>(dVel(), dForce(), dE(), n, dt);
  MD_TRY(cudaGetLastError());

  // checks: cell list against all pairs on the GPU, and against the host for some particles
  forcesAllPairs<192><<<(n + 191) / 192, 192>>>(dPos(), dRef(), n, box);
  MD_TRY(cudaGetLastError());
  const auto f = dForce.get(), r = dRef.get(), x = dPos.get();
  const auto e = dE.get();
  double worst = 0, worstHost = 0;
  for (int i = 0; i < n; ++i) {
    const double mag = 1.0 + std::sqrt((double)r[i].x * r[i].x + (double)r[i].y * r[i].y + (double)r[i].z * r[i].z);
    worst = std::fmax(worst, (std::fabs(f[i].x - r[i].x) + std::fabs(f[i].y - r[i].y) + std::fabs(f[i].z - r[i].z)) / mag);
  }
  for (int i = 0; i < n; i += 61) {
    double fx = 0, fy = 0, fz = 0;
    real pot = 0;
    for (int j = 0; j < n; ++j) {
      if (j == i) continue;
      const real dx = minImage(x[i].x - x[j].x, box.L), dy = minImage(x[i].y - x[j].y, box.L), dz = minImage(x[i].z - x[j].z, box.L);
      const real r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < kRc * kRc) {
        const real s = ljPair(r2, pot);
        fx += s * dx; fy += s * dy; fz += s * dz;
      }
    }
    const double mag = 1.0 + std::sqrt(fx * fx + fy * fy + fz * fz);
    worstHost = std::fmax(worstHost, (std::fabs(f[i].x - fx) + std::fabs(f[i].y - fy) + std::fabs(f[i].z - fz)) / mag);
  }
  std::printf("potential %.6f kinetic %.6f per particle\n", e[0] / n, e[1] / n);
  std::printf("force error vs all pairs %.2e, vs host %.2e\n", worst, worstHost);
  const bool ok = worst < 2e-3 && worstHost < 2e-3 && std::isfinite(e[0]) && std::isfinite(e[1]);
  std::printf("%s\n", ok ? "OK" : "BAD");
  return ok ? 0 : 1;
}
