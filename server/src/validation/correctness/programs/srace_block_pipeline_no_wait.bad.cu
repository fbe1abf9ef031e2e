// BROKEN: the stage is read without `consumer_wait`.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int STAGES = 2, CHUNK = 96;

__global__ void weigh(const float* in, float* out, int chunks) {
    __shared__ float stage[STAGES][CHUNK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const float* from = in + blockIdx.x * chunks * CHUNK;
    float sum = 0.f;
    int next = 0;
    for (int c = 0; c < chunks; ++c) {
        for (; next < chunks && next < c + STAGES; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[next % STAGES], from + next * CHUNK, CHUNK * sizeof(float), pipe);
            pipe.producer_commit();
        }
        const float* row = stage[c % STAGES];
        sum += row[threadIdx.x] + row[CHUNK - 1 - threadIdx.x];  // BUG: shared-memory-race (or line 21)
        pipe.consumer_release();
    }
    out[blockIdx.x * CHUNK + threadIdx.x] = sum;
}

int main() {
    const int blocks = 3, chunks = 7, n = blocks * chunks * CHUNK;
    static float host[n];
    float *in, *out;
    for (int i = 0; i < n; ++i) host[i] = float(i % 13);
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, blocks * CHUNK * sizeof(float));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    weigh<<<blocks, CHUNK>>>(in, out, chunks);
    cudaMemcpy(host, out, blocks * CHUNK * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(in);
    cudaFree(out);
}
