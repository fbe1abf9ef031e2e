// Particle kernels: direct n-body, cell lists by counting sort, SPH, integration, particle/grid transfer.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpu {

class error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void ok(cudaError_t e) {
    if (e != cudaSuccess) throw error(cudaGetErrorString(e));
}

template <class T>
struct view {
    T* first = nullptr;
    int count = 0;
    __host__ __device__ T& operator[](int i) const { return first[i]; }
    __host__ __device__ int size() const { return count; }
};

template <class T>
class vector {
public:
    explicit vector(int n) : n_{n} { ok(cudaMalloc(&p_, sizeof(T) * n_)); }
    explicit vector(const std::vector<T>& h) : vector(static_cast<int>(h.size())) { assign(h); }
    vector(vector&& o) noexcept : p_{std::exchange(o.p_, nullptr)}, n_{std::exchange(o.n_, 0)} {}
    vector(const vector&) = delete;
    ~vector() { cudaFree(p_); }
    void assign(const std::vector<T>& h) { ok(cudaMemcpy(p_, h.data(), sizeof(T) * n_, cudaMemcpyHostToDevice)); }
    void zero() { ok(cudaMemset(p_, 0, sizeof(T) * n_)); }
    [[nodiscard]] std::vector<T> copy() const {
        std::vector<T> h(n_);
        ok(cudaMemcpy(h.data(), p_, sizeof(T) * n_, cudaMemcpyDeviceToHost));
        return h;
    }
    [[nodiscard]] T* data() const { return p_; }
    [[nodiscard]] int size() const { return n_; }
    operator view<T>() const { return {p_, n_}; }
    template <class U, class = std::enable_if_t<std::is_same_v<U, const T>>>
    operator view<U>() const { return {p_, n_}; }

private:
    T* p_ = nullptr;
    int n_ = 0;
};

}  // namespace gpu

// ------------------------------------------------------------------ data model
struct Body {  // array of structures
    float3 pos;
    float mass;
    float3 vel;
    float pad;
};

struct SoaView {
    float* __restrict__ x;
    float* __restrict__ y;
    float* __restrict__ z;
    float* __restrict__ m;
};

struct Cells {
    static constexpr int kDim = 32;
    static constexpr int kCount = kDim * kDim * kDim;
    static constexpr float kInv = static_cast<float>(kDim);
    __host__ __device__ static int coord(float v) {
        int c = static_cast<int>(v * kInv);
        return c < 0 ? 0 : (c >= kDim ? kDim - 1 : c);
    }
    __host__ __device__ static int index(int cx, int cy, int cz) { return (cz * kDim + cy) * kDim + cx; }
    __host__ __device__ static int of(float4 p) { return index(coord(p.x), coord(p.y), coord(p.z)); }
};

struct Sph {
    static constexpr float h = 1.0f / Cells::kDim;
    static constexpr float mass = 1.0f / 262144.0f;
    static constexpr float stiffness = 0.8f;
    static constexpr float rest = 1.0f;
    static constexpr float viscosity = 0.02f;
};

constexpr float kSoft2 = 1e-4f;
constexpr int kGrid = 64;
constexpr int kNodes = kGrid * kGrid * kGrid;

// ------------------------------------------------------------------ direct n-body
__device__ inline void accumulate(float3& a, float dx, float dy, float dz, float m) {
    float r2 = dx * dx + dy * dy + dz * dz + kSoft2;
    float inv = rsqrtf(r2);
    float s = m * inv * inv * inv;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
}

__global__ void nbody_aos(gpu::view<const Body> bodies, gpu::view<float3> acc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies.size()) return;
    float3 p = bodies[i].pos, a{0.f, 0.f, 0.f};
    for (int j = 0; j < bodies.size(); ++j) {
        const Body& b = bodies[j];
        accumulate(a, b.pos.x - p.x, b.pos.y - p.y, b.pos.z - p.z, b.mass);
    }
    acc[i] = a;
}

