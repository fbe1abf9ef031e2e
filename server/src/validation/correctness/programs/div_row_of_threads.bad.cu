// BROKEN: only the first row of the block's threads comes to the barrier.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void row_scale(const float* in, float* out, int w) {
    __shared__ float factor[32];
    const int x = threadIdx.x, y = threadIdx.y;
    const int g = (blockIdx.y * blockDim.y + y) * w + blockIdx.x * 32 + x;
    switch (y) {
        case 0:
            factor[x] = 1.f + x;
            __syncthreads();  // BUG: divergent-barrier
            break;
        default:
            break;
    }

    out[g] = in[g] * (y == 0 ? factor[x] : 1.f);
}

int main() {
    const int w = 256, h = 64;
    std::vector<float> v(w * h, 1.f);
    float *in, *out;
    cudaMalloc(&in, v.size() * sizeof(float));
    cudaMalloc(&out, v.size() * sizeof(float));
    cudaMemcpy(in, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_scale<<<dim3(w / 32, h / 4), dim3(32, 4)>>>(in, out, w);
    cudaMemcpy(v.data(), out, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", v[0]);
    cudaFree(in);
    cudaFree(out);
}
