// Week 6: parallel patterns - prefix sum and sorting
//
//  Part A: exclusive prefix sum of a long array (Hillis-Steele for comparison, then work-efficient Blelloch in 3 steps)
//  Part B: sort many lists of 4096 numbers: bitonic sort in shared memory, then two rounds of parallel merging
#include <iostream>
#include <iomanip>
#include <vector>
#include <algorithm>
#include <random>
#include <cstdlib>
#include <cuda_runtime.h>

using namespace std;

static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        cerr << cudaGetErrorString(err) << " in " << file << " at line " << line << endl;
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

struct GpuTimer
{
    cudaEvent_t start, stop;
    GpuTimer() { cudaEventCreate(&start); cudaEventCreate(&stop); }
    ~GpuTimer() { cudaEventDestroy(start); cudaEventDestroy(stop); }
    void Start() { cudaEventRecord(start, 0); }
    void Stop() { cudaEventRecord(stop, 0); }
    float Elapsed()
    {
        float elapsed;
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&elapsed, start, stop);
        return elapsed;
    }
};

const int NUM_BANKS_LOG = 5;
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS_LOG)

// ------------------------------------------------------------ Part A

// inclusive scan of every block's own segment, double buffered in shared memory
__global__ void hillisSteeleScan(const int *d_in, int *d_out, int n)
{
    extern __shared__ int temp[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    int pout = 0, pin = 1;

    temp[tid] = (i < n) ? d_in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout * blockDim.x + tid] = temp[pin * blockDim.x + tid] + temp[pin * blockDim.x + tid - offset];
        else
            temp[pout * blockDim.x + tid] = temp[pin * blockDim.x + tid];
        __syncthreads();
    }
    if (i < n)
        d_out[i] = temp[pout * blockDim.x + tid];
}

