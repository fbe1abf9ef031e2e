import { testRule } from "../testing/rule-tables.ts";
import rule from "./copy-direction.ts";

const program = (host: string): string => `__global__ void k(int *x) { x[threadIdx.x] += 1; }
int main(int argc, char **argv) {
  const int n = 256;
  int *h = (int *)malloc(n * sizeof(int)), *d;
  cudaMalloc(&d, n * sizeof(int));
  ${host}
}`;

testRule(rule, {
  clean: {
    "there and back": program(
      "cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); k<<<1, n>>>(d); cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);",
    ),
    "any direction": program("k<<<1, n>>>(d); cudaMemcpy(h, d, n * 4, cudaMemcpyDefault);"),
    "page-locked and managed memory, which is both's": program(`int *p, *m;
  cudaMallocHost(&p, n * 4); cudaMallocManaged(&m, n * 4);
  cudaMemcpy(p, d, n * 4, cudaMemcpyDeviceToDevice); cudaMemcpy(m, h, n * 4, cudaMemcpyHostToHost); k<<<1, n>>>(d);`),
    "registered memory": program("cudaHostRegister(h, n * 4, 0); cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToDevice); k<<<1, n>>>(d);"),
    "a pointer that may be either": program(
      "int *p = wanted() ? d : h; cudaMemcpy(p, h, n * 4, cudaMemcpyHostToDevice); k<<<1, n>>>(d);",
    ).replace("int main", "bool wanted();\nint main"),
    "a way that is not certain": program(`k<<<1, n>>>(d);
  if (wanted()) cudaMemcpy(h, d, n * 4, cudaMemcpyHostToDevice);`).replace("int main", "bool wanted();\nint main"),
  },
  found: {
    "the result is copied the wrong way, behind the last launch": {
      code: program(`k<<<1, n>>>(d);
  cudaMemcpy(h, d, n * 4, cudaMemcpyHostToDevice);
  //                      ^^^^^^^^^^^^^^^^^^^^^^ from \`d\`, in memory of the device, to \`h\`, in memory of the host`),
      unsafe: program(`k<<<1, n>>>(d);
  cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);`),
    },
    "of one side it is enough to know": {
      code: program(`int *m;
  cudaMallocManaged(&m, n * 4);
  cudaMemcpy(d, m, n * 4, cudaMemcpyDeviceToHost);
  //                      ^^^^^^^^^^^^^^^^^^^^^^ says \`cudaMemcpyDeviceToHost\`
  k<<<1, n>>>(d);`),
      unsafe: program(`int *m;
  cudaMallocManaged(&m, n * 4);
  cudaMemcpy(d, m, n * 4, cudaMemcpyDeviceToDevice);
  k<<<1, n>>>(d);`),
    },
    "page-locked memory is called the host's": {
      code: program(`int *p;
  cudaMallocHost(&p, n * 4);
  cudaMemcpy(d, p, n * 4, cudaMemcpyDeviceToHost);
  //                      ^^^^^^^^^^^^^^^^^^^^^^
  k<<<1, n>>>(d);
  cudaMemcpy(p, d, n * 4, cudaMemcpyHostToDevice);
  //                      ^^^^^^^^^^^^^^^^^^^^^^`),
      unsafe: program(`int *p;
  cudaMallocHost(&p, n * 4);
  cudaMemcpy(d, p, n * 4, cudaMemcpyHostToDevice);
  k<<<1, n>>>(d);
  cudaMemcpy(p, d, n * 4, cudaMemcpyDeviceToHost);`),
    },
    "in a function that main calls": {
      code: `__global__ void k(int *x) { x[threadIdx.x] += 1; }
void upload(int *to, const int *from) {
  cudaMemcpy(to, from, 256, cudaMemcpyDeviceToDevice);
  //                        ^^^^^^^^^^^^^^^^^^^^^^^^ of the host
}
int main() {
  int h[64] = {}, *d;
  cudaMalloc(&d, 256);
  upload(d, h);
  k<<<1, 64>>>(d);
}`,
      unsafe: `__global__ void k(int *x) { x[threadIdx.x] += 1; }
void upload(int *to, const int *from) {
  cudaMemcpy(to, from, 256, cudaMemcpyHostToDevice);
}
int main() {
  int h[64] = {}, *d;
  cudaMalloc(&d, 256);
  upload(d, h);
  k<<<1, 64>>>(d);
}`,
    },
  },
});