__global__ void nbody_soa(SoaView b, int n, gpu::view<float3> acc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = b.x[i], py = b.y[i], pz = b.z[i];
    float3 a{0.f, 0.f, 0.f};
#pragma unroll 4
    for (int j = 0; j < n; ++j) accumulate(a, b.x[j] - px, b.y[j] - py, b.z[j] - pz, b.m[j]);
    acc[i] = a;
}

template <int Tile>
__global__ __launch_bounds__(Tile) void nbody_tiled(const float4* __restrict__ pos, int n, gpu::view<float3> acc) {
    __shared__ float4 tile[Tile];
    int i = blockIdx.x * Tile + threadIdx.x;
    float4 p = i < n ? pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float3 a{0.f, 0.f, 0.f};
    for (int base = 0; base < n; base += Tile) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < Tile; ++k) {
            float4 q = tile[k];
            accumulate(a, q.x - p.x, q.y - p.y, q.z - p.z, q.w);
        }
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}

// ------------------------------------------------------------------ bounding box
__host__ __device__ inline unsigned flip(unsigned u) { return u & 0x80000000u ? ~u : u | 0x80000000u; }
__host__ inline float unflip(unsigned u) {
    u = u & 0x80000000u ? u & 0x7fffffffu : ~u;
    float f;
    static_assert(sizeof f == sizeof u);
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}

template <int Threads>
__global__ __launch_bounds__(Threads) void bounding_box(gpu::view<const float4> pos, unsigned* box) {
    float3 lo{1e30f, 1e30f, 1e30f}, hi{-1e30f, -1e30f, -1e30f};
    for (int i = blockIdx.x * Threads + threadIdx.x; i < pos.size(); i += gridDim.x * Threads) {
        float4 p = pos[i];
        lo = {fminf(lo.x, p.x), fminf(lo.y, p.y), fminf(lo.z, p.z)};
        hi = {fmaxf(hi.x, p.x), fmaxf(hi.y, p.y), fmaxf(hi.z, p.z)};
    }
    __shared__ float s[Threads / 32][6];
    float v[6] = {lo.x, lo.y, lo.z, -hi.x, -hi.y, -hi.z};
#pragma unroll
    for (int c = 0; c < 6; ++c)
#pragma unroll
        for (int o = 16; o > 0; o /= 2) v[c] = fminf(v[c], __shfl_down_sync(~0u, v[c], o));
    if (threadIdx.x % 32 == 0)
        for (int c = 0; c < 6; ++c) s[threadIdx.x / 32][c] = v[c];
    __syncthreads();
    if (threadIdx.x < 6) {
        float m = s[0][threadIdx.x];
        for (int w = 1; w < Threads / 32; ++w) m = fminf(m, s[w][threadIdx.x]);
        atomicMin(&box[threadIdx.x], flip(__float_as_uint(m)));
    }
}

// ------------------------------------------------------------------ counting sort into cells
__global__ void cell_histogram(gpu::view<const float4> pos, gpu::view<int> cell_of, gpu::view<int> count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    int c = Cells::of(pos[i]);
    cell_of[i] = c;
    atomicAdd(&count[c], 1);
}

// One block walks all cells in chunks of 1024, carrying the running total.
__global__ __launch_bounds__(1024) void cell_scan(gpu::view<const int> count, gpu::view<int> start, gpu::view<int> cursor) {
    __shared__ int warp_total[32];
    __shared__ int carry;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int base = 0; base < count.size(); base += 1024) {
        int i = base + threadIdx.x;
        int v = i < count.size() ? count[i] : 0;
        int inc = v;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            int t = __shfl_up_sync(~0u, inc, o);
            if (lane >= o) inc += t;
        }
        if (lane == 31) warp_total[warp] = inc;
        __syncthreads();
        if (warp == 0) {
            int t = warp_total[lane];
#pragma unroll
            for (int o = 1; o < 32; o *= 2) {
                int u = __shfl_up_sync(~0u, t, o);
                if (lane >= o) t += u;
            }
            warp_total[lane] = t;
        }
        __syncthreads();
        int excl = carry + inc - v + (warp > 0 ? warp_total[warp - 1] : 0);
        if (i < count.size()) {
            start[i] = excl;
            cursor[i] = excl;
        }
        __syncthreads();
        if (threadIdx.x == 1023) carry = excl + v;
        __syncthreads();
    }
    if (threadIdx.x == 0) start[count.size()] = carry;
}

