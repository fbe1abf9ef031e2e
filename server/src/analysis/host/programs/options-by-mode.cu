// Modes by an enum class, switch, nested conditions, occupancy-independent shared memory.
#include <cstdio>
#include <cstdlib>
#include <string>

enum class Mode { Naive = 1, Shared, Vector };

__global__ void naive(float *o, const float *i, int n) { int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) o[t] = i[t]; }
__global__ void shared(float *o, const float *i, int n) {
  extern __shared__ float s[];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i[t];
  __syncthreads();
  o[t] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void vec(float4 *o, const float4 *i, int n) { int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) o[t] = i[t]; }

static void launch(Mode mode, float *out, const float *in, int n) {
  constexpr unsigned threads = 1u << 8;
  const unsigned blocks = n / threads;
  switch (mode) {
    case Mode::Naive:
      naive<<<blocks, threads>>>(out, in, n);
      break;
    case Mode::Shared: {
      const size_t bytes = threads * sizeof(float);
      shared<<<blocks, threads, bytes>>>(out, in, n);
      break;
    }
    case Mode::Vector:
      vec<<<blocks / 4, threads>>>(reinterpret_cast<float4 *>(out), reinterpret_cast<const float4 *>(in), n / 4);
      break;
  }
}

int main(int argc, char *argv[]) {
  std::string name = argc > 1 ? argv[1] : "shared";
  int log2n = (argc > 2) ? std::stoi(argv[2]) : 20;
  const int n = 1 << log2n;
  float *buffers[2];
  for (auto &p : buffers) cudaMalloc(&p, n * sizeof(float));
  if (name == "naive") launch(Mode::Naive, buffers[1], buffers[0], n);
  else if (name == "shared") launch(Mode::Shared, buffers[1], buffers[0], n);
  else launch(Mode::Vector, buffers[1], buffers[0], n);
}
//= naive 4096 256 | buffers[4194304]+0=? buffers[4194304]+0=? 1048576
//= shared 4096 256 1024 | buffers[4194304]+0=? buffers[4194304]+0=? 1048576
//= vec 1024 256 | buffers[4194304]+0=? buffers[4194304]+0=? 262144
