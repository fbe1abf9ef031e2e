// bounce! - my toy physics engine. particles, a cloth, gravity between planets and a grid.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>

#define OOPS(x) { cudaError_t err = (x); if (err != cudaSuccess) { printf("oops: %s (line %d)\n", cudaGetErrorString(err), __LINE__); exit(1); } }

struct Ball { float px, py, pz, vx, vy, vz, radius, mass; };
struct World { float lo, hi, gravity, dt, bounce; };

__host__ __device__ inline float hash01(unsigned x) { x = (x ^ 61) ^ (x >> 16); x *= 9; x ^= x >> 4; x *= 0x27d4eb2d; x ^= x >> 15; return x * 2.3283064e-10f; }

__global__ void spawn(Ball* b, int n, World w)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        Ball q;
        q.px = w.lo + (w.hi - w.lo) * hash01(3 * i);
        q.py = w.lo + (w.hi - w.lo) * hash01(3 * i + 1);
        q.pz = w.lo + (w.hi - w.lo) * hash01(3 * i + 2);
        q.vx = hash01(i + 1000000) - 0.5f; q.vy = 0; q.vz = hash01(i + 2000000) - 0.5f;
        q.radius = 0.05f; q.mass = 1 + (i & 3);
        b[i] = q;
    }
}

__host__ __device__ inline void wall(float& p, float& v, const World& w)
{
    if (p < w.lo) { p = 2 * w.lo - p; v = -v * w.bounce; }
    if (p > w.hi) { p = 2 * w.hi - p; v = -v * w.bounce; }
}

// version A: array of structs
__global__ void moveAoS(Ball* b, int n, World w)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    b[i].vy += w.gravity * w.dt;
    b[i].px += b[i].vx * w.dt; b[i].py += b[i].vy * w.dt; b[i].pz += b[i].vz * w.dt;
    wall(b[i].px, b[i].vx, w); wall(b[i].py, b[i].vy, w); wall(b[i].pz, b[i].vz, w);
}
// split to float4 arrays
__global__ void split(const Ball* b, float4* pos, float4* vel, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    pos[i] = make_float4(b[i].px, b[i].py, b[i].pz, b[i].mass);
    vel[i] = make_float4(b[i].vx, b[i].vy, b[i].vz, b[i].radius);
}
// version B: float4 arrays
__global__ void moveSoA(float4* pos, float4* vel, int n, World w)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i];
    v.y += w.gravity * w.dt;
    p.x += v.x * w.dt; p.y += v.y * w.dt; p.z += v.z * w.dt;
    wall(p.x, v.x, w); wall(p.y, v.y, w); wall(p.z, v.z, w);
    pos[i] = p; vel[i] = v;
}

// ---- uniform grid with linked lists (cell size 1, 32^3 cells)
#define G 32
__device__ inline int cellOf(float4 p, float lo) {
    int x = min(max((int)floorf(p.x - lo), 0), G - 1), y = min(max((int)floorf(p.y - lo), 0), G - 1), z = min(max((int)floorf(p.z - lo), 0), G - 1);
    return (z * G + y) * G + x;
}
__global__ void buildGrid(const float4* pos, int* head, int* next, int n, float lo)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) next[i] = atomicExch(&head[cellOf(pos[i], lo)], i);
}
__global__ void collide(const float4* pos, const float4* vel, const int* head, const int* next, float4* force, int n, float lo, float radius)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float4 p = pos[i];
    int c = cellOf(p, lo), cx = c % G, cy = c / G % G, cz = c / (G * G);
    float fx = 0, fy = 0, fz = 0; int touching = 0;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, G - 1); z++)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, G - 1); y++)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, G - 1); x++)
                for (int j = head[(z * G + y) * G + x]; j >= 0; j = next[j]) {
                    if (j == i) continue;
                    float4 q = pos[j];
                    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, d2 = dx * dx + dy * dy + dz * dz;
                    if (d2 < radius * radius && d2 > 1e-12f) {
                        float d = sqrtf(d2), k = 50.f * (radius - d) / d;
                        fx += k * dx; fy += k * dy; fz += k * dz;
                        touching++;
                    }
                }
    force[i] = make_float4(fx, fy, fz, (float)touching);
}