__global__ void cell_scatter(gpu::view<const float4> pos, gpu::view<const float4> vel, gpu::view<const int> cell_of,
                             gpu::view<int> cursor, gpu::view<float4> pos_out, gpu::view<float4> vel_out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    int dst = atomicAdd(&cursor[cell_of[i]], 1);
    pos_out[dst] = pos[i];
    vel_out[dst] = vel[i];
}

// ------------------------------------------------------------------ neighbour loops
template <class F>
__host__ __device__ inline void for_each_neighbour(const int* __restrict__ start, const float4* __restrict__ pos, float4 p, F&& f) {
    int cx = Cells::coord(p.x), cy = Cells::coord(p.y), cz = Cells::coord(p.z);
    int x0 = cx > 0 ? cx - 1 : 0, x1 = cx < Cells::kDim - 1 ? cx + 1 : Cells::kDim - 1;
    for (int dz = -1; dz <= 1; ++dz) {
        int z = cz + dz;
        if (z < 0 || z >= Cells::kDim) continue;
        for (int dy = -1; dy <= 1; ++dy) {
            int y = cy + dy;
            if (y < 0 || y >= Cells::kDim) continue;
            // the cells along x are contiguous
            int end = start[Cells::index(x1, y, z) + 1];
            for (int j = start[Cells::index(x0, y, z)]; j < end; ++j) {
                float4 q = pos[j];
                float dx = q.x - p.x, dyy = q.y - p.y, dzz = q.z - p.z;
                float r2 = dx * dx + dyy * dyy + dzz * dzz;
                if (r2 < Sph::h * Sph::h) f(j, dx, dyy, dzz, r2);
            }
        }
    }
}

__host__ __device__ inline float density_at(const int* start, const float4* pos, float4 p) {
    float sum = 0.f;
    for_each_neighbour(start, pos, p, [&](int, float, float, float, float r2) {
        float d = Sph::h * Sph::h - r2;
        sum += d * d * d;
    });
    constexpr float h3 = Sph::h * Sph::h * Sph::h;
    return Sph::mass * 315.f / (64.f * 3.14159265f * h3 * h3 * h3) * sum;
}

__host__ __device__ inline int count_at(const int* start, const float4* pos, int self) {
    int n = 0;
    for_each_neighbour(start, pos, pos[self], [&](int j, float, float, float, float) { n += j != self; });
    return n;
}

__global__ void neighbour_count(const int* __restrict__ start, gpu::view<const float4> pos, gpu::view<int> out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pos.size()) out[i] = count_at(start, pos.first, i);
}

__global__ void sph_density(const int* __restrict__ start, gpu::view<const float4> pos, gpu::view<float> rho) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pos.size()) rho[i] = density_at(start, pos.first, pos[i]);
}

__global__ __launch_bounds__(128) void sph_force(const int* __restrict__ start, gpu::view<const float4> pos, gpu::view<const float4> vel,
                                                 gpu::view<const float> rho, gpu::view<float4> force) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    const float4 vi = vel[i];
    const float ri = rho[i];
    const float pi = Sph::stiffness * (ri - Sph::rest);
    constexpr float h6 = Sph::h * Sph::h * Sph::h * Sph::h * Sph::h * Sph::h;
    constexpr float spiky = 45.f / (3.14159265f * h6);
    float fx = 0.f, fy = 0.f, fz = 0.f;
    for_each_neighbour(start, pos.first, pos[i], [&](int j, float dx, float dy, float dz, float r2) {
        if (j == i) return;
        float r = sqrtf(r2 + 1e-12f);
        float rj = rho[j];
        float w = Sph::h - r;
        float pj = Sph::stiffness * (rj - Sph::rest);
        float pr = -Sph::mass * (pi + pj) / (2.f * rj) * spiky * w * w / r;
        float vs = Sph::viscosity * Sph::mass / rj * spiky * w;
        float4 vj = vel[j];
        fx += pr * dx + vs * (vj.x - vi.x);
        fy += pr * dy + vs * (vj.y - vi.y);
        fz += pr * dz + vs * (vj.z - vi.z);
    });
    force[i] = make_float4(fx, fy, fz, 0.f);
}

