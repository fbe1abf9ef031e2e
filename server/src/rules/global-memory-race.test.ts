import { testRule } from "../testing/rule-tables.ts";
import rule from "./global-memory-race.ts";

const program = (kernel: string, host = "k<<<16, 256>>>(out, in, 4096);", more = ""): string => `${more}
__global__ void k(float *out, const float *in, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
${kernel}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  ${host}
}`;

testRule(rule, {
  clean: {
    "a lock with fences on either side": program(
      "  if (t == 0) {\n    while (atomicCAS(&lock, 0, 1) != 0) {}\n    __threadfence();\n    out[0] = blockIdx.x;\n    __threadfence();\n    atomicExch(&lock, 0);\n  }",
      "k<<<2, 32>>>(out, in, 4096);",
      "__device__ int lock;",
    ),
    "what a lock's holder does behind a barrier of the block": program(
      "  if (t == 0) while (atomicCAS(&lock, 0, 1) != 0) {}\n  __syncthreads();\n  if (t == 32) out[0] = blockIdx.x;\n  __threadfence();\n  __syncthreads();\n  if (t == 0) atomicExch(&lock, 0);",
      "k<<<2, 64>>>(out, in, 4096);",
      "__device__ int lock;",
    ),
    "the halves of a symmetric matrix, each number of which two threads compute": `__global__ void k(int *c, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n) return;
  c[y * n + x] = x * y;
  c[x * n + y] = x * y;
}
int main() {
  int *c;
  cudaMalloc(&c, 100 * 100 * 4);
  k<<<dim3(7, 7), dim3(16, 16)>>>(c, 100);
}`,
    "a flag of one value that others look at, to go on": program(
      "  if (t == 0 && in[i] > 0) {\n    out[1 + blockIdx.x] = 1;\n    __threadfence();\n    *(volatile float *)out = 1;\n  }\n  if (t == 1 && *(volatile float *)out > 0) out[100 + blockIdx.x] = 1;",
    ),
    "pointers of a record that only a directive launches": `struct Vectors { float *x, *y; };
// warplens: grid=(4) block=(256)
__global__ void k(Vectors v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  v.x[i] = v.y[i];
}`,
    "handed on within the block behind a barrier": program(`  out[i] = in[i];
  __syncthreads();
  float other = out[i ^ 64];
  __syncthreads();
  out[i] += other;`),
    "within a warp behind a barrier of its lanes": program(`  out[i] = in[i];
  __syncwarp();
  float other = out[i ^ 1];
  __syncwarp();
  out[i] += other;`),
    "each its own": program("  out[i] = in[i];\n  out[i] *= 2;"),
    "neighbours of the input": program("  if (i > 0) out[i] = in[i - 1];"),
    atomics: program("  atomicAdd(out, in[i]);"),
    "one value from all": program("  if (in[i] > n) out[0] = 1;\n  out[1] = n;"),
    "one block only": program("  out[t] = in[t];\n  __syncthreads();\n  out[t] += in[255 - t];", "k<<<1, 256>>>(out, in, 4096);"),
    "all blocks work out the same": program("  out[t] = in[t] * 2;"),
    "by the first block": program("  if (blockIdx.x == 0) out[t] = in[t];"),
    "one value of shared memory from all threads": program(
      "  __shared__ float s;\n  if (t == 0) s = in[blockIdx.x];\n  __syncthreads();\n  out[blockIdx.x] = s;",
    ),
    "a look by an atomic": program("  if (atomicAdd(&most, 0) < i) atomicMax(&most, i);", undefined, "__device__ int most;"),
    "a lock": program(
      `  if (t == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    out[0] = blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
  }`,
      "k<<<2, 32>>>(out, in, 4096);",
      "__device__ int lock;",
    ),
    "the last block sums up": program(
      `  out[i] = in[i];
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (t == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && t == 0) for (int j = 0; j < n; ++j) out[0] += out[j];`,
      undefined,
      "__device__ unsigned done;",
    ),
  },
  found: {
    "the halves of a matrix that is not symmetric": {
      code: `__global__ void k(int *c, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= n || y >= n) return;
  c[y * n + x] = x - y;
  c[x * n + y] = x - y;
//^^^^^^^^^^^^
}
int main() {
  int *c;
  cudaMalloc(&c, 100 * 100 * 4);
  k<<<dim3(7, 7), dim3(16, 16)>>>(c, 100);
}`,
    },
    "a lock that is taken without a fence, by whoever comes first": {
      code: program(
        `  if (t == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    if (blockIdx.x == 1) __threadfence();
    out[0] = blockIdx.x;
  //^^^^^^ though both hold a lock: no \`__threadfence()\` stands behind the atomic that takes it
    __threadfence();
    atomicExch(&lock, 0);
  }`,
        "k<<<2, 32>>>(out, in, 4096);",
        "__device__ int lock;",
      ),
    },
    "a block that is counted before all of its warps have stored": {
      code: program(
        `  out[i] = in[i];
  __threadfence();
  __shared__ bool last;
  if (t == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && t == 0) for (int j = 0; j < n; ++j) out[0] += out[j];
  //                                                        ^^^^^^ thread (32, 0, 0) of block (0, 0, 0) writes \`out[i]\``,
        undefined,
        "__device__ unsigned done;",
      ),
    },
    "one value that is read, where a fence is too narrow": {
      code: program(
        `  if (blockIdx.x == 0) {
    out[0] = 1;
    __threadfence_block();
    atomicExch(&flag, 1);
  } else {
    while (atomicExch(&flag, 0) == 0) {}
    out[1] = out[0] * blockIdx.x;
    //       ^^^^^^ writes \`out[0]\`
  }`,
        "k<<<2, 1>>>(out, in, 4096);",
        "__device__ int flag;",
      ),
    },
    "as far as a number goes that only is assumed": {
      code: `// warplens: grid=(4) block=(256)
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i + 1];
  //                ^^^^^^^^ Assumes \`n\` = 1024.
}`,
    },
    "of a size that nobody knows": {
      code: `// warplens: grid=(4) block=(256)
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[i + 1];
  //     ^^^^^^^^ element 32 of \`x\`
}`,
    },
    "a lock that is given back without a fence": {
      code: program(
        `  if (t == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    out[0] = blockIdx.x;
  //^^^^^^ writes the same
    n++;
    atomicExch(&lock, 0);
  }`,
        "k<<<2, 32>>>(out, in, 4096);",
        "__device__ int lock;",
      ),
    },
    "a lock with a fence for the block alone": {
      code: program(
        `  if (t == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    out[0] = blockIdx.x;
  //^^^^^^ writes the same
    __threadfence_block();
    atomicExch(&lock, 0);
  }`,
        "k<<<2, 32>>>(out, in, 4096);",
        "__device__ int lock;",
      ),
    },
    "a look at what others update, without an atomic": {
      code: program(
        `  if (most < i) atomicMax(&most, i);
  //  ^^^^ updates`,
        undefined,
        "__device__ int most;",
      ),
    },
    "a sum without an atomic": {
      code: program(`  out[0] += in[i];
//^^^^^^ writes the same`),
    },
    "in place": {
      code: program(
        `  if (i < n - 1) out[i] = out[i + 1];
  //                      ^^^^^^^^^^ thread (31, 0, 0) of block (0, 0, 0) reads \`out[i + 1]\` and thread (32, 0, 0) of it writes \`out[i]\``,
      ),
    },
    "handed on within the block without a barrier": {
      code: program(
        `  out[i] = in[i];
  out[i] += out[i ^ 64];
  //        ^^^^^^^^^^^ with no \`__syncthreads()\` between`,
      ),
    },
    "blocks that meet as data has it": {
      code: `#include <vector>
__global__ void k(float *out, const int *to) {
  out[to[blockIdx.x]] = blockIdx.x;
//^^^^^^^^^^^^^^^^^^^ thread (0, 0, 0) of block (30, 0, 0) writes \`out[to[blockIdx.x]]\` and thread (0, 0, 0) of block (20, 0, 0) writes the same
}
int main() {
  std::vector<int> h(64);
  for (int i = 0; i < 64; i++) h[i] = i == 30 ? 20 : i;
  int *to;
  float *out;
  cudaMalloc(&to, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemcpy(to, h.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
  k<<<64, 1>>>(out, to);
}`,
    },
    "blocks that overlap": {
      code: program(
        `  out[blockIdx.x * 200 + t] = in[i];
//^^^^^^^^^^^^^^^^^^^^^^^^^ writes the same`,
      ),
    },
  },
});
