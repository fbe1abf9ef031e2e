import { testRule } from "../testing/rule-tables.ts";
import rule from "./double-math-function-on-float.ts";

testRule(rule, {
  clean: {
    "overloads for floats": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(x, x) + sqrt(x) + hypot(x, a[0]) + fmax(x, a[1]);
}`,
    "a double among them": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = hypot(x, y) + atan2(y, 1);
}`,
    "the result is wanted as a double": `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(x, i); double z = atan2(x, i); a[i] = y + pow(x, i);
}`,
    "powers of constants": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(x, 5) + pow(3, x);
}`,
    "the program's own": `__device__ float pow(float x, int n);
__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(x, i);
}`,
  },
  found: {
    "an integer": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(x, i) + atan2(x, 1);
//       ^^^^^^^^^ \`powf\`
//                   ^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, i) + atan2f(x, 1);
}`,
    },
    "no overload": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  float z = 2.0f * rhypot(x, a[0]);
//                 ^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  float z = 2.0f * rhypotf(x, a[0]);
}`,
    },
  },
});
