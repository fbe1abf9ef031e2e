/** Loops that are gone through to their end: what arrays hold afterwards, element by element. */
import type { Content } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { inMain, launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const kernel = "#include <vector>\n__global__ void k(const TYPE *p, int n) {}\n";

/** What the buffer of the one launch holds, and the number that is passed beside it. */
function filled(code: string, type = "int", before = "") {
  const [fact] = launchesOf(inMain(code, `${before}${kernel.replace("TYPE", type)}`));
  const [content] = fact?.launch?.buffers.map((buffer) => buffer.content) ?? [];
  const [, count] = fact?.launch?.arguments ?? [];
  return { content, count: count?.kind === "scalar" ? count.value : undefined };
}

/** An element of 4 bytes. */
function elementAt(content: Content | undefined, index: number): number | undefined {
  switch (content?.kind) {
    case "values":
      return content.values[index];
    case "computed":
      return content.by.at(index);
    case "parts": {
      const part = content.parts.find(({ from, to }) => index * 4 >= from && index * 4 < to);
      return elementAt(part?.content, index - (part?.origin ?? 0) / 4);
    }
    default:
      return undefined;
  }
}
const elementsOf = (content: Content | undefined, count: number) => each(count, (index) => elementAt(content, index));

const upload = (bytes = "n * sizeof(int)") =>
  `int *d; cudaMalloc(&d, ${bytes}); cudaMemcpy(d, h, ${bytes}, cudaMemcpyHostToDevice); k<<<1, 32>>>(d, n);`;
const array = "const int n = 6000; int *h = (int *)malloc(n * sizeof(int));";
const rowPointers = (count: string) =>
  `const int n = ${count}; int *h = new int[n]; int at = 0; for (int i = 0; i < n; ++i) { h[i] = at; at += i % 32 ? 4 : 64; } ${upload()}`;
const each = <T>(count: number, value: (k: number) => T): T[] => Array.from({ length: count }, (_, k) => value(k));

describe("what a loop stores", () => {
  const rows: readonly (readonly [name: string, code: string, value: (k: number) => number, before?: string])[] = [
    ["arithmetic", `${array} for (int i = 0; i < n; ++i) h[i] = i / 3; ${upload()}`, (k) => Math.floor(k / 3)],
    ["remainders", `${array} for (int i = 0; i < n; ++i) h[i] = 1 + i % 5; ${upload()}`, (k) => 1 + (k % 5)],
    ["a choice", `${array} for (int i = 0; i < n; ++i) h[i] = (i & 1) ? -7 : i; ${upload()}`, (k) => (k % 2 ? -7 : k)],
    [
      "a branch",
      `${array} for (int i = 0; i < n; ++i) { if (i % 3 == 0) { h[i] = 9; continue; } h[i] = -i; } ${upload()}`,
      (k) => (k % 3 ? -k : 9),
    ],
    [
      "unsigned wrap",
      `${array} for (unsigned i = 0; i < n; ++i) h[i] = (i * 2654435761u) >> 28; ${upload()}`,
      (k) => Math.imul(k, 2654435761) >>> 28,
    ],
    [
      "a generator's state",
      `${array} unsigned s = 7; for (int i = 0; i < n; ++i) { s = s * 1664525u + 1013904223u; h[i] = s % 100; } ${upload()}`,
      (
        (s) => () =>
          (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) % 100
      )(7),
    ],
    [
      "what it has stored before",
      `${array} h[0] = 0; for (int i = 1; i < n; ++i) h[i] = h[i - 1] + i % 4; ${upload()}`,
      (
        (sum) => (k) =>
          (sum += k % 4)
      )(0),
    ],
    [
      "a function of the program",
      `${array} for (int i = 0; i < n; ++i) h[i] = mix(i, 3); ${upload()}`,
      (k) => (k % 3 === 0 ? 5 : k * 3),
      "int mix(int a, int b) { if (a % b == 0) return 5; return a * b; }\n",
    ],
    [
      "two loops, one in the other",
      `${array} for (int r = 0; r < 60; ++r) for (int c = 0; c < 100; ++c) h[r * 100 + c] = r ^ c; ${upload()}`,
      (k) => Math.floor(k / 100) ^ (k % 100),
    ],
    ["a while", `${array} int i = 0; while (i < n) { h[i] = i % 7; i += 1; } ${upload()}`, (k) => k % 7],
    ["through a reference", `${array} for (int i = 0; i < n; ++i) { int &x = h[i]; x = 2; x += i % 2; } ${upload()}`, (k) => 2 + (k % 2)],
    [
      "one element afterwards",
      `${array} for (int i = 0; i < n; ++i) h[i] = i % 7; h[5] = 1000; ${upload()}`,
      (k) => (k === 5 ? 1000 : k % 7),
    ],
  ];
  test.each(rows.map((row) => [row[0], row] as const))("%s", (_, [, code, value, before]) => {
    expect(elementsOf(filled(code, "int", before).content, 6000)).toEqual(each(6000, value));
  });
  test("row pointers of a large matrix", () => {
    const { content } = filled(rowPointers("200000"));
    expect(elementsOf(content, 200000)).toEqual(each(200000, (k) => 4 * k + 60 * Math.ceil(k / 32)));
  });
  test("row pointers whose last is set behind the loop", () => {
    const { content } = filled(
      `const int n = 6000; int *h = new int[n + 1]; int at = 0; for (int i = 0; i < n; ++i) { h[i] = at; at += i % 32 ? 4 : 64; } h[n] = at; ${upload("(n + 1) * sizeof(int)")}`,
    );
    const values = each(6001, (k) => 4 * k + 60 * Math.ceil(k / 32));
    expect(
      content?.kind === "parts" &&
        content.parts.flatMap(({ content: part }) => (part.kind === "values" ? [...Array.from(part.values)] : [])),
    ).toEqual(values);
  });
  test("what follows is run, however much the loops before it took", () => {
    const before =
      "#include <cstdlib>\nvoid put(int *to, const float *from, size_t n) { int *h = (int *)malloc(4 * n); for (int i = 0; i < n; i++) h[i] = (int)from[i]; cudaMemcpy(to, h, 4 * n, cudaMemcpyHostToDevice); free(h); }\n";
    const random = "float *f = (float *)malloc(4 * n); for (size_t i = 0; i < n; i++) f[i] = ((float)rand() / RAND_MAX) * 2.0 - 1.0;";
    const code = `const int n = 3145728; ${random} int *d; cudaMalloc(&d, 4 * n); put(d, f, n); put(d, f, n); k<<<n / 64, 64>>>(d, n);`;
    const [fact] = launchesOf(inMain(code, `${before}${kernel.replace("TYPE", "int")}`));
    expect([fact?.launch?.grid, fact?.assumptions]).toEqual([[49152, 1, 1], []]);
  });

  test("floats are rounded", () => {
    const { content } = filled(
      "const int n = 6000; std::vector<float> v(n); for (int i = 0; i < n; ++i) v[i] = (i % 3) * 0.1f; float *d; cudaMalloc(&d, n * 4); cudaMemcpy(d, v.data(), n * 4, cudaMemcpyHostToDevice); k<<<1, 32>>>(d, n);",
      "float",
    );
    expect(elementsOf(content, 6000)).toEqual(each(6000, (k) => Math.fround((k % 3) * Math.fround(0.1))));
  });
  test("what it counts", () => {
    const { count } = filled(
      `${array} int found = 0; for (int i = 0; i < n; ++i) { h[i] = i; if (i % 7 == 3) ++found; } int *d; cudaMalloc(&d, 4); k<<<1, 32>>>(d, found);`,
    );
    expect(count).toBe(857);
  });
});

describe("what is left to a description of the whole", () => {
  test.each([
    [
      "random numbers",
      `${array} for (int i = 0; i < n; ++i) h[i] = rand() % 10; ${upload()}`,
      { kind: "uniform", lo: 0, hi: 10, bounds: true },
    ],
    ["regular ones", `${array} for (int i = 0; i < n; ++i) h[i] = 2 * i + 1; ${upload()}`, { kind: "linear", start: 1, stride: 2 }],
    ["sums of more of them, which are not spread evenly", rowPointers("1 << 25"), { kind: "unknown" }],
    [
      "what each element adds to the one before, beside numbers from a function",
      `${array} float *value = (float *)malloc(n * 4); h[0] = 0; for (int i = 1; i < n; ++i) { if (i > 1) h[i] = h[i - 1] + 3; else h[1] = 2; value[i] = read_one(i); } ${upload()}`,
      { kind: expect.stringMatching(/unknown|parts/) },
    ],
    ["what nobody knows", `${array} for (int i = 0; i < n; ++i) h[i] = read_one(i); ${upload()}`, { kind: "unknown" }],
  ])("%s", (_, code, content) => expect(filled(code).content).toMatchObject(content));
  test("an array beside a random one is known", () => {
    const { content } = filled(
      `${array} float *r = (float *)malloc(n * 4); for (int i = 0; i < n; ++i) { r[i] = rand() / 2.0f; h[i] = i % 9; } ${upload()}`,
    );
    expect(elementsOf(content, 6000)).toEqual(each(6000, (k) => k % 9));
  });
});

test("what a loop stores in part of a large array leaves the rest to be made when it is asked for", () => {
  const code = `const int n = 1 << 22; int *h = (int *)malloc(n * sizeof(int)); for (int i = 0; i < n; i++) h[i] = i / 3 + i % 5;
    for (int i = 0; i < 8192; i++) h[i * 4 % 32768] = i * 5; ${upload()}`;
  const { content } = filled(code);
  expect(content?.kind === "parts" && content.parts.map((part) => part.content.kind)).toEqual(["values", "computed"]);
  expect([0, 1, 32, 33, 32767, 32768, 4194303].map((index) => elementAt(content, index))).toEqual([0, 1, 40, 14, 10924, 10925, 1398104]);
});

// Four million elements are looked at one by one.
const longest = 120_000;

test(
  "what many loops store in a large array, one by one or a stretch each, is all known in the end",
  () => {
    const filled20 = `const int n = 1 << 22; int *h = (int *)malloc(n * sizeof(int)); for (int i = 0; i < n; i++) h[i] = i / 3 + i % 5;
    for (int j = 0; j < 20; j++) for (int i = 0; i < 5000; i++) h[j * 100000 + i * 3 % 5000] = i * 5; ${upload()}`;
    const { content } = filled(filled20);
    expect([1, 3, 500003, 1900006, 2000000, 4194303].map((index) => elementAt(content, index))).toEqual([8335, 5, 5, 10, 666666, 1398104]);
    const each = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => `for (int i = 0; i < 5000; i++) h[${k} * 50000 + i * 3 % 5000] = i * 5;`).join(" ");
    const { content: other } = filled(
      `const int n = 1 << 20; int *h = (int *)malloc(n * sizeof(int)); for (int i = 0; i < n; i++) h[i] = i / 3 + i % 5; ${each} ${upload()}`,
    );
    expect([3, 50003, 400006, 450000, 1048575].map((index) => elementAt(other, index))).toEqual([5, 5, 10, 150000, 349525]);
  },
  longest,
);