// ------------------------------------------------------------------ integration
__device__ inline void bounce(float& p, float& v) {
    if (p < 0.f) {
        p = -p;
        v = -0.5f * v;
    } else if (p > 1.f) {
        p = 2.f - p;
        v = -0.5f * v;
    }
}

__global__ void integrate_soa(gpu::view<float4> pos, gpu::view<float4> vel, gpu::view<const float4> force, gpu::view<const float> rho, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    float4 p = pos[i], v = vel[i], f = force[i];
    float s = dt / rho[i];
    v.x += f.x * s;
    v.y += f.y * s - 9.81f * dt;
    v.z += f.z * s;
    p.x += v.x * dt;
    p.y += v.y * dt;
    p.z += v.z * dt;
    bounce(p.x, v.x);
    bounce(p.y, v.y);
    bounce(p.z, v.z);
    pos[i] = p;
    vel[i] = v;
}

__global__ void integrate_aos(gpu::view<Body> bodies, gpu::view<const float3> acc, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies.size()) return;
    Body& b = bodies[i];
    float3 a = acc[i];
    b.vel.x += a.x * dt;
    b.vel.y += a.y * dt;
    b.vel.z += a.z * dt;
    b.pos.x += b.vel.x * dt;
    b.pos.y += b.vel.y * dt;
    b.pos.z += b.vel.z * dt;
}

template <int Threads>
__global__ __launch_bounds__(Threads) void kinetic_energy(gpu::view<const float4> vel, double* out) {
    double e = 0.0;
    for (int i = blockIdx.x * Threads + threadIdx.x; i < vel.size(); i += gridDim.x * Threads) {
        float4 v = vel[i];
        e += 0.5f * Sph::mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    }
    __shared__ double s[Threads];
    s[threadIdx.x] = e;
    __syncthreads();
    for (int o = Threads / 2; o > 0; o /= 2) {
        if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

// ------------------------------------------------------------------ particle <-> grid (cloud in cell, periodic)
struct Cic {
    int x0, y0, z0, x1, y1, z1;
    float fx, fy, fz;
    __device__ explicit Cic(float4 p) {
        float gx = p.x * kGrid, gy = p.y * kGrid, gz = p.z * kGrid;
        float bx = floorf(gx), by = floorf(gy), bz = floorf(gz);
        fx = gx - bx;
        fy = gy - by;
        fz = gz - bz;
        x0 = static_cast<int>(bx) & (kGrid - 1);
        y0 = static_cast<int>(by) & (kGrid - 1);
        z0 = static_cast<int>(bz) & (kGrid - 1);
        x1 = (x0 + 1) & (kGrid - 1);
        y1 = (y0 + 1) & (kGrid - 1);
        z1 = (z0 + 1) & (kGrid - 1);
    }
    __device__ static int node(int x, int y, int z) { return (z * kGrid + y) * kGrid + x; }
};

__global__ void particle_to_grid(gpu::view<const float4> pos, gpu::view<float> grid) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    float4 p = pos[i];
    Cic c(p);
    float m = p.w;
    float wx0 = 1.f - c.fx, wy0 = 1.f - c.fy, wz0 = 1.f - c.fz;
    atomicAdd(&grid[Cic::node(c.x0, c.y0, c.z0)], m * wx0 * wy0 * wz0);
    atomicAdd(&grid[Cic::node(c.x1, c.y0, c.z0)], m * c.fx * wy0 * wz0);
    atomicAdd(&grid[Cic::node(c.x0, c.y1, c.z0)], m * wx0 * c.fy * wz0);
    atomicAdd(&grid[Cic::node(c.x1, c.y1, c.z0)], m * c.fx * c.fy * wz0);
    atomicAdd(&grid[Cic::node(c.x0, c.y0, c.z1)], m * wx0 * wy0 * c.fz);
    atomicAdd(&grid[Cic::node(c.x1, c.y0, c.z1)], m * c.fx * wy0 * c.fz);
    atomicAdd(&grid[Cic::node(c.x0, c.y1, c.z1)], m * wx0 * c.fy * c.fz);
    atomicAdd(&grid[Cic::node(c.x1, c.y1, c.z1)], m * c.fx * c.fy * c.fz);
}

__global__ void grid_to_particle(gpu::view<const float4> pos, const float* __restrict__ grid, gpu::view<float> out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pos.size()) return;
    Cic c(pos[i]);
    auto lerp = [](float a, float b, float t) { return a + t * (b - a); };
    auto row = [&](int y, int z) { return lerp(__ldg(&grid[Cic::node(c.x0, y, z)]), __ldg(&grid[Cic::node(c.x1, y, z)]), c.fx); };
    float lo = lerp(row(c.y0, c.z0), row(c.y1, c.z0), c.fy);
    float hi = lerp(row(c.y0, c.z1), row(c.y1, c.z1), c.fy);
    out[i] = lerp(lo, hi, c.fz);
}

