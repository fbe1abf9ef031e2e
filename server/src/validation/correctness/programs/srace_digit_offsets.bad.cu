// BROKEN: thread 0 adds up the digits' counts, and the others read their offsets before it has.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scatter_block(const unsigned* keys, unsigned* out, int shift) {
    __shared__ unsigned count[16], offset[16];
    const unsigned t = threadIdx.x, base = blockIdx.x * blockDim.x;
    if (t < 16) count[t] = 0;
    __syncthreads();
    const unsigned key = keys[base + t], digit = (key >> shift) & 15u;
    const unsigned rank = atomicAdd(&count[digit], 1u);
    __syncthreads();
    if (t == 0) {
        unsigned run = 0;
        for (int d = 0; d < 16; ++d) {
            offset[d] = run;  // BUG: shared-memory-race (or line 22)
            run += count[d];
        }
    }

    out[base + offset[digit] + rank] = key;
}

int main() {
    const int n = 256 * 32;
    std::vector<unsigned> h(n);
    for (int i = 0; i < n; ++i) h[i] = i * 2654435761u;
    unsigned *keys, *out;
    cudaMalloc(&keys, n * sizeof(unsigned));
    cudaMalloc(&out, n * sizeof(unsigned));
    cudaMemcpy(keys, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    scatter_block<<<32, 256>>>(keys, out, 4);
    cudaMemcpy(h.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u\n", h[0]);
    cudaFree(keys);
    cudaFree(out);
}
