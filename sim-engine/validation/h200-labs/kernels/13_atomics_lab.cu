//
// Exercise sheet 5: atomics
//   Task 1: letter histogram of a long text (global atomics, privatised, coarsened + aggregated)
//   Task 2: k-means, the assignment and the accumulation on the GPU, new centroids on the host
//
// Build:  nvcc -O3 -o atomics atomics.cu
// Run:    ./atomics [textLength] [numPoints]
//
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cfloat>
#include <cmath>
#include <string>
#include <vector>
#include <random>
#include <chrono>

inline void checkCuda(cudaError_t result, const char *where)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "CUDA Runtime Error in %s: %s\n", where, cudaGetErrorString(result));
        exit(1);
    }
}

constexpr int NUM_BINS = 27;   // a..z and "everything else"

__host__ __device__ inline int letterBin(char c)
{
    if (c >= 'a' && c <= 'z') return c - 'a';
    if (c >= 'A' && c <= 'Z') return c - 'A';
    return 26;
}

//--------------------------------------------------------------- Task 1

__global__ void histGlobal(const char *text, unsigned length, unsigned *bins)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length)
        atomicAdd(&bins[letterBin(text[i])], 1);
}

__global__ void histPrivate(const char *text, unsigned length, unsigned *bins)
{
    __shared__ unsigned localBins[NUM_BINS];
    for (unsigned b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        localBins[b] = 0u;
    __syncthreads();

    // interleaved partitioning
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x)
        atomicAdd(&localBins[letterBin(text[i])], 1);
    __syncthreads();

    for (unsigned b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (localBins[b] > 0)
            atomicAdd(&bins[b], localBins[b]);
}

// every warp has its own copy; four letters per load; equal neighbours are aggregated before the atomic
__global__ void histWarpCopies(const char *text, unsigned length, unsigned *bins)
{
    extern __shared__ unsigned copies[];   // [warps][NUM_BINS + 1]
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    for (int b = threadIdx.x; b < warps * (NUM_BINS + 1); b += blockDim.x)
        copies[b] = 0u;
    __syncthreads();

    unsigned *mine = copies + warp * (NUM_BINS + 1);
    int prev = -1;
    unsigned acc = 0;
    unsigned quads = length / 4;
    const char4 *text4 = reinterpret_cast<const char4 *>(text);
    for (unsigned q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += blockDim.x * gridDim.x) {
        char4 t = text4[q];
        char c[4] = {t.x, t.y, t.z, t.w};
        for (int k = 0; k < 4; k++) {
            int b = letterBin(c[k]);
            if (b == prev) {
                acc++;
            } else {
                if (acc > 0) atomicAdd(&mine[prev], acc);
                prev = b;
                acc = 1;
            }
        }
    }
    if (acc > 0) atomicAdd(&mine[prev], acc);
    if (blockIdx.x == 0 && threadIdx.x < length % 4)      // the tail
        atomicAdd(&mine[letterBin(text[quads * 4 + threadIdx.x])], 1);
    __syncthreads();

    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) {
        unsigned s = 0;
        for (int w = 0; w < warps; w++)
            s += copies[w * (NUM_BINS + 1) + b];
        if (s > 0) atomicAdd(&bins[b], s);
    }
}

//--------------------------------------------------------------- Task 2

constexpr int K = 13;

struct Points      // structure of arrays
{
    float *x, *y, *z;
};

__constant__ float3 centroids[K];

__global__ void assignClusters(Points pts, int n, int *label, unsigned *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int diff = 0;
    if (i < n) {
        float px = pts.x[i], py = pts.y[i], pz = pts.z[i];
        float best = FLT_MAX;
        int arg = 0;
        for (int c = 0; c < K; c++) {
            float dx = px - centroids[c].x, dy = py - centroids[c].y, dz = pz - centroids[c].z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best) { best = d; arg = c; }
        }
        diff = label[i] != arg;
        label[i] = arg;
    }
    int inBlock = __syncthreads_count(diff);
    if (threadIdx.x == 0 && inBlock > 0)
        atomicAdd(changed, (unsigned)inBlock);
}

// first attempt: straight into global memory
__global__ void accumulateGlobal(Points pts, const int *label, int n, float4 *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = label[i];
    atomicAdd(&sums[c].x, pts.x[i]);
    atomicAdd(&sums[c].y, pts.y[i]);
    atomicAdd(&sums[c].z, pts.z[i]);
    atomicAdd(&sums[c].w, 1.0f);
}