// Atomic-free deposit: each node gathers from the cells around it (particles sorted by cell).
__global__ void particle_to_grid_gather(const int* __restrict__ start, const float4* __restrict__ pos, float* __restrict__ grid) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= kGrid || y >= kGrid || z >= kGrid) return;
    constexpr int ratio = kGrid / Cells::kDim;
    // support of node x is [x - 1, x + 1) in grid units
    int cx0 = (x + kGrid - 1) % kGrid / ratio, cx1 = x / ratio;
    int cy0 = (y + kGrid - 1) % kGrid / ratio, cy1 = y / ratio;
    int cz0 = (z + kGrid - 1) % kGrid / ratio, cz1 = z / ratio;
    int nx = cx0 == cx1 ? 1 : 2, ny = cy0 == cy1 ? 1 : 2, nz = cz0 == cz1 ? 1 : 2;
    float sum = 0.f;
    for (int kz = 0; kz < nz; ++kz)
        for (int ky = 0; ky < ny; ++ky)
            for (int kx = 0; kx < nx; ++kx) {
                int c = Cells::index(kx ? cx1 : cx0, ky ? cy1 : cy0, kz ? cz1 : cz0);
                for (int j = start[c]; j < start[c + 1]; ++j) {
                    float4 p = pos[j];
                    float dx = fabsf(p.x * kGrid - x), dy = fabsf(p.y * kGrid - y), dz = fabsf(p.z * kGrid - z);
                    dx = fminf(dx, kGrid - dx);
                    dy = fminf(dy, kGrid - dy);
                    dz = fminf(dz, kGrid - dz);
                    if (dx < 1.f && dy < 1.f && dz < 1.f) sum += p.w * (1.f - dx) * (1.f - dy) * (1.f - dz);
                }
            }
    grid[Cic::node(x, y, z)] = sum;
}

// ------------------------------------------------------------------ driver
class Report {
    int bad_ = 0;

public:
    void operator()(std::string_view what, double err, double tol) {
        bool good = err <= tol;
        bad_ += !good;
        std::cout << std::left << std::setw(28) << what << std::scientific << std::setprecision(3) << err << (good ? "  ok\n" : "  FAIL\n");
    }
    int bad() const { return bad_; }
};

static float unit_hash(uint32_t i) {
    i ^= i >> 17;
    i *= 0xed5ad4bbu;
    i ^= i >> 11;
    i *= 0xac4c1b51u;
    i ^= i >> 15;
    return static_cast<float>(i >> 8) / 16777216.f;
}

