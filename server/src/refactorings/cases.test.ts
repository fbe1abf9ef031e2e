/** What refactorings make of code that is not their example, and where they are not offered, or not made. */
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import launchFails from "../rules/launch-fails.ts";
import { triedAt } from "../testing/refactoring-tables.ts";
import { refactorings } from "./index.ts";
import type { Refactoring } from "./refactoring.ts";
import { mapping, total, transpose } from "./support/examples.ts";

beforeAll(loadGrammarFromDisk);

const named = (id: string): Refactoring => {
  const found = refactorings.find((each) => each.id === id);
  if (!found) throw new Error(`there is no ${id}`);
  return found;
};
const indexed = "  int i = blockIdx.x * blockDim.x + threadIdx.x;";
const hostOf = (type: string, grid: string): string => `int main() {
  const int n = 1000003;
  ${type} *a, *b, *out;
  cudaMalloc(&a, n * sizeof(${type}));
  cudaMalloc(&b, n * sizeof(${type}));
  cudaMalloc(&out, n * sizeof(${type}));
  cudaMemset(a, 0, n * sizeof(${type}));
  cudaMemset(b, 0, n * sizeof(${type}));
  map<<<${grid}, 256>>>(out, a, b, n);
}`;
const twoInputs = (type: string, value: string): string => `__global__ void map(${type} *out, const ${type} *a, const ${type} *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ${value};
}
${hostOf(type, "(n + 255) / 256")}`;
const halvesHost = (grid: string): string => hostOf("half", grid).replace("(out, a, b, n)", "(out, a, b, __float2half(1.5f), n)");
const halves = (value: string, parameter = "", given = ""): string => `#include <cuda_fp16.h>
${twoInputs("half", value)
  .replace("*b, int n", `*b, ${parameter}int n`)
  .replace("(out, a, b, n)", given ? "(out, a, b, __float2half(1.5f), n)" : "(out, a, b, n)")}`;
/** A product of matrices of 61 by 50 and 50 by 45 doubles, in blocks of 8 by 8. */
const product = (body: string): string => `__global__ void product(double *out, const double *a, const double *b, int n, int m) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  const int n = 61, m = 45;
  double *a, *b, *out;
  cudaMalloc(&a, n * 50 * sizeof(double));
  cudaMalloc(&b, 50 * m * sizeof(double));
  cudaMalloc(&out, 64 * 64 * sizeof(double));
  cudaMemset(a, 0, n * 50 * sizeof(double));
  cudaMemset(b, 0, 50 * m * sizeof(double));
  product<<<dim3(6, 8), dim3(8, 8)>>>(out, a, b, n, m);
}`;
const reduction = (loop: string): string =>
  mapping(
    `  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
${loop}
  if (t == 0) out[blockIdx.x] = part[0];`,
    "map<<<n / 256, 256>>>(out, in, n);",
  );
const tail = `  if (t < 32) {
    auto value = part[t];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
    if (t == 0) part[0] = value;
  }
  __syncthreads();`;

const doubled = (body: string): string =>
  total(body)
    .replace("total(float *sum", "total(double *sum")
    .replace("float *in, *sum;", "float *in;\n  double *sum;")
    .replaceAll("sizeof(float)", "sizeof(double)");
const counted = (type: string, body: string): string =>
  total(body).replace("total(float *sum", `total(${type} *sum`).replace("float *in, *sum;", `float *in;\n  ${type} *sum;`);
const sized = (macro: string, column = "TILE"): string => `#define TILE ${macro}\n${transpose(`[TILE][${column}]`)}`;
const blocksOf = (threads: number): string =>
  `#define B ${threads}\n${mapping(`${indexed}\n  if (i < n) out[i] = in[i];`, "map<<<(n + B - 1) / B, B>>>(out, in, n);")}`;

