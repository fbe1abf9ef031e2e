// CLEAN: the block meets behind each step of the arg-max.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Best { float value; int index; };

__device__ Best better(const Best& a, const Best& b) { return b.value > a.value ? b : a; }

__global__ void argmax(const float* in, Best* out) {
    __shared__ Best best[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    best[t] = better(Best{in[i], i}, Best{in[i + 256], i + 256});
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) best[t] = better(best[t], best[t + s]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = best[0];
}

int main() {
    const int blocks = 16, n = blocks * 512;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = float((i * 37) % 1001);
    std::vector<Best> r(blocks);
    float* in;
    Best* out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(Best));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    argmax<<<blocks, 256>>>(in, out);
    cudaMemcpy(r.data(), out, blocks * sizeof(Best), cudaMemcpyDeviceToHost);
    printf("%d\n", r[0].index);
    cudaFree(in);
    cudaFree(out);
}
