// CLEAN
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void flag_and_shift(const double* in, double* out) {
    extern __shared__ double smem[];
    int t = threadIdx.x, n = blockDim.x;
    unsigned char* flag = reinterpret_cast<unsigned char*>(smem) + n * sizeof(double);
    double* val = reinterpret_cast<double*>(reinterpret_cast<unsigned char*>(smem));
    double v = in[blockIdx.x * n + t];
    val[t] = v;
    flag[t] = v > 0.5;
    __syncthreads();
    int o = (t + 1) % n;
    out[blockIdx.x * n + t] = flag[o] ? val[o] : 0.0;
}

int main() {
    const int threads = 100, blocks = 10, n = threads * blocks;
    std::vector<double> h(n, 1.0);
    double *in, *out;
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&out, n * sizeof(double));
    cudaMemcpy(in, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    flag_and_shift<<<blocks, threads, threads * (sizeof(double) + 1)>>>(in, out);
    cudaMemcpy(h.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
