import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "./grammar.ts";
import { lint } from "./lint.ts";
import { hostile, isVisible } from "./testing/hostile.ts";
import { analyseCode, findingsOf } from "./testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const code = `__global__ void halve(float *data, const int *count) {\n  data[threadIdx.x] *= 0.7;\n  for (unsigned i = 0; i < 800; ++i) data[i + *count] = __shfl(data[i], 0);\n}`;

describe("of two findings on one text", () => {
  const selected = ["missing-syncwarp", "shared-memory-race", "out-of-bounds-access", "unchecked-arithmetic"];
  const rulesOf = (text: string): string[] => [...new Set(findingsOf(text, selected, true).map(({ ruleId }) => ruleId))].sort();
  const steps = (barrier: string): string => `__global__ void reduce(float *out, const float *in) {
  volatile __shared__ float s[256];
  int tid = threadIdx.x;
  s[tid] = in[blockIdx.x * 256 + tid];
  for (int k = 128; k > 32; k >>= 1) {
    __syncthreads();
    if (tid < k) s[tid] += s[tid + k];
  }
  ${barrier}
  if (tid < 32) {
    s[tid] += s[tid + 32];
    s[tid] += s[tid + 16];
    s[tid] += s[tid + 8];
    s[tid] += s[tid + 4];
    s[tid] += s[tid + 2];
    s[tid] += s[tid + 1];
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 256 * 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 256 * 64 * sizeof(float));
  reduce<<<64, 256>>>(out, in);
}`;

  test("races within a warp are told as the steps of one, those of the block as races, too", () => {
    expect(rulesOf(steps("__syncthreads();"))).toEqual(["missing-syncwarp"]);
    expect(rulesOf(steps(""))).toEqual(["missing-syncwarp", "shared-memory-race"]);
  });

  test("what overflows in one kernel says nothing of another that calls the same function", () => {
    const text = `__device__ void put(float *out, int i, int m) { out[i * m] = 1.0f; }
__global__ void small(float *out, int m) { put(out, blockIdx.x * blockDim.x + threadIdx.x, m); }
__global__ void large(float *out, int m) { put(out, blockIdx.x * blockDim.x + threadIdx.x, m); }
int main() {
  float *a, *b;
  cudaMalloc(&b, 1000 * sizeof(float));
  small<<<4, 256>>>(b, 1);
  cudaMalloc(&a, (size_t)65536 * 65536 * sizeof(float));
  large<<<256, 256>>>(a, 65536);
}`;
    expect(rulesOf(text)).toEqual(["out-of-bounds-access", "unchecked-arithmetic"]);
  });
});

