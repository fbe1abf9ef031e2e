import { testRule } from "../testing/rule-tables.ts";
import rule from "./wrong-memory-space.ts";

const program = (host: string, more = ""): string => `${more}
__global__ void k(float *out, const float *unused) { out[threadIdx.x] = 1; }
int main() {
  float *h = (float *)malloc(256), *d;
  cudaMalloc(&d, 256);
  ${host}
}`;

testRule(rule, {
  clean: {
    "memory of the device": program("k<<<1, 64>>>(d, d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); h[0] += 1;"),
    "managed, page-locked and registered memory": program(
      "float *m, *p; cudaMallocManaged(&m, 256); cudaMallocHost(&p, 256); cudaHostRegister(h, 256, 0); k<<<1, 64>>>(m, d); k<<<1, 64>>>(p, d); k<<<1, 64>>>(h, d); cudaDeviceSynchronize(); m[0] = p[0];",
    ),
    "a parameter that the kernel does not use": program("k<<<1, 64>>>(d, h);"),
    "a system that lets the device use it": program(
      "int can; cudaDeviceGetAttribute(&can, cudaDevAttrPageableMemoryAccess, 0); if (can) k<<<1, 64>>>(h, d);",
    ),
    "an address within memory of the device": program("k<<<1, 64>>>(&d[8], d); float *e = d + 8; k<<<1, 64>>>(e, d);"),
    "a class that refers to the device": program(
      "thrust::device_ptr<float> p(d); k<<<1, 64>>>(d, d); float x = p[0]; thrust::device_vector<float> v(64); v[0] = 1;",
    ),
    "a class with memory of its own": program(
      "Row *r = new Row[4]; g<<<1, 4>>>(r); k<<<1, 64>>>(d, d);",
      "struct Row { float x; void *operator new[](size_t n) { void *p; cudaMallocManaged(&p, n); return p; } };\n__global__ void g(Row *r) { r[threadIdx.x].x = 1; }",
    ),
    "the size of an element": program("k<<<1, 64>>>(d, d); size_t bytes = sizeof(d[0]);"),
  },
  found: {
    "memory of malloc in a kernel": {
      code: program(`k<<<1, 64>>>(h, d);
  //           ^ \`k\` goes through \`out\`, which points to \`h\`, in memory of the host: no device reaches it, but one that may use pageable memory`),
    },
    "memory of new in a kernel": {
      code: program(`k<<<1, 64>>>(new float[64], d);
  //           ^^^^^^^^^^^^^ which points to the array`),
    },
    "memory of the device on the host": {
      code: program(`d[0] = 1;
//^^^^ \`d\` is written by the host, and lies in memory of the device
  k<<<1, 64>>>(d, d);
  float x = *d + h[0];
  //        ^^ \`d\` is read by the host`),
    },
    "filled by the C library": {
      code: program(`memset(d, 0, 256);
//^^^^^^^^^^^^^^^^^ \`d\` is written by the host
  k<<<1, 64>>>(d, d);`),
    },
  },
});
