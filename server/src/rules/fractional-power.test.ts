import { testRule } from "../testing/rule-tables.ts";
import rule from "./fractional-power.ts";

testRule(rule, {
  clean: {
    "other exponents": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 0.3f) + powf(x, 2.0f) + powf(x, x) + powf(x, 0.2f) + powf(x, 0.333f);
}`,
    "host code": "double h(double x) { return pow(x, 0.5); }",
    integers: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(i, 0.5);
}`,
  },
  found: {
    "1.0f / 9": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 1.0f / 9);
//       ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rcbrtf(rcbrtf(x));
}`,
    },
    "-1.0f / 9": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -1.0f / 9);
//       ^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = cbrtf(rcbrtf(x));
}`,
    },
    "1.0f / 6": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 1.0f / 6);
//       ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rcbrtf(rsqrtf(x));
}`,
    },
    "-1.0f / 6": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -1.0f / 6);
//       ^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rcbrtf(sqrtf(x));
}`,
    },
    "0.25f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 0.25f);
//       ^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rsqrtf(rsqrtf(x));
}`,
    },
    "-0.25f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -0.25f);
//       ^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sqrtf(rsqrtf(x));
}`,
    },
    "1.0f / 3": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 1.0f / 3);
//       ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = cbrtf(x);
}`,
    },
    "-1.0f / 3": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -1.0f / 3);
//       ^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rcbrtf(x);
}`,
    },
    "0.5f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 0.5f);
//       ^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sqrtf(x);
}`,
    },
    "-0.5f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -0.5f);
//       ^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = rsqrtf(x);
}`,
    },
    "2.0f / 3": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 2.0f / 3);
//       ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (cbrtf(x) * cbrtf(x));
}`,
    },
    "-2.0f / 3": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -2.0f / 3);
//       ^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (rcbrtf(x) * rcbrtf(x));
}`,
    },
    "0.75f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 0.75f);
//       ^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (sqrtf(x) * sqrtf(sqrtf(x)));
}`,
    },
    "-0.75f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -0.75f);
//       ^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (rsqrtf(x) * sqrtf(rsqrtf(x)));
}`,
    },
    "7.0f / 6": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 7.0f / 6);
//       ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (x * rcbrtf(rsqrtf(x)));
}`,
    },
    "-7.0f / 6": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -7.0f / 6);
//       ^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (1.0f / x * rcbrtf(sqrtf(x)));
}`,
    },
    "1.25f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 1.25f);
//       ^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (x * rsqrtf(rsqrtf(x)));
}`,
    },
    "-1.25f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, -1.25f);
//       ^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (1.0f / x * sqrtf(rsqrtf(x)));
}`,
    },
    "1.5f": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(x, 1.5f);
//       ^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = (x * sqrtf(x));
}`,
    },
    "doubles, of a sum": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(y + 1, 1.5) + pow(y, 1.0 / 3.0);
//       ^^^^^^^^^^^^^^^
//                         ^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = ((y + 1) * sqrt(y + 1)) + cbrt(y);
}`,
    },
    "what may not stand twice": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(sinf(x), 1.5f);
//       ^^^^^^^^^^^^^^^^^^^
}`,
    },
    "a root of what a function gives": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(sinf(x), 0.5f);
//       ^^^^^^^^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = sqrtf(sinf(x));
}`,
    },
  },
});
