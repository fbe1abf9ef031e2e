import { testRule } from "../testing/rule-tables.ts";
import rule from "./transfer-in-loop.ts";

const repeated = (
  loop: string,
  input = "const float *in",
): string => `__global__ void k(${input}, float *out) { out[threadIdx.x] += in[threadIdx.x]; }
void use(float *);
void run(int n) {
  float *h = (float *)malloc(4096), *result = (float *)malloc(4096), *d, *e;
  cudaMalloc(&d, 4096);
  cudaMalloc(&e, 4096);
  for (int i = 0; i < n; i++) {
${loop}
  }
  use(h);
  use(result);
}`;

/** A loop over turns, with a vector `h` of the host and two arrays of the device. */
const withVector = (before: string, inside: string): string => `#include <vector>
__global__ void turn(float *y, const float *x) { y[blockIdx.x * 256 + threadIdx.x] = 2 * x[blockIdx.x * 256 + threadIdx.x]; }
void keep(float *array);
void change(int turn);
void run(float *a, float *b, float *seen, int n, int steps) {
  std::vector<float> h(n);
${before}
  for (int t = 0; t < steps; ++t) {
${inside}
  }
}`;

testRule(rule, {
  clean: {
    "a vector whose elements a pointer leads to": withVector(
      "  float *p = h.data();",
      "    p[0] = t;\n    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);\n    turn<<<n / 256, 256>>>(b, a);",
    ),
    "a vector that an iterator leads to": withVector(
      "  auto first = h.begin();",
      "    turn<<<n / 256, 256>>>(b, a);\n    cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);\n    seen[t] = *first;",
    ),
    "a vector that others know": withVector(
      "  keep(h.data());",
      "    change(t);\n    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);\n    turn<<<n / 256, 256>>>(b, a);",
    ),
    "copies in the first and the last turn": withVector(
      "",
      "    if (t == 0) cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);\n    turn<<<n / 256, 256>>>(b, a);\n    if (t == steps - 1) cudaMemcpy(h.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);",
    ),
    "a sum that comes back in the place of an element": withVector(
      "",
      "    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);\n    turn<<<n / 256, 256>>>(b, a);\n    cudaMemcpy(h.data(), b, sizeof(float), cudaMemcpyDeviceToHost);",
    ),
    "buffers of their own": `void f(float **d, float *h, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(d[i], h + i * 9, 36, cudaMemcpyHostToDevice);
}`,
    "the same each turn": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice);
}`,
    "pieces that are worked on": `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d + i, h + i, 4, cudaMemcpyHostToDevice);
    k<<<1, 1>>>(d + i);
  }
}`,
    "what the host reads in the loop": repeated(
      "    k<<<1, 32>>>(d, e);\n    cudaMemcpy(result, e, 4096, cudaMemcpyDeviceToHost);\n    if (result[0] < 1) break;",
    ),
    "a vector that the host looks at": `#include <vector>
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *d, int n) {
  std::vector<float> h(1024, 1.0f);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, h.data(), 4096, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(d);
    cudaMemcpy(h.data(), d, 4096, cudaMemcpyDeviceToHost);
    if (h[0] > 9) break;
  }
}`,
    "another array that is read before it comes back": repeated(
      "    k<<<1, 32>>>(e, d);\n    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);\n    k<<<1, 32>>>(d, e);\n    cudaMemcpy(h, e, 4096, cudaMemcpyDeviceToHost);",
    ),
    "what a function of the loop reads": repeated(
      "    k<<<1, 32>>>(d, e);\n    cudaMemcpy(result, e, 4096, cudaMemcpyDeviceToHost);\n    use(result);",
    ),
    "what the host makes in the loop": repeated(
      "    h[0] = i;\n    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);\n    k<<<1, 32>>>(d, e);",
    ),
    "what a kernel may change": repeated("    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);\n    k<<<1, 32>>>(d, e);", "float *in"),
    "what a function may fill again, that has been given it": `void tick();
${repeated("    tick();\n    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);\n    k<<<1, 32>>>(d, e);")}`,
    "a parameter, which the caller's functions know": `void tick();
${repeated("    tick();\n    cudaMemcpy(d, frame, 4096, cudaMemcpyHostToDevice);\n    k<<<1, 32>>>(d, e);").replace("run(int n)", "run(int n, float *frame)")}`,
    "what is found by its address": `struct Log { float **at; void tick(); };
${repeated("    k<<<1, 32>>>(d, e);\n    cudaMemcpy(result, e, 4096, cudaMemcpyDeviceToHost);\n    log.tick();").replace("  cudaMalloc(&d", "  Log log;\n  log.at = &result;\n  cudaMalloc(&d")}`,
    asynchronous: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpyAsync(d + i, h + i, 4, cudaMemcpyHostToDevice);
}`,
  },
  found: {
    "there and back": {
      code: repeated(
        `    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ comes back to the host in each turn and goes to the device again in the next, 4 KB a turn each way
    k<<<1, 32>>>(e, d);
    cudaMemcpy(h, d, 4096, cudaMemcpyDeviceToHost);`,
      ),
    },
    "there from one array and back from another": {
      code: repeated(
        `    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ What the kernels leave in \`e\` goes to the host in each turn, and from \`h\` to \`d\` in the next
    k<<<1, 32>>>(d, e);
    cudaMemcpy(h, e, 4096, cudaMemcpyDeviceToHost);`,
      ),
    },
    "a vector, there and back": {
      code: `#include <vector>
__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *d, int n) {
  std::vector<float> h(1024, 1.0f);
  for (int i = 0; i < n; i++) {
    cudaMemcpy(d, h.data(), 4096, cudaMemcpyHostToDevice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ comes back to the host in each turn
    k<<<1, 32>>>(d);
    cudaMemcpy(&h[0], d, 4096, cudaMemcpyDeviceToHost);
  }
}`,
    },
    "a result over a result": {
      code: repeated(
        `    k<<<1, 32>>>(d, e);
    cudaMemcpy(result, e, 4096, cudaMemcpyDeviceToHost);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ which nobody has read`,
      ),
    },
    "the same input": {
      code: repeated(
        `    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ though nothing in the loop changes it on either side
    k<<<1, 32>>>(d, e);`,
      ),
    },
    pieces: {
      code: `__global__ void k(float *x) { x[threadIdx.x] += 1; }
void run(float *h, float *d, int n) {
  for (int i = 0; i < n; i++) cudaMemcpy(&d[i * 8], (h + i * 8), 32, cudaMemcpyHostToDevice);
//                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 32 B
}`,
    },
  },
});
