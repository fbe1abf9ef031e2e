import { expect, test } from "vitest";
import { findingsOf, testRule } from "../testing/rule-tables.ts";
import rule from "./uncoalesced-global-access.ts";

const program = (body: string, more = ""): string => `${more}__global__ void k(float *out, const float *in, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  int *index;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&index, n * sizeof(int));
  k<<<n / 256, 256>>>(out, in, index, n);
}`;

testRule(rule, {
  clean: {
    "a search, which no order of what it goes through mends": program(`  int low = 0, high = n;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (in[middle] <= out[i]) low = middle;
    else high = middle;
  }
  out[i] = low;`),
    "side by side": program("  if (i < n) out[i] = in[i];"),
    "permuted within sectors": program("  out[i] = in[i ^ 5];"),
    "by every other lane": program("  if (threadIdx.x % 2 == 0) out[i] = in[i];"),
    "a stride has its own rule": program("  out[i] = in[(i * 8) & (n - 1)];"),
    "indices of which nobody says what they are": program("  out[i] = in[index[i]];"),
    "such indices that went through shared memory": program(`  __shared__ int at[256];
  at[threadIdx.x] = index[i];
  __syncthreads();
  out[i] = in[at[255 - threadIdx.x]];`),
    "what a row of a sparse matrix names": program(
      "  float sum = 0;\n  for (int k = 0; k < n / 32768; ++k) sum += in[index[k * (n / 32) + i % (n / 32)]];\n  out[i] = sum;",
      "// warplens: index=uniform(0, n)\n",
    ),
    "an atomic sum here and there": program("  atomicAdd(&out[index[i]], 1.0f);", "// warplens: index=uniform(0, n)\n"),
    "half sectors that data scatters": program(
      "  float4 found = reinterpret_cast<const float4 *>(in)[index[i]];\n  out[i] = found.x + found.y + found.z + found.w;",
      "// warplens: index=uniform(0, 262144)\n",
    ),
    "index array in order": program("  out[i] = in[index[i]];", "// warplens: index=linear(1)\n"),
  },
  found: {
    "half sectors that an index scatters": {
      code: program(`  float4 found = reinterpret_cast<const float4 *>(in)[(unsigned)(i * i * 2654435761u) % (unsigned)(n / 4)];
  //             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ideal 16
  out[i] = found.x + found.y + found.z + found.w;`),
    },
    "a hash": {
      code: program(`  out[i] = in[(unsigned)(i * i * 2654435761u) % (unsigned)n];
  //       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Uncoalesced load: `),
    },
    "rows of a narrow block that begin within sectors": {
      code: `__global__ void shift(float *out, const float *in, int n) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[y * n + x + 3] = in[y * n + x];
//^^^^^^^^^^^^^^^^^^ the block is 8 threads wide, and each of its rows takes sectors of its own.
}
int main() {
  const int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, (n * n + 8) * sizeof(float));
  shift<<<dim3(n / 8, n / 32), dim3(8, 32)>>>(out, in, n);
}`,
    },
    "indices said to be at random": {
      code: program(
        `  out[i] = in[index[i]];
  //       ^^^^^^^^^^^^ sectors/request, ideal 4`,
        "// warplens: index=uniform(0, n)\n",
      ),
    },
  },
});

test("lanes that go by data within rows of their own are no sparse matrix", () => {
  const sums = program(
    "  float sum = 0;\n  for (int k = 0; k < 16; ++k) sum += in[(i % 1024) * 1024 + index[k * 1024 + i % 1024]];\n  out[i] = sum;",
    "// warplens: index=uniform(0, 1024)\n",
  );
  expect(findingsOf(sums, [rule.id], true).map(({ ruleId }) => ruleId)).toEqual([rule.id]);
});
