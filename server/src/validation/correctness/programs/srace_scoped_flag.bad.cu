// BROKEN: the flag is stored relaxed: a reader may see it before the palette.
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

// The last warp fills a palette that the others wait for.
__global__ void colour(const unsigned char* index, const float* shades, float* out) {
    __shared__ float palette[32];
    __shared__ int filled;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) filled = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(filled);
    if (warp == 3) {
        palette[lane] = shades[lane] * 0.25f;  // BUG: shared-memory-race (or line 21)
        __syncwarp();
        if (lane == 0) flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        const int at = blockIdx.x * 96 + threadIdx.x;
        out[at] = palette[index[at] % 32];
    }
}

int main() {
    const int n = 4 * 96;
    unsigned char host[n], *index;
    float host_shades[32], *shades, *out, result[n];
    for (int i = 0; i < n; ++i) host[i] = (unsigned char)(i * 5);
    for (int i = 0; i < 32; ++i) host_shades[i] = float(i);
    cudaMalloc(&index, n);
    cudaMalloc(&shades, sizeof(host_shades));
    cudaMalloc(&out, sizeof(result));
    cudaMemcpy(index, host, n, cudaMemcpyHostToDevice);
    cudaMemcpy(shades, host_shades, sizeof(host_shades), cudaMemcpyHostToDevice);
    colour<<<4, 128>>>(index, shades, out);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%f\n", result[7]);
    cudaFree(index);
    cudaFree(shades);
    cudaFree(out);
}
