// A benchmark with an abstract base class, virtual methods, a registry of factories, a size sweep.
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class Benchmark {
 public:
  explicit Benchmark(std::string name) : name_(std::move(name)) {}
  virtual ~Benchmark() = default;
  virtual void prepare(size_t n) = 0;
  virtual void launch() = 0;
  void run(size_t n) {
    prepare(n);
    for (int warm = 0; warm < 2; ++warm) launch();
    launch();
  }

 protected:
  size_t count_ = 0;
  std::string name_;
};

__global__ void triad(double *a, const double *b, const double *c, size_t n) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i] + 3 * c[i]; }
__global__ void histogram(const unsigned char *in, unsigned *bins, size_t n) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&bins[in[i]], 1); }

class Triad : public Benchmark {
 public:
  Triad() : Benchmark("triad") {}
  void prepare(size_t n) override {
    count_ = n;
    for (double **p : {&a_, &b_, &c_}) cudaMalloc(p, n * sizeof(double));
  }
  void launch() override { triad<<<(count_ + kBlock - 1) / kBlock, kBlock>>>(a_, b_, c_, count_); }

 private:
  static constexpr int kBlock = 256;
  double *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
};

class Histogram : public Benchmark {
 public:
  Histogram() : Benchmark("histogram") {}
  void prepare(size_t n) override {
    count_ = n;
    std::vector<unsigned char> host(n);
    for (auto &value : host) value = rand() % 256;
    cudaMalloc(&in_, n);
    cudaMalloc(&bins_, 256 * sizeof(unsigned));
    cudaMemcpy(in_, host.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins_, 0, 256 * sizeof(unsigned));
  }
  void launch() override { histogram<<<count_ / 1024, 1024>>>(in_, bins_, count_); }

 private:
  unsigned char *in_;
  unsigned *bins_;
};

int main() {
  std::vector<std::unique_ptr<Benchmark>> all;
  all.push_back(std::make_unique<Triad>());
  all.emplace_back(new Histogram);
  for (auto &benchmark : all)
    for (size_t n : {size_t(1) << 20, size_t(1) << 22}) benchmark->run(n);
}
//= triad 4096 256 | a_[8388608]+0=? b_[8388608]+0=? c_[8388608]+0=? 1048576
//= triad 16384 256 | a_[33554432]+0=? b_[33554432]+0=? c_[33554432]+0=? 4194304
//= histogram 1024 1024 | in_[1048576]+0=uniform(0,256) bins_[1024]+0=zero 1048576
//= histogram 4096 1024 | in_[4194304]+0=uniform(0,256) bins_[1024]+0=zero 4194304