// second attempt: per block copy in shared memory, several points per thread
__global__ void accumulateShared(Points pts, const int *label, int n, float4 *sums)
{
    __shared__ float s[4][K];
    for (int t = threadIdx.x; t < 4 * K; t += blockDim.x)
        s[t / K][t % K] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int c = label[i];
        atomicAdd(&s[0][c], pts.x[i]);
        atomicAdd(&s[1][c], pts.y[i]);
        atomicAdd(&s[2][c], pts.z[i]);
        atomicAdd(&s[3][c], 1.0f);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        int c = threadIdx.x;
        atomicAdd(&sums[c].x, s[0][c]);
        atomicAdd(&sums[c].y, s[1][c]);
        atomicAdd(&sums[c].z, s[2][c]);
        atomicAdd(&sums[c].w, s[3][c]);
    }
}

//--------------------------------------------------------------- main

static bool sameBins(const unsigned *d_bins, const std::vector<unsigned> &ref, const char *name)
{
    std::vector<unsigned> h(NUM_BINS);
    checkCuda(cudaMemcpy(h.data(), d_bins, NUM_BINS * sizeof(unsigned), cudaMemcpyDeviceToHost), name);
    bool same = h == ref;
    printf("  %-16s %s\n", name, same ? "correct" : "WRONG");
    return same;
}

