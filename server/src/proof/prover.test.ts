import { findGpu, type GpuModel, Work } from "@warplens/sim-engine";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { analyze } from "../analysis/analyze.ts";
import type { AnalysisSettings } from "../analysis/settings.ts";
import { loadGrammarFromDisk } from "../grammar.ts";
import type { FixProof } from "../lint.ts";
import type { Rule } from "../rules/rule.ts";
import sharedBankConflict from "../rules/shared-bank-conflict.ts";
import { Prover } from "./prover.ts";

beforeAll(loadGrammarFromDisk);
afterEach(() => void vi.restoreAllMocks());

const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };
const files = { read: () => undefined };
const gpu = findGpu("h200") as GpuModel;

/** What comes of putting one text in the place of another, wherever it stands. */
function tried(code: string, from: string, to: string, { safe = true, rule }: { safe?: boolean; rule?: Rule } = {}): FixProof {
  const program = analyze("/project/case.cu", code, settings, files);
  const text = code.replaceAll(from, to);
  if (text === code) throw new Error(`there is no ${from}`);
  return new Prover(files).prove(
    { program, settings, gpu },
    { path: "/project/case.cu", text, safe, ...(rule ? { rule } : {}) },
    new Work(),
  );
}

const transpose = sharedBankConflict.example.bad;
/** `out[i] = VALUE` for 2^20 elements. */
const mapping = (value: string): string => `__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ${value};
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4 << 20);
  cudaMalloc(&out, 4 << 20);
  k<<<4096, 256>>>(out, in, 1 << 20);
}`;

const rounding: Rule = { ...sharedBankConflict, id: "test-rounding", changes: "rounding" };

test("a fix that keeps results and is faster is proved, with what it gains", () => {
  const proof = tried(transpose, "tile[32][32]", "tile[32][33]", { rule: sharedBankConflict });
  expect(proof).toMatchObject({ verdict: "proved", gain: {} });
  if (proof.verdict !== "proved" || !proof.gain) throw new Error("no gain");
  expect(proof.gain.toNs).toBeLessThan(proof.gain.fromNs * 0.8);
});

