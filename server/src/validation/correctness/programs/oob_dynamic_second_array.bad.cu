// BROKEN: the launch gives dynamic shared memory for the keys only: thread 0 writes vals[0] at byte 512 of 512.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void rotate_pairs(int* keys, float* vals) {
    extern __shared__ unsigned char smem[];
    int* sk = reinterpret_cast<int*>(smem);
    float* sv = reinterpret_cast<float*>(sk + blockDim.x);
    int t = threadIdx.x, base = blockIdx.x * blockDim.x;
    sk[t] = keys[base + t];
    sv[t] = vals[base + t];  // BUG: out-of-bounds-access (or line 30)
    __syncthreads();
    int from = (t + 1) % blockDim.x;
    keys[base + t] = sk[from];
    vals[base + t] = sv[from];
}

int main() {
    const int threads = 128, blocks = 20, n = threads * blocks;
    std::vector<int> k(n, 1);
    std::vector<float> v(n, 2.0f);
    int* dk;
    float* dv;
    cudaMalloc(&dk, n * sizeof(int));
    cudaMalloc(&dv, n * sizeof(float));
    cudaMemcpy(dk, k.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    size_t shmem = threads * sizeof(int);
    rotate_pairs<<<blocks, threads, shmem>>>(dk, dv);
    cudaMemcpy(v.data(), dv, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[0]);
    cudaFree(dk);
    cudaFree(dv);
}