// exclusive scan of 2*blockDim.x elements per block; the total of the block goes to d_sums if it is not NULL
__global__ void blellochScan(const int *d_in, int *d_out, int *d_sums, int n)
{
    extern __shared__ int temp[];
    int tid = threadIdx.x;
    int elems = 2 * blockDim.x;
    int base = blockIdx.x * elems;

    int ai = tid, bi = tid + blockDim.x;
    int offA = CONFLICT_FREE_OFFSET(ai), offB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + offA] = (base + ai < n) ? d_in[base + ai] : 0;
    temp[bi + offB] = (base + bi < n) ? d_in[base + bi] : 0;

    int offset = 1;
    // up-sweep (reduce) phase
    for (int d = elems >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (tid == 0) {
        int last = elems - 1 + CONFLICT_FREE_OFFSET(elems - 1);
        if (d_sums != NULL)
            d_sums[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    // down-sweep phase
    for (int d = 1; d < elems; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) d_out[base + ai] = temp[ai + offA];
    if (base + bi < n) d_out[base + bi] = temp[bi + offB];
}

__global__ void addBlockOffsets(int *d_data, const int *d_offsets, int n, int elemsPerBlock)
{
    __shared__ int off;
    if (threadIdx.x == 0)
        off = d_offsets[blockIdx.x];
    __syncthreads();
    for (int k = threadIdx.x; k < elemsPerBlock; k += blockDim.x) {
        int i = blockIdx.x * elemsPerBlock + k;
        if (i < n)
            d_data[i] += off;
    }
}

// ------------------------------------------------------------ Part B

#define SORT_TILE 1024

__global__ void bitonicSortTile(unsigned *d_keys)
{
    __shared__ unsigned s[SORT_TILE];
    unsigned *keys = d_keys + (size_t)blockIdx.x * SORT_TILE;
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x)
        s[i] = keys[i];

    for (int k = 2; k <= SORT_TILE; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            // one thread per pair
            int t = threadIdx.x;
            int lo = 2 * t - (t & (j - 1));
            int hi = lo + j;
            bool up = (lo & k) == 0;
            unsigned a = s[lo], b = s[hi];
            if ((a > b) == up) {
                s[lo] = b;
                s[hi] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SORT_TILE; i += blockDim.x)
        keys[i] = s[i];
}

#define MERGE_ITEMS 6   // outputs per thread

// Merge pairs of sorted runs of length "width". Every thread finds its own starting point with a
// binary search on the merge path and then merges MERGE_ITEMS outputs sequentially.
__global__ void mergePass(const unsigned *__restrict__ src, unsigned *__restrict__ dst, int width, int n)
{
    int threadsPerPair = (2 * width + MERGE_ITEMS - 1) / MERGE_ITEMS;
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int pair = g / threadsPerPair;
    int diag = (g % threadsPerPair) * MERGE_ITEMS;
    if (pair * 2 * width >= n)
        return;

    const unsigned *a = src + pair * 2 * width;
    const unsigned *b = a + width;
    int lo = max(0, diag - width), hi = min(diag, width);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] <= b[diag - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int i = lo, j = diag - lo;
    unsigned *out = dst + pair * 2 * width;
    int stop = min(diag + MERGE_ITEMS, 2 * width);
    for (int k = diag; k < stop; ++k) {
        bool takeA = (j >= width) || (i < width && a[i] <= b[j]);
        out[k] = takeA ? a[i++] : b[j++];
    }
}

// ------------------------------------------------------------

int main(int argc, char *argv[])
{
    int n = 1000003;
    int lists = 290;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) lists = atoi(argv[2]);
    if (n < 1 || n > 1024 * 1024) { cerr << "n must be in 1..1048576" << endl; return 1; }

    bool ok = true;
    GpuTimer timer;
    cout << fixed << setprecision(4);

    // ---- Part A
    {
        vector<int> h(n), r(n);
        for (int i = 0; i < n; ++i) h[i] = (i * 7 + 3) % 11 - 2;
        int *d_in, *d_out, *d_sums, *d_scanned;
        HANDLE_ERROR(cudaMalloc(&d_in, n * sizeof(int)));
        HANDLE_ERROR(cudaMalloc(&d_out, n * sizeof(int)));
        HANDLE_ERROR(cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));

        const int HS = 768;
        timer.Start();
        hillisSteeleScan<<<(n + HS - 1) / HS, HS, 2 * HS * sizeof(int)>>>(d_in, d_out, n);
        timer.Stop();
        HANDLE_ERROR(cudaGetLastError());
        cout << "Hillis-Steele (per block)  " << timer.Elapsed() << " ms" << endl;
        HANDLE_ERROR(cudaMemcpy(r.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        int run = 0;
        for (int i = 0; i < n; ++i) {
            if (i % HS == 0) run = 0;
            run += h[i];
            if (r[i] != run) { cout << "  wrong at " << i << endl; ok = false; break; }
        }

        const int TH = 512, ELEMS = 2 * TH;
        int blocks = (n + ELEMS - 1) / ELEMS;
        size_t smem = (ELEMS + CONFLICT_FREE_OFFSET(ELEMS)) * sizeof(int);
        HANDLE_ERROR(cudaMalloc(&d_sums, blocks * sizeof(int)));
        HANDLE_ERROR(cudaMalloc(&d_scanned, blocks * sizeof(int)));
        timer.Start();
        blellochScan<<<blocks, TH, smem>>>(d_in, d_out, d_sums, n);
        blellochScan<<<1, TH, smem>>>(d_sums, d_scanned, NULL, blocks);
        addBlockOffsets<<<blocks, 256>>>(d_out, d_scanned, n, ELEMS);
        timer.Stop();
        HANDLE_ERROR(cudaGetLastError());
        cout << "Blelloch (whole array)     " << timer.Elapsed() << " ms" << endl;
        HANDLE_ERROR(cudaMemcpy(r.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        run = 0;
        for (int i = 0; i < n; ++i) {
            if (r[i] != run) { cout << "  wrong at " << i << endl; ok = false; break; }
            run += h[i];
        }
        cudaFree(d_in); cudaFree(d_out); cudaFree(d_sums); cudaFree(d_scanned);
    }

    // ---- Part B
    {
        const int LIST = 4 * SORT_TILE;
        int total = lists * LIST;
        vector<unsigned> keys(total), sorted(total);
        mt19937 rng(99);
        for (auto &k : keys) k = rng() % 100000;

        unsigned *d_a, *d_b;
        HANDLE_ERROR(cudaMalloc(&d_a, total * sizeof(unsigned)));
        HANDLE_ERROR(cudaMalloc(&d_b, total * sizeof(unsigned)));
        HANDLE_ERROR(cudaMemcpy(d_a, keys.data(), total * sizeof(unsigned), cudaMemcpyHostToDevice));

        timer.Start();
        bitonicSortTile<<<total / SORT_TILE, SORT_TILE / 2>>>(d_a);
        for (int width = SORT_TILE; width < LIST; width *= 2) {
            int perPair = (2 * width + MERGE_ITEMS - 1) / MERGE_ITEMS;
            int threads = (total / (2 * width)) * perPair;
            mergePass<<<(threads + 191) / 192, 192>>>(d_a, d_b, width, total);
            swap(d_a, d_b);
        }
        timer.Stop();
        HANDLE_ERROR(cudaGetLastError());
        cout << "sorting " << lists << " lists         " << timer.Elapsed() << " ms" << endl;

        HANDLE_ERROR(cudaMemcpy(sorted.data(), d_a, total * sizeof(unsigned), cudaMemcpyDeviceToHost));
        for (int l = 0; l < lists; ++l)
            sort(keys.begin() + l * LIST, keys.begin() + (l + 1) * LIST);
        if (keys != sorted) { cout << "  lists are not sorted" << endl; ok = false; }
        cudaFree(d_a); cudaFree(d_b);
    }

    cout << (ok ? "Success!" : "Failed.") << endl;
    return ok ? 0 : 1;
}
