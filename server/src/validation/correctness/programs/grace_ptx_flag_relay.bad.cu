// BROKEN: `st.relaxed` where `st.release` is meant.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ int look(const int* flag) {
    int seen;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    return seen;
}
__device__ __forceinline__ void raise(int* flag) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__global__ void carry(const int* digits, int* carries, int* flags) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    int in = 0;
    if (b != 0) {
        while (look(flags + b - 1) != 1) {}
        in = carries[b - 1];  // BUG: global-memory-race (or line 22)
    }
    carries[b] = (digits[b] + in) / 10;
    raise(flags + b);
}

int main() {
    const int n = 40;
    int host[n], *digits, *carries, *flags;
    for (int i = 0; i < n; ++i) host[i] = 9;
    cudaMalloc(&digits, n * sizeof(int));
    cudaMalloc(&carries, n * sizeof(int));
    cudaMalloc(&flags, n * sizeof(int));
    cudaMemset(flags, 0, n * sizeof(int));
    cudaMemcpy(digits, host, n * sizeof(int), cudaMemcpyHostToDevice);
    carry<<<n, 32>>>(digits, carries, flags);
    cudaMemcpy(host, carries, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[n - 1]);
    cudaFree(digits);
    cudaFree(carries);
    cudaFree(flags);
}
