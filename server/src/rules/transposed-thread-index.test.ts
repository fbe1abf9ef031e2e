import { testRule } from "../testing/rule-tables.ts";
import rule from "./transposed-thread-index.ts";

const indices = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;";
const exchanged = "int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;";
const program = (body: string, declared = indices): string => `
__global__ void k(float *out, const float *in, int n) {
  ${declared}
${body}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  k<<<dim3(128, 512), dim3(32, 8)>>>(out, in, 4096);
}`;

testRule(rule, {
  clean: {
    "along the rows": program("  out[y * n + x] = in[y * n + x];"),
    "a transpose, which is wrong on one side": program("  out[x * n + y] = in[y * n + x];"),
    "a stride in one dimension": program("  out[(y * n / 8 + x) * 8] = in[(y * n / 8 + x) * 8];"),
  },
  found: {
    "down the rows": {
      code: program(`  out[x * n + y] = in[x * n + y];
//^^^^^^^^^^^^^^ \`threadIdx.x\` walks down the rows here, in \`x * n\`, and \`threadIdx.y\` along them, in \`y\` (\`blockIdx.y * blockDim.y + threadIdx.y\`): 32 sectors/request, ideal 4.`),
      unsafe: program("  out[x * n + y] = in[x * n + y];", exchanged),
    },
    "a product of matrices, whose rows go along by themselves": {
      code: program(
        `  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += in[x * n + k] * in[k * n + y];
  //       ^^^^^^^^^^^^^ \`threadIdx.x\` walks down the rows here, in \`x * n\`, and \`threadIdx.y\` along them, in \`y\` (\`blockIdx.y * blockDim.y + threadIdx.y\`): 32 sectors/request, ideal 4.
  out[x * n + y] = sum;`,
      ),
      unsafe: program(
        `  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += in[x * n + k] * in[k * n + y];
  out[x * n + y] = sum;`,
        exchanged,
      ),
    },
    "a product of matrices in narrow blocks, of sizes that nobody says": {
      code: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  //                                 ^^^^^^^^^^^^^^ Exchange the roles of x and y
  c[row * n + column] = sum;
}
void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  product<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}`,
      unsafe: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}`,
    },
    "in a grid that a variable says, whose sides go with them": {
      code: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  //                                 ^^^^^^^^^^^^^^ Exchange the roles of x and y
  c[row * n + column] = sum;
}
__global__ void zero(float *c, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) c[column * m + row] = 0;
}
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  dim3 grid(m / 16, n / 16);
  product<<<grid, block>>>(a, b, c, m, n, k);
}`,
      unsafe: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void zero(float *c, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) c[column * m + row] = 0;
}
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  dim3 grid(n / 16, m / 16);
  product<<<grid, block>>>(a, b, c, m, n, k);
}`,
    },
    "in a grid that a function makes, whose arguments only it knows: by hand": {
      code: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  //                                 ^^^^^^^^^^^^^^ Exchange the roles of x and y
  c[row * n + column] = sum;
}
dim3 gridFor(int rows, int columns) { return dim3(rows / 16, columns / 16); }
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  product<<<gridFor(m, n), block>>>(a, b, c, m, n, k);
}`,
    },
    "in a grid that is another kernel's, too, which keeps it": {
      code: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  //                                 ^^^^^^^^^^^^^^ Exchange the roles of x and y
  c[row * n + column] = sum;
}
__global__ void zero(float *c, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) c[column * m + row] = 0;
}
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  dim3 grid(m / 16, n / 16);
  zero<<<grid, block>>>(c, m, n);
  product<<<grid, block>>>(a, b, c, m, n, k);
}`,
      unsafe: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void zero(float *c, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) c[column * m + row] = 0;
}
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  dim3 grid(m / 16, n / 16);
  zero<<<grid, block>>>(c, m, n);
  product<<<dim3(grid.y, grid.x, grid.z), block>>>(a, b, c, m, n, k);
}`,
    },
    "in a grid of a launch that makes another kernel another time: by hand": {
      code: `__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  //                                 ^^^^^^^^^^^^^^ Exchange the roles of x and y
  c[row * n + column] = sum;
}
__global__ void other(const float *a, const float *b, float *c, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < m) c[row * m + column] = a[column] + b[row];
}
int main() {
  const int m = 2048, n = 512, k = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, k * n * sizeof(float));
  dim3 block(16, 16);
  dim3 grid(m / 16, n / 16);
  void (*kernels[])(const float *, const float *, float *, int, int, int) = {product, other};
  for (int i = 0; i < 2; ++i) kernels[i]<<<grid, block>>>(a, b, c, m, n, k);
}`,
    },
  },
});
