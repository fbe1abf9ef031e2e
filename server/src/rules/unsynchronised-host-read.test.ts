import { testRule } from "../testing/rule-tables.ts";
import rule from "./unsynchronised-host-read.ts";

const program = (host: string, more = ""): string => `${more}
__global__ void k(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  float *a, *b, *d, *p, sum = 0;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&b, 256);
  cudaMalloc(&d, 256);
  cudaMallocHost(&p, 256);
  ${host}
}`;

testRule(rule, {
  clean: {
    "waited for": program("k<<<1, 64>>>(a, b); cudaDeviceSynchronize(); for (int i = 0; i < 64; i++) sum += a[i];"),
    "what the kernel only reads": program("k<<<1, 64>>>(a, b); sum = b[3];"),
    "written, not read": program("k<<<1, 64>>>(d, b); a[3] = 1;"),
    "another copy waits": program("k<<<1, 64>>>(a, b); cudaMemcpy(p, d, 256, cudaMemcpyDeviceToHost); sum = a[0] + p[0];"),
    "somebody may wait": program("k<<<1, 64>>>(a, b); wait(); sum = a[0];", "void wait();"),
    "waits under a condition that is not known": program(
      "k<<<1, 64>>>(a, b); if (failed()) cudaDeviceSynchronize(); sum = a[0];",
      "bool failed();",
    ),
    "a destructor may wait": program(
      "{ Timer t; k<<<1, 64>>>(a, b); } sum = a[0];",
      "struct Timer { Timer() {} ~Timer() { cudaDeviceSynchronize(); } };",
    ),
    "pageable memory, which copies wait for": program(
      "float h[64]; cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost); k<<<1, 64>>>(d, b); sum = h[0];",
    ),
  },
  found: {
    "managed memory": {
      code: program(`k<<<1, 64>>>(a, b);
  for (int i = 0; i < 64; i++) sum += a[i];
  //                                  ^^^^ The host reads \`a\`, managed memory, while \`k\` may still be storing to it`),
    },
    "what an asynchronous copy fills": {
      code: program(`k<<<1, 64>>>(d, b);
  cudaMemcpyAsync(p, d, 256, cudaMemcpyDeviceToHost);
  cudaGetLastError();
  printf("%f", p[0]);
  //           ^^^^ while the asynchronous copy may still be storing to it`),
    },
    "mapped memory, by the C library": {
      code: program(`float h[64];
  k<<<1, 64>>>(p, b);
  memcpy(h, p, 256);
//^^^^^^^^^^^^^^^^^ page-locked memory of the host`),
    },
  },
});
