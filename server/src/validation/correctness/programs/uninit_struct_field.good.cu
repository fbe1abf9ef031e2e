// CLEAN: all fields of the statistics are set.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Stats { float sum, low, high; };

__global__ void summarise(const float* in, Stats* out, int per) {
    Stats s;
    s.sum = 0.f;
    s.high = -1e30f;
    s.low = 1e30f;
    const float* mine = in + (blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int k = 0; k < per; ++k) {
        s.sum += mine[k];
        s.low = fminf(s.low, mine[k]);
        s.high = fmaxf(s.high, mine[k]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

int main() {
    const int threads = 64 * 8, per = 10;
    std::vector<float> h(threads * per, 1.f);
    std::vector<Stats> r(threads);
    float* in;
    Stats* out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, threads * sizeof(Stats));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    summarise<<<8, 64>>>(in, out, per);
    cudaMemcpy(r.data(), out, threads * sizeof(Stats), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0].low);
    cudaFree(in);
    cudaFree(out);
}
