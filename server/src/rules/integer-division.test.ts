import { testRule } from "../testing/rule-tables.ts";
import rule from "./integer-division.ts";

testRule(rule, {
  clean: {
    constants: "__global__ void k(int *a, int n) { a[0] = n % 32 + n / 8; }",
    "a variable that keeps a constant":
      "__global__ void k(int *a, int n) { int w = 8; const int v = 2 * w; a[0] = n / w + n % w + n % v; }",
    "any number": "__global__ void k(int *a, int n, int m) { a[0] = n % m + n / m; int s = 3; s *= 2; a[1] = n % s; }",
    "a loop between constants": "__global__ void k(int *a, int n) { for (int s = 1; s < 32; s *= 2) if (n % (2 * s) == 0) a[s] = 1; }",
    "host code": "int h(int n, int k) { return n % (1 << k); }",
    floats: "__global__ void k(float *a, int n) { int s = 1; for (; s < n; s *= 2) a[0] = a[1] / s; }",
  },
  found: {
    "a stride that doubles": {
      code: `__global__ void k(int *a, int n) {
  for (int s = 1; s < n; s *= 2) if (threadIdx.x % (2 * s) == 0) a[s] = 1;
//                                   ^^^^^^^^^^^^^^^^^^^^^ some 20
}`,
      fixed: `__global__ void k(int *a, int n) {
  for (int s = 1; s < n; s *= 2) if ((threadIdx.x & (2 * s - 1)) == 0) a[s] = 1;
}`,
    },
    "signed, compared with 0": {
      code: `__global__ void k(int *a, int n, int i) {
  for (int s = n ? 1 : 2, t = 1; t < n; t <<= 1) if (i % t == 0) a[t] = 1;
//                                                   ^^^^^
}`,
      fixed: `__global__ void k(int *a, int n, int i) {
  for (int s = n ? 1 : 2, t = 1; t < n; t <<= 1) if ((i & (t - 1)) == 0) a[t] = 1;
}`,
    },
    signed: {
      code: `__global__ void k(int *a, int n, int i) {
  a[0] = i % (1 << n) + i / (1 << n);
//       ^^^^^^^^^^^^
//                      ^^^^^^^^^^^^
}`,
    },
  },
});
