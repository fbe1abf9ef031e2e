// Simulation samples: n-body, 3D stencil (FDTD like), fluid advection, particles on a grid, Mandelbrot.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <numeric>
#include <cuda_runtime.h>

static void checkCuda(cudaError_t e, int line) {
    if (e != cudaSuccess) { std::printf("line %d: %s\n", line, cudaGetErrorString(e)); std::exit(1); }
}
#define CU(x) checkCuda((x), __LINE__)
static int divUp(int a, int b) { return (a + b - 1) / b; }

// ------------------------------------------------------------------ n-body
#define SOFTENING2 0.00125f
__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING2;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void integrateBodies(float4 *__restrict__ newPos, const float4 *__restrict__ oldPos, float4 *vel,
                                unsigned numBodies, float dt, float damping, int numTiles) {
    extern __shared__ float4 sharedPos[];
    unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    float4 position = oldPos[index];
    float3 acc = {0.f, 0.f, 0.f};
    for (int tile = 0; tile < numTiles; tile++) {
        sharedPos[threadIdx.x] = oldPos[tile * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 32
        for (unsigned c = 0; c < blockDim.x; c++) acc = bodyBodyInteraction(acc, position, sharedPos[c]);
        __syncthreads();
    }
    float4 v = vel[index];
    v.x = (v.x + acc.x * dt) * damping;
    v.y = (v.y + acc.y * dt) * damping;
    v.z = (v.z + acc.z * dt) * damping;
    position.x += v.x * dt;
    position.y += v.y * dt;
    position.z += v.z * dt;
    newPos[index] = position;
    vel[index] = v;
}

// ------------------------------------------------------------------ 3D stencil marching in z
constexpr int RADIUS = 4;
constexpr int BX = 32, BY = 16;
__constant__ float stencil[RADIUS + 1];

// volume has a halo of RADIUS cells on every side
__global__ void __launch_bounds__(BX * BY) FiniteDifferences3D(float *output, const float *input, int dimx, int dimy, int dimz) {
    __shared__ float tile[BY + 2 * RADIUS][BX + 2 * RADIUS];
    const int gtidx = blockIdx.x * BX + threadIdx.x;
    const int gtidy = blockIdx.y * BY + threadIdx.y;
    const int ltidx = threadIdx.x, ltidy = threadIdx.y;
    const int stride_y = dimx + 2 * RADIUS;
    const int stride_z = stride_y * (dimy + 2 * RADIUS);
    int inputIndex = (gtidy + RADIUS) * stride_y + gtidx + RADIUS;
    int outputIndex = inputIndex + RADIUS * stride_z;
    float infront[RADIUS], behind[RADIUS], current;
    const int tx = ltidx + RADIUS, ty = ltidy + RADIUS;
    for (int i = RADIUS - 2; i >= 0; i--) {
        behind[i] = input[inputIndex];
        inputIndex += stride_z;
    }
    behind[RADIUS - 1] = 0.f;
    // after this shift loop: behind[0..R-1] nearest first
    current = input[inputIndex];
    inputIndex += stride_z;
    for (int i = 0; i < RADIUS; i++) {
        infront[i] = input[inputIndex];
        inputIndex += stride_z;
    }
    for (int iz = 0; iz < dimz; iz++) {
        for (int i = RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = infront[0];
#pragma unroll
        for (int i = 0; i < RADIUS - 1; i++) infront[i] = infront[i + 1];
        infront[RADIUS - 1] = input[inputIndex];
        __syncthreads();
        if (ltidy < RADIUS) {
            tile[ltidy][tx] = input[outputIndex - RADIUS * stride_y];
            tile[ltidy + BY + RADIUS][tx] = input[outputIndex + BY * stride_y];
        }
        if (ltidx < RADIUS) {
            tile[ty][ltidx] = input[outputIndex - RADIUS];
            tile[ty][ltidx + BX + RADIUS] = input[outputIndex + BX];
        }
        tile[ty][tx] = current;
        __syncthreads();
        float value = stencil[0] * current;
#pragma unroll
        for (int i = 1; i <= RADIUS; i++)
            value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
        output[outputIndex] = value;
        outputIndex += stride_z;
        if (iz + 1 < dimz) inputIndex += stride_z;
    }
}

// ------------------------------------------------------------------ semi-lagrangian advection
__device__ float2 bilerp(const float2 *f, float x, float y, int w, int h) {
    x = fminf(fmaxf(x, 0.f), w - 1.001f);
    y = fminf(fmaxf(y, 0.f), h - 1.001f);
    int i = (int)x, j = (int)y;
    float fx = x - i, fy = y - j;
    float2 a = f[j * w + i], b = f[j * w + i + 1], c = f[(j + 1) * w + i], d = f[(j + 1) * w + i + 1];
    return make_float2((1 - fy) * ((1 - fx) * a.x + fx * b.x) + fy * ((1 - fx) * c.x + fx * d.x),
                       (1 - fy) * ((1 - fx) * a.y + fx * b.y) + fy * ((1 - fx) * c.y + fx * d.y));
}

__global__ void advectVelocity(float2 *out, const float2 *vel, int w, int h, float dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float2 v = vel[y * w + x];
    out[y * w + x] = bilerp(vel, x - dt * v.x * w, y - dt * v.y * h, w, h);
}

// ------------------------------------------------------------------ particles on a uniform grid
struct GridParams { int nx, ny, nz; float cell; };

__device__ int3 calcGridPos(float4 p, GridParams g) {
    return make_int3(min(max((int)floorf(p.x / g.cell), 0), g.nx - 1), min(max((int)floorf(p.y / g.cell), 0), g.ny - 1),
                     min(max((int)floorf(p.z / g.cell), 0), g.nz - 1));
}

__global__ void calcHashD(unsigned *gridHash, const float4 *pos, GridParams g, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int3 c = calcGridPos(pos[i], g);
    gridHash[i] = (c.z * g.ny + c.y) * g.nx + c.x;
}

// hashes sorted; find begin/end of every cell and gather sorted positions
__global__ void reorderDataAndFindCellStartD(unsigned *cellStart, unsigned *cellEnd, float4 *sortedPos,
                                             const unsigned *hash, const unsigned *index, const float4 *oldPos, unsigned n) {
    extern __shared__ unsigned sharedHash[];  // blockSize + 1
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 0;
    if (i < n) {
        h = hash[i];
        sharedHash[threadIdx.x + 1] = h;
        if (i > 0 && threadIdx.x == 0) sharedHash[0] = hash[i - 1];
    }
    __syncthreads();
    if (i < n) {
        if (i == 0 || h != sharedHash[threadIdx.x]) {
            cellStart[h] = i;
            if (i > 0) cellEnd[sharedHash[threadIdx.x]] = i;
        }
        if (i == n - 1) cellEnd[h] = i + 1;
        sortedPos[i] = oldPos[index[i]];
    }
}

__global__ void collideD(float4 *force, const float4 *sortedPos, const unsigned *cellStart, const unsigned *cellEnd,
                         GridParams g, unsigned n, float radius) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = sortedPos[i];
    int3 c = calcGridPos(p, g);
    float3 f = make_float3(0, 0, 0);
    int neigh = 0;
    for (int z = max(c.z - 1, 0); z <= min(c.z + 1, g.nz - 1); z++)
        for (int y = max(c.y - 1, 0); y <= min(c.y + 1, g.ny - 1); y++)
            for (int x = max(c.x - 1, 0); x <= min(c.x + 1, g.nx - 1); x++) {
                unsigned h = (z * g.ny + y) * g.nx + x;
                unsigned s = cellStart[h];
                if (s == 0xffffffffu) continue;
                unsigned e = cellEnd[h];
                for (unsigned j = s; j < e; j++) {
                    if (j == i) continue;
                    float4 q = sortedPos[j];
                    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
                    float dist = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f;
                    if (dist < 2 * radius) {
                        float k = -0.5f * (2 * radius - dist) / dist;
                        f.x += k * dx;
                        f.y += k * dy;
                        f.z += k * dz;
                        neigh++;
                    }
                }
            }
    force[i] = make_float4(f.x, f.y, f.z, (float)neigh);
}

// ------------------------------------------------------------------ mandelbrot
template <class T>
__global__ void mandelbrot(uchar4 *dst, int w, int h, int crunch, T xOff, T yOff, T scale) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= w || iy >= h) return;
    T cx = (T)ix * scale + xOff, cy = (T)iy * scale + yOff;
    T x = cx, y = cy, xx = x * x, yy = y * y;
    int i = crunch;
    while (--i && xx + yy < T(4.0)) {
        y = x * y * T(2.0) + cy;
        x = xx - yy + cx;
        yy = y * y;
        xx = x * x;
    }
    dst[iy * w + ix] = i > 0 ? make_uchar4(i * 3, i * 5, i * 7, 0) : make_uchar4(0, 0, 0, 0);
}