describe("planted faults", () => {
  const withheld = (proof: FixProof): string => {
    expect(proof.verdict).toBe("withheld");
    return proof.verdict === "proved" ? "" : proof.why;
  };
  test("a text that does not parse", () =>
    expect(withheld(tried(transpose, "tile[32][32];", "tile[32][33;"))).toBe("the text does not parse any more"));
  const withHost = `float scaled(float x, float by) { return x * by; }
${mapping("in[i]").replace("float *in, *out;", "float *in, *out, factor = scaled(2, 3);\n  int count = 1 << 20;\n  const int fixed = 4;\n  float4 four;")}`;
  test.each([
    ["a name that nobody declares", "count = 1 << 20", "count = much << 20", "`much` is not declared"],
    ["a function that nobody declares", "scaled(2, 3)", "doubled(2, 3)", "`doubled` is not declared"],
    ["too few arguments", "scaled(2, 3)", "scaled(2)", "`scaled` takes another number of arguments than 1"],
    ["an argument of another type", "= scaled(2, 3);", "= 2, second = scaled(2, out);", "an argument of `scaled` is of another type"],
    ["arguments of a launch", "(out, in, 1 << 20)", "(out, in)", "`k` takes another number of arguments than 2"],
    ["a pointer for a number", "count = 1 << 20", "count = in", "`count` gets a value of another type"],
    ["a number for a pointer", "float4 four;", "float4 four; in = count;", "what is assigned is of another type"],
    ["what is constant", "float4 four;", "float4 four; fixed = 5;", "what is constant is assigned to"],
    ["a remainder of floats", "float4 four;", "float4 four; count = count % factor;", "`%` of such types"],
    ["a member that there is not", "float4 four;", "float4 four; four.v = 1;", "there is no member `v`"],
    ["a member of a pointer", "float4 four;", "float4 four; in.x = 1;", "`x` of what has no members"],
    ["an index that is a float", "= in[i]", "= in[(float)i]", "an index that is no integer"],
    ["a name that is taken", "float4 four;", "float4 four; int count = 3;", "`count` is declared twice"],
    ["another result", "return x * by;", "return &x;", "what is returned is of another type"],
  ])("what would not compile: %s", (_, from, to, why) => expect(withheld(tried(withHost, from, to))).toBe(`it would not compile: ${why}`));
  test("a file that has no room beside itself", () => {
    const long = `${mapping("in[i]")}\n${"// remark\n".repeat(130_000)}`;
    expect(withheld(tried(long, "= in[i]", "= 1 * in[i]"))).toBe(
      `the file and its headers have ${long.length.toLocaleString("en-US")} characters, too many to try a change of them`,
    );
  });
  test("another result", () =>
    expect(withheld(tried(mapping("in[i]"), "= in[i]", "= in[n - 1 - i]"))).toMatch(/^it changes what `k` leaves: out\[\d+\] is /));
  test("a result that is rounded otherwise, of a fix that is to keep all bits", () =>
    expect(withheld(tried(mapping("in[i] / 3.0f"), "/ 3.0f", "* (1 / 3.0f)"))).toMatch(/^it changes what `k` leaves/));
  test("no result", () => expect(withheld(tried(mapping("in[i]"), "i < n", "i < n / 2"))).toMatch(/^(it changes what|what) `k` leaves/));
  test("one that is slower", () => {
    const padded = transpose.replace("tile[32][32]", "tile[32][33]");
    expect(withheld(tried(padded, "tile[32][33]", "tile[32][32]"))).toMatch(/^`turn` would be slower: [\d.]+ µs to [\d.]+ µs$/);
  });
  test("a kernel that cannot be simulated any more", () =>
    expect(withheld(tried(mapping("in[i]"), "= in[i]", "= __unheardOf(in[i])"))).toMatch(
      /^(`k` cannot be simulated any more|more of `k` would be assumed|what `k` leaves in memory could not be compared): /,
    ));
  test("a fault that was not there", () => {
    const exchange = `__global__ void k(float *out, const float *in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  k<<<1024, 256>>>(out, in);
}`;
    const rule: Rule = { ...sharedBankConflict, changes: "faults" };
    expect(withheld(tried(exchange, "  __syncthreads();\n", "", { rule, safe: false }))).toBe("shared-memory-race would be found then");
  });
  test("a launch that is gone", () =>
    expect(withheld(tried(mapping("in[i]"), "k<<<4096, 256>>>(out, in, 1 << 20);", ""))).toBe("the program makes other launches then"));
  test("a rule that throws", () => {
    const check = sharedBankConflict.check;
    vi.spyOn(sharedBankConflict, "check").mockImplementation(function* (context, options) {
      if (context.program.reading.sources[0]?.includes("[33]")) throw new Error("planted");
      yield* check(context, options);
    });
    expect(withheld(tried(transpose, "tile[32][32]", "tile[32][33]", { rule: sharedBankConflict }))).toBe(
      "the rule shared-bank-conflict fails on what it makes: Error: planted",
    );
  });
  test("what was found is still found", () => {
    vi.spyOn(sharedBankConflict, "check").mockImplementation(function* () {
      yield { span: { file: 0, start: 0, end: 1 }, message: "planted" };
    });
    expect(withheld(tried(transpose, "tile[32][32]", "tile[32][33]", { rule: sharedBankConflict }))).toBe(
      "what was found would still be found",
    );
  });
});

test("rounding that a fix says it changes is no other result", () => {
  expect(tried(mapping("in[i] / 3.0f"), "/ 3.0f", "* (1 / 3.0f)", { safe: false, rule: rounding })).toMatchObject({ verdict: "proved" });
  expect(tried(mapping("in[i] / 3.0f"), "/ 3.0f", "* (1 / 3.1f)", { safe: false, rule: rounding })).toMatchObject({ verdict: "withheld" });
});

/** Rows of `a` by columns of `b`, in square blocks, where a thread's row is its index along one axis. */
const product = (store: string): string => `__global__ void product(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  ${store}
}
int main() {
  const int n = 1024;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}`;
const forth = "row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y";
const back = "row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x";

test("axes that are exchanged, where running what stores to a place takes too long: blocks on either side of the diagonal are", () =>
  expect(tried(product("c[row * n + column] = sum;"), forth, back)).toMatchObject({ verdict: "proved" }));
test("a sum by atomics has no order, whoever adds to it", () =>
  expect(tried(product("atomicAdd(c, sum);"), forth, back)).toMatchObject({ verdict: "proved" }));