// ---- gravity, all pairs. three ways
#define SOFT 0.01f
__device__ inline void pull(float4 a, float4 b, float3& f)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float r2 = dx * dx + dy * dy + dz * dz + SOFT, inv = rsqrtf(r2), s = b.w * inv * inv * inv;
    f.x += s * dx; f.y += s * dy; f.z += s * dz;
}
__global__ void gravityAoS(const Ball* b, float4* acc, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = b[j].px - b[i].px, dy = b[j].py - b[i].py, dz = b[j].pz - b[i].pz;
        float r = sqrtf(dx * dx + dy * dy + dz * dz + SOFT), s = b[j].mass / (r * r * r);
        ax += s * dx; ay += s * dy; az += s * dz;
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
__global__ void gravityPlain(const float4* pos, float4* acc, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float3 f = {0, 0, 0};
    float4 me = pos[i];
    for (int j = 0; j < n; j++) pull(me, pos[j], f);
    acc[i] = make_float4(f.x, f.y, f.z, 0);
}
__global__ void gravityTile(const float4* pos, float4* acc, int n)
{
    extern __shared__ float4 tile[];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float3 f = {0, 0, 0};
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    for (int base = 0; base < n; base += blockDim.x) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; k++) pull(me, tile[k], f);
        __syncthreads();
    }
    if (i < n) acc[i] = make_float4(f.x, f.y, f.z, 0);
}

// ---- cloth: position-based, W x H nodes, jacobi style relaxation
__global__ void clothRelax(const float3* in, float3* out, int w, int h, float rest)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float3 p = in[y * w + x];
    if (y == 0) { out[y * w + x] = p; return; }   // pinned
    float3 c = {0, 0, 0};
    const int ox[8] = {1, -1, 0, 0, 1, -1, 1, -1}, oy[8] = {0, 0, 1, -1, 1, 1, -1, -1};
    for (int k = 0; k < 8; k++) {
        int u = x + ox[k], v = y + oy[k];
        if (u < 0 || v < 0 || u >= w || v >= h) continue;
        float3 q = in[v * w + u];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, L = k < 4 ? rest : rest * 1.41421356f;
        float d = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-9f, s = 0.1f * (d - L) / d;
        c.x += s * dx; c.y += s * dy; c.z += s * dz;
    }
    out[y * w + x] = make_float3(p.x + c.x, p.y + c.y, p.z + c.z);
}

// kinetic energy, in double so that I can trust it
__global__ void energy(const float4* pos, const float4* vel, int n, double* e)
{
    __shared__ double s[256];
    double a = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        float4 v = vel[i];
        a += 0.5 * pos[i].w * (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z);
    }
    s[threadIdx.x] = a;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
    if (threadIdx.x == 0) atomicAdd(e, s[0]);
}

bool allGood = true;
void test(const char* what, bool good) { printf("%-20s %s\n", what, good ? "yes" : "NO!"); allGood = allGood && good; }

