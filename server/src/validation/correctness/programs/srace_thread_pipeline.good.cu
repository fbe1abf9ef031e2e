// CLEAN: the block meets behind the wait, before it reads its neighbours' elements.
#include <cstdio>
#include <vector>
#include <cuda/pipeline>
#include <cuda_runtime.h>

template <int STAGES>
__global__ void smooth(const float* in, float* out, int chunks) {
    __shared__ float buf[STAGES][128];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    const float* src = in + blockIdx.x * chunks * 128;
    pipe.producer_acquire();
    cuda::memcpy_async(&buf[0][t], src + t, sizeof(float), pipe);
    pipe.producer_commit();
    for (int c = 0; c < chunks; ++c) {
        if (c + 1 < chunks) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buf[(c + 1) % STAGES][t], src + (c + 1) * 128 + t, sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        __syncthreads();
        float left = buf[c % STAGES][t == 0 ? 0 : t - 1];
        out[(blockIdx.x * chunks + c) * 128 + t] = 0.5f * (left + buf[c % STAGES][t]);
        __syncthreads();
        pipe.consumer_release();
    }
}

int main() {
    const int blocks = 24, chunks = 6, n = blocks * chunks * 128;
    std::vector<float> h(n, 1.f);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    smooth<2><<<blocks, 128>>>(in, out, chunks);
    cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[5]);
    cudaFree(in);
    cudaFree(out);
}
