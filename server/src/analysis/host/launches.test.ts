/** Real idioms of host code, and the launches they make. */
import { beforeAll, describe, expect, test } from "vitest";
import { useParser } from "../../syntax/current-parser.ts";
import { installedAssets } from "../../syntax/parser/installed.ts";
import { loadWasmParser } from "../../syntax/parser/wasm.ts";
import { analyze } from "../analyze.ts";
import type { AnalysisSettings, LaunchFact } from "../facts.ts";

beforeAll(async () => {
  useParser(await loadWasmParser(installedAssets()));
});

const base: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

let files = 0;

function launchesOf(source: string, settings: Partial<AnalysisSettings> = {}): readonly LaunchFact[] {
  files += 1;
  return analyze(`/test/${files}.cu`, source, { ...base, ...settings }, { read: () => undefined }).launches;
}

/** `kernel<args> grid block shared` of each launch, sides of 1 at the end left out. */
function shapes(facts: readonly LaunchFact[]): string[] {
  return facts.map(({ kernelName, templateArguments, launch, reason }) => {
    const name = templateArguments.length > 0 ? `${kernelName}<${templateArguments.join(", ")}>` : kernelName;
    return launch === undefined
      ? `${name}: ${reason}`
      : `${name} ${sides(launch.grid)} ${sides(launch.block)}${launch.dynamicSharedBytes > 0 ? ` ${launch.dynamicSharedBytes}` : ""}`;
  });
}

function sides([x, y, z]: readonly [number, number, number]): string {
  return z > 1 ? `${x}x${y}x${z}` : y > 1 ? `${x}x${y}` : `${x}`;
}

const kernel = "__global__ void k(float *a, int n) { a[threadIdx.x] = n; }\n";
const inMain = (body: string, before = kernel) => `${before}int main(int argc, char **argv) { float *a; cudaMalloc(&a, 1 << 20); ${body} }`;