describe("makes", () => {
  test.each<[string, string, string, string, string]>([
    [
      "grid-stride-loop",
      "behind a return",
      mapping(`${indexed}\n  if (i >= n) return;\n  float x = in[i];\n  out[i] = x * x;`),
      "int i",
      mapping(
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n    float x = in[i];\n    out[i] = x * x;\n  }",
      ),
    ],
    [
      "grid-stride-loop",
      "the other way round, with a block",
      mapping("  const float two = 2;\n  int i = threadIdx.x + blockDim.x * blockIdx.x;\n  if (i < n) {\n    out[i] = two * in[i];\n  }"),
      "i < n",
      mapping(
        "  const float two = 2;\n  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += gridDim.x * blockDim.x) {\n    out[i] = two * in[i];\n  }",
      ),
    ],
    [
      "shuffle-tail",
      "shifts, sums and a variable for the thread",
      reduction("  for (unsigned s = 128; s > 0; s >>= 1) {\n    if (t < s) part[t] = part[t] + part[t + s];\n    __syncthreads();\n  }"),
      "for (unsigned s",
      reduction(
        `  for (unsigned s = 128; s > 16; s >>= 1) {\n    if (t < s) part[t] = part[t] + part[t + s];\n    __syncthreads();\n  }\n${tail}`,
      ),
    ],
    [
      "vector-elements",
      "doubles, with the index in two loads",
      twoInputs("double", "a[i] * a[i] + b[i]"),
      "out[i]",
      `__global__ void map(double *out, const double *a, const double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    const auto a2 = reinterpret_cast<const double2 *>(a)[i];
    const auto b2 = reinterpret_cast<const double2 *>(b)[i];
    double2 out2;
    out2.x = a2.x * a2.x + b2.x;
    out2.y = a2.y * a2.y + b2.y;
    reinterpret_cast<double2 *>(out)[i] = out2;
  } else {
    for (int k = 2 * i; k < n; ++k) out[k] = a[k] * a[k] + b[k];
  }
}
${hostOf("double", "((n + 255) / 256 + 1) / 2")}`,
    ],
    [
      "vector-elements",
      "pairs of halves, with arithmetic of pairs",
      halves("__hfma(s, a[i], b[i])", "half s, ", "s"),
      "out[i]",
      `#include <cuda_fp16.h>
__global__ void map(half *out, const half *a, const half *b, half s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    const auto a2 = reinterpret_cast<const half2 *>(a)[i];
    const auto b2 = reinterpret_cast<const half2 *>(b)[i];
    reinterpret_cast<half2 *>(out)[i] = __hfma2(__half2half2(s), a2, b2);
  } else {
    for (int k = 2 * i; k < n; ++k) out[k] = __hfma(s, a[k], b[k]);
  }
}
${halvesHost("((n + 255) / 256 + 1) / 2")}`,
    ],
    [
      "vector-elements",
      "pairs of halves one by one, where floats are in between",
      halves("__float2half(__half2float(a[i]) * __half2float(b[i]))"),
      "out[i]",
      `#include <cuda_fp16.h>
__global__ void map(half *out, const half *a, const half *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    const auto a2 = reinterpret_cast<const half2 *>(a)[i];
    const auto b2 = reinterpret_cast<const half2 *>(b)[i];
    half2 out2;
    out2.x = __float2half(__half2float(a2.x) * __half2float(b2.x));
    out2.y = __float2half(__half2float(a2.y) * __half2float(b2.y));
    reinterpret_cast<half2 *>(out)[i] = out2;
  } else {
    for (int k = 2 * i; k < n; ++k) out[k] = __float2half(__half2float(a[k]) * __half2float(b[k]));
  }
}
${hostOf("half", "((n + 255) / 256 + 1) / 2")}`,
    ],
    [
      "grid-stride-loop",
      "around calls of functions without barriers",
      `__device__ float twice(float x) { return fmaxf(x, 2 * x); }\n${mapping(`${indexed}\n  if (i < n) out[i] = twice(in[i]);`)}`,
      "int i",
      `__device__ float twice(float x) { return fmaxf(x, 2 * x); }\n${mapping("  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = twice(in[i]);")}`,
    ],
    [
      "tile-in-shared-memory",
      "behind a return, of a number of elements that is no multiple of a tile",
      product(
        "  if (row >= n || col >= m) return;\n  double sum = 0;\n  for (int k = 0; k < 50; k++) {\n    sum += a[row * 50 + k] * b[m * k + col];\n  }\n  out[row * m + col] = sum;",
      ),
      "for (int k",
      product(`  double sum = 0;
  __shared__ double aTile[8][8], bTile[8][8];
  for (int k0 = 0; k0 < 50; k0 += 8) {
    aTile[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < 50 ? a[row * 50 + (k0 + threadIdx.x)] : 0;
    bTile[threadIdx.y][threadIdx.x] = col < m && k0 + threadIdx.y < 50 ? b[m * (k0 + threadIdx.y) + col] : 0;
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += aTile[threadIdx.y][k] * bTile[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < m) out[row * m + col] = sum;`),
    ],
    [
      "tile-in-shared-memory",
      "within a condition",
      product(
        "  if (row < n && col < m) {\n    double sum = 0;\n    for (int k = 0; k < 50; k++) sum += a[row * 50 + k] * b[m * k + col];\n    out[row * m + col] = sum;\n  }",
      ),
      "for (int k",
      product(`  double sum = 0;
  __shared__ double aTile[8][8], bTile[8][8];
  for (int k0 = 0; k0 < 50; k0 += 8) {
    aTile[threadIdx.y][threadIdx.x] = row < n && k0 + threadIdx.x < 50 ? a[row * 50 + (k0 + threadIdx.x)] : 0;
    bTile[threadIdx.y][threadIdx.x] = col < m && k0 + threadIdx.y < 50 ? b[m * (k0 + threadIdx.y) + col] : 0;
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += aTile[threadIdx.y][k] * bTile[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < m) out[row * m + col] = sum;`),
    ],
    ["pad-shared-tile", "where a macro says the size", sized("32"), "tile[TILE]", sized("32", "TILE + 1")],
    ["pad-shared-tile", "where a macro says a sum", sized("16 << 1"), "tile[TILE]", sized("16 << 1", "(TILE) + 1")],
    [
      "aggregate-atomic-by-warp",
      "in the type of the sum",
      doubled("  atomicAdd(sum, in[i]);"),
      "atomicAdd(",
      doubled(`  double own = in[i];
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);`),
    ],
    ["pad-shared-tile", "at the declaration", transpose("[32][32]"), "tile[32][32]", transpose("[32][33]")],
    [
      "aggregate-atomic-by-block",
      "without a condition",
      total("  atomicAdd(sum, in[i]);"),
      "atomicAdd(",
      total(`  __shared__ float blockSum;
  if (threadIdx.x == 0) blockSum = 0;
  __syncthreads();
  float own = in[i];
  for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&blockSum, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, blockSum);`),
    ],
  ])("%s: %s", (id, _, before, cursor, after) => {
    const [tried, ...others] = triedAt(named(id), before, cursor);
    expect(others).toEqual([]);
    expect(tried?.after).toBe(after);
    expect(tried?.proof).toMatchObject({ verdict: "proved" });
  });
});