int main()
{
    const int n = 700000, planets = 6000;
    World w = {-16, 16, -9.81f, 0.01f, 0.8f};
    Ball *balls, *before = new Ball[n];
    float4 *pos, *vel, *force; int *head, *next; double* e;
    OOPS(cudaMalloc(&balls, n * sizeof(Ball)));
    OOPS(cudaMalloc(&pos, n * sizeof(float4))); OOPS(cudaMalloc(&vel, n * sizeof(float4))); OOPS(cudaMalloc(&force, n * sizeof(float4)));
    OOPS(cudaMalloc(&head, G * G * G * sizeof(int))); OOPS(cudaMalloc(&next, n * sizeof(int)));
    OOPS(cudaMallocManaged(&e, sizeof(double)));
    int block = 256, grid = (n + block - 1) / block;

    spawn<<<grid, block>>>(balls, n, w);
    OOPS(cudaMemcpy(before, balls, n * sizeof(Ball), cudaMemcpyDeviceToHost));
    split<<<grid, block>>>(balls, pos, vel, n);
    moveAoS<<<grid, block>>>(balls, n, w);
    moveSoA<<<(n + 127) / 128, 128>>>(pos, vel, n, w);
    OOPS(cudaGetLastError());
    std::vector<Ball> after(n); std::vector<float4> hp(n), hv(n), hf(n);
    OOPS(cudaMemcpy(after.data(), balls, n * sizeof(Ball), cudaMemcpyDeviceToHost));
    OOPS(cudaMemcpy(hp.data(), pos, n * 16, cudaMemcpyDeviceToHost));
    OOPS(cudaMemcpy(hv.data(), vel, n * 16, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < n; i += 19) {
        Ball q = before[i];
        q.vy += w.gravity * w.dt; q.px += q.vx * w.dt; q.py += q.vy * w.dt; q.pz += q.vz * w.dt;
        wall(q.px, q.vx, w); wall(q.py, q.vy, w); wall(q.pz, q.vz, w);
        good &= fabsf(q.px - after[i].px) + fabsf(q.py - after[i].py) + fabsf(q.pz - after[i].pz) < 1e-4f;
        good &= fabsf(hp[i].x - after[i].px) + fabsf(hp[i].y - after[i].py) + fabsf(hp[i].z - after[i].pz) < 1e-4f;
    }
    test("moving", good);

    *e = 0;
    energy<<<200, 256>>>(pos, vel, n, e);
    OOPS(cudaDeviceSynchronize());
    double ref = 0;
    for (int i = 0; i < n; i++) ref += 0.5 * hp[i].w * (double(hv[i].x) * hv[i].x + double(hv[i].y) * hv[i].y + double(hv[i].z) * hv[i].z);
    test("energy", fabs(*e - ref) < 1e-9 * ref);

    OOPS(cudaMemset(head, 0xff, G * G * G * sizeof(int)));
    const int active = 100000;        // only these take part in collisions
    buildGrid<<<(active + 255) / 256, 256>>>(pos, head, next, active, w.lo);
    collide<<<(active + 127) / 128, 128>>>(pos, vel, head, next, force, active, w.lo, 0.4f);
    OOPS(cudaGetLastError());
    OOPS(cudaMemcpy(hf.data(), force, active * 16, cudaMemcpyDeviceToHost));
    good = true;
    for (int i = 0; i < active; i += 2503) {
        double fx = 0, mag = 0; int t = 0, edge = 0;
        for (int j = 0; j < active; j++) {
            float dx = hp[i].x - hp[j].x, dy = hp[i].y - hp[j].y, dz = hp[i].z - hp[j].z, d2 = dx * dx + dy * dy + dz * dz;
            if (fabsf(d2 - 0.16f) < 1e-5f) edge++;
            if (j == i || d2 >= 0.16f || d2 <= 1e-12f) continue;
            float d = sqrtf(d2), k = 50.f * (0.4f - d) / d;
            fx += k * dx; mag += fabs(k * dx); t++;
        }
        good &= abs(t - (int)hf[i].w) <= edge && fabs(fx - hf[i].x) < 1e-3 * mag + 1e-2;
    }
    test("collisions", good);

    std::vector<float4> a(planets);
    for (int v = 0; v < 4; v++) {
        OOPS(cudaMemset(force, 0, planets * 16));
        if (v == 0) gravityAoS<<<(planets + 127) / 128, 128>>>(balls, force, planets);
        if (v == 1) gravityPlain<<<(planets + 127) / 128, 128>>>(pos, force, planets);
        if (v == 2) gravityTile<<<(planets + 127) / 128, 128, 128 * sizeof(float4)>>>(pos, force, planets);
        if (v == 3) gravityTile<<<(planets + 31) / 32, 32, 32 * sizeof(float4)>>>(pos, force, planets);
        OOPS(cudaGetLastError());
        OOPS(cudaMemcpy(a.data(), force, planets * 16, cudaMemcpyDeviceToHost));
        good = true;
        for (int i = 0; i < planets; i += 151) {
            double f[3] = {0, 0, 0}, m = 0;
            for (int j = 0; j < planets; j++) {
                double d[3] = {(double)hp[j].x - hp[i].x, (double)hp[j].y - hp[i].y, (double)hp[j].z - hp[i].z}, r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFT), s = hp[j].w / (r * r * r);
                for (int k = 0; k < 3; k++) { f[k] += s * d[k]; m += fabs(s * d[k]); }
            }
            good &= fabs(f[0] - a[i].x) + fabs(f[1] - a[i].y) + fabs(f[2] - a[i].z) < 1e-3 * m;
        }
        const char* nm[] = {"gravity AoS", "gravity float4", "gravity tile 128", "gravity tile 32"};
        test(nm[v], good);
    }

    const int cw = 900, ch = 700; const float rest = 0.01f;
    std::vector<float3> c0(cw * ch), c1(cw * ch);
    for (int i = 0; i < cw * ch; i++) c0[i] = make_float3(i % cw * rest * 1.1f, -(i / cw) * rest, 0.002f * hash01(i));
    float3 *ca, *cb;
    OOPS(cudaMalloc(&ca, cw * ch * sizeof(float3))); OOPS(cudaMalloc(&cb, cw * ch * sizeof(float3)));
    OOPS(cudaMemcpy(ca, c0.data(), cw * ch * sizeof(float3), cudaMemcpyHostToDevice));
    dim3 shapes[2] = {dim3(16, 16), dim3(64, 2)};
    for (dim3 b : shapes) {
        clothRelax<<<dim3((cw + b.x - 1) / b.x, (ch + b.y - 1) / b.y), b>>>(ca, cb, cw, ch, rest);
        std::swap(ca, cb);
    }
    OOPS(cudaGetLastError());
    OOPS(cudaMemcpy(c1.data(), ca, cw * ch * sizeof(float3), cudaMemcpyDeviceToHost));
    auto stretch = [&](const std::vector<float3>& c) { double s = 0; for (int y = 1; y < ch; y += 3) for (int x = 1; x < cw; x++) { float3 p = c[y * cw + x], q = c[y * cw + x - 1]; s += fabs(sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z)) - rest); } return s; };
    double s0 = stretch(c0), s1 = stretch(c1);
    printf("cloth stretch %.3f -> %.3f\n", s0, s1);
    test("cloth", s1 == s1 && s1 > 0 && s1 < 1.1 * s0 && c1[5].y == c0[5].y);
    puts(allGood ? "PASS" : "FAIL");
    delete[] before;
    return !allGood;
}