int main() {
    srand(31);
    auto frand = [] { return rand() / (float)RAND_MAX; };
    // bodies
    const int NB = 16384;
    std::vector<float4> hp(NB), hv(NB, make_float4(0, 0, 0, 0));
    for (auto &p : hp) p = make_float4(frand() - .5f, frand() - .5f, frand() - .5f, 1.0f / NB);
    float4 *pos, *npos, *vel;
    CU(cudaMalloc(&pos, NB * sizeof(float4)));
    CU(cudaMalloc(&npos, NB * sizeof(float4)));
    CU(cudaMalloc(&vel, NB * sizeof(float4)));
    CU(cudaMemcpy(pos, hp.data(), NB * sizeof(float4), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(vel, hv.data(), NB * sizeof(float4), cudaMemcpyHostToDevice));
    // volume
    const int DX = 320, DY = 320, DZ = 128;
    const size_t VOL = (size_t)(DX + 2 * RADIUS) * (DY + 2 * RADIUS) * (DZ + 2 * RADIUS);
    std::vector<float> vol(VOL);
    for (auto &x : vol) x = frand();
    float *vin, *vout;
    CU(cudaMalloc(&vin, VOL * sizeof(float)));
    CU(cudaMalloc(&vout, VOL * sizeof(float)));
    CU(cudaMemcpy(vin, vol.data(), VOL * sizeof(float), cudaMemcpyHostToDevice));
    CU(cudaMemset(vout, 0, VOL * sizeof(float)));
    float hc[RADIUS + 1] = {0.3f, 0.1f, 0.05f, 0.02f, 0.01f};
    CU(cudaMemcpyToSymbol(stencil, hc, sizeof(hc)));
    // fluid
    const int FW = 2048, FH = 1024;
    std::vector<float2> fl(FW * FH);
    for (int j = 0; j < FH; j++)
        for (int i = 0; i < FW; i++) fl[j * FW + i] = make_float2(sinf(j * 0.02f), cosf(i * 0.015f) * 0.5f);
    float2 *fv, *fo;
    CU(cudaMalloc(&fv, fl.size() * sizeof(float2)));
    CU(cudaMalloc(&fo, fl.size() * sizeof(float2)));
    CU(cudaMemcpy(fv, fl.data(), fl.size() * sizeof(float2), cudaMemcpyHostToDevice));
    // particles
    const unsigned NP = 1 << 18;
    GridParams g = {64, 64, 64, 1.0f / 64};
    const int cells = g.nx * g.ny * g.nz;
    std::vector<float4> pp(NP);
    for (auto &p : pp) p = make_float4(frand(), frand() * 0.5f, frand(), 1.f);
    float4 *ppos, *psorted, *force;
    unsigned *hash, *index, *cstart, *cend;
    CU(cudaMalloc(&ppos, NP * sizeof(float4)));
    CU(cudaMalloc(&psorted, NP * sizeof(float4)));
    CU(cudaMalloc(&force, NP * sizeof(float4)));
    CU(cudaMalloc(&hash, NP * 4));
    CU(cudaMalloc(&index, NP * 4));
    CU(cudaMalloc(&cstart, cells * 4));
    CU(cudaMalloc(&cend, cells * 4));
    CU(cudaMemcpy(ppos, pp.data(), NP * sizeof(float4), cudaMemcpyHostToDevice));
    CU(cudaMemset(cstart, 0xff, cells * 4));
    CU(cudaMemset(cend, 0, cells * 4));
    // image
    const int MW = 1600, MH = 1200;
    uchar4 *img;
    CU(cudaMalloc(&img, MW * MH * sizeof(uchar4)));

    integrateBodies<<<NB / 128, 128, 128 * sizeof(float4)>>>(npos, pos, vel, NB, 0.016f, 1.0f, NB / 128);
    FiniteDifferences3D<<<dim3(DX / BX, DY / BY), dim3(BX, BY)>>>(vout, vin, DX, DY, DZ);
    advectVelocity<<<dim3(divUp(FW, 32), divUp(FH, 8)), dim3(32, 8)>>>(fo, fv, FW, FH, 0.01f);
    calcHashD<<<divUp(NP, 256), 256>>>(hash, ppos, g, NP);
    // sorting by hash is done on the host here
    std::vector<unsigned> hh(NP), hi(NP), hs(NP);
    CU(cudaMemcpy(hh.data(), hash, NP * 4, cudaMemcpyDeviceToHost));
    std::iota(hi.begin(), hi.end(), 0u);
    std::stable_sort(hi.begin(), hi.end(), [&](unsigned a, unsigned b) { return hh[a] < hh[b]; });
    for (unsigned i = 0; i < NP; i++) hs[i] = hh[hi[i]];
    CU(cudaMemcpy(hash, hs.data(), NP * 4, cudaMemcpyHostToDevice));
    CU(cudaMemcpy(index, hi.data(), NP * 4, cudaMemcpyHostToDevice));
    reorderDataAndFindCellStartD<<<divUp(NP, 256), 256, 257 * sizeof(unsigned)>>>(cstart, cend, psorted, hash, index, ppos, NP);
    collideD<<<divUp(NP, 64), 64>>>(force, psorted, cstart, cend, g, NP, 0.5f / 64);
    mandelbrot<float><<<dim3(MW / 16, MH / 16), dim3(16, 16)>>>(img, MW, MH, 512, -2.2f, -1.2f, 0.002f);
    CU(cudaGetLastError());
    CU(cudaDeviceSynchronize());

    double s = 0;
    CU(cudaMemcpy(hp.data(), npos, NB * sizeof(float4), cudaMemcpyDeviceToHost));
    for (auto &p : hp) s += fabs(p.x) + fabs(p.y) + fabs(p.z);
    CU(cudaMemcpy(vol.data(), vout, VOL * sizeof(float), cudaMemcpyDeviceToHost));
    for (auto x : vol) s += x;
    CU(cudaMemcpy(fl.data(), fo, fl.size() * sizeof(float2), cudaMemcpyDeviceToHost));
    for (auto &x : fl) s += fabs(x.x);
    CU(cudaMemcpy(pp.data(), force, NP * sizeof(float4), cudaMemcpyDeviceToHost));
    for (auto &x : pp) s += x.w;
    std::vector<uchar4> im(MW * MH);
    CU(cudaMemcpy(im.data(), img, im.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
    for (auto &x : im) s += x.x;
    printf("checksum %.4f\n", s);
    return 0;
}