test("a limit keeps its macro's name, which may come to stand for another number", () => {
  const code = `#define N 50
${product("  double sum = 0;\n  if (row >= n || col >= m) return;\n  for (int k = 0; k < N; ++k) sum += a[row * 50 + k] * b[k * m + col];\n  out[row * m + col] = sum;")}`;
  const [tried] = triedAt(named("tile-in-shared-memory"), code, "for (int k");
  expect(tried?.after).toContain("k0 < N; k0 += 8");
  expect(tried?.after).toContain("k0 + threadIdx.x < N ?");
});

describe("is not offered", () => {
  test.each<[string, string, string, string]>([
    [
      "grid-stride-loop",
      "around a barrier",
      mapping(
        `  __shared__ float s[256];\n${indexed}\n  if (i >= n) return;\n  s[threadIdx.x] = in[i];\n  __syncthreads();\n  out[i] = s[0];`,
      ),
      "int i",
    ],
    ...(
      [
        ["where a counter carries over", `  int count = 0;\n${indexed}\n  if (i < n) {\n    count++;\n    out[i] = count;\n  }`],
        ["where a sum carries over", `  float acc = 0;\n${indexed}\n  if (i < n) {\n    acc += in[i];\n    out[i] = acc;\n  }`],
        ["where a pointer goes on", `${indexed}\n  if (i >= n) return;\n  in += i;\n  out[i] = *in;`],
        [
          "where a pointer to a variable is",
          `  float acc = 0;\n  float *p = &acc;\n${indexed}\n  if (i < n) {\n    *p += in[i];\n    out[i] = *p;\n  }`,
        ],
        [
          "where an array carries over",
          `  float acc[2] = {0, 0};\n${indexed}\n  if (i < n) {\n    acc[0] += in[i];\n    out[i] = acc[0];\n  }`,
        ],
        ["around a remark of the index", `${indexed} // of an element\n  if (i < n) out[i] = in[i];`],
        ["around a remark of the return", `${indexed}\n  /* none left */\n  if (i >= n) return;\n  out[i] = in[i];`],
      ] as const
    ).map(([where, body]): [string, string, string, string] => ["grid-stride-loop", where, mapping(body), "int i"]),
    [
      "grid-stride-loop",
      "around a function with a barrier",
      `__device__ void wait() { __syncthreads(); }\n${mapping(`${indexed}\n  if (i >= n) return;\n  wait();\n  out[i] = in[i];`)}`,
      "int i",
    ],
    [
      "grid-stride-loop",
      "around a group's barrier",
      `#include <cooperative_groups.h>\n${mapping(`  auto block = cooperative_groups::this_thread_block();\n${indexed}\n  if (i >= n) return;\n  block.sync();\n  out[i] = in[i];`)}`,
      "int i",
    ],
    ["grid-stride-loop", "with more behind it", mapping(`${indexed}\n  if (i < n) out[i] = in[i];\n  out[0] = 1;`), "int i"],
    ["grid-stride-loop", "where the limit changes", mapping(`${indexed}\n  n /= 2;\n  if (i < n) out[i] = in[i];`), "int i"],
    [
      "shuffle-tail",
      "for a maximum",
      reduction("  for (int s = 128; s > 0; s /= 2) {\n    if (t < s) part[t] = fmaxf(part[t], part[t + s]);\n    __syncthreads();\n  }"),
      "for (int s",
    ],
    [
      "tile-in-shared-memory",
      "where both factors go by one coordinate",
      product("  double sum = 0;\n  for (int k = 0; k < 50; ++k) sum += a[row * 50 + k] * b[row * 50 + k];\n  out[row * m + col] = sum;"),
      "for (int k",
    ],
    [
      "tile-in-shared-memory",
      "where the sum begins with what is loaded",
      product(
        "  double sum = out[0];\n  for (int k = 0; k < 50; ++k) sum += a[row * 50 + k] * b[m * k + col];\n  out[row * m + col] = sum;",
      ),
      "for (int k",
    ],
    [
      "tile-in-shared-memory",
      "where blocks are no squares",
      product(
        "  double sum = 0;\n  for (int k = 0; k < 50; ++k) sum += a[row * 50 + k] * b[m * k + col];\n  out[row * m + col] = sum;",
      ).replace("dim3(8, 8)", "dim3(16, 8)"),
      "for (int k",
    ],
    ["vector-elements", "where neighbours are read", twoInputs("float", "a[i] + b[n - 1 - i]"), "out[i]"],
    ["vector-elements", "where the index is a value", twoInputs("float", "a[i] + i"), "out[i]"],
    ["vector-elements", "of bytes", twoInputs("char", "a[i] + b[i]"), "out[i]"],
    [
      "vector-elements",
      "of volatile elements",
      twoInputs("float", "a[i] + b[i]").replace("const float *a", "const volatile float *a"),
      "out[i]",
    ],
    [
      "vector-elements",
      "of the middle of an array",
      twoInputs("float", "a[i] + b[i]").replace("(out, a, b, n)", "(out, a + 4, b, n - 4)"),
      "out[i]",
    ],
    [
      "vector-elements",
      "across lines for the preprocessor",
      twoInputs("float", "a[i] + b[i]")
        .replace("if (i < n) out", "if (i < n)\n#ifdef TWICE\n    out[i] = 2 * a[i];\n#else\n    out")
        .replace("b[i];", "b[i];\n#endif"),
      "out[i]",
    ],
    ...[
      "a[row * 50 + k] * b[k * m + col] + 1",
      "a[row * 50 + k] + b[k * m + col]",
      "a[row * 50 + k] / b[k * m + col]",
      "fabs(a[row * 50 + k]) * b[k * m + col]",
    ].map((term): [string, string, string, string] => [
      "tile-in-shared-memory",
      `where zeros may add: ${term}`,
      product(
        `  double sum = 0;\n  if (row >= n || col >= m) return;\n  for (int k = 0; k < 50; ++k) sum += ${term};\n  out[row * m + col] = sum;`,
      ),
      "for (int k",
    ]),
    ["pad-shared-tile", "where rows begin at other banks already", transpose("[32][33]"), "tile[32][33]"],
    ["swizzle-shared-tile", "where rows are no power of two", transpose("[32][33]"), "tile[32][33]"],
    ["aggregate-atomic-by-warp", "where lanes have addresses of their own", total("  atomicAdd(&sum[i % 32], in[i]);"), "atomicAdd("],
    [
      "warp-per-row",
      "where the loop does more than sum up",
      mapping(`${indexed}\n  float x = 0;\n  for (int k = 0; k < 4; ++k) {\n    x += in[k];\n    out[k] = x;\n  }\n  out[i] = x;`),
      "for (int k",
    ],
    [
      "accumulate-in-register",
      "where the loop goes on to another place",
      mapping(`${indexed}\n  for (int k = 0; k < 4; ++k) out[4 * i % n + k] += in[k];`),
      "out[4",
    ],
    [
      "accumulate-in-register",
      "where what is stored is volatile",
      mapping(`  volatile float *seen = out;\n${indexed}\n  for (int k = 0; k < 4; ++k) seen[i] += in[k];`),
      "seen[i]",
    ],
    [
      "accumulate-in-register",
      "below a pragma",
      mapping(`${indexed}\n  #pragma unroll\n  // four\n  for (int k = 0; k < 4; ++k) out[i] += in[k];`),
      "out[i]",
    ],
    [
      "allow-shared-memory",
      "where the name is that of two kernels",
      `__global__ void reverse(int *p) { p[0] = 0; }\n${launchFails.example.bad}`,
      "reverse<<<",
    ],
  ])("%s: %s", (id, _, code, cursor) => expect(triedAt(named(id), code, cursor)).toEqual([]));
});

