/** Real idioms of host code, and the launches they make. */
import { beforeAll, describe, expect, test } from "vitest";
import { inMain, kernel, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

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
    "the only process of MPI": [
      inMain(
        "int rank, size; MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); if (rank == 0) k<<<4096 / size, 64>>>(a, 1);",
      ),
      ["k 4096 64"],
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
    "a class made of a number for a parameter": [
      inMain(
        "run(3, a);",
        `struct Tiles { int count; Tiles(int n) : count(2 * n) {} };\n${kernel}static void run(Tiles t, float *a) { k<<<t.count, 64>>>(a, 1); }\n`,
      ),
      ["k 6 64"],
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
    "a configuration that is made where it stands": [
      inMain(
        "cudaLaunchConfig_t c{.gridDim = dim3(5, 2), .blockDim = 64, .dynamicSmemBytes = 128}; cudaLaunchKernelEx(&c, k, a, 1); cudaLaunchConfig_t d = {}; d.blockDim = 96; cudaLaunchKernelEx(&d, k, a, 1);",
      ),
      ["k 5x2 64 128", "k 1 96"],
    ],
    "configurations in a list": [
      inMain(
        "std::vector<cudaLaunchConfig_t> all(2); for (int i = 0; i < 2; i++) { all[i].gridDim = 3 + i; all[i].blockDim = dim3(32, i + 1); } for (auto &c : all) cudaLaunchKernelEx(&c, k, a, 1);",
        `#include <vector>\n${kernel}`,
      ),
      ["k 3 32", "k 4 32x2"],
    ],
    "nodes of a graph": [
      inMain(
        "cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphNode_t n; int one = 1; void *args[] = {&a, &one}; cudaKernelNodeParams p = {}; p.func = (void *)k; p.gridDim = dim3(6); p.blockDim = dim3(64, 2); p.kernelParams = args; cudaGraphAddKernelNode(&n, g, nullptr, 0, &p);",
      ),
      ["k 6 64x2"],
    ],
    "a lambda that launches": [inMain("auto run = [&](int g) { k<<<g, 64>>>(a, g); }; run(9);"), ["k 9 64"]],
    "lambdas in a list of pairs, taken apart": [
      inMain(
        `std::vector<std::pair<std::string, std::function<void()>>> all; all.push_back({"one", [&] { k<<<3, 32>>>(a, 1); }});
all.emplace_back("two", [&] { k<<<5, 64>>>(a, 1); }); for (auto &[name, run] : all) run();`,
        `#include <functional>\n#include <string>\n#include <vector>\n${kernel}`,
      ),
      ["k 3 32", "k 5 64"],
    ],
    "lambdas and functions in a table": [
      inMain(
        `struct Case { const char *name; std::function<void(float *, int)> run; };
Case cases[] = {{"one", [](float *p, int n) { k<<<n, 32>>>(p, n); }}, {"two", launch<64>}}; for (const auto &each : cases) each.run(a, 7);`,
        `#include <functional>\n${kernel}template <int B> void launch(float *p, int n) { k<<<n, B>>>(p, n); }\n`,
      ),
      ["k 7 64", "k 7 32"],
    ],
    "eight of a table, each checked by the host": [
      inMain(
        `std::vector<std::function<void()>> all; for (int b = 1; b <= 8; b++) all.push_back([=] { k<<<b, 32>>>(a, 1); });
std::vector<float> out(1 << 20); for (auto &run : all) { run(); double worst = 0;
for (int s = 0; s < 200; s++) for (int i = 0; i < 64; i++) worst = fmax(worst, fabs(out[i * 1024 + s] - 1.0)); }`,
        `#include <functional>\n#include <vector>\n${kernel}`,
      ),
      [1, 2, 3, 4, 5, 6, 7, 8].map((blocks) => `k ${blocks} 32`),
    ],
    "eight of a table of functions, each checked by a lambda of the host's": [
      inMain(
        `struct E { void (*run)(float *, int); int n; }; const E all[] = {{two, 1}, {four, 2}, {two, 3}, {four, 4}, {two, 5}, {four, 6}, {two, 7}, {four, 8}};
std::vector<float> out(1 << 20); auto at = [&](int i) { return out[i] * 2; };
for (const E &e : all) { e.run(a, e.n); double worst = 0; for (int s = 0; s < 9; s++) for (int i = 0; i < 4096; i++) worst = fmax(worst, fabs(at(i * 16 + s) - 1.0)); }`,
        `#include <vector>\n${kernel}void two(float *a, int n) { k<<<n, 2>>>(a, n); }\nvoid four(float *a, int n) { k<<<n, 4>>>(a, n); }\n`,
      ),
      ["k 1 2", "k 3 2", "k 5 2", "k 7 2", "k 2 4", "k 4 4", "k 6 4", "k 8 4"],
    ],
    "lambdas of a table outside of functions": [
      inMain(
        "for (const auto &[name, run] : table) run(a, 3);",
        `${kernel}struct E { const char *name; void (*run)(float *, int); };\nstatic const E table[] = {{"x", [](float *a, int n) { k<<<n, 32>>>(a, n); }}, {"y", [](float *a, int n) { k<<<n + 1, 64>>>(a, n); }}};\n`,
      ),
      ["k 3 32", "k 4 64"],
    ],
    "maps, filled as they are declared and later": [
      inMain(
        `std::map<std::string, std::function<void(int)>> m = {{"x", [&](int b) { k<<<5, b>>>(a, 1); }}}; m["y"] = [&](int b) { k<<<6, b>>>(a, 1); };
for (auto &[name, run] : m) run(32); std::unordered_map<int, int> n = {{1, 7}, {2, 8}}; for (auto &each : n) k<<<each.second, 64>>>(a, each.first);`,
        `#include <functional>\n#include <map>\n#include <string>\n#include <unordered_map>\n${kernel}`,
      ),
      ["k 5 32", "k 6 32", "k 7 64", "k 8 64"],
    ],
    "objects with a beginning and an end": [
      inMain(
        "Sizes sizes; for (int n : sizes) k<<<n, 32>>>(a, n);",
        `${kernel}struct Sizes { int all[3] = {2, 4, 8}; const int *begin() const { return all; } const int *end() const { return all + 3; } };\n`,
      ),
      ["k 2 32", "k 4 32", "k 8 32"],
    ],
    "a copy of each element, which stays as it is": [
      inMain("std::vector<int> sizes{2, 4}; for (int n : sizes) { n *= 8; k<<<n, 32>>>(a, n); } k<<<sizes[1], 64>>>(a, 1);"),
      ["k 16 32", "k 32 32", "k 4 64"],
    ],
    "what nests of loops count, more than once": [
      inMain(
        "for (int q = 1; q <= 3; q++) k<<<count(q), 32>>>(a, q);",
        `#include <string>\n${kernel}int count(int q) { int c = 1; for (int i = 0; i < 30; i++) for (int j = 0; j < 30; j++) { std::string s = std::to_string(i * j + q); if (s.size() == 3) c++; } return c; }\n`,
      ),
      ["k 559 32", "k 561 32", "k 561 32"],
    ],
    "a lambda that copies, but not what is static": [
      inMain("static int s = 5; int t = 32; auto run = [=] { k<<<s, t>>>(a, 1); }; s = 6; t = 64; run();"),
      ["k 6 32"],
    ],
    "elements made in place, and what is done to them": [
      inMain(
        "std::vector<C> v; v.emplace_back(3, 64); v.emplace_back(5); auto &last = v.emplace_back(4, 96); last.g = 9; for (auto &c : v) k<<<c.g, c.b>>>(a, 1);",
        `#include <vector>\n${kernel}struct C { int g, b; C(int x, int y) : g(x), b(y) {} C(int x) : g(x), b(32) {} };\n`,
      ),
      ["k 3 64", "k 5 32", "k 9 96"],
    ],
    "arrays with and without braces of their own": [
      inMain(
        "std::vector<std::array<int, 2>> v; v.push_back({3, 32}); v.push_back({{4, 64}}); for (auto &[g, b] : v) k<<<g, b>>>(a, 1);",
        `#include <array>\n#include <vector>\n${kernel}`,
      ),
      ["k 3 32", "k 4 64"],
    ],
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
      ["k 2 64", "k 20 64", "other 2 32"],
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
    "a loop that halves": [
      inMain("int n = 128; while (n > 1) { k<<<n / 2, 64>>>(a, n); n /= 2; }"),
      ["k 64 64", "k 32 64", "k 16 64", "k 8 64", "k 4 64", "k 2 64", "k 1 64"],
    ],
    "block sizes tried one after another": [
      inMain("int sizes[] = {64, 128, 64, 512}; for (int s : sizes) k<<<1024 / s, s, s * 4>>>(a, 1024);"),
      ["k 16 64 256", "k 8 128 512", "k 2 512 2048"],
    ],
    "sizes tried that the program does not reach": [
      inMain("if (argc > 7) for (int s = 64; s <= 512; s *= 2) k<<<1024 / s, s>>>(a, 1024);"),
      ["k 16 64"],
    ],
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
