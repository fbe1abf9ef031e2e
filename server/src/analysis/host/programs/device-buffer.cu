// An RAII class that owns device memory and passes for its pointer.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    cudaError_t status = (call);                                                            \
    if (status != cudaSuccess) {                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));       \
      exit(EXIT_FAILURE);                                                                   \
    }                                                                                       \
  } while (0)

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) { CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T))); }
  explicit DeviceBuffer(const std::vector<T> &host) : DeviceBuffer(host.size()) { upload(host); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer(DeviceBuffer &&other) noexcept : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  ~DeviceBuffer() { cudaFree(data_); }
  void upload(const std::vector<T> &host) {
    CUDA_CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  T *get() const { return data_; }
  size_t size() const { return count_; }
  operator T *() { return data_; }

 private:
  T *data_ = nullptr;
  size_t count_ = 0;
};

__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int main() {
  const int n = 100000;
  std::vector<float> ones(n, 1.0f);
  std::vector<float> ramp(n);
  for (int i = 0; i < n; ++i) ramp[i] = 0.5f * i;
  DeviceBuffer<float> x(ones);
  DeviceBuffer<float> y(n);
  y.upload(ramp);
  const int block = 192;
  axpy<<<(y.size() + block - 1) / block, block>>>(2.0f, x, y, n);
  axpy<<<(n + block - 1) / block, block>>>(2.0f, x.get() + 1000, y.get() + 1000, n - 1000);
}
//= axpy 521 192 | 2 data_[400000]+0=constant(1) data_[400000]+0=computed(0,0.5,1,1.5,2,2.5) 100000
//= axpy 521 192 | 2 data_[400000]+4000=constant(1) data_[400000]+4000=? 99000
