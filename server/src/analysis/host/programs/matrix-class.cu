// A matrix class with operator(), a base class, references returned, a smart pointer, launches in a method.
#include <memory>
#include <vector>

struct Shape {
  int rows, cols;
  Shape(int r, int c) : rows(r), cols(c) {}
  int size() const { return rows * cols; }
};

class Matrix : public Shape {
 public:
  Matrix(int r, int c) : Shape(r, c), host_(r * c) { cudaMalloc(&device_, bytes()); }
  float &operator()(int r, int c) { return host_[r * cols + c]; }
  float &at(int k) { return host_[k]; }
  size_t bytes() const { return size() * sizeof(float); }
  void toDevice() { cudaMemcpy(device_, host_.data(), bytes(), cudaMemcpyHostToDevice); }
  float *device() { return device_; }
  const Shape &shape() const { return *this; }

 private:
  std::vector<float> host_;
  float *device_;
};

__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (row < m && col < n) {
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}

class Multiplier {
 public:
  explicit Multiplier(int tile) : tile_(tile) {}
  void operator()(Matrix &a, Matrix &b, Matrix &c) const {
    dim3 block(tile_, tile_);
    dim3 grid(up(c.cols), up(c.rows));
    gemm<<<grid, block>>>(a.device(), b.device(), c.device(), c.shape().rows, c.shape().cols, a.cols);
  }

 private:
  int up(int n) const { return (n + tile_ - 1) / tile_; }
  int tile_;
};

int main() {
  Matrix a(300, 200), b(200, 500), c(300, 500);
  for (int r = 0; r < a.rows; r++)
    for (int k = 0; k < a.cols; k++) a(r, k) = 1.0f;
  for (int k = 0; k < b.size(); k++) b.at(k) = 2.0f;
  a.toDevice();
  b.toDevice();
  auto multiply = std::make_unique<Multiplier>(16);
  (*multiply)(a, b, c);
}
//= gemm 32x19 16x16 | device_[240000]+0=constant(1) device_[400000]+0=constant(2) device_[600000]+0=? 300 500 200