describe("fails its proof", () => {
  test.each<[string, string, string, string, RegExp]>([
    [
      "exchange-axes",
      "where the launch covers no square",
      `__global__ void k(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[y * n + x] + blockIdx.x;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  cudaMemset(in, 0, 1 << 20);
  k<<<dim3(16, 8), dim3(32, 8)>>>(out, in, 512);
}`,
      "threadIdx.x",
      /^(it changes what `k` leaves|what `k` leaves)/,
    ],
    [
      "pad-shared-tile",
      "where an index leaves its row",
      transpose("[32][32]").replace("= tile[threadIdx.x][threadIdx.y + j]", "= tile[0][threadIdx.x * 32 + threadIdx.y + j]"),
      "tile[32][32]",
      /^(it changes what `turn` leaves|.* would be found then)/,
    ],
  ])("%s: %s", (id, _, code, cursor, why) => {
    const [tried] = triedAt(named(id), code, cursor);
    expect(tried?.proof).toMatchObject({ verdict: "withheld", why: expect.stringMatching(why) });
  });
});

test("a number that a macro says is written once, however often the launch uses the macro", () =>
  expect(triedAt(named("change-block-size"), blocksOf(64), "map<<<").map(({ after }) => after)).toEqual([128, 256, 512].map(blocksOf)));

test.each([
  ["unsigned long long", "1ull"],
  ["unsigned int", "1u"],
])("sums of %s are spelled as C++ has them", (type, value) => {
  const [tried] = triedAt(named("aggregate-atomic-by-block"), counted(type, `  atomicAdd(sum, ${value});`), "atomicAdd(");
  expect(tried?.after).toContain(`__shared__ ${type} blockSum;`);
  expect(tried?.after).toContain(`  ${type} own = ${value};`);
});

test("what it costs is told as well as what it gains, however little", () => {
  const [tried] = triedAt(named("write-launch-bounds"), mapping(`${indexed}\n  if (i < n) out[i] = in[i];`), "map(float");
  expect(tried?.proof).toMatchObject({ verdict: "proved", gain: { fromNs: expect.any(Number), toNs: expect.any(Number) } });
});
