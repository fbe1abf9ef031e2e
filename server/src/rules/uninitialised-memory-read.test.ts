import { testRule } from "../testing/rule-tables.ts";
import rule from "./uninitialised-memory-read.ts";

const program = (kernel: string, host = "k<<<1, 256>>>(out, in, 200);"): string => `
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

/** The same with its input filled by the host. */
const filled = (kernel: string, host?: string): string =>
  program(kernel, host).replace("cudaMalloc(&out", "cudaMemset(in, 0, 4096 * sizeof(float));\n  cudaMalloc(&out");

testRule(rule, {
  clean: {
    "a text": `__global__ void k(char *out) { out[threadIdx.x] = "expand 32-byte k"[threadIdx.x % 16]; }
int main() {
  char *out;
  cudaMalloc(&out, 256);
  k<<<1, 256>>>(out);
}`,
    "a sketch, which fills nothing": program("  out[t] += in[t];"),
    "device memory that is filled": filled("  out[t] += in[t];").replace("k<<<", "cudaMemset(out, 0, 4096 * sizeof(float));\n  k<<<"),
    "device memory that somebody may fill": filled("  out[t] += in[t];").replace("k<<<", "prepare(out);\n  k<<<"),
    "device memory that is set before it is read": filled("  out[t] = 0;\n  __syncthreads();\n  out[255 - t] += in[t];"),
    "filled part by part in a loop": filled(
      "  out[t] += in[t];",
      "for (int part = 0; part < 4000; ++part) cudaMemset(out + part, 0, sizeof(float));\n  k<<<1, 256>>>(out, in, 200);",
    ),
    "filled by way of a table of pointers": filled(
      "  out[t] += in[t];",
      "float *table[1] = {out}, **places;\n  cudaMalloc(&places, sizeof(table));\n  cudaMemcpy(places, table, sizeof(table), cudaMemcpyHostToDevice);\n  fill<<<1, 256>>>(places);\n  k<<<1, 256>>>(out, in, 200);",
    ).replace("\n__global__", "\n__global__ void fill(float **to) { to[0][threadIdx.x] = 0; }\n__global__"),
    "members of a record that is copied as a whole": filled(
      "  struct { float a, b; } s, all[1];\n  s.a = in[t];\n  all[0] = s;\n  out[t] = all[0].a;",
    ),
    "members of a few bits": filled("  struct { unsigned a : 4, b : 4; } s;\n  s.a = t;\n  s.b = n;\n  out[t] = s.a + s.b;"),
    "a variable that is set wherever it is read": filled("  float v;\n  if (t < n) v = in[t];\n  if (t < n) out[t] = v * 2;"),
    "elements of a local array that are set": filled(
      "  float a[4];\n  for (int j = 0; j < 4; ++j) a[j] = 0;\n  for (int j = 0; j < n; ++j) a[j & 3] += in[j];\n  out[t] = a[t & 3];",
    ),
    "all written": program("  __shared__ float s[256];\n  s[t] = t < n ? in[t] : 0;\n  __syncthreads();\n  out[t] = s[255 - t];"),
    "read as far as written": program(
      "  __shared__ float s[256];\n  if (t < n) s[t] = in[t];\n  __syncthreads();\n  if (t < n) out[t] = s[n - 1 - t];",
    ),
    "written by few for all": program(
      "  __shared__ float s[256];\n  for (int j = t; j < 256; j += 32) s[j] = in[j];\n  __syncthreads();\n  for (int j = 0; j < 256; ++j) out[t] += s[j];",
      "k<<<1, 32>>>(out, in, 200);",
    ),
    "filled in a loop that is long": program(
      "  extern __shared__ float s[];\n  for (int j = t; j < 8192; j += 256) s[j] = 0;\n  __syncthreads();\n  out[t] = s[8191 - t];",
      "k<<<1, 256, 8192 * sizeof(float)>>>(out, in, 200);",
    ),
    "where data lets it be written": program(
      "  __shared__ float s[256];\n  if (in[t] > 0) s[t] = in[t];\n  __syncthreads();\n  if (in[255 - t] > 0) out[t] = s[255 - t];\n  out[t + 256] = s[t];",
    ).replace("cudaMalloc(&out", "read(in);\n  cudaMalloc(&out"),
    "by asynchronous copies": program(
      "  __shared__ __align__(16) float s[256];\n  __pipeline_memcpy_async(&s[t], &in[t], 4);\n  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  __syncthreads();\n  out[t] = s[255 - t];",
    ).replace("\n__global__", "#include <cuda_pipeline.h>\n__global__"),
  },
  found: {
    "a record's member that is never set": {
      code: filled(`  struct { float sum, most; } s;
  s.sum = 0;
  for (int j = 0; j < 8; ++j) {
    s.sum += in[j];
    s.most = fmaxf(s.most, in[j]);
  //               ^^^^^^ thread (0, 0, 0) of block (0, 0, 0) reads \`s.most\`, element 1 of \`s\`
  }
  out[t] = s.sum + s.most;`),
    },
    "a variable that some threads do not set": {
      code: filled(`  float v;
  if (t < n) v = in[t];
  out[t] = v * 2;
  //       ^ thread (200, 0, 0) of block (0, 0, 0) reads \`v\``),
    },
    "a rest that is not filled": {
      code: program(`  __shared__ float s[256];
  if (t < n) s[t] = in[t];
  __syncthreads();
  out[t] = s[255 - t];
  //       ^^^^^^^^^^ thread (0, 0, 0) of block (0, 0, 0) reads \`s[255 - t]\`, element 255 of \`s\``),
    },
    "device memory that nobody set": {
      code: filled(`  out[t] += in[t];
//^^^^^^ element 0 of \`out\``),
    },
    "the part of it that an earlier launch leaves out": {
      code: filled(
        `  out[t] = in[t];
  //       ^^^^^ element 1 of \`odd\``,
        "float *odd;\n  cudaMalloc(&odd, 4096);\n  spread<<<1, 256>>>(odd, in);\n  k<<<1, 256>>>(out, odd, 200);",
      ).replace(
        "\n__global__",
        "\n__global__ void spread(float *to, const float *from) { to[2 * threadIdx.x] = from[threadIdx.x]; }\n__global__",
      ),
    },
    "elements of a local array that are not set": {
      code: filled(`  float a[4];
  for (int j = 0; j < n; ++j) a[j & 3] += in[j];
  //                          ^^^^^^^^ element 0 of \`a\`
  out[t] = a[t & 3];`),
    },
    "a sum that nobody set": {
      code: program(`  __shared__ float sums[32];
  if (t < 8) sums[t] = in[t];
  __syncthreads();
  if (t < 32) out[t] = sums[t];
  //                   ^^^^^^^ element 8 of \`sums\``),
    },
  },
});
