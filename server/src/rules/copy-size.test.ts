import { testRule } from "../testing/rule-tables.ts";
import rule from "./copy-size.ts";

const program = (host: string, more = ""): string => `#include <vector>
${more}
__global__ void k(float *x) { x[threadIdx.x] += 1; }
int main() {
  const int n = 1000;
  std::vector<float> h(n);
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  ${host}
  k<<<1, 256>>>(d);
}`;

testRule(rule, {
  clean: {
    whole: program("cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);"),
    "a part": program("cudaMemcpy(d + 500, h.data(), 500 * sizeof(float), cudaMemcpyHostToDevice);"),
    "a quarter, of four streams": program(
      "size_t part = n * sizeof(float) / 4; for (int i = 0; i < 4; i++) cudaMemcpyAsync(d + i * n / 4, &h[i * n / 4], part, cudaMemcpyHostToDevice);",
    ),
    "as many bytes as are needed": program("char flags[n]; cudaMemcpy(d, flags, n, cudaMemcpyHostToDevice);"),
    "a vector that grows": program(
      "std::vector<float> v; for (int i = 0; i < n; i++) v.push_back(i); cudaMemcpy(d, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice); cudaMemcpy(d, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);",
    ),
    "a vector that got another size": program("h.resize(2 * n); cudaMemcpy(d, h.data() + n, n * sizeof(float), cudaMemcpyHostToDevice);"),
    "a size that nobody knows": program(
      "cudaMemcpy(d, h.data(), size(), cudaMemcpyHostToDevice); cudaMemset(d, 0, size());",
      "size_t size();",
    ),
    "a variable of the device, from an offset": program(
      "cudaMemcpyToSymbol(table, h.data(), 10 * sizeof(float), 90 * sizeof(float));",
      "__constant__ float table[100];",
    ),
    "members of a structure, from the first on": program(
      "P p; cudaMemcpy(&p.x, d, 3 * sizeof(float), cudaMemcpyDeviceToHost);",
      "struct P { float x, y, z; };",
    ),
    "the size of one element": program("cudaMemcpy(d, h.data(), sizeof(d[0]), cudaMemcpyHostToDevice);"),
  },
  found: {
    "rows that overlap": {
      code: program(`cudaMemcpy2D(d, n * sizeof(float), h.data(), n, n * sizeof(float), 1, cudaMemcpyHostToDevice);
//                                             ^ 1,000 bytes from row to row, each of which has 4,000 bytes`),
    },
    "beyond the end, at both sides": {
      code: program(`cudaMemcpy(d, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes 8,000 bytes of \`d\`, which has 4,000 bytes`),
    },
    "beyond the end, from the middle on": {
      code: program(`cudaMemset(d + 500, 0, n * sizeof(float));
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ sets 4,000 bytes of \`d\` from byte 2,000 on`),
    },
    "beyond the end of a variable of the device": {
      code: program(
        `cudaMemcpyToSymbol(table, h.data(), 11 * sizeof(float), 90 * sizeof(float));
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ of \`table\` from byte 360 on`,
        "__constant__ float table[100];",
      ),
    },
    "elements for bytes": {
      code: program(`cudaMemset(d, 0, n);
  //               ^ has as many elements of 4 bytes`),
      unsafe: program("cudaMemset(d, 0, n * sizeof(float));"),
    },
    "elements of a vector for bytes": {
      code: program(`float *e;
  cudaMalloc(&e, 4000);
  cudaMemcpy(e, h.data(), n, cudaMemcpyHostToDevice);
  //                      ^ 1,000 bytes of the 4,000 bytes of \`h\``),
    },
    "the size of a pointer": {
      code: program(`float *p = new float[n];
  cudaMemcpy(d, p, sizeof(p), cudaMemcpyHostToDevice);
  //               ^^^^^^^^^ \`p\` is a pointer`),
    },
  },
});