int main() {
    try {
        Report report;
        const auto blocks = [](int n, int t) { return (n + t - 1) / t; };

        // ---------------- direct n-body
        constexpr int nb = 16384;
        std::vector<Body> bodies(nb);
        std::vector<float> bx(nb), by(nb), bz(nb), bm(nb);
        std::vector<float4> bp(nb);
        for (int i = 0; i < nb; ++i) {
            bx[i] = unit_hash(3 * i);
            by[i] = unit_hash(3 * i + 1);
            bz[i] = unit_hash(3 * i + 2);
            bm[i] = (1.f + i % 4) / nb;
            bodies[i] = Body{float3{bx[i], by[i], bz[i]}, bm[i], float3{0.f, 0.01f, 0.f}, 0.f};
            bp[i] = make_float4(bx[i], by[i], bz[i], bm[i]);
        }
        gpu::vector<Body> d_bodies(bodies);
        gpu::vector<float> d_bx(bx), d_by(by), d_bz(bz), d_bm(bm);
        gpu::vector<float4> d_bp(bp);
        gpu::vector<float3> d_acc(nb);
        const auto check_nbody = [&](std::string_view name) {
            auto a = d_acc.copy();
            double worst = 0;
            for (int i = 0; i < nb; i += 509) {
                std::array<double, 3> s{};
                for (int j = 0; j < nb; ++j) {
                    double dx = bx[j] - bx[i], dy = by[j] - by[i], dz = bz[j] - bz[i];
                    double r2 = dx * dx + dy * dy + dz * dz + kSoft2, w = bm[j] / (r2 * std::sqrt(r2));
                    s[0] += w * dx;
                    s[1] += w * dy;
                    s[2] += w * dz;
                }
                worst = std::max({worst, std::abs(s[0] - a[i].x), std::abs(s[1] - a[i].y), std::abs(s[2] - a[i].z)});
            }
            report(name, worst, 1e-2);
        };
        nbody_aos<<<blocks(nb, 128), 128>>>(d_bodies, d_acc);
        check_nbody("n-body aos");
        nbody_soa<<<blocks(nb, 128), 128>>>(SoaView{d_bx.data(), d_by.data(), d_bz.data(), d_bm.data()}, nb, d_acc);
        check_nbody("n-body soa");
        nbody_tiled<128><<<blocks(nb, 128), 128>>>(d_bp.data(), nb, d_acc);
        check_nbody("n-body tiled");
        integrate_aos<<<blocks(nb, 256), 256>>>(d_bodies, d_acc, 1e-3f);
        {
            auto a = d_acc.copy();
            auto b = d_bodies.copy();
            double worst = 0;
            for (int i = 0; i < nb; ++i) worst = std::max(worst, std::abs(double(b[i].pos.y) - (by[i] + 1e-3 * (0.01 + 1e-3 * a[i].y))));
            report("integrate aos", worst, 1e-4);
        }

        // ---------------- fluid particles: jittered lattice in shuffled order
        constexpr int n = 64 * 64 * 64;
        std::vector<float4> pos(n), vel(n);
        for (int k = 0; k < n; ++k) {
            int i = static_cast<int>((static_cast<uint32_t>(k) * 92821u + 17u) & (n - 1));
            int x = i & 63, y = (i >> 6) & 63, z = i >> 12;
            pos[k] = make_float4((x + 0.1f + 0.8f * unit_hash(4 * i)) / 64.f, (y + 0.1f + 0.8f * unit_hash(4 * i + 1)) / 64.f,
                                 (z + 0.1f + 0.8f * unit_hash(4 * i + 2)) / 64.f, Sph::mass);
            vel[k] = make_float4(std::sin(0.1f * x), 0.2f * unit_hash(4 * i + 3), std::cos(0.1f * z), 0.f);
        }
        gpu::vector<float4> d_pos(pos), d_vel(vel), d_spos(n), d_svel(n), d_force(n);
        gpu::vector<int> d_cell(n), d_count(Cells::kCount), d_start(Cells::kCount + 1), d_cursor(Cells::kCount), d_nc(n);
        gpu::vector<float> d_rho(n), d_grid(kNodes), d_interp(n);
        gpu::vector<unsigned> d_box(std::vector<unsigned>(6, 0xffffffffu));
        d_count.zero();

        bounding_box<256><<<132 * 2, 256>>>(d_pos, d_box.data());
        {
            auto b = d_box.copy();
            float lo = 1e30f, hi = -1e30f;
            for (auto& p : pos) {
                lo = std::min(lo, p.x);
                hi = std::max(hi, p.z);
            }
            report("bounding box", std::abs(unflip(b[0]) - lo) + std::abs(-unflip(b[5]) - hi), 0.0);
        }
        cell_histogram<<<blocks(n, 256), 256>>>(d_pos, d_cell, d_count);
        cell_scan<<<1, 1024>>>(d_count, d_start, d_cursor);
        cell_scatter<<<blocks(n, 256), 256>>>(d_pos, d_vel, d_cell, d_cursor, d_spos, d_svel);
        const auto start = d_start.copy();
        const auto spos = d_spos.copy();
        const auto svel = d_svel.copy();
        {
            int wrong = start[Cells::kCount] != n;
            for (int c = 0; c < Cells::kCount; ++c)
                for (int j = start[c]; j < start[c + 1]; ++j) wrong += Cells::of(spos[j]) != c;
            report("counting sort", wrong, 0);
        }
        neighbour_count<<<blocks(n, 128), 128>>>(d_start.data(), d_spos, d_nc);
        sph_density<<<blocks(n, 128), 128>>>(d_start.data(), d_spos, d_rho);
        sph_force<<<blocks(n, 128), 128>>>(d_start.data(), d_spos, d_svel, d_rho, d_force);
        {
            auto nc = d_nc.copy();
            auto rho = d_rho.copy();
            int off = 0;
            double worst = 0;
            for (int i = 0; i < n; i += 97) {
                off += std::abs(count_at(start.data(), spos.data(), i) - nc[i]) > 1;
                worst = std::max(worst, double(std::abs(density_at(start.data(), spos.data(), spos[i]) / rho[i] - 1.f)));
            }
            report("neighbour count", off, 0);
            report("sph density", worst, 1e-3);
            double total = 0, scale = 0;
            for (auto& f : d_force.copy()) {
                total += f.x;
                scale += std::abs(f.x);
            }
            report("sph force finite", std::isfinite(total) && scale > 0 ? 0 : 1, 0);
        }

        // ---------------- grid transfer
        const auto check_grid = [&](std::string_view name) {
            double total = 0;
            for (float g : d_grid.copy()) total += g;
            report(name, std::abs(total - 1.0), 1e-4);
        };
        d_grid.zero();
        particle_to_grid<<<blocks(n, 256), 256>>>(d_pos, d_grid);
        check_grid("p2g atomics, shuffled");
        const auto ref_grid = d_grid.copy();
        d_grid.zero();
        particle_to_grid<<<blocks(n, 256), 256>>>(d_spos, d_grid);
        check_grid("p2g atomics, sorted");
        particle_to_grid_gather<<<dim3(kGrid / 8, kGrid / 8, kGrid / 4), dim3(8, 8, 4)>>>(d_start.data(), d_spos.data(), d_grid.data());
        check_grid("p2g gather");
        {
            auto g = d_grid.copy();
            double worst = 0;
            for (int k = 0; k < kNodes; ++k) worst = std::max(worst, double(std::abs(g[k] - ref_grid[k])));
            report("p2g agreement", worst, 1e-8);
        }
        grid_to_particle<<<blocks(n, 256), 256>>>(d_spos, d_grid.data(), d_interp);
        {
            double lo = 1e30, hi = -1e30;
            for (float v : d_interp.copy()) {
                lo = std::min(lo, double(v));
                hi = std::max(hi, double(v));
            }
            report("g2p range", lo >= 0 && hi < 1e-4 ? 0 : 1, 0);
        }

        // ---------------- time step and energy
        integrate_soa<<<blocks(n, 256), 256>>>(d_spos, d_svel, d_force, d_rho, 1e-4f);
        gpu::vector<double> d_energy(1);
        d_energy.zero();
        kinetic_energy<256><<<132 * 2, 256>>>(d_svel, d_energy.data());
        {
            double want = 0;
            for (auto& v : d_svel.copy()) want += 0.5 * Sph::mass * (v.x * v.x + v.y * v.y + v.z * v.z);
            report("kinetic energy", std::abs(d_energy.copy()[0] / want - 1.0), 1e-4);
        }
        gpu::ok(cudaDeviceSynchronize());
        std::cout << (report.bad() ? "FAIL" : "PASS") << '\n';
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    return 0;
}
