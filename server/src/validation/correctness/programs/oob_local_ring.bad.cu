// BROKEN: the head of an 8-slot ring wraps at 9: every thread reads and writes ring[8] at its ninth sample.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TAPS = 8;

__global__ void moving_average(const float* in, float* out, int channels, int samples) {
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    float ring[TAPS] = {};
    float sum = 0.0f;
    int head = 0;
    for (int s = 0; s < samples; ++s) {
        float v = in[s * channels + ch];
        sum += v - ring[head];  // BUG: out-of-bounds-access (or line 17)
        ring[head] = v;
        head = (head + 1) % (TAPS + 1);
        out[s * channels + ch] = sum / TAPS;
    }
}

int main() {
    const int channels = 500, samples = 40, count = channels * samples;
    std::vector<float> h(count, 1.0f);
    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, h.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    moving_average<<<(channels + 63) / 64, 64>>>(in, out, channels, samples);
    cudaMemcpy(h.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[count - 1]);
    cudaFree(in);
    cudaFree(out);
}
