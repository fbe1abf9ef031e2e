// Template helpers: launch<BLOCK>(...), dispatch by a switch over a run-time size, `if constexpr`.
template <int BLOCK, typename T>
__global__ void reduce(const T *in, T *out, int n) {
  __shared__ T s[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int k = BLOCK / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }

template <int BLOCK, typename T>
int launch(const T *in, T *out, int n) {
  const int blocks = ceilDiv(n, BLOCK);
  if constexpr (BLOCK >= 64) reduce<BLOCK><<<blocks, BLOCK>>>(in, out, n);
  else reduce<64><<<ceilDiv(n, 64), 64>>>(in, out, n);
  return blocks;
}

template <typename T>
int dispatch(int block, const T *in, T *out, int n) {
  switch (block) {
    case 128: return launch<128>(in, out, n);
    case 256: return launch<256>(in, out, n);
    default: return launch<32>(in, out, n);
  }
}

int main() {
  enum { N = 1 << 20 };
  double *a, *b;
  cudaMalloc(&a, N * sizeof(double));
  cudaMalloc(&b, N * sizeof(double));
  int left = N;
  while (left > 1) {
    left = dispatch(256, a, b, left);
    double *t = a;
    a = b;
    b = t;
  }
}
// What the switch does not take is told all the same, as not reached; what `if constexpr` passes over is no part of the instance.
//= reduce<128, double> 8192 128 | a[8388608]+0=? b[8388608]+0=? 1048576
//= reduce<256, double> 4096 256 | a[8388608]+0=? b[8388608]+0=? 1048576
//= reduce<256, double> 16 256 | b[8388608]+0=? a[8388608]+0=? 4096
//= reduce<256, double> 1 256 | a[8388608]+0=? b[8388608]+0=? 16
//= reduce<64, double> 16384 64 | a[8388608]+0=? b[8388608]+0=? 1048576
