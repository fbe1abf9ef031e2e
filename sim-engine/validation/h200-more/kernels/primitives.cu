// Building blocks: scans, sorts, compaction, reductions of several kinds.
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void scanHillis(const int *in, int *out, int n) {
    __shared__ int temp[2][256];
    int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
    int pout = 0, pin = 1;
    temp[0][tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset) temp[pout][tid] = temp[pin][tid] + temp[pin][tid - offset];
        else temp[pout][tid] = temp[pin][tid];
        __syncthreads();
    }
    if (i < n) out[i] = temp[pout][tid];
}

__global__ void scanBlelloch(const float *in, float *out, int n) {
    extern __shared__ float temp[];
    int tid = threadIdx.x, offset = 1;
    int base = blockIdx.x * n;
    temp[2 * tid] = in[base + 2 * tid];
    temp[2 * tid + 1] = in[base + 2 * tid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (tid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int ai = offset * (2 * tid + 1) - 1, bi = offset * (2 * tid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[base + 2 * tid] = temp[2 * tid];
    out[base + 2 * tid + 1] = temp[2 * tid + 1];
}

__global__ void bitonicShared(unsigned *keys) {
    __shared__ unsigned s[512];
    unsigned tid = threadIdx.x, base = blockIdx.x * 512;
    s[tid] = keys[base + tid];
    s[tid + 256] = keys[base + tid + 256];
    for (unsigned size = 2; size <= 512; size <<= 1) {
        unsigned dir = (tid & (size / 2)) != 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * tid - (tid & (stride - 1));
            unsigned a = s[pos], b = s[pos + stride];
            if ((a > b) == dir) {
                s[pos] = b;
                s[pos + stride] = a;
            }
        }
    }
    __syncthreads();
    keys[base + tid] = s[tid];
    keys[base + tid + 256] = s[tid + 256];
}

__inline__ __device__ double warpReduce(double v) {
    for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

__global__ void dotDouble(const double *a, const double *b, double *out, int n) {
    __shared__ double partial[32];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
    sum = warpReduce(sum);
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    if (lane == 0) partial[wid] = sum;
    __syncthreads();
    sum = (threadIdx.x < blockDim.x / warpSize) ? partial[lane] : 0;
    if (wid == 0) {
        sum = warpReduce(sum);
        if (lane == 0) atomicAdd(out, sum);
    }
}

template <unsigned int blockSize>
__global__ void reduceUnrolled(const float *g_in, float *g_out, unsigned int n) {
    __shared__ float sdata[blockSize];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockSize * 2 + tid, gridSize = blockSize * 2 * gridDim.x;
    float sum = 0;
    while (i < n) {
        sum += g_in[i] + g_in[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = sum;
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }
    if (tid < 32) {
        float v = sdata[tid] + sdata[tid + 32];
        for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
        if (tid == 0) g_out[blockIdx.x] = v;
    }
}

__global__ void compact(const int *in, int *out, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] > 0;
    unsigned ballot = __ballot_sync(0xffffffff, keep);
    int lane = threadIdx.x & 31, base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(ballot));
    base = __shfl_sync(0xffffffff, base, 0);
    if (keep) out[base + __popc(ballot & ((1u << lane) - 1))] = in[i];
}

__global__ void reduceGroups(const int *in, int *out, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int o = tile.size() / 2; o > 0; o /= 2) sum += tile.shfl_down(sum, o);
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void binarySearch(const int *sorted, const int *keys, int *found, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int key = keys[i], lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (sorted[mid] < key) lo = mid + 1;
        else hi = mid;
    }
    found[i] = lo;
}

int main() {
    const int n = 1 << 20;
    int *a, *b, *c;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&c, n * sizeof(double));
    cudaMemset(a, 0, n * sizeof(double));
    cudaMemset(b, 0, n * sizeof(double));
    cudaMemset(c, 0, n * sizeof(double));
    scanHillis<<<n / 256, 256>>>(a, b, n);
    scanBlelloch<<<n / 512, 256, 512 * sizeof(float)>>>((float *)a, (float *)b, 512);
    bitonicShared<<<n / 512, 256>>>((unsigned *)a);
    dotDouble<<<264, 256>>>((double *)a, (double *)b, (double *)c, n);
    reduceUnrolled<256><<<264, 256>>>((float *)a, (float *)b, n);
    compact<<<n / 256, 256>>>(a, b, c, n);
    reduceGroups<<<264, 256>>>(a, c, n);
    binarySearch<<<n / 256, 256>>>(a, b, c, n, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
