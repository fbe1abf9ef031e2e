// Functors and extended lambdas as kernel arguments, kernels in a namespace, an alias of a template.
namespace ops {
struct Scale {
  float by;
  __host__ __device__ float operator()(float x) const { return x * by; }
};
template <typename T>
struct Range {
  T *first, *last;
  __host__ __device__ int size() const { return last - first; }
};
template <typename T, typename Op>
__global__ void apply(Range<T> range, Op op) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < range.size(); i += gridDim.x * blockDim.x) range.first[i] = op(range.first[i]);
}
template <typename T, typename Op>
void forEach(T *first, T *last, Op op, int block = 128) {
  Range<T> range{first, last};
  int blocks = (range.size() + block - 1) / block;
  blocks = blocks < 64 ? blocks : 64;
  apply<<<blocks, block>>>(range, op);
}
}  // namespace ops
using Floats = ops::Range<float>;

__global__ void sum(Floats range, float *out) { if (threadIdx.x < range.size()) atomicAdd(out, range.first[threadIdx.x]); }

int main() {
  const int n = 5000;
  float *p, *out;
  cudaMalloc(&p, n * sizeof(float));
  cudaMalloc(&out, sizeof *out);
  ops::forEach(p, p + n, ops::Scale{3.0f});
  Floats half = {p + n / 2, p + n};
  sum<<<1, 256>>>(half, out);
}
//= apply<float, Scale> 40 128 | {0:p+0 8:p+20000} {0:3}
//= sum 1 256 | {0:p+10000 8:p+20000} out[4]+0=?
