// BROKEN: the key 1000 falls into bucket 10 of 10: the thread of i = 1000 (block 3, thread 232) adds to counts[10].
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void count_buckets(const int* keys, int* counts, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(counts + keys[i] / width, 1);  // BUG: out-of-bounds-access
}

int main() {
    const int n = 4000, maxKey = 1000, width = 100;
    const int buckets = maxKey / width;
    std::vector<int> keys(n), counts(buckets);
    for (int i = 0; i < n; ++i) keys[i] = i % (maxKey + 1);
    int *dk, *dc;
    cudaMalloc(&dk, n * sizeof(int));
    cudaMalloc(&dc, buckets * sizeof(int));
    cudaMemcpy(dk, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, buckets * sizeof(int));
    count_buckets<<<(n + 255) / 256, 256>>>(dk, dc, n, width);
    cudaMemcpy(counts.data(), dc, buckets * sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < buckets; ++b) printf("%d: %d\n", b, counts[b]);
    cudaFree(dk);
    cudaFree(dc);
}
