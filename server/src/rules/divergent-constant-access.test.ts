import { testRule } from "../testing/rule-tables.ts";
import rule from "./divergent-constant-access.ts";

const program = (index: string): string => `__constant__ float table[1024];
__global__ void look(float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += ${index};
  out[i] = sum;
}
int main() {
  float *out;
  cudaMalloc(&out, 16 << 20);
  look<<<16384, 256>>>(out);
}`;

testRule(rule, {
  clean: {
    "one address for all": program("table[k]"),
    "another in each block": program("table[(blockIdx.x + k) % 1024]"),
    "another in each warp": program("table[(threadIdx.x / 32 + k) % 1024]"),
  },
  found: {
    "another in each lane": {
      code: program(`table[(threadIdx.x + k) % 1024]
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ \`table\` is read at 32 addresses a request`)
        .replace("a request;", "a request")
        .replace("[(threadIdx.x + k) % 1024]\n", "[(threadIdx.x + k) % 1024];\n")
        .replace("a request;\n", "a request\n"),
    },
  },
});
