// What index arrays hold: modulo of random numbers, iota, shuffled, sorted, distributions of <random>.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

__global__ void gather(const int *index, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}

static int *upload(const std::vector<int> &v) {
  int *d;
  cudaMalloc(&d, v.size() * sizeof(int));
  cudaMemcpy(d, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int n = 1 << 16;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::uniform_int_distribution<int> anywhere(0, n - 1);
  std::vector<float> values(n);
  for (auto &v : values) v = unit(generator);
  cudaMemcpy(in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  std::vector<int> index(n);
  srand(1);
  for (int i = 0; i < n; i++) index[i] = rand() % n;
  int *a = upload(index);
  gather<<<n / 256, 256>>>(a, in, out, n);
  std::iota(index.begin(), index.end(), 0);
  int *b = upload(index);
  gather<<<n / 256, 256>>>(b, in, out, n);
  std::shuffle(index.begin(), index.end(), generator);
  int *c = upload(index);
  gather<<<n / 256, 256>>>(c, in, out, n);
  for (int i = 0; i < n; i++) index[i] = anywhere(generator);
  int *d = upload(index);
  gather<<<n / 256, 256>>>(d, in, out, n);
  std::sort(index.begin(), index.end());
  int *e = upload(index);
  gather<<<n / 256, 256>>>(e, in, out, n);
  for (int i = 0; i < n; i++) index[i] = n - 1 - i;
  int *f = upload(index);
  gather<<<n / 256, 256>>>(f, in, out, n);
  std::generate(index.begin(), index.end(), [&] { return anywhere(generator); });
  int *g = upload(index);
  gather<<<n / 256, 256>>>(g, in, out, n);
}
//= gather 256 256 | d[262144]+0=uniform(0,65536) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=linear(0,1) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=permutation(65536) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=uniform(0,65536) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=values(1,6,6,7,7,8,8,9) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=linear(65535,-1) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
//= gather 256 256 | d[262144]+0=uniform(0,65536) in[262144]+0=uniform(0,1) out[262144]+0=? 65536