describe("lint", () => {
  test("says all that an editor shows", () => {
    const [first] = lint(analyseCode(code), undefined);
    expect(first).toEqual({
      path: "/project/case.cu",
      ruleId: "double-constant-in-float",
      severity: "hint",
      message: expect.stringContaining("`0.7`"),
      range: { start: { line: 1, character: 23 }, end: { line: 1, character: 26 } },
      kernel: "halve",
      fixes: [
        {
          title: expect.any(String),
          safe: false,
          edits: [{ range: { start: { line: 1, character: 23 }, end: { line: 1, character: 26 } }, newText: "0.7f" }],
        },
      ],
      related: [],
      tags: [],
      simulated: false,
      url: expect.stringMatching(/^https:.*double-constant-in-float\.md$/),
    });
  });

  test.each([
    ["a power and its exponent", "x[i] = pow(x[i], 2.0);", "small-integer-power"],
    [
      "steps of a warp and their races",
      "volatile float *v = s;\n  v[i] = x[i];\n  __syncthreads();\n  if (i < 32) {\n    v[i] += v[i + 32];\n    v[i] += v[i + 16];\n    v[i] += v[i + 8];\n  }\n  __syncthreads();\n  x[i] = v[0];",
      "missing-syncwarp",
    ],
    [
      "a branch and the remainder that it asks for",
      "s[i] = x[i];\n  __syncthreads();\n  for (unsigned d = 1; d < blockDim.x; d *= 2) {\n    if (i % (2 * d) == 0) s[i] += s[i + d];\n    __syncthreads();\n  }\n  if (i == 0) x[0] = s[0];",
      "warp-divergence",
    ],
    [
      "an index that does not fit and where it leads",
      "int far = 70000 * (1 + (int)blockIdx.x);\n  if (blockIdx.x == 4095) all[far * 16] = s[i];",
      "unchecked-arithmetic",
    ],
  ])("of %s only one is told", (_, body, told) => {
    const text = `__global__ void k(float *all) {\n  __shared__ float s[256];\n  unsigned i = threadIdx.x;\n  float *x = all + 256 * blockIdx.x;\n  ${body}\n}\nint main() {\n  float *x;\n  cudaMalloc(&x, 4 << 20);\n  cudaMemset(x, 0, 4 << 20);\n  k<<<4096, 256>>>(x);\n}`;
    const all = [
      "small-integer-power",
      "double-constant-in-float",
      "missing-syncwarp",
      "shared-memory-race",
      "warp-divergence",
      "integer-division",
      "unchecked-arithmetic",
      "out-of-bounds-access",
    ];
    expect(findingsOf(text, all, true).map(({ ruleId }) => ruleId)).toEqual([told]);
  });

  test("of an accumulator in memory and the rows that it is stored to only the accumulator is told", () => {
    const text = `__global__ void products(float *sums, const float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int c = 0; c < n; ++c) {
    sums[i * n + c] = 0;
    for (int r = 0; r < n; ++r) sums[i * n + c] += data[r * n + i] * data[r * n + c];
  }
}
int main() {
  const int n = 1024;
  float *sums, *data;
  cudaMalloc(&sums, n * n * sizeof(float));
  cudaMalloc(&data, n * n * sizeof(float));
  cudaMemset(data, 0, n * n * sizeof(float));
  products<<<n / 256, 256>>>(sums, data, n);
}`;
    expect(findingsOf(text, ["row-per-thread", "global-accumulator"], true).map(({ ruleId }) => ruleId)).toEqual(["global-accumulator"]);
  });

  test("in source order", () =>
    expect(lint(analyseCode(code), undefined).map(({ ruleId }) => ruleId)).toEqual([
      "double-constant-in-float",
      "unsigned-loop-counter",
      "legacy-warp-intrinsic",
    ]));

  test("counts characters as UTF-16 does", () => {
    const [first] = lint(analyseCode("__device__ float f(float x) { /* 🚀é */ return x * 0.7; }"), undefined);
    expect(first?.range.start).toEqual({ line: 0, character: 51 });
  });

  test("a rule that throws loses its own findings, and is named", () => {
    const program = analyseCode(code);
    const messages: string[] = [];
    Object.assign(program.semantics, {
      declaredType: () => {
        throw new Error("no types today");
      },
    });
    const found = lint(program, undefined, {}, (rule, error) => messages.push(`${rule}: ${error}`)).map(({ ruleId }) => ruleId);
    expect(found).toContain("legacy-warp-intrinsic");
    expect(found).not.toContain("unsigned-loop-counter");
    expect(messages.join()).toMatch(/unsigned-loop-counter: Error: no types today/);
  });

  test.each(hostile.filter((text) => text.length < 1000).map((text) => [text]))(
    "%j in the source: messages are lines that show",
    (text) => {
      const line = text.replace(/[\r\n]/g, " ");
      const source = `// warplens: ${line}\n// warplens-disable-next-line ${line}\n__global__ void k(float *a, int \`n\` ${line}) {
      for (unsigned i = 0; i < n; i += /* ${line} */ 1) a[i * ("${line}", 3)] = __shfl(a[i], 0) * 0.7;\n}`;
      const found = lint(analyseCode(source), undefined);
      for (const { message, fixes, related } of found)
        for (const shown of [message, ...fixes.map(({ title }) => title), ...related.map((place) => place.message)])
          expect(isVisible(shown)).toBe(true);
    },
  );

  test.each([
    ["nothing", ""],
    ["no CUDA", "int main() { return 0; }"],
    ["open braces", "__global__ void k(float *a) { if (a[0] { a[1] = 0.7 * "],
    ["closing braces", "}}}}} __global__ void k() }"],
    ["bytes", "\u0000\u0001\uFFFD\u0002__global__\u0000"],
    ["a line without end", `__global__ void k(float *a) { a[0] = ${"1.0f + ".repeat(3000)} 0.7; }`],
  ])("%s is no reason to fail", (_, text) => expect(() => lint(analyseCode(text), [])).not.toThrow());
});
