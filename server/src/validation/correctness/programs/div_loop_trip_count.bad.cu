// BROKEN: the loop with the barriers runs 4 times for threads 0 to 231 and 3 times for threads 232 to 255 (n = 1,000).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void fold(const float* in, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const int limit = n;
    float acc = 0.f;
    for (int i = t; i < limit; i += 256) {
        s[t] = i < n ? in[i] : 0.f;
        __syncthreads();  // BUG: divergent-barrier (or line 11, 15)
        acc += s[t ^ 128];
        __syncthreads();
    }
    out[t] = acc;
}

int main() {
    const int n = 1000;
    std::vector<float> h(n, 1.f), o(256);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 256 * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    fold<<<1, 256>>>(in, out, n);
    cudaMemcpy(o.data(), out, 256 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", o[0]);
    cudaFree(in);
    cudaFree(out);
}
