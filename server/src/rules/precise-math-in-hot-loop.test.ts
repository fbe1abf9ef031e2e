import { testRule } from "../testing/rule-tables.ts";
import rule from "./precise-math-in-hot-loop.ts";

testRule(rule, {
  clean: {
    "not in a loop": `__global__ void k(float *a, double *d, float x, double y, int i) {
  a[i] = expf(x);
}`,
    doubles: `__global__ void k(float *a, double *d, float x, double y, int i) {
  for (int j = 0; j < i; j++) d[j] = exp(y);
}`,
    "the intrinsic": `__global__ void k(float *a, double *d, float x, double y, int i) {
  for (int j = 0; j < i; j++) a[j] = __expf(x);
}`,
  },
  found: {
    "in a loop": {
      code: `__global__ void k(float *a, double *d, float x, double y, int i) {
  while (i--) a[i] = sinf(x) + exp(x);
//                   ^^^^ 138
//                             ^^^
}`,
      unsafe: `__global__ void k(float *a, double *d, float x, double y, int i) {
  while (i--) a[i] = __sinf(x) + __expf(x);
}`,
    },
  },
});
