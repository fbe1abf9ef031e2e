import { testRule } from "../testing/rule-tables.ts";
import rule from "./emulated-double-atomic.ts";

testRule(rule, {
  clean: {
    "a maximum": `__device__ double f(double *p, double v) {
  unsigned long long *b = (unsigned long long *)p, old = *b, was;
  do {
    was = old;
    old = atomicCAS(b, was, __double_as_longlong(fmax(v, __longlong_as_double(was))));
  } while (was != old);
  return __longlong_as_double(old);
}`,
    "a product": `__device__ double f(double *p, double v) {
  unsigned long long *b = (unsigned long long *)p, old = *b, was;
  do {
    was = old;
    old = atomicCAS(b, was, __double_as_longlong(v * __longlong_as_double(was)));
  } while (was != old);
  return __longlong_as_double(old);
}`,
    "for older GPUs only": `#if __CUDA_ARCH__ < 600
__device__ double f(double *p, double v) {
  unsigned long long *b = (unsigned long long *)p, old = *b, was;
  do {
    was = old;
    old = atomicCAS(b, was, __double_as_longlong(v + __longlong_as_double(was)));
  } while (was != old);
  return __longlong_as_double(old);
}
#endif`,
  },
  found: {
    "a sum": {
      code: `__device__ double f(double *p, double v) {
  unsigned long long *b = (unsigned long long *)p, old = *b, was;
  do {
    was = old;
    old = atomicCAS(b, was, __double_as_longlong(v + __longlong_as_double(was)));
//        ^^^^^^^^^ one instruction
  } while (was != old);
  return __longlong_as_double(old);
}`,
    },
  },
});
