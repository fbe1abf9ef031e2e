import { testRule } from "../testing/rule-tables.ts";
import rule from "./narrow-integer-arithmetic.ts";

testRule(rule, {
  clean: {
    int: `__global__ void k(float *a, double *d, float x, double y, int i) {
  int n = 0; n++; a[i] = n;
}`,
    "only stored": `__global__ void k(float *a, double *d, float x, double y, int i) {
  short n = i; a[i] = n; bool b = false; b |= i > 0;
}`,
    "host code": "void h() { short n = 0; n++; }",
  },
  found: {
    "a short that counts": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  short n = 0;
//      ^ 16 bits
  while (i--) n++;
  a[0] = n;
}`,
    },
  },
});
