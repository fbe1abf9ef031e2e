// BROKEN: the grid's height is made of the block's width: the lower rows have no threads.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void invert(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = 255 - in[y * w + x];
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

int main() {
    const int w = 640, h = 480;
    std::vector<unsigned char> v(w * h, 9);
    unsigned char *in, *out;
    cudaMalloc(&in, w * h);
    cudaMalloc(&out, w * h);
    cudaMemcpy(in, v.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    dim3 grid(ceil_div(w, block.x), ceil_div(h, block.x));
    invert<<<grid, block>>>(in, out, w, h);  // BUG: grid-does-not-cover (or lines 8, 21)
    cudaMemcpy(v.data(), out, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", v[0]);
    cudaFree(in);
    cudaFree(out);
}
