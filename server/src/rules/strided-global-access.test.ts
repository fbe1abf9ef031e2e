import { testRule } from "../testing/rule-tables.ts";
import rule from "./strided-global-access.ts";

const program = (body: string, launch = "k<<<4096, 256>>>(out, in, 1 << 10, 8);", more = ""): string => `${more}
__global__ void k(float *out, const float *in, int n, int s) {
${body}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  ${launch}
}`;
const i = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

testRule(rule, {
  clean: {
    "a stride that nobody says, and that may be 1": `__global__ void copy(float *out, const float *in, int stride) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  out[i] = in[i];
}`,
    "a library's structure as a whole": `#include <curand_kernel.h>
__global__ void draw(float *out, curandState *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState own = states[i];
  out[i] = curand_uniform(&own);
  states[i] = own;
}
int main() {
  const int n = 1 << 20;
  float *out;
  curandState *states;
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&states, n * sizeof(curandState));
  cudaMemset(states, 0, n * sizeof(curandState));
  draw<<<n / 256, 256>>>(out, states);
}`,
    "a library's structure as a whole, that a template is given": `#include <curand_kernel.h>
template <typename State> __global__ void draw(float *out, State *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  State own = states[i];
  out[i] = curand_uniform(&own);
  states[i] = own;
}
int main() {
  const int n = 1 << 20;
  float *out;
  curandState *states;
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&states, n * sizeof(curandState));
  cudaMemset(states, 0, n * sizeof(curandState));
  draw<<<n / 256, 256>>>(out, states);
}`,
    "a small share of a launch of which nobody says the size": `__global__ void k(float *out, const float *in, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int r = 0; r < 64; ++r) s += in[(i + r * 4096) % n];
  out[i * 8] = s;
}`,
    "side by side": program(`${i}  out[i] = in[i];`),
    backwards: program(`${i}  out[i] = in[(1 << 20) - 1 - i];`),
    "one for all": program(`${i}  out[i] = in[blockIdx.x * s];`),
    "one sector too many": program(`${i}  out[i] = in[i + 1];`),
    "whole vectors": program(`${i}  ((float4 *)out)[i] = ((const float4 *)in)[i];`),
    "rows of a narrow block": program(
      "  int x = blockIdx.x * 16 + threadIdx.x, y = threadIdx.y;\n  out[y * n + x] = in[y * n + x];",
      "k<<<64, dim3(16, 16)>>>(out, in, 1 << 10, 8);",
    ),
    "in shared memory": program(
      `  __shared__ float t[1024];\n${i}  t[threadIdx.x * 4] = in[i];\n  __syncthreads();\n  out[i] = t[threadIdx.x * 4];`,
    ),
    "by one thread of each block": program("  if (threadIdx.x == 0) out[blockIdx.x * 32] = in[blockIdx.x * 32];"),
    seldom: program(
      `${i}  for (int r = 0; r < 64; ++r) out[i] += in[i + r * 64];\n  if (blockIdx.x == 0 && threadIdx.x < 32) out[threadIdx.x * s] = 0;`,
    ),
    "where the stride is what somebody divides by that nobody says": `__global__ void k(float *out, const float *in, int heads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i / heads * 384 + i % heads];
}`,
    "of an assumed launch where another is known": program(
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n  out[x + y * n] = in[x * s + y * n];",
      "if (n > 0) k<<<4096, 256>>>(out, in, 1 << 10, 1);\n  int g = atoi(name); k<<<g, 256>>>(out, in, 1 << 10, 8);".replace(
        "n > 0",
        "true",
      ),
      "extern char *name; int atoi(const char *);",
    ),
    "to parts of a vector right after each other, which reach the L2 as one": program(
      `${i}  unsigned char *pixel = (unsigned char *)out + 4 * i;
  pixel[0] = n;
  pixel[1] = n + i;
  pixel[2] = s;
  pixel[3] = s + i;`,
      "k<<<65536, 256>>>(out, in, 1 << 10, 8);",
    ),
    "pixels of a picture that is bent": program(
      `${i}  float x = i * 8.0f, y = x * 0.0001f;\n  out[i] = in[(int)floorf(x + y * y * 1e-9f)];`,
      "k<<<4096, 256>>>(out, in, 1 << 10, 8);",
    ),
    "the edge of a grid, in passing": `__global__ void edge(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int r = 0; r < 4; ++r) x[i * n + r * 64] = 1;
}
__global__ void step(float *to, const float *from, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    to[y * n + x] = from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] + from[(y + 1) * n + x];
}
int main() {
  const int n = 8192;
  float *a, *b;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  edge<<<n / 256, 256>>>(a, n);
  step<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(b, a, n);
}`,
    "in no order": program(`${i}  out[i] = in[(unsigned)(i * i * 2654435761u) % (1u << 20)];`),
  },
  found: {
    "the edge of a grid, again and again": {
      code: `__global__ void edge(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int r = 0; r < 4; ++r) x[i * n + r * 64] = 1;
  //                            ^^^^^^^^^^^^^^^^^ Strided store
}
__global__ void step(float *to, const float *from, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    to[y * n + x] = from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] + from[(y + 1) * n + x];
}
int main() {
  const int n = 8192;
  float *a, *b;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMemset(a, 0, n * n * sizeof(float));
  for (int t = 0; t < 2000; ++t) edge<<<n / 256, 256>>>(a, n);
  step<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(b, a, n);
}`,
    },
    "a transpose that divides in floats": {
      code: program(
        `${i}  int y = (int)((float)i / n), x = i - y * n;
  out[x * n + y] = in[i];
//^^^^^^^^^^^^^^ Strided store: neighbouring lanes are 1024 elements (4096 bytes) apart`,
        "k<<<4096, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "every eighth, by a scale in floats": {
      code: program(
        `${i}  float x = i * (float)s;
  out[i] = in[(int)floorf(x)];
  //       ^^^^^^^^^^^^^^^^^^ Strided load: neighbouring lanes are 8 elements`,
        "k<<<4096, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "the guide's example": {
      code: program(
        `  int xid = (blockIdx.x * blockDim.x + threadIdx.x) * s;
  out[xid] = in[xid];
//^^^^^^^^ Strided store: neighbouring lanes are 8 elements (32 bytes) apart because of \`threadIdx.x\` in \`xid\` (\`(blockIdx.x * blockDim.x + threadIdx.x) * stride\`); 32 sectors/request, ideal 4`.replace(
          "* stride",
          "* s",
        ),
      ),
    },
    "every fourth element": {
      code: program(`${i}  out[i] = in[i * 4];
  //       ^^^^^^^^^ 4 elements (16 bytes) apart because of \`threadIdx.x\` in \`i * 4\`; 16 sectors/request, ideal 4`),
    },
    // What is loaded between them may be what they store to: they reach the L2 one by one.
    "parts of a vector, one by one": {
      code: program(
        `${i}  unsigned char *pixel = (unsigned char *)out + 4 * i;
  pixel[0] = in[i];
//^^^^^^^^ Let each thread store its 4 bytes as one vector of 4, where they begin
  pixel[1] = in[i] + s;
  pixel[2] = in[i] + n;
  pixel[3] = in[i] + i;`,
        "k<<<65536, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "two arrays at one index": {
      code: program(`${i}  float first = in[i * 8];
  //            ^^^^^^^^^ Strided load
  out[i * 8] = first + 1;`),
    },
    "a thread for each row": {
      code: program(`${i}  float sum = 0;
  const float *row = in + (size_t)i * 16;
  for (int c = 0; c < 16; ++c) sum += row[c];
  //                                  ^^^^^^ 16 elements (64 bytes) apart because of \`threadIdx.x\` in \`(size_t)i * 16\`
  out[i] = sum;`),
    },
    "a transpose": {
      code: program(
        `  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
//^^^^^^^^^^^^^^ 1024 elements (4096 bytes) apart because of \`threadIdx.x\` in \`x * n\`; 32 sectors/request, ideal 4`,
        "k<<<dim3(32, 128), dim3(32, 8)>>>(out, in, 1 << 10, 8);",
      ),
    },
    "in the rows of a narrow block": {
      code: program(
        `  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
//^^^^^^^^^^^^^^ 1024 elements (4096 bytes) apart because of \`threadIdx.x\` in \`x * n\`; 16 sectors/request, ideal 4`,
        "k<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1 << 10, 8);",
      ),
    },
    "what a thread takes side by side, in more than one vector": {
      code: program(
        `${i}  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += in[i * 16 + k];
  //                                  ^^^^^^^^^^^^^^ Let each thread load its 64 bytes as 4 vectors of 16
  out[i] = sum;`,
        "k<<<4096, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "every other element, of two arrays": {
      code: program(
        `${i}  float sum = in[2 * i] + in[2 * i + (4 << 20)];
  //          ^^^^^^^^^ ideal 4. Let neighbouring threads access neighbouring elements
  out[i] = sum;`,
        "k<<<8192, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "every other vector, as wide as they come": {
      code: program(
        `${i}  float4 a = ((const float4 *)in)[2 * i];
  //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ ideal 16. Let neighbouring threads access neighbouring elements
  out[i] = a.x + a.y + a.z + a.w;`,
        "k<<<8192, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
    "several arrays by one index, and by pointers that go along together, once": {
      code: `__global__ void k(float *out, const float *a, const float *b, const float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = i * n; j < (i + 1) * n; j++) {
    s += a[j];
    //   ^^^^ 33 elements
    s += b[j];
    s += c[j];
  }
  out[i] = s;
}
int main() {
  const int n = 33, rows = 1 << 16;
  float *a, *b, *c, *out;
  cudaMalloc(&a, n * rows * sizeof(float));
  cudaMalloc(&b, n * rows * sizeof(float));
  cudaMalloc(&c, n * rows * sizeof(float));
  cudaMalloc(&out, rows * sizeof(float));
  k<<<rows / 256, 256>>>(out, a, b, c, n);
}`,
    },
    "fields of a structure": {
      code: program(
        `${i}  out[i] = ((const P *)in)[i].y;
  //       ^^^^^^^^^^^^^^^^^^^^ 8 elements (32 bytes) apart because of \`threadIdx.x\` in \`i\``,
        undefined,
        "struct P { float x, y, z, a, b, c, d, e; };",
      ),
    },
    "in a device function": {
      code: program(
        `${i}  out[i] = at(in, i * s);`,
        undefined,
        "__device__ float at(const float *p, int i) { return p[i]; }\n//                                                  ^^^^",
      ),
    },
    "in a launch that is assumed, and says of what": {
      code: `__global__ void k(float *out, const float *in, int n, int lines) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; i < n && k < lines; ++k) out[k * n + i] = in[i * lines + k];
  //                                                        ^^^^^^^^^^^^^^^^^ without it. Assumes
}`,
    },
    "once for several launches": {
      code: program(
        `${i}  out[i] = in[i * s];
  //       ^^^^^^^^^ 16 elements`,
        "k<<<1024, 256>>>(out, in, 1 << 10, 1);\n  k<<<1024, 256>>>(out, in, 1 << 10, 16);\n  k<<<1024, 256>>>(out, in, 1 << 10, 8);",
      ),
    },
  },
});
