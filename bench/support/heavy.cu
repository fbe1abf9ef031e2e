// Kernels that are much work for each stage of a simulation: long straight code, deep loops, pressure on registers, much data.
#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

// Tens of thousands of operations in one block: every round is unrolled.
__global__ void hashes(const unsigned* in, unsigned* out, int n) {
  unsigned state[8];
#pragma unroll
  for (int k = 0; k < 8; k++) state[k] = in[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + k];
#pragma unroll
  for (int round = 0; round < 512; round++) {
    unsigned a = ROTATE(state[0], 6) ^ ROTATE(state[0], 11) ^ ROTATE(state[0], 25);
    unsigned b = (state[0] & state[1]) ^ (~state[0] & state[2]);
    unsigned c = state[7] + a + b + 0x428a2f98u * (round + 1);
    unsigned d = ROTATE(state[4], 2) ^ ROTATE(state[4], 13) ^ ROTATE(state[4], 22);
    unsigned e = (state[4] & state[5]) ^ (state[4] & state[6]) ^ (state[5] & state[6]);
    state[7] = state[6]; state[6] = state[5]; state[5] = state[4]; state[4] = state[3] + c;
    state[3] = state[2]; state[2] = state[1]; state[1] = state[0]; state[0] = c + d + e;
  }
  for (int k = 0; k < 8; k++) out[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + k] = state[k];
}

// More values at once than there are registers.
__global__ void products(const float* a, const float* b, float* c, int n) {
  float sums[16][16];
#pragma unroll
  for (int i = 0; i < 16; i++)
#pragma unroll
    for (int j = 0; j < 16; j++) sums[i][j] = 0;
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < 16; i++)
#pragma unroll
      for (int j = 0; j < 16; j++) sums[i][j] += a[(blockIdx.y * 16 + i) * n + k] * b[k * n + blockIdx.x * 16 + j];
  }
#pragma unroll
  for (int i = 0; i < 16; i++)
#pragma unroll
    for (int j = 0; j < 16; j++) c[(blockIdx.y * 16 + i) * n + blockIdx.x * 16 + j] = sums[i][j];
}

// Hundreds of small blocks: a branch for each case.
__global__ void cases(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
#pragma unroll
  for (int k = 0; k < 256; k++) {
    if (value > k) value += in[i + k];
    else if (value & 1) value -= k;
    else out[i] = value;
    if (value == 17 * k) { out[i + k] = k; value ^= k; }
  }
  out[i] = value;
}

// Loops within loops whose bounds are data, and a barrier in the innermost.
__global__ void walks(const int* starts, const int* next, float* values, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 64; round++) {
    tile[threadIdx.x] = values[i];
    __syncthreads();
    for (int at = starts[i % n]; at < starts[i % n + 1]; at++) {
      float sum = 0;
      for (int k = 0; k < 256; k++) sum += tile[(next[at] + k) & 255] * k;
      atomicAdd(&values[next[at]], sum);
    }
    __syncthreads();
  }
}

__global__ void fill(int* starts, int* next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  starts[i] = i * 3 + (i * 7919) % 3;
  next[i] = (i * 40503) % n;
}

int main() {
  const int n = 1 << 20;
  unsigned *in, *out;
  int *starts, *next;
  float *a, *b, *c;
  cudaMalloc(&in, n * 32); cudaMalloc(&out, n * 32);
  cudaMalloc(&starts, (n + 1) * 4); cudaMalloc(&next, 4 * n * 4);
  cudaMalloc(&a, 4 * n); cudaMalloc(&b, 4 * n); cudaMalloc(&c, 4 * n);
  hashes<<<n / 256, 256>>>(in, out, n);
  products<<<dim3(64, 64), 32>>>(a, b, c, 1024);
  cases<<<n / 256, 256>>>((int*)in, (int*)out, n);
  fill<<<n / 256, 256>>>(starts, next, n);
  walks<<<n / 256, 256>>>(starts, next, a, n);
}
