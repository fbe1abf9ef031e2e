// Intro to CUDA: memory access patterns and simple reductions on vectors.
#include <iostream>
#include <vector>
#include <algorithm>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

void check(cudaError_t err, const char* msg) {
    if (err != cudaSuccess) {
        std::cerr << msg << ": " << cudaGetErrorString(err) << std::endl;
        exit(1);
    }
}

// --- vector add ---
__global__ void vecAdd(const float* A, const float* B, float* C, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) C[i] = A[i] + B[i];
}

// every thread takes a contiguous chunk (bad)
__global__ void vecAddChunk(const float* A, const float* B, float* C, int n, int chunk) {
    int start = (blockDim.x * blockIdx.x + threadIdx.x) * chunk;
    for (int i = start; i < start + chunk && i < n; i++) C[i] = A[i] + B[i];
}

// --- saxpy ---
__global__ void saxpyGridStride(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}
__global__ void saxpyVec4(int n4, float a, const float4* __restrict__ x, float4* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 xv = x[i];
        float4 yv = y[i];
        yv.x += a * xv.x;
        yv.y += a * xv.y;
        yv.z += a * xv.z;
        yv.w += a * xv.w;
        y[i] = yv;
    }
}

// --- dot product ---
#define THREADS 256
__global__ void dotAtomic(const float* a, const float* b, float* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(result, a[i] * b[i]);
}

__global__ void dotShared(const float* a, const float* b, float* result, int n) {
    __shared__ float cache[THREADS];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0) atomicAdd(result, cache[0]);
}

__global__ void dotShuffle(const float* __restrict__ a, const float* __restrict__ b, float* result, int n) {
    float sum = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(result, sum);
}

// --- strided and misaligned access ---
__global__ void strideCopy(const float* in, float* out, int n, int stride, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long j = (long long)i * stride + offset;
    if (j < n) out[j] = in[j] + 1.0f;
}

// --- AoS vs SoA ---
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int   alive;
};

__global__ void updateAoS(Particle* p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (p[i].alive) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}

__global__ void updateSoA(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz,
                          const int* alive, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (alive[i]) {
        x[i] += vx[i] * dt;
        y[i] += vy[i] * dt;
        z[i] += vz[i] * dt;
    }
}

int main() {
    const int N = 1 << 23;
    const int NP = 1 << 21;
    std::vector<float> h(N);
    float *a, *b, *c, *dots;
    check(cudaMalloc(&a, N * sizeof(float)), "malloc a");
    check(cudaMalloc(&b, N * sizeof(float)), "malloc b");
    check(cudaMalloc(&c, N * sizeof(float)), "malloc c");
    check(cudaMalloc(&dots, 3 * sizeof(float)), "malloc dots");
    srand(2024);
    for (auto& v : h) v = rand() / (float)RAND_MAX;
    check(cudaMemcpy(a, h.data(), N * sizeof(float), cudaMemcpyHostToDevice), "copy a");
    for (auto& v : h) v = rand() / (float)RAND_MAX - 0.5f;
    check(cudaMemcpy(b, h.data(), N * sizeof(float), cudaMemcpyHostToDevice), "copy b");
    check(cudaMemset(c, 0, N * sizeof(float)), "memset c");
    check(cudaMemset(dots, 0, 3 * sizeof(float)), "memset dots");

    std::vector<Particle> hp(NP);
    std::vector<int> halive(NP);
    for (int i = 0; i < NP; i++) {
        hp[i] = {h[i], h[i + 1], h[i + 2], h[i + 3], h[i + 4], h[i + 5], 1.0f, rand() % 8 != 0};
        halive[i] = hp[i].alive;
    }
    Particle* aos;
    float* soa;
    int* alive;
    check(cudaMalloc(&aos, NP * sizeof(Particle)), "malloc aos");
    check(cudaMalloc(&soa, 6 * NP * sizeof(float)), "malloc soa");
    check(cudaMalloc(&alive, NP * sizeof(int)), "malloc alive");
    check(cudaMemcpy(aos, hp.data(), NP * sizeof(Particle), cudaMemcpyHostToDevice), "copy aos");
    check(cudaMemcpy(alive, halive.data(), NP * sizeof(int), cudaMemcpyHostToDevice), "copy alive");
    for (int k = 0; k < 6; k++)
        check(cudaMemcpy(soa + (size_t)k * NP, h.data() + k, NP * sizeof(float), cudaMemcpyHostToDevice), "copy soa");

    int blocks = (N + THREADS - 1) / THREADS;
    vecAdd<<<blocks, THREADS>>>(a, b, c, N);
    vecAddChunk<<<N / 16 / 128, 128>>>(a, b, c, N, 16);
    saxpyGridStride<<<132 * 4, 512>>>(N, 2.5f, a, c);
    saxpyVec4<<<(N / 4 + THREADS - 1) / THREADS, THREADS>>>(N / 4, -1.5f, reinterpret_cast<const float4*>(b), reinterpret_cast<float4*>(c));
    dotAtomic<<<(1 << 20) / THREADS, THREADS>>>(a, b, dots, 1 << 20);
    dotShared<<<512, THREADS>>>(a, b, dots + 1, N);
    dotShuffle<<<264, 512>>>(a, b, dots + 2, N);
    strideCopy<<<(N / 8 + 127) / 128, 128>>>(a, c, N, 8, 0);
    strideCopy<<<blocks, THREADS>>>(b, c, N, 1, 3);
    updateAoS<<<(NP + 255) / 256, 256>>>(aos, NP, 0.01f);
    updateSoA<<<(NP + 255) / 256, 256>>>(soa, soa + NP, soa + 2 * NP, soa + 3 * NP, soa + 4 * NP, soa + 5 * NP, alive, NP, 0.01f);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "sync");

    float hd[3];
    check(cudaMemcpy(hd, dots, sizeof(hd), cudaMemcpyDeviceToHost), "copy back");
    check(cudaMemcpy(h.data(), c, N * sizeof(float), cudaMemcpyDeviceToHost), "copy back");
    double sum = 0;
    for (auto v : h) sum += v;
    check(cudaMemcpy(hp.data(), aos, NP * sizeof(Particle), cudaMemcpyDeviceToHost), "copy back");
    check(cudaMemcpy(h.data(), soa, NP * sizeof(float), cudaMemcpyDeviceToHost), "copy back");
    double diff = 0;
    for (int i = 0; i < NP; i++) diff = std::max(diff, (double)fabsf(hp[i].x - h[i]));
    std::cout << "checksum " << sum << " dots " << hd[0] << " " << hd[1] << " " << hd[2] << " aos/soa diff " << diff << std::endl;
    cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(dots); cudaFree(aos); cudaFree(soa); cudaFree(alive);
    return 0;
}
