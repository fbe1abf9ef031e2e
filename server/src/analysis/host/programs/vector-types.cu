// Vector types, casts to wider pointers, half precision, two-dimensional tiles with shared memory computed from them.
#include <cuda_fp16.h>
#include <vector_types.h>

template <int TILE_M, int TILE_N, typename T>
struct Tile {
  static constexpr int kThreads = TILE_M / 4 * (TILE_N / 4);
  static constexpr size_t kSharedBytes = (TILE_M + TILE_N) * 8 * sizeof(T);
  static dim3 grid(int m, int n) { return dim3((n + TILE_N - 1) / TILE_N, (m + TILE_M - 1) / TILE_M); }
};

template <typename Shape, typename T>
__global__ void __launch_bounds__(Shape::kThreads) gemm(const T *a, const T *b, float4 *c, int3 size, float2 factors) {
  extern __shared__ char shared[];
  if (threadIdx.x < size.x) c[threadIdx.x].x = factors.x;
}
__global__ void widen(const uint4 *in, float4 *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i].x = in[i].y; }

template <typename T>
void multiply(const T *a, const T *b, float *c, int m, int n, int k) {
  using Shape = Tile<64, 128, T>;
  int3 size = make_int3(m, n, k);
  gemm<Shape, T><<<Shape::grid(m, n), Shape::kThreads, Shape::kSharedBytes>>>(a, b, reinterpret_cast<float4 *>(c), size, float2{1.0f, 0.0f});
}

int main() {
  const int m = 512, n = 640, k = 256;
  __half *a, *b;
  float *c;
  cudaMalloc(&a, m * k * sizeof(__half));
  cudaMalloc(&b, k * n * sizeof(half));
  cudaMalloc(&c, m * n * sizeof(float));
  multiply(a, b, c, m, n, k);
  widen<<<m * k / 8 / 256, 256>>>((const uint4 *)a, (float4 *)(c + 4), m * k / 8);
}
//= gemm<Tile<64, 128, __half>, __half> 5x8 512 3072 | a[262144]+0=? b[327680]+0=? c[1310720]+0=? {0:512 4:640 8:256} {0:1 4:0}
//= widen 64 256 | a[262144]+0=? c[1310720]+16=? 16384
