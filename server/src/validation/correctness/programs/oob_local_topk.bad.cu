// BROKEN: the insertion starts at K instead of K - 1: every thread writes best[4] of a local array of 4.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int K = 4;

__global__ void topk_rows(const float* m, float* out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best[K];
    for (int k = 0; k < K; ++k) best[k] = -1e30f;
    for (int c = 0; c < cols; ++c) {
        float v = m[r * cols + c];
        if (v <= best[K - 1]) continue;
        int k = K;
        while (k > 0 && best[k - 1] < v) {
            best[k] = best[k - 1];  // BUG: out-of-bounds-access
            --k;
        }
        best[k] = v;
    }
    for (int k = 0; k < K; ++k) out[r * K + k] = best[k];
}

int main() {
    const int rows = 1000, cols = 64;
    std::vector<float> m(rows * cols), out(rows * K);
    for (int i = 0; i < rows * cols; ++i) m[i] = (i * 37) % 101;
    float *dm, *dout;
    cudaMalloc(&dm, m.size() * sizeof(float));
    cudaMalloc(&dout, out.size() * sizeof(float));
    cudaMemcpy(dm, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    topk_rows<<<(rows + 127) / 128, 128>>>(dm, dout, rows, cols);
    cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", out[0]);
    cudaFree(dm);
    cudaFree(dout);
}