describe("configurations known without assumptions", () => {
  const cases: Record<string, [source: string, expected: string[]]> = {
    "rounded up": [inMain("int n = 1000000; int t = 256; k<<<(n + t - 1) / t, t>>>(a, n);"), ["k 3907 256"]],
    "ceil of a quotient": [inMain("int n = 1000; k<<<ceil(n / 256.0), 256>>>(a, n);"), ["k 4 256"]],
    "ceil with a cast": [inMain("int n = 1000; dim3 g((int)ceil((float)n / 128)); k<<<g, 128>>>(a, n);"), ["k 8 128"]],
    "dim3 variables": [inMain("dim3 b(16, 16); dim3 g(1024 / b.x, (768 + b.y - 1) / b.y); k<<<g, b>>>(a, 1);"), ["k 64x48 16x16"]],
    "dim3 assigned by member": [inMain("dim3 g, b; b.x = 32; b.y = 8; g.x = 4; g.z = 2; k<<<g, b>>>(a, 1);"), ["k 4x1x2 32x8"]],
    "dim3 made on the spot": [inMain("k<<<dim3(8, 4), dim3(32, 4, 2)>>>(a, 1);"), ["k 8x4 32x4x2"]],
    "dim3 from a call": [
      inMain("k<<<grid(1 << 16), 256>>>(a, 1);", `${kernel}dim3 grid(int n) { return dim3((n + 255) / 256); }\n`),
      ["k 256 256"],
    ],
    "braced lists": [inMain("k<<<{4, 2}, {64}>>>(a, 1);"), ["k 4x2 64"]],
    "a uint3 that becomes a dim3": [inMain("uint3 u = make_uint3(3, 2, 1); dim3 g = u; k<<<g, 32>>>(a, 1);"), ["k 3x2 32"]],
    macros: [
      inMain(
        "k<<<DIV_UP(N, BLOCK), BLOCK>>>(a, N);",
        `#define N (1 << 14)\n#define BLOCK 128\n#define DIV_UP(a, b) (((a) + (b) - 1) / (b))\n${kernel}`,
      ),
      ["k 128 128"],
    ],
    "sizeof in shared memory": [inMain("k<<<2, 64, 64 * sizeof(double) + 2 * sizeof(int)>>>(a, 1);"), ["k 2 64 520"]],
    "a struct's size": [inMain("k<<<2, 64, 10 * sizeof(P)>>>(a, 1);", `struct P { double d; int i; char c; };\n${kernel}`), ["k 2 64 160"]],
    "min and max": [inMain("int n = 1 << 22; k<<<std::min(65535, std::max(1, n / 1024)), 1024>>>(a, n);"), ["k 4096 1024"]],
    "enumerators and globals": [
      inMain("k<<<blocks, THREADS>>>(a, 1);", `enum { THREADS = 96 };\nstatic const int blocks = 7 * 2;\n${kernel}`),
      ["k 14 96"],
    ],
    "a constexpr function": [
      inMain(
        "constexpr int b = up(1000, 256); k<<<b, 256>>>(a, 1);",
        `constexpr int up(int a, int b) { return (a + b - 1) / b; }\n${kernel}`,
      ),
      ["k 4 256"],
    ],
    "a template's constant": [
      inMain("run<64>(a, 4096);", `${kernel}template <int B> void run(float *a, int n) { k<<<n / B, B>>>(a, n); }\n`),
      ["k 64 64"],
    ],
    "a template kernel, explicit and deduced": [
      `template <typename T, int B = 32> __global__ void t(T *p, T v) {}\nint main() { double *d; cudaMalloc(&d, 800); t<<<1, 32>>>(d, 1.0); t<double, 64><<<1, 64>>>(d, 2.0); }`,
      ["t<double, 32> 1 32", "t<double, 64> 1 64"],
    ],
    "a helper with constants": [
      inMain("run(a, 1 << 12); ", `${kernel}static void run(float *a, int n, int t = 128) { const int b = n / t; k<<<b, t>>>(a, n); }\n`),
      ["k 32 128"],
    ],
    "a function pointer": [inMain("void (*f)(float *, int) = k; f<<<3, 32>>>(a, 1);"), ["k 3 32"]],
    "a template's address": [
      `template <int N> __global__ void t(float *p) {}\nint main() { float *p; cudaMalloc(&p, 4); auto f = t<7>; f<<<5, 32>>>(p); }`,
      ["t<7> 5 32"],
    ],
    "a kernel passed to a function": [
      inMain("go(k, a);", `${kernel}template <typename F> void go(F f, float *a) { f<<<6, 64>>>(a, 2); }\n`),
      ["k 6 64"],
    ],
    "a lambda that launches": [inMain("auto run = [&](int g) { k<<<g, 64>>>(a, g); }; run(9);"), ["k 9 64"]],
    "a method that launches": [
      `${kernel}struct S { int n; float *p; S(int n) : n(n) { cudaMalloc(&p, n * 4); } void run() { k<<<n / 64, 64>>>(p, n); } };\nint main() { S s(640); s.run(); }`,
      ["k 10 64"],
    ],
    "parameters forwarded in a pack": [
      `${kernel}template <typename... A> void go(dim3 g, dim3 b, A... args) { k<<<g, b>>>(args...); }\nint main() { float *p; cudaMalloc(&p, 64); go(dim3(2), dim3(16), p, 16); }`,
      ["k 2 16"],
    ],
    "a helper given several kernels": [
      `${kernel}__global__ void other(float *a, int n) { a[n] = 0; }
template <int T, typename K, typename... A> void go(K f, int n, A... args) { f<<<(n + T - 1) / T, T>>>(args...); }
int main() { float *p; cudaMalloc(&p, 64); go<64>(k, 128, p, 16); go<32>(other, 64, p, 16); go<64>(k, 1280, p, 16); }`,
      ["k 2 64", "other 2 32"],
    ],
    "a kernel's instances launched by one helper": [
      `template <int N> __global__ void t(float *a) { a[N] = 0; }
template <int N> void go(float *p) { t<N><<<N, 32>>>(p); }
int main() { float *p; cudaMalloc(&p, 64); go<4>(p); go<8>(p); }`,
      ["t<4> 4 32", "t<8> 8 32"],
    ],
    "a check around calls": [
      inMain(
        "int n = 4096; CHECK(cudaGetLastError()); k<<<n / 64, 64>>>(a, n);",
        `#include <stdio.h>\n#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s", cudaGetErrorString(e)); exit(1); } } while (0)\n${kernel}`,
      ),
      ["k 64 64"],
    ],
    cudaLaunchKernel: [
      inMain("int n = 5; void *args[] = {&a, &n}; cudaLaunchKernel((void *)k, dim3(10), dim3(32), args, 256, 0);"),
      ["k 10 32 256"],
    ],
    "a cooperative launch": [
      inMain(
        "int n = 5; void *args[2]; args[0] = (void *)&a; args[1] = &n; cudaLaunchCooperativeKernel((const void *)k, 10, 32, args, 0, 0);",
      ),
      ["k 10 32"],
    ],
    cudaLaunchKernelEx: [
      inMain(
        "cudaLaunchConfig_t c = {0}; c.gridDim = 12; c.blockDim = dim3(8, 8); c.dynamicSmemBytes = 64; cudaLaunchKernelEx(&c, k, a, 3);",
      ),
      ["k 12 8x8 64"],
    ],
    "a switch": [
      inMain(
        "int t = 64; switch (t) { case 32: k<<<1, 32>>>(a, 1); break; case 64: k<<<2, 64>>>(a, 1); break; default: k<<<3, 96>>>(a, 1); }",
      ),
      ["k 1 32", "k 2 64", "k 3 96"],
    ],
    "argv with its default": [inMain("int n = 1024; if (argc > 1) n = atoi(argv[1]); k<<<n / 32, 32>>>(a, n);"), ["k 32 32"]],
    "getopt without options": [
      inMain(
        "int n = 512, c; while ((c = getopt(argc, argv, \"n:v\")) != -1) { switch (c) { case 'n': n = atoi(optarg); break; case 'v': break; } } k<<<n / 64, 64>>>(a, n);",
      ),
      ["k 8 64"],
    ],
    "a loop that halves": [inMain("int n = 1024; while (n > 1) { k<<<n / 2, 64>>>(a, n); n /= 2; }"), ["k 512 64"]],
    "a size in a vector": [inMain("std::vector<float> v(2048); k<<<v.size() / 128, 128>>>(a, v.size());"), ["k 16 128"]],
    "unsigned arithmetic that wraps": [inMain("unsigned x = 0; k<<<(x - 1) >> 24, 32>>>(a, 1);"), ["k 255 32"]],
    "sizes of 64 bits": [inMain("size_t n = 3ull << 33; k<<<n >> 30, 32>>>(a, 1);"), ["k 24 32"]],
    "bit tricks": [inMain("int n = 1000; int p = 1; while (p < n) p <<= 1; k<<<p / 256, 256>>>(a, p);"), ["k 4 256"]],
    "device properties": [
      inMain("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); k<<<p.multiProcessorCount * 4, 128>>>(a, 1);"),
      ["k 528 128"],
    ],
    "a device attribute": [
      inMain("int s; cudaDeviceGetAttribute(&s, cudaDevAttrMultiProcessorCount, 0); k<<<2 * s, 128>>>(a, 1);"),
      ["k 264 128"],
    ],
    "pow, log2 and sqrt": [inMain("k<<<(int)pow(2, 5), (int)sqrt(1024.0) * (int)log2(8.0)>>>(a, 1);"), ["k 32 96"]],
    "references as results": [
      inMain("int g, b; plan(2048, g, b); k<<<g, b>>>(a, 1);", `${kernel}void plan(int n, int &g, int &b) { b = 512; g = n / b; }\n`),
      ["k 4 512"],
    ],
    "pointers as results": [
      inMain("int g, b; plan(2048, &g, &b); k<<<g, b>>>(a, 1);", `${kernel}void plan(int n, int *g, int *b) { *b = 512; *g = n / *b; }\n`),
      ["k 4 512"],
    ],
    "a struct of parameters": [
      inMain(
        "Config c = {640, 64}; go(c, a);",
        `struct Config { int n; int threads; };\n${kernel}void go(const Config &c, float *a) { k<<<c.n / c.threads, c.threads>>>(a, c.n); }\n`,
      ),
      ["k 10 64"],
    ],
    "a namespace": [
      inMain("lib::run(a);", `namespace lib { const int T = 32; ${kernel} void run(float *a) { k<<<4, T>>>(a, 1); } }\n`),
      ["k 4 32"],
    ],
    "a conditional with both sides launching": [
      inMain("int big = 0; if (big) k<<<100, 32>>>(a, 1); else k<<<1, 32>>>(a, 1);"),
      ["k 100 32", "k 1 32"],
    ],
  };
  test.each(Object.entries(cases))("%s", (_name, [source, expected]) => {
    const device = {
      name: "test",
      multiProcessorCount: 132,
      major: 9,
      minor: 0,
      maxThreadsPerMultiProcessor: 2048,
      sharedMemPerBlock: 49152,
      sharedMemPerMultiprocessor: 233472,
      sharedMemPerBlockOptin: 232448,
      l2CacheSize: 52428800,
      clockRateKHz: 1980000,
      totalGlobalMem: 150e9,
    };
    const facts = launchesOf(source, { device });
    expect(shapes(facts)).toEqual(expected);
    expect(facts.flatMap((fact) => fact.assumptions.filter(({ what }) => what !== "the launch"))).toEqual([]);
  });
});

