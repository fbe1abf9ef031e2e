import { testRule } from "../testing/rule-tables.ts";
import rule from "./small-integer-power.ts";

testRule(rule, {
  clean: {
    "other exponents": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 7.0f) + powf(x, 2.5f) + powf(x, x) + powf(x, 1.0f) + powf(x, 0);
}`,
    "constants alone": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(3.0, 2.0);
}`,
    "host code": "double h(double x) { return pow(x, 2); }",
    "the program's own": `__device__ float pow(float x, int n);
__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(x, 2);
}`,
  },
  found: {
    floats: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 2.0f) + 1;
//       ^^^^^^^^^^^^^ a multiplication does
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (x * x) + 1;
}`,
    },
    "a sum, and a cube": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(y - 1, 3);
//       ^^^^^^^^^^^^^ 2 multiplications
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = ((y - 1) * (y - 1) * (y - 1));
}`,
    },
    "the same power again": {
      code: "__global__ void k(float *a, float x) {\n  a[0] = pow(x, 2);\n  //     ^^^^^^^^^ raise `x` to 2 by hand, and 1 more here alike\n  a[1] = pow(x, 2) + powf(x + 1, 2);\n}",
      unsafe: "__global__ void k(float *a, float x) {\n  a[0] = (x * x);\n  a[1] = (x * x) + ((x + 1) * (x + 1));\n}",
    },
    reciprocals: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(y, -1); a[i] = powf(x, -2.0f);
//       ^^^^^^^^^^ to -1 by hand, and 1 more
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = (1.0 / y); a[i] = (1.0f / (x * x));
}`,
    },
    "what may not stand twice": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(sinf(x), 2.0f);
//       ^^^^^^^^^^^^^^^^^^^
}`,
    },
    "an integer": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(i, 2);
//       ^^^^^^^^^
}`,
    },
    "a template": {
      code: `template <typename T> __global__ void k(T *a, T x) {
  a[0] = pow(x, 2);
//       ^^^^^^^^^
}`,
      unsafe: `template <typename T> __global__ void k(T *a, T x) {
  a[0] = (x * x);
}`,
    },
  },
});
