import { testRule } from "../testing/rule-tables.ts";
import rule from "./use-after-free.ts";

const program = (host: string, more = ""): string => `${more}
__global__ void k(float *x, float *unused) { x[threadIdx.x] += 1; }
int main() {
  float h[64] = {}, *d;
  cudaMalloc(&d, sizeof(h));
  ${host}
}`;

testRule(rule, {
  clean: {
    "freed last": program("k<<<1, 64>>>(d, d); cudaFree(d);"),
    "allocated anew": program("cudaFree(d); cudaMalloc(&d, 256); k<<<1, 64>>>(d, d); cudaFree(d);"),
    "in each turn of a loop": program(
      "for (int i = 0; i < 100; i++) { float *e; cudaMalloc(&e, 256); k<<<1, 64>>>(e, e); cudaFree(e); } cudaFree(d);",
    ),
    "an array of buffers": program(
      "float *all[100]; for (int i = 0; i < 100; i++) cudaMalloc(&all[i], 256); k<<<1, 64>>>(all[99], d); for (int i = 0; i < 100; i++) cudaFree(all[i]);",
    ),
    "freed where the program ends": program("if (failed()) { cudaFree(d); return 1; } k<<<1, 64>>>(d, d);", "bool failed();"),
    "freed under a condition that is not known": program("if (failed()) cudaFree(d); k<<<1, 64>>>(d, d);", "bool failed();"),
    "a parameter that the kernel does not use": program("float *e; cudaMalloc(&e, 4); cudaFree(e); k<<<1, 64>>>(d, e);"),
    "nothing, twice": program("float *e = nullptr; cudaFree(e); cudaFree(e); cudaFree(0); k<<<1, 64>>>(d, d);"),
    "a buffer that changes places with another": program(
      "float *e; cudaMalloc(&e, 256); for (int i = 0; i < 9; i++) { k<<<1, 64>>>(d, e); float *t = d; d = e; e = t; } cudaFree(d); cudaFree(e);",
    ),
  },
  found: {
    "in a launch": {
      code: program(`cudaFree(d);
  k<<<1, 64>>>(d, d);
  //           ^ \`d\` was freed, and \`k\` goes through it`),
    },
    "in a copy behind the last launch": {
      code: program(`k<<<1, 64>>>(d, d);
  cudaFree(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`d\` is copied from after it was freed`),
    },
    "freed twice": {
      code: program(`k<<<1, 64>>>(d, d);
  cudaFree(d);
  cudaFree(d);
//^^^^^^^^^^^ \`d\` was freed already`),
    },
    "on the host": {
      code: program(`k<<<1, 64>>>(d, d);
  float *p = new float[8];
  delete[] p;
  p[1] = 0;
//^^^^ \`p\` is written after it was freed`),
    },
  },
});
