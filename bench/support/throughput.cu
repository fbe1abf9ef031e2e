// Kernels that run for long, one a kind of work: what bench/throughput.mjs times.

__global__ void alu(int *out, int n) {
  unsigned a = threadIdx.x * 2654435761u + blockIdx.x, b = a ^ 0x9e3779b9u;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    a ^= a << 13;
    a ^= a >> 17;
    a ^= a << 5;
    b = b * 1664525u + a;
  }
  if (b != 12345u) out[(a ^ b) & 1023] = b;
}

__global__ void single(float *out, int n) {
  float x = threadIdx.x * 0.001f, y = 0.5f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    x = x * y + 0.25f;
    y = y - x * 0.125f;
    x = x * x + y;
  }
  out[threadIdx.x] = x + y;
}

__global__ void doubles(double *out, int n) {
  double x = threadIdx.x * 0.001, y = 0.5;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    x = x * y + 0.25;
    y = y - x * 0.125;
    x = x * x + y;
  }
  out[threadIdx.x] = x + y;
}

__global__ void stream(const float *in, float *out, int n) {
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * 2.0f + in[i + 1];
}

__global__ void gather(const int *next, int *out, int n) {
  int at = (threadIdx.x * 97 + blockIdx.x) & 65535, sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    at = (next[at] + i) & 65535;
    sum += at;
  }
  out[threadIdx.x] = sum;
}

__global__ void sharedTile(const int *in, int *out, int n) {
  __shared__ int tile[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) tile[k] = (k * 7 + 3) & 1023;
  __syncthreads();
  int at = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    at = tile[(at + i) & 1023];
    tile[threadIdx.x] = at;
  }
  out[at] = at;
}

__global__ void divergent(int *out, int n) {
  unsigned x = threadIdx.x * 7 + 27, steps = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (x & 1) {
      x = x * 3 + 1;
      steps += 2;
      if (x > 1000000u) x = x ^ steps;
    } else {
      x >>= 1;
      if (x < 2) x = threadIdx.x + i;
      else steps ^= x;
    }
  }
  out[steps & 1023] = x;
}

__global__ void local(const int *in, int *out, int n) {
  int stack[32];
  for (int k = 0; k < 32; ++k) stack[k] = k * 5 + threadIdx.x;
  int at = threadIdx.x & 31;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    at = (stack[at] + i) & 31;
    stack[(at * 3 + 1) & 31] = at + i;
  }
  out[at] = at;
}

__global__ void wide(long long *out, long long n) {
  long long a = threadIdx.x + 12345678901LL;
#pragma unroll 1
  for (long long i = 0; i < n; ++i) {
    a = a * 6364136223846793005LL + i;
    a ^= a >> 29;
  }
  out[a & 1023] = a;
}

__global__ void atomics(int *out, int n) {
  int at = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) at = atomicAdd(&out[(at * 17 + i) & 1023], 1) + i;
  if (at == -1) out[0] = at;
}

__global__ void shuffles(int *out, int n) {
  int x = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    x += __shfl_xor_sync(0xffffffff, x, 16);
    x ^= __shfl_down_sync(0xffffffff, x, 3);
  }
  out[x & 1023] = x;
}

template <class T> T *buffer() {
  T *made;
  cudaMalloc(&made, 1 << 24);
  return made;
}

// Each launch has buffers of its own, so that none finds what another left.
int main() {
  int *a = buffer<int>(), *b = buffer<int>(), *c = buffer<int>(), *d = buffer<int>(), *e = buffer<int>(), *f = buffer<int>();
  int *g = buffer<int>(), *h = buffer<int>(), *i = buffer<int>(), *j = buffer<int>();
  float *k = buffer<float>(), *l = buffer<float>(), *m = buffer<float>();
  double *n = buffer<double>();
  long long *o = buffer<long long>();
  alu<<<8, 256>>>(a, 1 << 16);
  single<<<8, 256>>>(k, 1 << 16);
  doubles<<<8, 256>>>(n, 1 << 16);
  stream<<<8, 256>>>(l, m, 1 << 21);
  gather<<<8, 256>>>(b, c, 1 << 14); // warplens: next=0..65535
  sharedTile<<<8, 256>>>(d, e, 1 << 14);
  divergent<<<8, 256>>>(f, 1 << 16);
  local<<<8, 256>>>(g, h, 1 << 14);
  wide<<<8, 256>>>(o, 1 << 14);
  atomics<<<8, 256>>>(i, 1 << 14);
  shuffles<<<8, 256>>>(j, 1 << 14);
}
