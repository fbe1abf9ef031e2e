// CLEAN: the threads add to the bins by atomics.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
class Span {
  public:
    __host__ __device__ Span(T* data, int size) : data_(data), size_(size) {}
    __device__ T& operator[](int i) { return data_[i]; }
    __device__ int size() const { return size_; }

  private:
    T* data_;
    int size_;
};

template <typename K, typename C>
__global__ void count(Span<const K> keys, Span<C> bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < keys.size(); i += gridDim.x * blockDim.x)
        atomicAdd(&bins[keys[i] % bins.size()], 1);
}

int main() {
    const int n = 20000, m = 97;
    std::vector<unsigned short> h(n);
    for (int i = 0; i < n; ++i) h[i] = (unsigned short)(i * 31);
    unsigned short* keys;
    int* bins;
    cudaMalloc(&keys, n * sizeof(unsigned short));
    cudaMalloc(&bins, m * sizeof(int));
    cudaMemcpy(keys, h.data(), n * sizeof(unsigned short), cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, m * sizeof(int));
    count<<<40, 128>>>(Span<const unsigned short>(keys, n), Span<int>(bins, m));
    std::vector<int> r(m);
    cudaMemcpy(r.data(), bins, m * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r[0]);
    cudaFree(keys);
    cudaFree(bins);
}
