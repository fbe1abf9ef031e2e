import { testRule } from "../testing/rule-tables.ts";
import rule from "./sine-of-pi-multiple.ts";

testRule(rule, {
  clean: {
    "no pi": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.0f * x) + sinf(x) + cosf(x * 3.14f);
}`,
    "a sum": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.14159265f * x + 1);
}`,
    "whole numbers": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.14159265f * i);
}`,
    "a constant": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.14159265f * 2);
}`,
    "host code": "float h(float x) { return sinf(3.14159265f * x); }",
  },
  found: {
    floats: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.14159265f * x) + cosf(x * (float)3.14159265358979);
//       ^^^^^^^^^^^^^^^^^^^^^ \`sinpif\`
//                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinpif(x) + cospif(x);
}`,
    },
    "a macro, twice pi": {
      code: `#define PI 3.14159265358979323846
__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = cos(2.0 * PI * y); a[0] = sinf(6.2831853f * x);
//       ^^^^^^^^^^^^^^^^^
//                                 ^^^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `#define PI 3.14159265358979323846
__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = cospi(2.0 * y); a[0] = sinpif(2.0f * x);
}`,
    },
    "a sum taken times pi": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(3.14159265f * (x + 1));
//       ^^^^^^^^^^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinpif(x + 1);
}`,
    },
  },
});
