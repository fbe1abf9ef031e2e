import { testRule } from "../testing/rule-tables.ts";
import rule from "./shared-memory-race.ts";

const program = (kernel: string, host = "k<<<16, 256>>>(out, in, 1024);"): string => `
__global__ void k(float *out, const float *in, int n) {
  int t = threadIdx.x;
${kernel}
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  ${host}
}`;

testRule(rule, {
  clean: {
    "a barrier between": program("  __shared__ float s[256];\n  s[t] = in[t];\n  __syncthreads();\n  out[t] = s[255 - t];"),
    "each its own": program("  __shared__ float s[256];\n  s[t] = in[t];\n  s[t] += 1;\n  out[t] = s[t];"),
    "a reduction": program(`  __shared__ float s[256];
  s[t] = in[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];`),
    "a loop with barriers on either side": program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    sum += s[255 - t];
    __syncthreads();
  }
  out[t] = sum;`),
    "two buffers in turn": program(`  __shared__ float s[2][256];
  float sum = 0;
  for (int j = 0; j < n / 256; j++) {
    s[j & 1][t] = in[j * 256 + t];
    __syncthreads();
    sum += s[j & 1][255 - t];
  }
  out[t] = sum;`),
    atomics: program(
      "  __shared__ int s[16];\n  if (t < 16) s[t] = 0;\n  __syncthreads();\n  atomicAdd(&s[t % 16], 1);\n  __syncthreads();\n  if (t < 16) out[t] = s[t];",
    ),
    "a value that each stores and reads back": program(
      "  __shared__ float a[256];\n  __shared__ float *p;\n  p = a;\n  p[t] = in[t];\n  out[t] = p[t];",
    ),
    "the same value from all": program(
      "  __shared__ int found;\n  if (t == 0) found = 0;\n  __syncthreads();\n  if (t % 3 == 0) found = 1;\n  __syncthreads();\n  out[t] = found;",
    ),
    "lanes that store the same": program(
      "  __shared__ int warp;\n  warp = t / 32;\n  __syncwarp();\n  out[t] = warp;",
      "k<<<1, 32>>>(out, in, 1024);",
    ),
    "one place of the input for all rows of a block": program(
      "  __shared__ float s[32];\n  s[t] = in[t];\n  __syncthreads();\n  if (threadIdx.y == 0) out[t] = s[t];",
      "k<<<16, dim3(32, 8)>>>(out, in, 1024);",
    ),
    "a warp's own part": program(`  __shared__ float s[256];
  s[t] = in[t];
  __syncwarp();
  out[t] = s[t ^ 1];`),
    "a warp's tail with __syncwarp": program(
      `  __shared__ float s[64];
  s[t] = in[t]; s[t + 32] = in[t + 32];
  __syncwarp();
  for (int half = 32; half > 0; half /= 2) {
    float v = s[t] + s[t + half % 32];
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
  out[t] = s[0];`,
      "k<<<1, 32>>>(out, in, 1024);",
    ),
    "halves that do not touch": program(
      "  extern __shared__ float s[];\n  float *a = s, *b = s + 256;\n  a[t] = in[t];\n  b[255 - t] = in[t];\n  out[t] = a[t];",
      "k<<<1, 256, 2048>>>(out, in, 1024);",
    ),
  },
  found: {
    "no barrier before the read": {
      code: program(`  __shared__ float s[256];
  s[t] = in[t];
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ with no \`__syncthreads()\` between`),
      unsafe: program("  __shared__ float s[256];\n  s[t] = in[t];\n  __syncthreads();\n  out[t] = s[255 - t];"),
    },
    "at the end of a turn, for the next": {
      code: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    sum += s[255 - t];
    //     ^^^^^^^^^^ with no \`__syncthreads()\` between
  }
  out[t] = sum;`),
      unsafe: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    sum += s[255 - t];
    __syncthreads();
  }
  out[t] = sum;`),
    },
    "at the start of a turn, where some threads end theirs before its end": {
      code: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    if (t >= 128) continue;
    sum += s[255 - t];
    //     ^^^^^^^^^^ with no \`__syncthreads()\` between
  }
  out[t] = sum;`),
      unsafe: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    __syncthreads();
    s[t] = in[j + t];
    __syncthreads();
    if (t >= 128) continue;
    sum += s[255 - t];
  }
  out[t] = sum;`),
    },
    "at the end, where the turns of an inner loop end alone": {
      code: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      if (k == 2) continue;
      sum += s[k];
      //     ^^^^ with no \`__syncthreads()\` between
    }
  }
  out[t] = sum;`),
      unsafe: program(`  __shared__ float s[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      if (k == 2) continue;
      sum += s[k];
    }
    __syncthreads();
  }
  out[t] = sum;`),
    },
    "before threads leave, in a turn of a loop": {
      code: program(`  __shared__ float s[8][256];
  float sum = 0;
  for (int j = 0; j < n / 256; j++) {
    s[j][t] = in[j * 256 + t];
    if (t >= 128) continue;
    sum += s[j][255 - t];
    //     ^^^^^^^^^^^^^ with no \`__syncthreads()\` between
  }
  out[t] = sum;`),
      unsafe: program(`  __shared__ float s[8][256];
  float sum = 0;
  for (int j = 0; j < n / 256; j++) {
    s[j][t] = in[j * 256 + t];
    __syncthreads();
    if (t >= 128) continue;
    sum += s[j][255 - t];
  }
  out[t] = sum;`),
    },
    "where whole warps leave by their vote: no barrier that those could come by": {
      code: program(
        `  __shared__ float s[8][256];
  float sum = 0;
  for (int j = 0; j < 8; j++) {
    s[j][t] = in[j * 256 + t];
    if (__any_sync(0xffffffffu, in[j * 256 + t] > 4.f)) break;
    sum += s[j][255 - t];
    //     ^^^^^^^^^^^^^ with no \`__syncthreads()\` between
  }
  out[t] = sum;`,
        "cudaMemset(in, 0, 4096 * sizeof(float)); k<<<4, 256>>>(out, in, 1024);",
      ),
    },
    "behind a goto: where it leads is not followed": {
      code: program(
        `  __shared__ float s[256];
  s[t] = in[t];
  if (in[t] > 100) goto end;
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ with no \`__syncthreads()\` between
end:
  out[t + 256] = 1;`,
        "cudaMemset(in, 0, 4096 * sizeof(float)); k<<<4, 256>>>(out, in, 1024);",
      ),
    },
    "before threads leave the kernel": {
      code: program(`  __shared__ float s[256];
  s[t] = in[t];
  if (t >= 128) return;
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ with no \`__syncthreads()\` between`),
      unsafe: program("  __shared__ float s[256];\n  s[t] = in[t];\n  __syncthreads();\n  if (t >= 128) return;\n  out[t] = s[255 - t];"),
    },
    "two arrays for want of one barrier": {
      code: program(`  __shared__ float s[256], u[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    u[t] = in[n - 1 - j - t];
    __syncthreads();
    for (int k = 0; k < 256; k++) sum += s[k] * u[255 - t];
    //                                   ^^^^ One more access races for it or \`u\` in the same way
  }
  out[t] = sum;`),
      unsafe: program(`  __shared__ float s[256], u[256];
  float sum = 0;
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    u[t] = in[n - 1 - j - t];
    __syncthreads();
    for (int k = 0; k < 256; k++) sum += s[k] * u[255 - t];
    __syncthreads();
  }
  out[t] = sum;`),
    },
    "none at the back edge of a loop that is not known to turn alike for all": {
      code: program(`  __shared__ float s[256];
  float sum = 0;
  int j = 0;
  while (j < n) {
    s[t] = in[j + t];
    __syncthreads();
    sum += s[255 - t];
    //     ^^^^^^^^^^ with no \`__syncthreads()\` between
    j += 256;
  }
  out[t] = sum;`),
    },
    "a barrier missing in a reduction": {
      code: program(`  __shared__ float s[256];
  s[t] = in[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (t < half) s[t] += s[t + half];
    //                    ^^^^^^^^^^^ Race in shared memory
  if (t == 0) out[blockIdx.x] = s[0];`),
    },
    "the tail of a warp": {
      code: program(
        `  volatile __shared__ float s[64];
  s[t] = in[t];
  __syncwarp();
  if (t < 16) s[t] += s[t + 16];
  if (t < 8) s[t] += s[t + 8];
  //                 ^^^^^^^^ with no \`__syncwarp()\` between
  out[t] = s[t];`,
        "k<<<1, 32>>>(out, in, 1024);",
      ),
      unsafe: program(
        "  volatile __shared__ float s[64];\n  s[t] = in[t];\n  __syncwarp();\n  if (t < 16) s[t] += s[t + 16];\n  __syncwarp();\n  if (t < 8) s[t] += s[t + 8];\n  out[t] = s[t];",
        "k<<<1, 32>>>(out, in, 1024);",
      ),
    },
    "one cause at many places": {
      code: program(
        `  volatile __shared__ float s[64];
  s[t] = in[t];
  float a = s[t ^ 16];
  //        ^^^^^^^^^ with no \`__syncwarp()\` between. 2 more accesses race for it in the same way.
  s[t] = a;
  float b = s[t ^ 8];
  out[t] = b;`,
        "k<<<1, 32>>>(out, in, 1024);",
      ),
      unsafe: program(
        `  volatile __shared__ float s[64];
  s[t] = in[t];
  __syncwarp();
  float a = s[t ^ 16];
  __syncwarp();
  s[t] = a;
  __syncwarp();
  float b = s[t ^ 8];
  out[t] = b;`,
        "k<<<1, 32>>>(out, in, 1024);",
      ),
    },
    "one cause, where a barrier is no help at one of its places": {
      code: program(
        `  volatile __shared__ float s[64];
  s[t] = in[t];
  s[t] += s[t ^ 16];
  //      ^^^^^^^^^ with no \`__syncwarp()\` between
  out[t] = s[t];`,
        "k<<<1, 32>>>(out, in, 1024);",
      ),
    },
    "lanes that store what differs": {
      code: program(
        `  __shared__ int last;
  last = t;
//^^^^ writes the same, element 0 of \`last\`, one 1 and the other 0: nothing says which stays
  __syncwarp();
  out[t] = last;`,
        "k<<<1, 32>>>(out, in, 1024);",
      ),
    },
    "a histogram without atomics": {
      code: program(`  __shared__ int s[16];
  if (t < 16) s[t] = 0;
  __syncthreads();
  s[t % 16]++;
//^^^^^^^^^ Race in shared memory
  __syncthreads();
  if (t < 16) out[t] = s[t];`),
    },
    "a flag read before it is sure": {
      code: program(`  __shared__ float first;
  if (t == 0) first = in[0];
  out[t] = first;
  //       ^^^^^ and thread (0, 0, 0) writes \`first\``),
      unsafe: program("  __shared__ float first;\n  if (t == 0) first = in[0];\n  __syncthreads();\n  out[t] = first;"),
    },
    "where not all threads come by": {
      code: program(`  __shared__ float s[256];
  if (t < 128) {
    s[t] = in[t];
    out[t] = s[127 - t];
    //       ^^^^^^^^^^ with no \`__syncthreads()\` between
  }`),
    },
    "in a loop that all threads go through": {
      code: program(`  __shared__ float s[256];
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    out[j + t] = s[255 - t];
    //           ^^^^^^^^^^ with no \`__syncthreads()\` between
    __syncthreads();
  }`),
      unsafe: program(`  __shared__ float s[256];
  for (int j = 0; j < n; j += 256) {
    s[t] = in[j + t];
    __syncthreads();
    out[j + t] = s[255 - t];
    __syncthreads();
  }`),
    },
  },
});
