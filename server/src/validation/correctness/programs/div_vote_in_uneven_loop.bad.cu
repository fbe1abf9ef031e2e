// BROKEN: a full-mask vote in a loop whose trip count is steps[i]: lane 0 leaves after one trip while lane 1 names it in its second vote.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void iterate(const int* steps, int* rounds, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i < n ? steps[i] : 0;
    int seen = 0;
    while (left > 0) {
        unsigned busy = __ballot_sync(0xffffffffu, left > 0);  // BUG: divergent-barrier (or line 10)
        seen += __popc(busy);
        if (left > 0) --left;
    }
    if (i < n) rounds[i] = seen;
}

int main() {
    const int n = 2000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = 1 + i % 5;
    int *steps, *rounds;
    cudaMalloc(&steps, n * sizeof(int));
    cudaMalloc(&rounds, n * sizeof(int));
    cudaMemcpy(steps, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    iterate<<<(n + 127) / 128, 128>>>(steps, rounds, n);
    cudaMemcpy(h.data(), rounds, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(steps);
    cudaFree(rounds);
}
