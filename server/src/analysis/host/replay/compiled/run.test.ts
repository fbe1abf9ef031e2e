/** Compiled loops leave what closures leave, and leave to them what they cannot tell. */
import { roundBf16, roundF16 } from "@warplens/sim-engine";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { digestOf, elementAt } from "../../testing/elements.ts";
import { launchesOf, useInstalledParser } from "../../testing/launches-of.ts";

beforeAll(useInstalledParser);
afterEach(() => {
  vi.unstubAllGlobals();
});

const elements = 12_000;

function filled(type: string, code: string) {
  const body = `const int n = ${elements}; ${type} *h = (${type} *)malloc(n * sizeof(${type})); ${code}`;
  const upload = `${type} *d; cudaMalloc(&d, n * sizeof(${type})); cudaMemcpy(d, h, n * sizeof(${type}), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const [fact] = launchesOf(
    `#include <vector>\n#include <cmath>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(const ${type} *p) {}\nint main() { ${body} ${upload} }`,
  );
  return fact?.launch?.buffers[0]?.content;
}

const bytesOf: Readonly<Record<string, number>> = { uint8_t: 1, short: 2, double: 8, int64_t: 8, half: 2, __nv_bfloat16: 2 };

/** What closures make of it alone. */
function withoutCode<T>(make: () => T): T {
  class Module {
    constructor() {
      throw new WebAssembly.CompileError("a policy says no");
    }
  }
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly), { Module }));
  const made = make();
  vi.unstubAllGlobals();
  return made;
}

function compilations<T>(make: () => T): readonly [number, T] {
  let count = 0;
  class Instance extends WebAssembly.Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      count++;
    }
  }
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly), { Instance }));
  const made = make();
  vi.unstubAllGlobals();
  return [count, made];
}

/** Expressions made at random, the same ones each time. */
class Maker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  expression(depth: number): string {
    if (depth === 0) return this.of(["s", "i", "b", "w", "v", "f", "d", "c", "7", "-3", "2.5f", "0x9E3779B9u", "1000003LL", "h[i / 2]"]);
    const [a, b] = [this.expression(depth - 1), this.expression(depth - 1)];
    const [x, y] = [this.integer(depth - 1), this.integer(depth - 1)];
    return this.of([
      `(${a} + ${b})`,
      `(${a} - ${b})`,
      `(${x} * ${y})`,
      `(${x} / ((${y}) | 1))`,
      `(${x} % ((${y}) & 1023 | 1))`,
      `(${x} ${this.of(["&", "|", "^"])} ${y})`,
      `(${x} ${this.of(["<<", ">>"])} (${y} & 15))`,
      `(${a} ${this.of(["<", ">", "<=", ">=", "==", "!="])} ${b} ? ${b} : ${a})`,
      `(${this.of(["unsigned", "int", "short", "uint8_t", "int64_t", "uint64_t", "signed char", "bool"])})(${x})`,
      `(${this.of(["float", "double"])})(${x}) * 0.25f`,
      `(!(${a}) + (${a} && ${b}) - (${a} || ${b}))`,
      `-(${x})`,
      `~(${x})`,
    ]);
  }

  integer(depth: number): string {
    if (depth === 0) return this.of(["s", "i", "b", "w", "v", "c", "12", "-5", "0xffu", "88172645463325252ULL"]);
    const [x, y] = [this.integer(depth - 1), this.integer(depth - 1)];
    return this.of([`(${x} + ${y})`, `(${x} ^ ${y})`, `(${x} - ${y})`, `(int)(${x})`, `(${x} < ${y})`, `(${x} >> 3)`]);
  }
}

test.each(["int", "unsigned", "uint8_t", "short", "float", "double", "int64_t"])("%s of any expressions", (type) => {
  const random = new Maker(type.length * 7919 + type.charCodeAt(0));
  for (let round = 0; round < 4; round++) {
    const [x, y, z] = [random.expression(3), random.integer(2), random.integer(2)];
    const code = `unsigned s = 12345; uint64_t w = 88172645463325252ULL; int64_t v = -77; uint8_t b = 3; signed char c = -4; float f = 0.5f; double d = 1.5;
      for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; w ^= w << 13; w ^= w >> 7; w ^= w << 17; v = v / 3 - (int64_t)(w >> 12); b += s >> 24; c ^= b;
      f = f * 0.75f + (s >> 28); d = d / 3 - f; h[i] = 0; if (s & 0x400) s += (unsigned)(${y}); else w += (uint64_t)(${z}); h[i] = (${type})(${type === "float" || type === "double" ? x : `(int64_t)(${random.integer(3)})`}); }`;
    const [count, compiled] = compilations(() => filled(type, code));
    const plain = withoutCode(() => filled(type, code));
    const digest = (content: typeof plain) => digestOf((index) => elementAt(content, index, bytesOf[type] ?? 4), elements);
    expect([code, compiled?.kind, digest(compiled)]).toEqual([code, plain?.kind, digest(plain)]);
    expect(count).toBeGreaterThan(0);
  }
});