test("getopt with options", () => {
  const source = inMain(
    "int n = 512, c; while ((c = getopt(argc, argv, \"vn:\")) != -1) { switch (c) { case 'n': if (optarg != NULL) n = atoi(optarg); break; } } k<<<n / 64, 64>>>(a, n);",
  );
  expect(shapes(launchesOf(source, { argv: ["file", "-v", "-n", "6400"] }))).toEqual(["k 100 64"]);
  expect(shapes(launchesOf(source, { argv: ["-n640"] }))).toEqual(["k 10 64"]);
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
    "rand modulo": [fill("for (int i = 0; i < n; i++) h[i] = rand() % 100;"), { kind: "uniform", lo: 0, hi: 100 }],
    "rand scaled": [fill("for (int i = 0; i < n; i++) h[i] = rand() / (float)RAND_MAX;", "float"), { kind: "uniform", lo: 0, hi: 1 }],
    "a linear congruential generator": [
      fill("unsigned s = 7; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = s % 1000; }"),
      { kind: "uniform", lo: 0, hi: 1000 },
    ],
    "its upper bits": [
      fill("unsigned s = 7; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = s >> 24; }"),
      { kind: "uniform", lo: 0, hi: 256 },
    ],
    "what repeats": [fill("for (int i = 0; i < n; i++) h[i] = i % 1000;"), { kind: "cyclic", start: 0, stride: 1, modulus: 1000 }],
    "multiples of a number, modulo another": [
      fill("for (int i = 0; i < n; i++) h[i] = (i * 640 + 3) % 1000;"),
      { kind: "cyclic", start: 3, stride: 640, modulus: 1000 },
    ],
    "squares, modulo a number": [fill("for (int i = 0; i < n; i++) h[i] = (i * i) % 1000;"), { kind: "uniform", lo: -999, hi: 1000 }],
    "two loops": [
      fill("for (int i = 0; i < 1024; i++) for (int j = 0; j < 1024; j++) h[i * 1024 + j] = i * 1024 + j;"),
      { kind: "linear", start: 0, stride: 1 },
    ],
    "columns in two loops": [
      fill("for (int i = 0; i < 1024; i++) for (int j = 0; j < 1024; j++) h[i * 1024 + j] = j;"),
      { kind: "cyclic", start: 0, stride: 1, modulus: 1024 },
    ],
    "a diagonal": [
      fill("for (int i = 0; i < n; i++) h[i] = rand() % 200; for (int i = 0; i < 1024; i++) { int row = i * 1024; h[row + i] = 0; }"),
      { kind: "uniform", lo: 0, hi: 200 },
    ],
    "a shuffle by hand": [
      fill(
        "for (int i = 0; i < n; i++) h[i] = i; for (int i = n - 1; i > 0; i--) { int j = rand() % (i + 1); int t = h[i]; h[i] = h[j]; h[j] = t; }",
      ),
      { kind: "permutation", n: 1048576 },
    ],
    "std::shuffle": [fill("std::iota(h, h + n, 0); std::shuffle(h, h + n, gen);"), { kind: "permutation", n: 1048576 }],
    "std::fill": [fill("std::fill(h, h + n, 4);"), { kind: "constant", value: 4 }],
    "std::generate": [fill("std::generate(h, h + n, [&]() { return rand() % 10; });"), { kind: "uniform", lo: 0, hi: 10 }],
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

describe("arguments", () => {
  test("pointers into one buffer keep their offsets", () => {
    const [fact] = launchesOf(
      inMain(
        "int n = 1000; float *soa; cudaMalloc(&soa, 3 * n * sizeof(float)); k3<<<1, 32>>>(soa, soa + n, &soa[2 * n]);",
        "__global__ void k3(float *x, float *y, float *z) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toEqual([0, 4000, 8000].map((offset) => ({ kind: "pointer", buffer: 0, offset })));
    expect(fact?.launch?.buffers).toMatchObject([{ name: "soa", bytes: 12000, element: "f32", residence: "device" }]);
  });
  test("scalars have their parameter's type", () => {
    const [fact] = launchesOf(
      inMain(
        "s<<<1, 1>>>(2.7, 3, -1, 'a', 1ull << 40, true);",
        "__global__ void s(int i, float f, unsigned u, char c, size_t z, bool b) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toEqual([2, 3, -1, 97, 1n << 40n, 1].map((value) => ({ kind: "scalar", value })));
  });
  test("structs by value are laid out", () => {
    const [fact] = launchesOf(
      inMain(
        "P p; p.c = 5; p.d = 2.5; p.v = make_float2(1, 2); p.p = a + 4; p.t[1] = 9; s<<<1, 1>>>(p);",
        "struct P { char c; double d; float2 v; float *p; int t[2]; };\n__global__ void s(P p) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toMatchObject([
      {
        kind: "aggregate",
        fields: [
          { offset: 0, type: "i8", value: { value: 5 } },
          { offset: 8, type: "f64", value: { value: 2.5 } },
          { offset: 16, type: "f32", value: { value: 1 } },
          { offset: 20, type: "f32", value: { value: 2 } },
          { offset: 24, type: "ptr", value: { kind: "pointer", offset: 16 } },
          { offset: 36, type: "i32", value: { value: 9 } },
        ],
      },
    ]);
  });
  test("constant memory is filled by cudaMemcpyToSymbol", () => {
    const [fact] = launchesOf(
      inMain(
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, sizeof(h)); s<<<1, 4>>>(a);",
        "__constant__ float c[4];\n__constant__ int unused;\n__global__ void s(float *p) { p[threadIdx.x] = c[threadIdx.x] + unused; }\n",
      ),
    );
    expect(fact?.lower().globals.map(({ name, content }) => [name, content])).toEqual([
      ["c", { kind: "linear", start: 1, stride: 1 }],
      ["unused", { kind: "zero" }],
    ]);
  });
  test("a launch in a loop is counted", () => {
    const counts = (body: string) => launchesOf(inMain(body)).map((fact) => fact.executions);
    expect(counts("for (int i = 0; i < 1000; i++) k<<<1, 32>>>(a, i);")).toEqual([1000]);
    expect(counts("for (int i = 0; i < 20; i++) for (int j = 0; j < 500; j += 5) k<<<1, 32>>>(a, i);")).toEqual([2000]);
    expect(counts("float e = 1; while (e > 0.1f) { k<<<1, 32>>>(a, 1); cudaMemcpy(&e, a, 4, cudaMemcpyDeviceToHost); }")).toEqual([
      undefined,
    ]);
    expect(counts("if (argc > 5) k<<<1, 32>>>(a, 1); k<<<2, 32>>>(a, 1);")).toEqual([0, 1]);
  });
  test("a launch in a loop has the values of its first execution", () => {
    expect(shapes(launchesOf(inMain("for (int s = 512; s > 0; s >>= 1) k<<<s, 32>>>(a, s);")))).toEqual(["k 512 32"]);
  });
});
