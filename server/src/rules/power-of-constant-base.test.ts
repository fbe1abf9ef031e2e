import { testRule } from "../testing/rule-tables.ts";
import rule from "./power-of-constant-base.ts";

testRule(rule, {
  clean: {
    "other bases": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(3.0f, x) + powf(x, x) + powf(10.5f, x);
}`,
    "constants alone": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(2.0, 3.0);
}`,
    "host code": "double h(double x) { return pow(2.0, x); }",
  },
  found: {
    floats: {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = powf(2.0f, x + 1) * powf(10, x);
//       ^^^^^^^^^^^^^^^^^ \`exp2f\`
//                           ^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = exp2f(x + 1) * exp10f(x);
}`,
    },
    "a double of a float's power": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = pow(2.0, x); d[i] = pow(10.0, y);
//       ^^^^^^^^^^^
//                           ^^^^^^^^^^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = exp2f(x); d[i] = exp10(y);
}`,
    },
    "whole numbers": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  d[i] = pow(2, i);
//       ^^^^^^^^^ a shift
}`,
    },
  },
});
