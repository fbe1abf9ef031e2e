import { testRule } from "../testing/rule-tables.ts";
import rule from "./out-of-bounds-access.ts";

const program = (kernel: string, host: string, more = ""): string => `${more}
__global__ void k(float *out, const float *in, int n) {
${kernel}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1000 * sizeof(float));
  cudaMalloc(&out, 1000 * sizeof(float));
  cudaMemset(in, 0, 1000 * sizeof(float));
  ${host}
}`;
const i = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

testRule(rule, {
  clean: {
    "a pointer that another function sets": `static float *d;
__global__ void k(float *x) { x[threadIdx.x] = 1; }
void prepare() { cudaMalloc(&d, 1024); }
void run() { k<<<1, 256>>>(d); }`,
    "a pointer that is null until another function sets it, and a number that nobody says": `float *d = nullptr;
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
void run(int n) { k<<<1, 256>>>(d, n); }`,
    "pointers of a record that nobody fills": `struct Vectors { float *x, *y; };
// warplens: grid=(4) block=(256)
__global__ void k(Vectors v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  v.x[i] = v.y[i];
}`,
    "behind a guard": program(`${i}  if (i < n) out[i] = in[i];`, "k<<<4, 256>>>(out, in, 1000);"),
    "a grid-stride loop": program(`${i}  for (; i < n; i += blockDim.x * gridDim.x) out[i] = in[i];`, "k<<<2, 128>>>(out, in, 1000);"),
    "to the last element": program(`${i}  out[n - 1 - i] = in[i];`, "k<<<4, 250>>>(out, in, 1000);"),
    "a part, from an offset": program(`${i}  if (i < n) out[i] = in[i];`, "k<<<2, 256>>>(out + 500, in + 500, 500);"),
    "clamped at the rims": program(`${i}  if (i < n) out[i] = in[max(i - 1, 0)] + in[min(i + 1, n - 1)];`, "k<<<4, 256>>>(out, in, 1000);"),
    "an allocation of nothing: its size is not what a run would have": program(
      `${i}  out[i] = in[i];`,
      "cudaMalloc(&in, 0); k<<<4, 250>>>(out, in, 1000);",
    ),
    "a size that nobody knows": `__global__ void k(float *out) { out[blockIdx.x * 256 + threadIdx.x] = 0; }
void run(float *out) { k<<<4, 256>>>(out); }`,
    "sizes that somebody assumed": `__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 0;
}
void run(int n) {
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  k<<<n / 128 + 1, 128>>>(out, n);
}`,
    "indices from data that nobody knows": program(`${i}  if (i < n) out[(int)in[i]] = 1;`, "k<<<4, 256>>>(out, in, 1000);").replace(
      "cudaMemset(in, 0, 1000 * sizeof(float));",
      "read(in);",
    ),
    "of the threads that data lets through": program(
      `${i}  if (i < n && in[i] > 0.5f) out[i + 1000] = 1;`,
      "k<<<4, 256>>>(out, in, 1000);",
    ).replace("cudaMemset(in, 0, 1000 * sizeof(float));", "read(in);"),
    "slots handed out by an atomic": program(
      `${i}  if (i < n && i % 2 == 0) out[atomicAdd(&count, 1)] = in[i];`,
      "k<<<4, 256>>>(out, in, 1000);",
      "__device__ int count;",
    ),
    "within dynamic shared memory": program(
      `  extern __shared__ float s[];\n  s[threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n  out[threadIdx.x] = s[255 - threadIdx.x];`,
      "k<<<1, 256, 256 * sizeof(float)>>>(out, in, 256);",
    ),
    "within a local array": program(
      `  float a[4];\n  for (int j = 0; j < 4; ++j) a[j] = in[j + n];\n  out[threadIdx.x] = a[threadIdx.x % 4];`,
      "k<<<1, 32>>>(out, in, 8);",
    ),
    "whole vectors": program(`${i}  if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)in)[i];`, "k<<<1, 256>>>(out, in, 1000);"),
  },
  found: {
    "by a block in the middle of the grid, which comes to the last elements": {
      code: program(
        `${i}  for (; i < n; i += blockDim.x * gridDim.x) out[i] = in[i + 1];
  //                                                  ^^^^^^^^^ thread (39, 0, 0) of block (3, 0, 0) reads \`in[i + 1]\`, element 1,000`,
        "k<<<6, 64>>>(out, in, 1000);",
      ),
    },
    "a copy of a length that only run time tells": {
      code: program(
        `${i}  memcpy(out + i * n, in, n * 4);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ element 1,536`,
        "k<<<4, 64>>>(out, in, 8);",
      ),
    },
    "a null pointer that is written as a number": {
      code: program(
        `${i}  memcpy(0, in + i, 4);
//^^^^^^^^^^^^^^^^^^^^ the pointer is null`,
        "k<<<4, 64>>>(out, in, 8);",
      ),
    },
    "in the last block": {
      code: program(
        `${i}  out[i] = in[0];
//^^^^^^ thread (232, 0, 0) of block (3, 0, 0) writes \`out[i]\`, element 1,000; \`out\` has 1,000 elements of 4 bytes`,
        "k<<<4, 256>>>(out, in, 1000);",
      ),
      unsafe: program(`${i}  if (i < n) out[i] = in[0];`, "k<<<4, 256>>>(out, in, 1000);"),
    },
    "one too far": {
      code: program(
        `${i}  if (i <= n) out[i] = in[0];
  //          ^^^^^^ thread (232, 0, 0) of block (3, 0, 0)`,
        "k<<<4, 256>>>(out, in, 1000);",
      ),
    },
    "before the start": {
      code: program(
        `${i}  if (i < n) out[i] = in[i - 1];
  //                  ^^^^^^^^^ thread (0, 0, 0) of block (0, 0, 0) reads \`in[i - 1]\`, element -1`,
        "k<<<4, 256>>>(out, in, 1000);",
      ),
    },
    "in the last of 65,536 blocks": {
      code: program(
        `${i}  out[i] = 0;
//^^^^^^ of block (65535, 0, 0)`,
        "k<<<65536, 256>>>(out, in, 1000);",
      ).replace("&out, 1000 * sizeof(float)", "&out, (65536 * 256 - 1) * sizeof(float)"),
    },
    "bytes where elements are wanted": {
      code: program(
        `${i}  if (i < n) out[i] = in[0];
  //         ^^^^^^ \`out\` has 250 elements of 4 bytes`,
        "k<<<4, 256>>>(out, in, 1000);",
      ).replace("&out, 1000 * sizeof(float)", "&out, 1000"),
    },
    "in the last turn of a long loop": {
      code: program(
        `  for (int j = threadIdx.x; j <= n; j += 32) out[0] += in[j];
  //                                                   ^^^^^ thread (8, 0, 0) of block (0, 0, 0) reads`,
        "k<<<1, 32>>>(out, in, 1000);",
      ),
    },
    "rows for columns": {
      code: program(
        `  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < 20 && y < 50) out[x * 50 + y] = in[y * n + x];
  //                                      ^^^^^^^^^^^^^ reads`,
        "k<<<dim3(2, 4), dim3(16, 16)>>>(out, in, 50);",
      ),
    },
    "a shared array": {
      code: program(
        `  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
//^^^^^^^^^^^^^^ thread (128, 0, 0) of block (0, 0, 0) writes \`s[threadIdx.x]\`, element 128; \`s\` has 128 elements`,
        "k<<<1, 256>>>(out, in, 256);",
      ),
    },
    "dynamic shared memory that the launch does not give": {
      code: program(
        `  extern __shared__ float s[];
  s[threadIdx.x] = in[threadIdx.x];
//^^^^^^^^^^^^^^ element 64; \`s\` has 64 elements`,
        "k<<<1, 256, 256>>>(out, in, 256);",
      ),
    },
    "a local array": {
      code: program(
        `  float a[4] = {};
  a[threadIdx.x] = in[threadIdx.x];
//^^^^^^^^^^^^^^ thread (4, 0, 0) of block (0, 0, 0) writes \`a[threadIdx.x]\`, element 4; \`a\` has 4 elements
  out[threadIdx.x] = a[n];`,
        "k<<<1, 32>>>(out, in, 3);",
      ),
    },
    "a variable of the device": {
      code: program(
        `  table[threadIdx.x] = in[threadIdx.x];
//^^^^^^^^^^^^^^^^^^ \`table\` has 200 elements`,
        "k<<<1, 256>>>(out, in, 256);",
        "__device__ float table[200];",
      ),
    },
    "a vector over the end": {
      code: program(
        `${i}  if (i < 251) ((float4 *)out)[i] = make_float4(0, 0, 0, 0);
  //           ^^^^^^^^^^^^^^^^^^ elements 1,000 to 1,003; \`out\` has 1,000 elements of 4 bytes`,
        "k<<<1, 256>>>(out, in, 1000);",
      ),
    },
    "in a function of its own": {
      code: program(
        `${i}  put(out, i);`,
        "k<<<4, 256>>>(out, in, 1000);",
        `__device__ void put(float *to, int at) {
  to[at] = 1;
//^^^^^^ writes \`to[at]\`, element 1,000
}`,
      ),
    },
  },
});