const halfway = "unsigned s = 3; auto next = [&] { s = s * 1664525u + 1013904223u; return (s >> 8) / 16777216.f - 0.5f; };";

test.each([
  ["half", "__float2half", "__half2float", (x: number) => roundF16(x)],
  ["__nv_bfloat16", "__float2bfloat16", "__bfloat162float", (x: number) => roundBf16(x)],
])("%s: each number is rounded once", (type, make, back, round) => {
  const code = `${halfway} for (int i = 0; i < n; i++) h[i] = ${make}(next()); for (int i = 0; i < n; i++) { float x = ${back}(h[i]); h[i] = x > 0.25f ? ${make}(x * 0.3f) : ${type}(0.1 * next()); }`;
  const [count, content] = compilations(() => filled(type, code));
  expect([count > 0, content?.kind]).toEqual([true, "values"]);
  const plain = withoutCode(() => filled(type, code));
  const at = (of: typeof content) => Array.from({ length: elements }, (_, index) => elementAt(of, index, 2));
  expect(at(content)).toEqual(at(plain));
  let state = 3;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 16777216 - 0.5;
  };
  const first = Array.from({ length: elements }, () => round(next()));
  expect(at(content)).toEqual(first.map((x) => (x > 0.25 ? round(Math.fround(x * Math.fround(0.3))) : round(0.1 * next()))));
});

const draw = "s = s * 1664525u + 1013904223u;";

test.each([
  ["a division by zero", "int", `unsigned s = 1; for (int i = 0; i < n; i++) { ${draw} h[i] = (int)(s >> 8) / (n - 7 - i); }`],
  [
    "an element that nobody knows",
    "int",
    `unsigned s = 1; for (int i = 0; i < n; i++) { ${draw} h[i] = i == n - 5 ? h[i] : (int)(s >> 8); }`,
  ],
  ["an index that is none", "int", `unsigned s = 1; for (int i = 0; i < n; i++) { ${draw} h[i == n - 5 ? n + 3 : i] = s >> 8; }`],
  [
    "a variable without a value",
    "int",
    `unsigned s = 1; int x; for (int i = 0; i < n; i++) { ${draw} if (i > n + 1) x = i; h[i] = (s >> 8) + x; }`,
  ],
  ["a number beyond its type", "int", `unsigned s = 1; for (int i = 0; i < n; i++) { ${draw} h[i] = (int)(s * 1.0); }`],
])("%s is left to closures", (_, type, code) => {
  const [, content] = compilations(() => filled(type, code));
  const plain = withoutCode(() => filled(type, code));
  expect(content).toEqual(plain);
});

test("a variable that is given a value before it is read is known", () => {
  const code = `unsigned s = 1; int x; for (int i = 0; i < n; i++) { ${draw} if (s & 8) x = s >> 9; else x = i; int y; y = x + 1; h[i] = y; }`;
  const [count, content] = compilations(() => filled("int", code));
  expect([count, content?.kind]).toEqual([1, "values"]);
});

/** What a vector holds that has grown to no known size. */
function grown(code: string, from = "h") {
  const upload = `int *d; cudaMalloc(&d, ${from}.size() * sizeof(int)); cudaMemcpy(d, ${from}.data(), ${from}.size() * sizeof(int), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const [fact] = launchesOf(
    `#include <vector>\n#include <algorithm>\n__global__ void k(const int *p) {}\nint main() { unsigned s = 7; const int n = ${elements}; ${code} ${upload} }`,
  );
  const buffer = fact?.launch?.buffers[0];
  const { content, bytes = 0 } = buffer ?? {};
  return [bytes, content?.kind, digestOf((index) => elementAt(content, index, 4), bytes / 4)];
}

