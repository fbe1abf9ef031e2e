// A library's launch configuration inside a class of the program, kernels forwarded with their arguments.
#include <utility>

struct Launch {
  dim3 blocks, threads;
  size_t shared;
  cudaStream_t stream;
  Launch(const dim3 &b, const dim3 &t, size_t s, cudaStream_t st) : blocks(b), threads(t), shared(s), stream(st) {}
};

struct Dependent {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config;
  Dependent(const Launch &launch) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config = {};
    config.gridDim = launch.blocks;
    config.blockDim = launch.threads;
    config.dynamicSmemBytes = launch.shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
};

template <typename Kernel, typename... Args>
static inline void launch(Kernel kernel, const Launch &how, Args &&...args) {
  auto dependent = Dependent(how);
  cudaLaunchKernelEx(&dependent.config, kernel, std::forward<Args>(args)...);
}

template <typename T, int N>
__global__ void rows(const T *in, T *out, int columns) { if (threadIdx.x < columns) out[blockIdx.x * columns + threadIdx.x] = in[threadIdx.x] * N; }

int main() {
  const int count = 300, columns = 96;
  float *in, *out;
  cudaMalloc(&in, columns * sizeof(float));
  cudaMalloc(&out, count * columns * sizeof(float));
  Launch how = Launch(dim3(count, 1, 1), dim3(columns, 1, 1), columns * sizeof(float), 0);
  launch(rows<float, 2>, how, in, out, columns);
}
//= rows<float, 2> 300 96 384 | in[384]+0=? out[115200]+0=? 96
