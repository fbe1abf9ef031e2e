/*
 * Lab 6: what happens when many threads want the same address?
 * Histograms, CAS loops and locks.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <cmath>
static void handleError(cudaError_t err, const char *file, int line) {
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (handleError(err, __FILE__, __LINE__))
// version 1: every thread does one global atomic
__global__ void histo_global(const unsigned char *data, int n, unsigned int *bins) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}
// version 2: grid-stride loop, block-private bins in shared memory
__global__ void histo_shared(const unsigned char *data, int n, unsigned int *bins) {
    __shared__ unsigned int local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b] > 0) atomicAdd(&bins[b], local[b]);
}
// version 3: COPIES private histograms per block, 4 bytes per load
template <int BINS, int COPIES>
__global__ void histo_privatised(const uchar4 *data, int n4, unsigned int *bins) {
    __shared__ unsigned int local[COPIES][BINS + 1];
    for (int b = threadIdx.x; b < COPIES * (BINS + 1); b += blockDim.x) (&local[0][0])[b] = 0;
    __syncthreads();
    unsigned int *mine = local[(threadIdx.x / 32) % COPIES];
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n4; i += blockDim.x * gridDim.x) {
        uchar4 v = data[i];
        atomicAdd(&mine[v.x % BINS], 1u);
        atomicAdd(&mine[v.y % BINS], 1u);
        atomicAdd(&mine[v.z % BINS], 1u);
        atomicAdd(&mine[v.w % BINS], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned int sum = 0;
        for (int c = 0; c < COPIES; c++) sum += local[c][b];
        atomicAdd(&bins[b], sum);
    }
}
// version 4: threads of a warp that agree on a bin send one representative
__global__ void histo_warp_aggregated(const unsigned char *data, int n, unsigned int *bins, unsigned int mask_bits) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    unsigned int bin = data[i] & mask_bits;
    unsigned int peers = __match_any_sync(__activemask(), bin);
    int leader = __ffs(peers) - 1;
    if ((int)(threadIdx.x & 31) == leader) atomicAdd(&bins[bin], (unsigned int)__popc(peers));
}
// double max with compare-and-swap, one update per thread
__device__ double atomicMaxDouble(double *address, double val) {
    unsigned long long *p = (unsigned long long *)address;
    unsigned long long old = *p, assumed;
    do {
        assumed = old;
        if (__longlong_as_double(assumed) >= val) break;
        old = atomicCAS(p, assumed, __double_as_longlong(val));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void max_per_group_cas(const double *x, int n, double *groupMax, int groups) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicMaxDouble(&groupMax[i % groups], x[i]);
}

// float multiply has no hardware atomic: pure CAS loop, contention set by `groups`
__global__ void product_cas(const float *x, int n, float *prod, int groups) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned int *p = (unsigned int *)&prod[i % groups];
        unsigned int old = *p, assumed;
        do {
            assumed = old;
            old = atomicCAS(p, assumed, __float_as_uint(__uint_as_float(assumed) * x[i]));
        } while (assumed != old);
    }
}

// a test-and-set lock protecting {count,sum,sumsq}; only thread 0 of the block takes it
struct Stats {
    int lock;
    int count;
    double sum, sumsq;
};

__global__ void stats_spin_lock(const float *x, int n, Stats *stats, int nstats) {
    __shared__ float s1[256], s2[256];
    float a = 0, b = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        a += x[i];
        b += x[i] * x[i];
    }
    s1[threadIdx.x] = a;
    s2[threadIdx.x] = b;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            s1[threadIdx.x] += s1[threadIdx.x + half];
            s2[threadIdx.x] += s2[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        Stats *s = &stats[blockIdx.x % nstats];
        while (atomicCAS(&s->lock, 0, 1) != 0) __nanosleep(64);
        __threadfence();
        volatile Stats *vs = s;
        vs->count += 1;
        vs->sum += s1[0];
        vs->sumsq += s2[0];
        __threadfence();
        atomicExch(&s->lock, 0);
    }
}

// ticket lock: fair, first come first served
struct TicketLock {
    unsigned int next, serving;
};

__global__ void append_ticket_lock(TicketLock *lock, volatile int *tail, int *list, int perBlock) {
    __shared__ int base;
    if (threadIdx.x == 0) {
        unsigned int my = atomicAdd(&lock->next, 1u);
        while (*(volatile unsigned int *)&lock->serving != my) __nanosleep(32);
        __threadfence();
        base = *tail;
        *tail = base + perBlock;
        __threadfence();
        atomicAdd(&lock->serving, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < perBlock; i += blockDim.x) list[base + i] = blockIdx.x * perBlock + i;
}

// per-thread lock, written with the "done" flag so that diverged lanes make progress
__global__ void bin_lock_per_thread(const unsigned char *data, int n, int *locks, float *mean, int *cnt, int bins) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    int b = data[i] % bins;
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[b], 0, 1) == 0) {
            __threadfence();
            volatile float *m = &mean[b];
            volatile int *c = &cnt[b];
            int k = *c + 1;
            *c = k;
            *m = *m + ((float)data[i] - *m) / k;
            __threadfence();
            atomicExch(&locks[b], 0);
            done = true;
        }
    }
}

int main(void) {
    const int N = 1 << 24;
    const int NX = 1 << 20;
    std::vector<unsigned char> uniform(N), skewed(N);
    std::vector<double> hx(NX);
    std::vector<float> hf(NX);
    unsigned int seed = 2024;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245u + 12345u;
        uniform[i] = (unsigned char)(seed >> 16);
        int a = (seed >> 8) & 15, b = (seed >> 20) & 15;      // product of small numbers: few hot bins
        skewed[i] = (unsigned char)((a * b) >> 2);
    }
    for (int i = 0; i < NX; i++) {
        hx[i] = uniform[i] * 256.0 + uniform[i + NX];
        hf[i] = (i & 1) ? 1.0009765625f : 1.0f / 1.0009765625f;
    }
    unsigned char *dU, *dS;
    unsigned int *bins;
    double *dX, *dMax;
    float *dF, *dProd, *dMean;
    Stats *stats;
    TicketLock *tl;
    int *tail, *list, *locks, *cnt;
    HANDLE_ERROR(cudaMalloc(&dU, N));
    HANDLE_ERROR(cudaMalloc(&dS, N));
    HANDLE_ERROR(cudaMalloc(&bins, 256 * sizeof(int)));
    HANDLE_ERROR(cudaMalloc(&dX, NX * sizeof(double)));
    HANDLE_ERROR(cudaMalloc(&dMax, 1024 * sizeof(double)));
    HANDLE_ERROR(cudaMalloc(&dF, NX * sizeof(float)));
    HANDLE_ERROR(cudaMalloc(&dProd, 65536 * sizeof(float)));
    HANDLE_ERROR(cudaMalloc(&dMean, 256 * sizeof(float)));
    HANDLE_ERROR(cudaMalloc(&stats, 16 * sizeof(Stats)));
    HANDLE_ERROR(cudaMalloc(&tl, sizeof(TicketLock)));
    HANDLE_ERROR(cudaMalloc(&tail, sizeof(int)));
    HANDLE_ERROR(cudaMalloc(&list, 1024 * 512 * sizeof(int)));
    HANDLE_ERROR(cudaMalloc(&locks, 256 * sizeof(int)));
    HANDLE_ERROR(cudaMalloc(&cnt, 256 * sizeof(int)));
    HANDLE_ERROR(cudaMemcpy(dU, uniform.data(), N, cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dS, skewed.data(), N, cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dX, hx.data(), NX * sizeof(double), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dF, hf.data(), NX * sizeof(float), cudaMemcpyHostToDevice));
    std::vector<float> ones(65536, 1.0f);
    HANDLE_ERROR(cudaMemcpy(dProd, ones.data(), 65536 * sizeof(float), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemset(bins, 0, 256 * sizeof(int)));
    HANDLE_ERROR(cudaMemset(dMax, 0, 1024 * sizeof(double)));
    HANDLE_ERROR(cudaMemset(dMean, 0, 256 * sizeof(float)));
    HANDLE_ERROR(cudaMemset(stats, 0, 16 * sizeof(Stats)));
    HANDLE_ERROR(cudaMemset(tl, 0, sizeof(TicketLock)));
    HANDLE_ERROR(cudaMemset(tail, 0, sizeof(int)));
    HANDLE_ERROR(cudaMemset(locks, 0, 256 * sizeof(int)));
    HANDLE_ERROR(cudaMemset(cnt, 0, 256 * sizeof(int)));

    histo_global<<<(N / 4 + 255) / 256, 256>>>(dU, N / 4, bins);
    histo_global<<<(N / 16 + 127) / 128, 128>>>(dS, N / 16, bins);
    histo_shared<<<132 * 4, 256>>>(dU, N, bins);
    histo_shared<<<132 * 2, 1024>>>(dS, N, bins);
    histo_privatised<256, 8><<<132 * 2, 512>>>((const uchar4 *)dS, N / 4, bins);
    histo_privatised<64, 4><<<132 * 8, 128>>>((const uchar4 *)dU, N / 4 - 3, bins);
    histo_warp_aggregated<<<N / 256, 256>>>(dS, N, bins, 255u);
    histo_warp_aggregated<<<N / 2 / 512, 512>>>(dU, N / 2, bins, 3u);
    HANDLE_ERROR(cudaDeviceSynchronize());
    max_per_group_cas<<<NX / 256, 256>>>(dX, NX, dMax, 1024);
    max_per_group_cas<<<(NX / 8 + 127) / 128, 128>>>(dX, NX / 8, dMax, 7);
    product_cas<<<264, 256>>>(dF, NX, dProd, 65536);
    product_cas<<<32, 128>>>(dF, 1 << 14, dProd, 100);
    stats_spin_lock<<<528, 256>>>(dF, NX, stats, 4);
    append_ticket_lock<<<1024, 128>>>(tl, tail, list, 512);
    bin_lock_per_thread<<<(8192 + 63) / 64, 64>>>(dU, 8192, locks, dMean, cnt, 32);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaDeviceSynchronize());

    int total, end;
    std::vector<int> hc(256);
    HANDLE_ERROR(cudaMemcpy(&end, tail, sizeof(int), cudaMemcpyDeviceToHost));
    HANDLE_ERROR(cudaMemcpy(hc.data(), cnt, 256 * sizeof(int), cudaMemcpyDeviceToHost));
    total = 0;
    for (int b = 0; b < 32; b++) total += hc[b];
    printf("ticket lock list length %d (expect %d), locked count %d (expect %d)\n", end, 1024 * 512, total, 8192);
    return 0;
}
