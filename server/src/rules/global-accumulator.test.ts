import { testRule } from "../testing/rule-tables.ts";
import rule from "./global-accumulator.ts";

const product = (loop: string, pointers = "float *c, const float *a, const float *b"): string => `
__global__ void product(${pointers}, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
${loop}
}
int main() {
  const int n = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(c, a, b, n);
}`;
const sum = "  for (int k = 0; k < n; ++k)\n    c[y * n + x] += a[y * n + k] * b[k * n + x];";

testRule(rule, {
  clean: {
    "in a register": product("  float s = 0;\n  for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];\n  c[y * n + x] = s;"),
    "where the compiler can tell": product(sum, "float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b"),
    "another place in each turn": product("  for (int k = 0; k < n / 8; ++k) c[(y + k) % n * n + x] = a[y * n + x];"),
    "a list, whatever number its elements begin at": product(
      "  for (int k = 0; k < n; ++k) {\n    int size = y * n + x;\n    c[size++] += a[y * n + k];\n  }",
    ),
    "stored again and again, and no sum": product("  for (int k = 0; k < n / 8; ++k) c[y * n + x] = a[y * n + k];"),
    "in a tile that lanes share": `
template <typename T> __device__ void fill(T *tile, const float *a, int n) {
  for (int k = 0; k < n; ++k) {
    tile[threadIdx.x] += a[k * n + threadIdx.x];
    __syncwarp();
  }
}
__global__ void product(float *c, const float *a, int n) {
  extern __shared__ char all[];
  fill((float *)(n > 2000 ? all + 128 : all), a, n);
  c[blockIdx.x * 32 + threadIdx.x] = ((float *)all)[31 - threadIdx.x];
}
int main() {
  const int n = 1024;
  float *a, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  product<<<n, 32, 4096>>>(c, a, n);
}`,
    "between barriers": product("  for (int k = 0; k < n / 8; ++k) {\n    c[y * n + x] += a[y * n + k];\n    __syncthreads();\n  }"),
  },
  found: {
    "a product of matrices": {
      code: product(`${sum}\n  //^^^^^^^^^^^^ \`c[y * n + x]\` is stored in every turn of the loop`),
      unsafe: product(
        "  auto sum = c[y * n + x];\n  for (int k = 0; k < n; ++k)\n    sum += a[y * n + k] * b[k * n + x];\n  c[y * n + x] = sum;",
      ),
    },
    "in the inner one of two loops, the outer of which goes on": {
      code: product(`  for (int r = 0; r < 4; ++r) {
    for (int k = 0; k < n; ++k) {
      c[(y + r) % n * n + x] = c[(y + r) % n * n + x] + a[y * n + k];
    //^^^^^^^^^^^^^^^^^^^^^^
    }
  }`),
      unsafe: product(`  for (int r = 0; r < 4; ++r) {
    auto sum = c[(y + r) % n * n + x];
    for (int k = 0; k < n; ++k) {
      sum = sum + a[y * n + k];
    }
    c[(y + r) % n * n + x] = sum;
  }`),
    },
    "which is read otherwise, too, so that each store may matter": {
      code: product(`  for (int k = 0; k < n; ++k)
    c[y * n + x] += a[y * n + k] * c[k * n + y];
  //^^^^^^^^^^^^`),
    },
  },
});
