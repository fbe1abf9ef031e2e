import { testRule } from "../testing/rule-tables.ts";
import rule from "./reciprocal-square-root.ts";

testRule(rule, {
  clean: {
    "what each instance of a template is compiled with": `template <typename Traits, int heads> __global__ void k(float *a) {
  const int each = Traits::width / heads;
  const float scale = 1.0f / sqrt((float)each);
  a[threadIdx.x] *= scale + 1.0f / sqrtf(heads * 2.0f);
}`,
    "another numerator": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = x / sqrtf(x); a[0] = 2.0f / sqrtf(x);
}`,
    "the root above": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sqrtf(x) / 1.0f; a[0] = sqrtf(1.0f / x);
}`,
    "host code": "float h(float x) { return 1.0f / sqrtf(x); }",
    "the program's own": `__device__ float sqrtf(float x, int n);
__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = 1.0f / sqrtf(x, 3);
}`,
    already: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rsqrtf(x);
}`,
    "a type that is not known": "template <typename T> __global__ void k(T *a, T x) { a[0] = T(1) / sqrt(x); }",
  },
  found: {
    floats: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = 1.0f / sqrtf(x + 1);
//       ^^^^^^^^^^^^^^^^^^^ \`rsqrtf\`
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rsqrtf(x + 1);
}`,
    },
    "doubles, and an overload": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = 1 / sqrt(y); a[i] = 1.0 / sqrt(x) * 2;
//       ^^^^^^^^^^^
//                           ^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = rsqrt(y); a[i] = rsqrtf(x) * 2;
}`,
    },
  },
});