int main(int argc, char **argv)
{
    unsigned length = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1600003u;
    int n = argc > 2 ? atoi(argv[2]) : 150011;
    bool ok = true;

    // Task 1 -------------------------------------------------------
    printf("Task 1: %u characters\n", length);
    std::vector<char> text(length);
    {
        const std::string words[] = {"the ", "quick ", "Brown ", "fox, ", "JUMPS ", "over ", "a ", "lazy ", "dog. ", "aaaargh! ", "Mississippi "};
        std::mt19937 g(3);
        size_t p = 0;
        while (p < length)
            for (char c : words[g() % 11])
                if (p < length) text[p++] = c;
    }
    auto t0 = std::chrono::steady_clock::now();
    std::vector<unsigned> ref(NUM_BINS, 0);
    for (char c : text) ref[letterBin(c)]++;
    auto t1 = std::chrono::steady_clock::now();
    printf("  host: %.3f ms\n", std::chrono::duration<double, std::milli>(t1 - t0).count());

    char *d_text;
    unsigned *d_bins;
    checkCuda(cudaMalloc(&d_text, length), "malloc text");
    checkCuda(cudaMalloc(&d_bins, NUM_BINS * sizeof(unsigned)), "malloc bins");
    checkCuda(cudaMemcpy(d_text, text.data(), length, cudaMemcpyHostToDevice), "copy text");

    checkCuda(cudaMemset(d_bins, 0, NUM_BINS * sizeof(unsigned)), "memset");
    histGlobal<<<(length + 1023) / 1024, 1024>>>(d_text, length, d_bins);
    checkCuda(cudaGetLastError(), "histGlobal");
    ok &= sameBins(d_bins, ref, "histGlobal");

    checkCuda(cudaMemset(d_bins, 0, NUM_BINS * sizeof(unsigned)), "memset");
    histPrivate<<<400, 256>>>(d_text, length, d_bins);
    checkCuda(cudaGetLastError(), "histPrivate");
    ok &= sameBins(d_bins, ref, "histPrivate");

    checkCuda(cudaMemset(d_bins, 0, NUM_BINS * sizeof(unsigned)), "memset");
    histWarpCopies<<<264, 384, 12 * (NUM_BINS + 1) * sizeof(unsigned)>>>(d_text, length, d_bins);
    checkCuda(cudaGetLastError(), "histWarpCopies");
    ok &= sameBins(d_bins, ref, "histWarpCopies");
    cudaFree(d_text);
    cudaFree(d_bins);

    // Task 2 -------------------------------------------------------
    printf("Task 2: %d points, %d clusters\n", n, K);
    std::vector<float> x(n), y(n), z(n);
    std::mt19937 gen(2024);
    std::normal_distribution<float> blob(0.0f, 0.6f);
    for (int i = 0; i < n; i++) {
        int c = gen() % K;
        x[i] = 3.0f * (c % 3) + blob(gen);
        y[i] = 2.5f * (c / 3 % 3) + blob(gen);
        z[i] = 4.0f * (c / 9) + blob(gen);
    }
    std::vector<float3> cent(K);
    for (int c = 0; c < K; c++) {
        int i = (int)((long long)c * n / K);
        cent[c] = make_float3(x[i], y[i], z[i]);
    }
    Points pts;
    int *d_label;
    unsigned *d_changed;
    float4 *d_sums;
    checkCuda(cudaMalloc(&pts.x, n * sizeof(float)), "malloc");
    checkCuda(cudaMalloc(&pts.y, n * sizeof(float)), "malloc");
    checkCuda(cudaMalloc(&pts.z, n * sizeof(float)), "malloc");
    checkCuda(cudaMalloc(&d_label, n * sizeof(int)), "malloc");
    checkCuda(cudaMalloc(&d_changed, sizeof(unsigned)), "malloc");
    checkCuda(cudaMalloc(&d_sums, K * sizeof(float4)), "malloc");
    checkCuda(cudaMemcpy(pts.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copy");
    checkCuda(cudaMemcpy(pts.y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copy");
    checkCuda(cudaMemcpy(pts.z, z.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copy");
    checkCuda(cudaMemset(d_label, 0xff, n * sizeof(int)), "memset");

    std::vector<int> label(n), refLabel(n, -1);
    for (int it = 0; it < 2; it++) {
        checkCuda(cudaMemcpyToSymbol(centroids, cent.data(), K * sizeof(float3)), "centroids");
        checkCuda(cudaMemset(d_changed, 0, sizeof(unsigned)), "memset");
        checkCuda(cudaMemset(d_sums, 0, K * sizeof(float4)), "memset");
        assignClusters<<<(n + 255) / 256, 256>>>(pts, n, d_label, d_changed);
        checkCuda(cudaGetLastError(), "assignClusters");
        if (it == 0)
            accumulateGlobal<<<(n + 127) / 128, 128>>>(pts, d_label, n, d_sums);
        else
            accumulateShared<<<200, 320>>>(pts, d_label, n, d_sums);
        checkCuda(cudaGetLastError(), "accumulate");

        unsigned changed;
        float4 sums[K];
        checkCuda(cudaMemcpy(&changed, d_changed, sizeof(unsigned), cudaMemcpyDeviceToHost), "changed");
        checkCuda(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost), "sums");
        checkCuda(cudaMemcpy(label.data(), d_label, n * sizeof(int), cudaMemcpyDeviceToHost), "labels");

        // serial check with the same centroids; points on a border between two clusters may differ
        int wrong = 0;
        std::vector<double> rs(4 * K, 0.0);
        for (int i = 0; i < n; i++) {
            double best = 1e300, got = 0;
            for (int c = 0; c < K; c++) {
                double dx = x[i] - cent[c].x, dy = y[i] - cent[c].y, dz = z[i] - cent[c].z;
                double d = dx * dx + dy * dy + dz * dz;
                if (d < best) best = d;
                if (c == label[i]) got = d;
            }
            if (label[i] < 0 || label[i] >= K || got > best + 1e-4) { wrong++; continue; }
            rs[label[i]] += x[i];
            rs[K + label[i]] += y[i];
            rs[2 * K + label[i]] += z[i];
            rs[3 * K + label[i]] += 1;
        }
        double worst = 0;
        for (int c = 0; c < K; c++) {
            double cnt = rs[3 * K + c] > 0 ? rs[3 * K + c] : 1;
            worst = fmax(worst, fabs(sums[c].x - rs[c]) / cnt);
            worst = fmax(worst, fabs(sums[c].y - rs[K + c]) / cnt);
            worst = fmax(worst, fabs(sums[c].z - rs[2 * K + c]) / cnt);
            if ((double)sums[c].w != rs[3 * K + c]) wrong++;
            if (sums[c].w > 0)
                cent[c] = make_float3(sums[c].x / sums[c].w, sums[c].y / sums[c].w, sums[c].z / sums[c].w);
        }
        printf("  iteration %d: %u labels changed, %d wrong, centroid error %.2e\n", it, changed, wrong, worst);
        if (wrong > 0 || worst > 1e-2) ok = false;
    }
    cudaFree(pts.x); cudaFree(pts.y); cudaFree(pts.z);
    cudaFree(d_label); cudaFree(d_changed); cudaFree(d_sums);
    puts(ok ? "Everything correct." : "There were errors!");
    return ok ? 0 : 1;
}
