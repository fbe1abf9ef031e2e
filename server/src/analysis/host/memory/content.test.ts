/** What buffers hold when a kernel is launched. */
import type { Content } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { inMain, kernel, launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

/** Made when they are read, each from its index. */
const computed = (value: (index: number) => number) => ({
  asymmetricMatch: (content: Content) =>
    content.kind === "computed" && [0, 1, 77, 65_536, 999_999].every((index) => content.by.at(index) === value(index)),
});

/** Gone through in order: each from the state of a generator. */
const generated = (value: (state: number) => number) => ({
  asymmetricMatch: (content: Content) => {
    let state = 7;
    return (
      content.kind === "values" &&
      content.values.length === 1 << 20 &&
      Array.from(content.values).every((each) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return each === value(state);
      })
    );
  },
});

describe("what buffers hold", () => {
  const fill = (code: string, type = "int") =>
    inMain(
      `int n = 1 << 20; ${type} *h = (${type} *)malloc(n * sizeof(${type})); ${code} ${type} *d; cudaMalloc(&d, n * sizeof(${type})); cudaMemcpy(d, h, n * sizeof(${type}), cudaMemcpyHostToDevice); g<<<1, 32>>>(d);`,
      `template <typename T> __global__ void g(const T *p) {}\n`,
    );
  const cases: Record<string, [source: string, content: object]> = {
    zeros: [fill("memset(h, 0, n * sizeof(int));"), { kind: "zero" }],
    "one value": [fill("for (int i = 0; i < n; i++) h[i] = 7;"), { kind: "constant", value: 7 }],
    "a floating constant": [fill("for (int i = 0; i < n; ++i) h[i] = 1.5f;", "float"), { kind: "constant", value: 1.5 }],
    indices: [fill("for (int i = 0; i < n; i++) h[i] = i;"), { kind: "linear", start: 0, stride: 1 }],
    multiples: [fill("for (int i = 0; i < n; i++) h[i] = 3 * i + 5;"), { kind: "linear", start: 5, stride: 3 }],
    downwards: [fill("for (int i = 0; i < n; i++) h[i] = n - 1 - i;"), { kind: "linear", start: 1048575, stride: -1 }],
    "through a pointer that moves": [
      fill("int *p = h; for (int i = 0; i < n; i++) *p++ = 2 * i;"),
      { kind: "linear", start: 0, stride: 2 },
    ],
    "rand modulo": [fill("for (int i = 0; i < n; i++) h[i] = rand() % 100;"), { kind: "uniform", lo: 0, hi: 100, bounds: true }],
    "rand scaled": [
      fill("for (int i = 0; i < n; i++) h[i] = rand() / (float)RAND_MAX;", "float"),
      { kind: "uniform", lo: 0, hi: 1, bounds: true },
    ],
    "a linear congruential generator": [
      fill("unsigned s = 7; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = s % 1000; }"),
      generated((state) => state % 1000),
    ],
    "its upper bits": [
      fill("unsigned s = 7; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = s >> 24; }"),
      generated((state) => state >>> 24),
    ],
    "what repeats": [fill("for (int i = 0; i < n; i++) h[i] = i % 1000;"), computed((k) => k % 1000)],
    "multiples of a number, modulo another": [
      fill("for (int i = 0; i < n; i++) h[i] = (i * 640 + 3) % 1000;"),
      computed((k) => (k * 640 + 3) % 1000),
    ],
    "squares, modulo a number": [fill("for (int i = 0; i < n; i++) h[i] = (i * i) % 1000;"), computed((k) => Math.imul(k, k) % 1000)],
    "two loops": [
      fill("for (int i = 0; i < 1024; i++) for (int j = 0; j < 1024; j++) h[i * 1024 + j] = i * 1024 + j;"),
      { kind: "linear", start: 0, stride: 1 },
    ],
    "columns in two loops": [
      fill("for (int i = 0; i < 1024; i++) for (int j = 0; j < 1024; j++) h[i * 1024 + j] = j;"),
      computed((k) => k % 1024),
    ],
    "a diagonal": [
      fill("for (int i = 0; i < n; i++) h[i] = rand() % 200; for (int i = 0; i < 1024; i++) { int row = i * 1024; h[row + i] = 0; }"),
      { kind: "uniform", lo: 0, hi: 200, bounds: true },
    ],
    "a shuffle by hand": [
      fill(
        "srand(time(0)); for (int i = 0; i < n; i++) h[i] = i; for (int i = n - 1; i > 0; i--) { int j = rand() % (i + 1); int t = h[i]; h[i] = h[j]; h[j] = t; }",
      ),
      expect.objectContaining({ kind: "values", drawn: true }),
    ],
    "std::shuffle": [fill("std::iota(h, h + n, 0); std::shuffle(h, h + n, gen);"), { kind: "permutation", n: 1048576 }],
    "std::fill": [fill("std::fill(h, h + n, 4);"), { kind: "constant", value: 4 }],
    "std::generate": [fill("std::generate(h, h + n, [&]() { return rand() % 10; });"), { kind: "uniform", lo: 0, hi: 10, bounds: true }],
    "in a function": [
      inMain(
        "float *h = new float[4096]; init(h, 4096); float *d; cudaMalloc(&d, 16384); cudaMemcpy(d, h, 16384, cudaMemcpyHostToDevice); g<<<1, 32>>>(d);",
        "__global__ void g(const float *p) {}\nvoid init(float *p, int n) { for (int i = 0; i < n; i++) p[i] = 0.5f; }\n",
      ),
      { kind: "constant", value: 0.5 },
    ],
    "a vector copied to the device": [
      inMain(
        "std::vector<int> v(1 << 16); for (size_t i = 0; i < v.size(); i++) v[i] = i * 4; thrust::device_vector<int> d = v; g<<<1, 32>>>(thrust::raw_pointer_cast(d.data()));",
        "__global__ void g(const int *p) {}\n",
      ),
      { kind: "linear", start: 0, stride: 4 },
    ],
    "a vector that grows": [
      inMain(
        "std::vector<int> v; for (int i = 0; i < 100; i++) v.push_back(i); int *d; cudaMalloc(&d, v.size() * 4); cudaMemcpy(d, v.data(), v.size() * 4, cudaMemcpyHostToDevice); g<<<1, 32>>>(d);",
        "__global__ void g(const int *p) {}\n",
      ),
      { kind: "linear", start: 0, stride: 1 },
    ],
    cudaMemset: [
      inMain("int *d; cudaMalloc(&d, 4096); cudaMemset(d, 255, 4096); g<<<1, 32>>>(d);", "__global__ void g(const int *p) {}\n"),
      { kind: "bytes", value: 255 },
    ],
    "an element apart": [
      fill("for (int i = 0; i < n; i++) h[i] = -1; h[5000] = 0;"),
      {
        kind: "parts",
        parts: [
          { from: 0, to: 20000, origin: 0, content: { kind: "constant", value: -1 } },
          { from: 20000, to: 20004, origin: 20000, content: { kind: "values", values: [0] } },
          { from: 20004, to: 4194304, origin: 0, content: { kind: "constant", value: -1 } },
        ],
      },
    ],
    "managed memory": [
      inMain(
        "int *d; cudaMallocManaged(&d, 1 << 20); for (int i = 0; i < 1 << 18; i++) d[i] = i; g<<<1, 32>>>(d);",
        "__global__ void g(const int *p) {}\n",
      ),
      { kind: "linear", start: 0, stride: 1 },
    ],
    "a short table": [
      inMain(
        "int h[4] = {3, 1, 4, 1}; int *d; cudaMalloc(&d, sizeof(h)); cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice); g<<<1, 32>>>(d);",
        "__global__ void g(const int *p) {}\n",
      ),
      { kind: "values", values: [3, 1, 4, 1] },
    ],
    "what a buffer's object has allocated, seen as vectors": [
      inMain(
        "B b; b.n = 1 << 20; b.make(); std::vector<float> h(b.n); for (int i = 0; i < b.n; i++) h[i] = i % 100; cudaMemcpy(b.d, h.data(), b.n * 4, cudaMemcpyHostToDevice); g<<<1, 32>>>((const float4 *)b.d);",
        "__global__ void g(const float4 *p) {}\nstruct B { float *d = nullptr; int n; void make() { cudaMalloc(&d, n * sizeof(float)); cudaGetDeviceCount(&n); n = 1 << 20; } };\n",
      ),
      computed((index) => index % 100),
    ],
    "what only begins alike": [
      inMain(
        "int n = 1 << 20; std::vector<int> h(n); for (int i = 0; i < n; i++) h[i] = i < 60 ? 4 : key(i); int *d; cudaMalloc(&d, n * 4); cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice); g<<<1, 32>>>(d);",
        "__global__ void g(const int *p) {}\nint key(int);\n",
      ),
      { kind: "unknown" },
    ],
    "counts of what the turn has stored": [
      inMain(
        "int n = 1 << 20; std::vector<int> h(n), to(n); for (int i = 0; i < n; i++) { to[i] = i < 60 ? 0 : key(i); h[to[i] + 1]++; } int *d; cudaMalloc(&d, n * 4); cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice); g<<<1, 32>>>(d);",
        "__global__ void g(const int *p) {}\nint key(int);\n",
      ),
      { kind: "unknown" },
    ],
    "what nobody knows": [fill("fread(h, 4, n, stdin);"), { kind: "unknown" }],
    "what a kernel stored": [
      inMain("k<<<1, 32>>>(a, 1); g<<<1, 32>>>(a);", `${kernel}__global__ void g(const float *p) {}\n`),
      expect.objectContaining({ kind: "written", buffer: 0, offset: 0 }),
    ],
    "what a kernel only read": [
      inMain(
        "cudaMemset(a, 0, 1 << 20); r<<<1, 32>>>(a, a + 64); g<<<1, 32>>>(a);",
        "__global__ void r(const float *p, float *q) { float x = p[0] + q[1]; }\n__global__ void g(const float *p) {}\n",
      ),
      { kind: "zero" },
    ],
  };
  test.each(Object.entries(cases))("%s", (_name, [source, content]) => {
    const last = launchesOf(source).at(-1);
    const argument = last?.launch?.arguments[0];
    expect(argument?.kind).toBe("pointer");
    expect(argument?.kind === "pointer" ? last?.launch?.buffers[argument.buffer]?.content : undefined).toEqual(content);
  });
});
