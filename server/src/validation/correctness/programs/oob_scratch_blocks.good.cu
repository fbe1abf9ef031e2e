// CLEAN: the scratch is allocated for the blocks that there are.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int kBlock = 256;

__global__ void partial_sums(const int* in, int* sums, int n) {
    __shared__ int s[kBlock];
    int i = blockIdx.x * kBlock + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = kBlock / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}

__global__ void total(const int* sums, int count, int* out) {
    int sum = 0;
    for (int k = 0; k < count; ++k) sum += sums[k];
    *out = sum;
}

class Reducer {
  public:
    explicit Reducer(int n) : n_(n), blocks_((n + kBlock - 1) / kBlock) {
        cudaMalloc(&scratch_, blocks_ * sizeof(int));
        cudaMalloc(&out_, sizeof(int));
    }
    ~Reducer() {
        cudaFree(scratch_);
        cudaFree(out_);
    }
    int run(const int* in) {
        int sum = 0;
        partial_sums<<<blocks_, kBlock>>>(in, scratch_, n_);
        total<<<1, 1>>>(scratch_, blocks_, out_);
        cudaMemcpy(&sum, out_, sizeof(int), cudaMemcpyDeviceToHost);
        return sum;
    }

  private:
    int n_, blocks_;
    int *scratch_ = nullptr, *out_ = nullptr;
};

int main() {
    const int n = 30000;
    std::vector<int> h(n, 1);
    int* in;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    Reducer reducer(n);
    printf("%d\n", reducer.run(in));
    cudaFree(in);
}
