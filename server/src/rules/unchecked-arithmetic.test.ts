import { testRule } from "../testing/rule-tables.ts";
import rule from "./unchecked-arithmetic.ts";

const large = (kernel: string, launch: string): string => `__global__ void k(unsigned char *x, int n, int rows) {
${kernel}
}
int main() {
  unsigned char *x;
  cudaMalloc(&x, 50000ull * 50000);
  ${launch}
}`;
const small = (kernel: string, args: string): string => `__global__ void k(int *x, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${kernel}
}
int main() {
  int *x;
  cudaMalloc(&x, 256 * sizeof(int));
  cudaMemset(x, 0, 256 * sizeof(int));
  k<<<1, 256>>>(${args});
}`;
const rows = "  int r = blockIdx.x, c = threadIdx.x;\n";

testRule(rule, {
  clean: {
    "64 bits from the first operand on": large(`${rows}  if (r < rows) x[(size_t)r * n + c] = 1;`, "k<<<50000, 256>>>(x, 50000, 50000);"),
    "unsigned, and within": large(
      "  unsigned r = blockIdx.x;\n  if (r < rows) x[r * (unsigned)n + threadIdx.x] = 1;",
      "k<<<50000, 256>>>(x, 50000, 50000);",
    ),
    "small enough": large(`${rows}  if (r < rows) x[r * n + c] = 1;`, "k<<<40000, 256>>>(x, 50000, 40000);"),
    "what the guard keeps out": large(`${rows}  if (r < rows) x[r * n + c] = 1;`, "k<<<50000, 256>>>(x, 50000, 40000);"),
    "a hash": large(
      "  unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;\n  x[h % 1000] = 1;\n  x[(h * 31u) >> 12] = 1;",
      "k<<<50000, 256>>>(x, 50000, 40000);",
    ),
    "one before the first, unsigned": large("  unsigned i = threadIdx.x;\n  if (i > 0) x[i - 1u] = 1;", "k<<<1, 256>>>(x, 50000, 40000);"),
    "a divisor of one": small("  x[i] = i / (n / m);", "x, 256, 256"),
    "a division that is not come to": small("  if (m != 0) x[i] = i / m;\n  x[i] += m == 0 ? 0 : i % m;", "x, 256, 0"),
    "a divisor that nobody knows": `__global__ void k(int *x, int n) { x[threadIdx.x] = threadIdx.x / n; }
void run(int *x, int n) { k<<<1, 32>>>(x, n); }`,
    "a divisor from data that nobody knows": small("  if (i < n) x[i] = i / x[i];", "x, 256, 0").replace(
      "cudaMemset(x, 0, 256 * sizeof(int));",
      "read(x);",
    ),
  },
  found: {
    "a row's beginning": {
      code: large(
        `${rows}  if (r < rows) x[r * n + c] = 1;
  //              ^^^^^ is 2,499,950,000, more than a signed integer of 32 bits holds`,
        "k<<<50000, 256>>>(x, 50000, 50000);",
      ),
    },
    "a quotient that is zero": {
      code: small(
        `  x[i] = i / (n / m);
  //     ^^^^^^^^^^^ Thread (0, 0, 0) of block (0, 0, 0) divides by zero`,
        "x, 100, 256",
      ),
    },
    "a remainder": {
      code: small(
        `  if (i % m == 0) x[i] = 1;
  //  ^^^^^ takes a remainder by zero`,
        "x, 100, 0",
      ),
    },
  },
});