test.each([
  [
    "numbers",
    `std::vector<int> h; for (int i = 0; i < n; i++) { ${draw} if (s & 64) h.push_back(s >> 20); if (h.size() > 100 && (s & 1) && !h.empty()) h.pop_back(); }`,
  ],
  [
    "numbers that are cleared",
    `std::vector<int> h; for (int i = 0; i < n; i++) { ${draw} h.push_back(s >> 20); if (i == n / 2) h.clear(); }`,
  ],
  [
    "rows and their ends",
    `std::vector<int> h, ends(1, 0); for (int i = 0; i < n; i++) { ${draw} for (unsigned k = 0; k < (s >> 28); k++) h.push_back(i + k); ends.push_back((int)h.size()); } h.push_back(ends.back());`,
  ],
  [
    "pairs, which are sorted and gone through",
    `std::vector<std::pair<int, int>> e; for (int i = 0; i < n; i++) { ${draw} e.emplace_back((int)(s >> 16) - 30000, i % 77 - 5); e.push_back({i, 4}); } std::sort(e.begin(), e.end()); std::vector<int> h; for (auto &x : e) { h.push_back(x.second); h.push_back(x.first); }`,
  ],
  [
    "records by index and as copies",
    `struct E { int a; float b; }; std::vector<E> e(n); for (int i = 0; i < n; i++) { ${draw} e[i] = E{(int)(s >> 9), i * 0.5f}; } std::vector<int> h; for (const E x : e) h.push_back(x.a + (int)x.b);`,
  ],
])("lists that grow: %s", (_, code) => {
  const [count, compiled] = compilations(() => grown(code));
  expect([compiled[1], compiled]).toEqual(["values", withoutCode(() => grown(code))]);
  expect(count).toBeGreaterThan(0);
});

test("stretches that are sorted", () => {
  const code = `unsigned s = 3; for (int i = 0; i < n; i++) { ${draw} h[i] = (int)s; } for (int i = 0; i + 40 <= n; i += 37) std::sort(h + i, h + i + 40);`;
  const rows = `unsigned s = 3; std::vector<int> v(n); for (int i = 0; i < n; i++) { ${draw} v[i] = (int)s; } for (int i = 0; i + 40 <= n; i += 37) std::sort(v.begin() + i, v.begin() + i + 40); for (int i = 0; i < n; i++) h[i] = v[i];`;
  for (const each of [code, rows]) {
    const [count, compiled] = compilations(() => filled("int", each));
    const plain = withoutCode(() => filled("int", each));
    const digest = (content: typeof plain) => digestOf((index) => elementAt(content, index, 4), elements);
    expect([digest(compiled), count > 0]).toEqual([digest(plain), true]);
  }
});

test.each([
  [
    "the result of a lambda that says its type",
    "double",
    `unsigned s = 7; auto whole = [](double x) -> int { return x; }; for (int i = 0; i < n; i++) { ${draw} h[i] = whole((s >> 8) * 0.001); }`,
  ],
])("%s", (_, type, code) => {
  const content = filled(type, code);
  const values = Array.from({ length: 100 }, (__, index) => elementAt(content, index, 8));
  expect(values.every(Number.isInteger)).toBe(true);
});

test("an array that is seen as other numbers is not told", () => {
  const code = `unsigned s = 7; std::vector<int> v(n); float *f = (float *)v.data(); for (int i = 0; i < n; i++) { ${draw} f[i] = s * 0.5f; } for (int i = 0; i < n; i++) h[i] = v[i];`;
  expect(filled("int", code)?.kind).not.toBe("values");
});

test("what an array holds in parts, steps and rounds is known behind a loop that reads it", () => {
  const code = `unsigned s = 5; std::vector<int> a(n), b(n), c(n + 1); for (int i = 0; i < n; i++) a[i] = 3 * i; for (int i = 0; i < n; i++) b[i] = i % 11; for (int i = 0; i < n; i++) { ${draw} c[i + 1] = s >> 28; } for (int i = 0; i < n; i++) c[i + 1] += c[i]; for (int i = 0; i < n; i++) { ${draw} h[i] = a[i] + b[i] + c[i + 1] - c[i] + (s & 7); }`;
  const [count, compiled] = compilations(() => filled("int", code));
  expect(compiled).toEqual(withoutCode(() => filled("int", code)));
  expect([count > 1, compiled?.kind]).toEqual([true, "values"]);
});

test("a loop that never ends is given up", () => {
  const [count, content] = compilations(() =>
    filled("int", `unsigned s = 1; int i = 0; while (s != 0) { ${draw} s |= 1; h[i++ % n] = s >> 8; }`),
  );
  expect([count > 0, content?.kind === "values"]).toEqual([true, false]);
});
