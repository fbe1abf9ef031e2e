// A scan by levels: recursion with shrinking sizes, arrays of buffers, integer logarithms.
#include <cmath>
#include <cstdlib>

#define BLOCK 512
#define MAX_LEVELS 8

__global__ void scanBlock(const int *in, int *out, int *sums, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }
__global__ void addSums(int *out, const int *sums, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] += sums[blockIdx.x]; }

static int *levels[MAX_LEVELS];
static int levelCount;

static void allocate(int n) {
  int level = 0;
  do {
    n = (n + BLOCK - 1) / BLOCK;
    if (n > 1) cudaMalloc((void **)&levels[level++], n * sizeof(int));
  } while (n > 1);
  levelCount = level;
}

static void scan(const int *in, int *out, int n, int level) {
  int blocks = (int)ceilf((float)n / BLOCK);
  scanBlock<<<blocks, BLOCK, BLOCK * sizeof(int)>>>(in, out, levels[level], n);
  if (blocks > 1) {
    scan(levels[level], levels[level], blocks, level + 1);
    addSums<<<blocks, BLOCK>>>(out, levels[level], n);
  }
}

int main() {
  int n = 1 << 20;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  int *host = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = i & 1;
  cudaMemcpy(in, host, n * sizeof(int), cudaMemcpyHostToDevice);
  allocate(n);
  scan(in, out, n, 0);
  int steps = (int)log2((double)n);
  for (int s = 0; s < steps; s++) addSums<<<1 << (steps - s - 9 > 0 ? steps - s - 9 : 0), 32>>>(out, in, levelCount);
}
//= scanBlock 2048 512 2048 | in[4194304]+0=computed(0,1,0,1,0,1) out[4194304]+0=? levels[8192]+0=? 1048576
//= scanBlock 4 512 2048 | levels[8192]+0=? levels[8192]+0=? levels[16]+0=? 2048
//= scanBlock 1 512 2048 | levels[16]+0=? levels[16]+0=? 0 4
//= addSums 4 512 | levels[8192]+0=? levels[16]+0=? 2048
//= addSums 2048 512 | out[4194304]+0=? levels[8192]+0=? 1048576
//= addSums 2048 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 1024 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 512 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 256 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 128 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 64 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 32 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
//= addSums 16 32 | out[4194304]+0=? in[4194304]+0=computed(0,1,0,1,0,1) 2
