import { testRule } from "../testing/rule-tables.ts";
import rule from "./separate-sine-cosine.ts";

testRule(rule, {
  clean: {
    "what each instance of a template is compiled with": `template <int steps> __global__ void k(float *a) {
  constexpr float angle = 6.2831853f / steps;
  a[threadIdx.x] = sinf(angle) * a[threadIdx.x] + cosf(angle);
}`,
    "other arguments": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(x) + cosf(x + 1);
}`,
    "another precision": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(x) + cos(y);
}`,
    "changed between": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(x); x += 1; a[0] = cosf(x);
}`,
    "in different branches": `__global__ void k(float *a, double *d, float x, double y, int i) {
  if (i > 0) { a[i] = sinf(x); } else { a[i] = cosf(x); }
}`,
    "in different cases": `__global__ void k(float *a, double *d, float x, double y, int i) {
  switch (i) {
    case 0: a[i] = sinf(x); break;
    case 1: a[i] = cosf(x); break;
  }
}`,
    "host code": "float h(float x) { return sinf(x) + cosf(x); }",
  },
  found: {
    "in one expression": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sinf(x) * i + cosf(x);
//       ^^^^^^^ \`sincosf\`
}`,
    },
    initialising: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  double c = cos(y);
//           ^^^^^^
  double s = sin(y);
  d[i] = s * c;
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  double s, c;
  sincos(y, &s, &c);
  d[i] = s * c;
}`,
    },
  },
});
