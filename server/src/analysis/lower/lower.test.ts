/** The shape of what lowering makes: accesses, spaces, promises, spans; and what it says it cannot do. */
import { readdirSync, readFileSync } from "node:fs";
import { type Kernel, type Op, printKernel, verifyKernel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { placed } from "../../simulate/placed-report.ts";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { NotSimulated } from "../facts.ts";
import { bindUnit } from "../sema/index.ts";
import { lowerKernel } from "./index.ts";

/** The last kernel of a text, lowered; `values` are its template arguments. */
async function lowered(text: string, files: Readonly<Record<string, string>> = {}, values: readonly bigint[] = []): Promise<Kernel> {
  const { unit, reading } = await parseText(text, files);
  const semantics = bindUnit(unit);
  const kernel = semantics.functions.findLast((each) => each.specifiers.global);
  if (!kernel) throw new Error("no kernel");
  const result = lowerKernel(semantics, reading, kernel, values.length > 0 ? semantics.substitutionFor(kernel, values) : undefined, {
    computeCapability: 90,
  });
  expect(verifyKernel(result)).toEqual([]);
  // Places in code are labels until they are shown.
  for (const op of ops(result)) op.span = placed(op.span, reading);
  return result;
}

const ops = (kernel: Kernel): Op[] => kernel.blocks.flatMap((block) => block.ops);
/** Accesses of memory other than local variables, as the IR prints them without their operands. */
const accesses = (kernel: Kernel): string[] =>
  printKernel(kernel)
    .split("\n")
    .filter((line) => /= (load|atomic|shuffle|vote)|^ {2}(store|copy|atomic|barrier|fence|syncwarp)/.test(line) && !line.includes(".local"))
    .map((line) =>
      line
        .replace(/^ *(%\d+: )?/, "")
        .replaceAll(/%\d+,? ?/g, "")
        .replace(/ *!\S+$/, "")
        .replace("= ", "")
        .replace(/,? *$/, ""),
    );

describe("accesses", () => {
  const table: Record<string, [body: string, expected: string[]]> = {
    "a vector is one access": ["v[n] = v[n + 1];", ["f32x4 load.generic align 16", "store.generic align 16"]],
    "a component is one of its own, at what its vector's alignment makes of its place": [
      "p[0] = v[n].z; p[1] = v[n].y; v[n].x = p[2];",
      [
        "f32 load.generic align 8",
        "store.generic align 4",
        "f32 load.generic align 4",
        "store.generic align 4",
        "f32 load.generic align 4",
        "store.generic align 16",
      ],
    ],
    "a reference to a component promises no more than its type": [
      "const float &x = v[n].x; p[0] = x;",
      ["f32 load.generic align 4", "store.generic align 4"],
    ],
    "a vector without its alignment is not": [
      "float3 *q = (float3 *)p; q[0] = q[1];",
      [...Array(3).fill("f32 load.generic align 4"), ...Array(3).fill("store.generic align 4")],
    ],
    "a wide record of one type is one, others go member by member": [
      "struct __align__(8) A { short a, b, c, d; }; struct B { int a; float b; }; *(A *)p = *(A *)(p + 2); *(B *)p = *(B *)(p + 2);",
      [
        "i16x4 load.generic align 8",
        "store.generic align 8",
        "i32 load.generic align 4",
        "f32 load.generic align 4",
        "store.generic align 4",
        "store.generic align 4",
      ],
    ],
    "shared memory is known": [
      "__shared__ float s[4][33]; s[n][1] = p[0]; __syncthreads(); p[1] = s[1][n];",
      ["f32 load.generic align 4", "store.shared align 4", "barrier", "f32 load.shared align 4", "store.generic align 4"],
    ],
    "volatile stays": ["volatile float *q = p; q[0] += 1;", ["f32 load.generic align 4, volatile", "store.generic align 4, volatile"]],
    "memory orders of PTX": [
      'int v; asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p)); asm volatile("st.release.cta.s32 [%0], %1;" :: "l"(p), "r"(v));',
      ["i32 load.global align 4, volatile, atomic device", "fence.device", "fence.block", "store.generic align 4, volatile, atomic block"],
    ],
    "atomics with a memory order": [
      "__nv_atomic_store_n((int *)p, __nv_atomic_load_n((int *)p, __NV_ATOMIC_ACQUIRE) + __nv_atomic_fetch_add((int *)p, 1, __NV_ATOMIC_RELAXED), __NV_ATOMIC_RELEASE);",
      [
        "i32 load.generic align 4, volatile, atomic device",
        "fence.device",
        "i32 atomic.generic.device.add",
        "fence.device",
        "store.generic align 4, volatile, atomic device",
      ],
    ],
    "atomics of PTX": [
      'int v; asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 1, 2;" : "=r"(v) : "l"(p)); asm volatile("red.global.max.s32 [%0], %1;" :: "l"(p), "r"(v));',
      ["i32 atomic.global.device.cas", "i32 atomic.global.device.max.s"],
    ],
    "cache hints": [
      "p[0] = __ldg(p + 1) + __ldcs(p + 2); __stcg(p + 3, 1.0f);",
      ["f32 load.generic align 4, nc", "f32 load.generic align 4, cs", "store.generic align 4", "store.generic align 4, cg"],
    ],
    atomics: [
      "atomicAdd(p, 1.0f); atomicMax((int *)p, n); atomicCAS_block((unsigned *)p, 1u, 2u);",
      ["f32 atomic.generic.device.add", "i32 atomic.generic.device.max.s", "i32 atomic.generic.block.cas"],
    ],
    "double shuffles are one": ["p[0] = __shfl_xor_sync(0xffffffff, 2.0 * n, 4, 16);", ["f64 shuffle.xor.16", "store.generic align 4"]],
    "bytes that a builtin moves": [
      "__builtin_memcpy(p, p + 8, 4); __builtin_memset(p, 0, 4);",
      ["i32 load.generic align 4", "store.generic align 4", "store.generic align 4"],
    ],
    "asynchronous copies": [
      "__shared__ float4 s[8]; __pipeline_memcpy_async(&s[n], &v[n], 16); __pipeline_commit(); __pipeline_wait_prior(1);",
      ["copy.async 16, bypass", "copy.commit", "copy.wait 1"],
    ],
  };
  test.each(Object.entries(table))("%s", async (_, [body, expected]) => {
    const kernel = await lowered(`__global__ void k(float *p, float4 *v, int n) { ${body} }`);
    const normal = (line: string): string => line.replaceAll(/[\s,]+/g, " ").trim();
    expect(accesses(kernel).map(normal)).toEqual(expected.map(normal));
  });
});

describe("kernels", () => {
  test("parameters carry what the types promise", async () => {
    const kernel = await lowered(
      "struct S { float a; int b[3]; }; __global__ void k(const float *__restrict__ a, float4 *b, S s, char c, bool f, __half h, void *v) { b[0].x = a[c] + s.b[1] + f; }",
    );
    expect(kernel.parameters).toEqual([
      { name: "a", type: "ptr", bytes: 8, pointee: { bytes: 4, type: "f32", const: true }, restrict: true },
      { name: "b", type: "ptr", bytes: 8, pointee: { bytes: 16, const: false } },
      { name: "s", bytes: 16 },
      { name: "c", type: "i8", bytes: 1 },
      { name: "f", type: "i1", bytes: 1 },
      { name: "h", type: "f16", bytes: 2 },
      { name: "v", type: "ptr", bytes: 8, pointee: { bytes: 1, const: false } },
    ]);
  });

  test("a pointer to what is volatile is not volatile itself, one that is says so", async () => {
    const own = async (declared: string): Promise<string[]> =>
      printKernel(await lowered(`__global__ void k(float *p, int n) { ${declared} = p + n; q[0] = 1.0f; }`))
        .split("\n")
        .filter((line) => line.includes(".local") && line.includes("volatile"));
    expect(await own("volatile float *q")).toEqual([]);
    expect((await own("float *volatile q")).length).toBe(2);
  });

  test("a by-value record is read in place, and copied only when it is written", async () => {
    const read = await lowered("struct S { float a, b; }; __global__ void k(float *p, S s) { p[0] = s.b; }");
    expect(accesses(read)).toContain("f32 load.param align 4");
    const written = await lowered("struct S { float a, b; }; __global__ void k(float *p, S s) { s.b += 1; p[0] = s.b; }");
    expect(accesses(written).filter((each) => each.includes("param"))).toHaveLength(2);
  });

  test("bounds, registers and template arguments", async () => {
    const kernel = await lowered(
      "template <int N> __global__ void __launch_bounds__(N * 2, 3) __maxnreg__(64) k(int *p) { p[0] = N; }",
      {},
      [128n],
    );
    expect(kernel).toMatchObject({
      name: "k",
      templateArguments: ["128"],
      launchBounds: { maxThreads: 256, minBlocks: 3 },
      maxRegisters: 64,
    });
  });

  test("shared variables, static and dynamic, once each however often a function is inlined", async () => {
    const kernel = await lowered(`
      template <class T> __device__ T exchange(T v) { __shared__ T s[64]; s[threadIdx.x] = v; __syncthreads(); return s[63 - threadIdx.x]; }
      __global__ void k(float *p) { extern __shared__ __align__(16) char raw[]; __shared__ double one; __shared__ short grid[2][3][5];
        one = 1; raw[0] = grid[1][2][threadIdx.x]; p[0] = exchange(1.0f) + exchange(2.0f) + exchange(3) + one + raw[1]; }`);
    expect(kernel.shared.map(({ span: _, ...rest }) => rest)).toEqual([
      { name: "raw", align: 16, dimensions: [], elementBytes: 1 },
      { name: "one", bytes: 8, align: 8, dimensions: [], elementBytes: 8 },
      { name: "grid", bytes: 60, align: 2, dimensions: [2, 3, 5], elementBytes: 2 },
      { name: "s", bytes: 256, align: 4, dimensions: [64], elementBytes: 4 },
      { name: "s", bytes: 256, align: 4, dimensions: [64], elementBytes: 4 },
    ]);
  });

  test("global variables and what they hold", async () => {
    const kernel = await lowered(`
      __constant__ float taps[4]; __constant__ int2 pairs[2] = {{1, 2}, {3, 4}}; __device__ unsigned counter; __device__ double table[3] = {1.5, -2};
      constexpr int lookup[] = {7, 8, 9}; const int plain = 5;
      __global__ void k(float *p, int i) { p[i] = taps[i] + pairs[i].y + table[i] + lookup[i] + plain + counter; }`);
    expect(kernel.globals).toEqual([
      { name: "taps", space: "constant", bytes: 16, align: 4, offset: 0, element: "f32" },
      {
        name: "pairs",
        space: "constant",
        bytes: 16,
        align: 8,
        offset: 16,
        element: "i32",
        content: { kind: "values", values: [1, 2, 3, 4] },
      },
      { name: "table", space: "global", bytes: 24, align: 8, element: "f64", content: { kind: "values", values: [1.5, -2, 0] } },
      { name: "lookup", space: "constant", bytes: 12, align: 4, element: "i32", content: { kind: "values", values: [7, 8, 9] } },
      { name: "counter", space: "global", bytes: 4, align: 4, element: "i32", content: { kind: "zero" } },
    ]);
  });

  test("unrolling, as asked for", async () => {
    const kernel = await lowered(
      `template <int N> __global__ void k(int *p) {
      #pragma unroll
      for (int i = 0; i < 4; ++i) p[i] = i;
      #pragma unroll N * 2
      while (p[0]) p[0]--;
      #pragma unroll 1
      do p[1]--; while (p[1]);
      for (int i = 0; i < 4; ++i) p[i] = i; }`,
      {},
      [4n],
    );
    expect(kernel.blocks.flatMap((block) => block.unroll ?? [])).toEqual(["full", 8, 1]);
  });

  test("signed arithmetic is known not to wrap, unsigned is not", async () => {
    const text = printKernel(
      await lowered("__global__ void k(int *p, int i, unsigned u) { p[0] = i + 1; p[1] = u + 1; p[2] = i * i - i; }"),
    );
    expect(text.match(/\b(add|mul|sub)(\.exact)? %/g)).toEqual(["add.exact %", "add %", "mul.exact %", "sub.exact %"]);
  });

  test("an object that converts to a number is an index", async () => {
    const given = "std::integral_constant<int, 2>{}";
    const kernel = await lowered(`__global__ void k(float *p) { auto f = [&](auto n) { if constexpr (n == 2) p[n] = n; }; f(${given}); }`);
    expect(accesses(kernel)).toContain("store.generic align 4");
  });

  test("unsigned indices are widened without their sign", async () => {
    const text = printKernel(await lowered("__global__ void k(float *p, int i, unsigned u, long l) { p[i] = p[u] + p[l]; }"));
    expect(text.match(/zext|sext/g)).toEqual(["zext"]);
  });

  test("a value that only feeds data may be unknown", async () => {
    const kernel = await lowered("__global__ void k(float *p) { p[0] = mystery(3) * 2.0f; p[1] = MISSING + p[2]++; }");
    expect(ops(kernel).flatMap((op) => (op.action.kind === "unknown" ? [`${op.type}: ${op.action.reason}`] : []))).toEqual([
      "i32: the result of mystery is not known",
      "f32: the result of mystery is not known",
      "f32: MISSING is not known",
    ]);
    expect(accesses(kernel)).toHaveLength(4);
  });
});

describe("calls of the device's runtime", () => {
  const table: Record<string, [body: string, calls: readonly string[]]> = {
    "a text alone": ['printf("hello");', ["printf"]],
    "numbers, as C passes them": ['printf("%d %f %c %lld", n, p[0], (char)n, 1LL);', ["printf i32 f64 i32 i64"]],
    "texts and pointers": ['printf("%s %p %s", "text", p, n ? "yes" : "no");', ["printf ptr ptr ptr"]],
    "what is asked about": ['p[0] = printf("%d", n);', ["printf i32"]],
    memory: ["float *q = (float *)malloc(n); free(q);", ["malloc i64", "free ptr"]],
    objects: ["int *q = new int(n); delete q; float *r = new float[n]; delete[] r;", ["malloc i64", "free ptr", "malloc i64", "free ptr"]],
  };
  test.each(Object.entries(table))("%s", async (_, [body, calls]) => {
    const kernel = await lowered(`__global__ void k(float *p, int n) { ${body} }`);
    expect(
      ops(kernel).flatMap(({ action, args }) =>
        action.kind === "call" ? [[action.callee, ...args.map(({ type }) => type)].join(" ")] : [],
      ),
    ).toEqual(calls);
  });
});

describe("spans", () => {
  const spanned = (kernel: Kernel, kind: string, text: string): string[] =>
    ops(kernel)
      .filter((op) => op.action.kind === kind && !("space" in op.action && op.action.space === "local"))
      .map((op) => `${op.span.file}:${op.span.line} ${text.slice(op.span.start, op.span.end)}`);

  test("an access has the expression's, in inlined functions their own", async () => {
    const text = `__device__ float twice(const float *q, int i) {
  return q[i] *
    2;
}
__global__ void k(float *p, int n) {
  p[n + 1] = twice(p, n)
    + p[n * 2];
}`;
    const kernel = await lowered(text);
    expect(spanned(kernel, "load", text)).toEqual(["0:2 q[i]", "0:7 p[n * 2]"]);
    expect(spanned(kernel, "store", text)).toEqual(["0:6 p[n + 1]"]);
    expect(spanned(kernel, "float", text)).toEqual(["0:3 q[i] *\n    2", "0:7 twice(p, n)\n    + p[n * 2]"]);
  });

  /** As `nvcc 13.0 -lineinfo -ptx` numbers them. */
  test("lines are numbered as nvcc does", async () => {
    const text = `__device__ float helper(const float *q,
   int i) {
  return q[i] *
    q[i + 7];
}
#define LOAD(p, i) \\
  p[i * 3] + \\
  p[i * 5]
struct V { float x, y; };
__global__ void k(float *out, const float *in, float4 *v, V *w, int n) {
  int i = threadIdx.x;
  out[
    i] =
     in[i]
     + in[
        i + 100
       ]
     + helper(in,
          i * 2)
     + LOAD(in,
        i);
  if (in[i * 11] > 0 &&
      in[i * 13] > 1)
    w[i].x =
       w[i]
         .y;
  atomicAdd(
    &out[n],
    1.0f);
  out[i
     + 1] +=
     in[
      i];
  v[i]
    =
    v[
     i + 1];
  w
   ->y = __ldg(
     in + 77);
}`;
    const kernel = await lowered(text);
    const lines = (kind: string): number[] =>
      ops(kernel).flatMap((op) =>
        op.action.kind === kind && !("space" in op.action && op.action.space === "local") ? [op.span.line] : [],
      );
    expect(lines("load").sort((a, b) => a - b)).toEqual([3, 4, 14, 16, 20, 20, 22, 23, 25, 31, 33, 37, 39]);
    expect(lines("store")).toEqual([13, 24, 31, 37, 38]);
    expect(lines("atomic")).toEqual([27]);
  });

  test("what a macro spells stands at its use, and headers are files of their own", async () => {
    const header = "__device__ float scale(float *p) {\n  return p[1];\n}\n";
    const text = '#include "scale.cuh"\n#define AT(i) p[(i) * 2]\n__global__ void k(float *p) {\n  AT(3) =\n    AT(4) + scale(p);\n}';
    const kernel = await lowered(text, { "/src/scale.cuh": header });
    expect(kernel.files).toEqual(["/src/a.cu", "/src/scale.cuh"]);
    expect(spanned(kernel, "store", text)).toEqual(["0:4 AT(3)"]);
    expect(
      ops(kernel)
        .filter((op) => op.action.kind === "load" && op.action.space !== "local")
        .map((op) => [op.span.file, op.span.line]),
    ).toEqual([
      [0, 5],
      [1, 2],
    ]);
  });
});

describe("what is taken for granted is said", () => {
  const table: Record<string, [before: string, body: string, what: string, accesses: string[]]> = {
    "device allocation": ["", "float *q = new float[n]; q[0] = 1.0f; delete[] q;", "malloc", ["store.generic align 4"]],
    malloc: ["", "float *q = (float *)malloc(n); q[0] = 1.0f; free(q);", "malloc", ["store.generic align 4"]],
    "a warp that sleeps": ["", "__nanosleep(100);", "__nanosleep", []],
    "nested launches": ["__global__ void other(float *) {}", "other<<<1, n>>>(p + n);", "launch of other", []],
    "the runtime": ["", "cudaDeviceSynchronize();", "cudaDeviceSynchronize", []],
    "synchronising the grid": [
      "",
      "cooperative_groups::this_grid().sync();",
      "synchronising the grid",
      ["barrier", "fence.device", "barrier.grid"],
    ],
  };
  test.each(Object.entries(table))("%s", async (_, [before, body, what, expected]) => {
    const kernel = await lowered(`${before}\n__global__ void k(float *p, int n) { ${body} }`);
    expect(kernel.assumptions?.map((each) => each.what)).toEqual([what]);
    expect(accesses(kernel)).toEqual(expected);
  });

  test("a placement new allocates nothing", async () => {
    const kernel = await lowered("struct A { int x; __device__ A(int v) : x(v) {} };\n__global__ void k(A *p) { new (p) A(3); }");
    expect(kernel.assumptions).toEqual([]);
    expect(accesses(kernel)).toEqual(["store.generic align 4"]);
  });
});

/** What stands for what only run time decides. */
const assumedOf = async (text: string): Promise<readonly string[]> =>
  (await lowered(text)).assumptions?.map(({ what, value }) => `${what}: ${value}`) ?? [];

describe("a virtual function is one that the program has", () => {
  const shapes = `struct Shape { __device__ virtual float at(float x) const = 0; };
struct Line : Shape { float a; __device__ float at(float x) const override { return a * x; } };
struct Wave : Shape { float f; __device__ float at(float x) const override { return sinf(f * x); } };
struct Scene : Shape {
  Shape **all; int n;
  __device__ float at(float x) const override { float s = 0; for (int i = 0; i < n; i++) s += all[i]->at(x); return s; }
};
struct Square { __device__ virtual float of(float x) const { return x * x; } };
__device__ float through(const Square &s, float x) { return s.of(x); }`;
  const kernel = (body: string) => assumedOf(`${shapes}\n__global__ void k(float *p, Shape **scene, Square *square) { ${body} }`);

  test("that asks others first, and of these the first", async () => {
    expect(await kernel("p[0] = (*scene)->at(p[1]);")).toEqual([
      "the virtual function at: that of Scene",
      "the virtual function at: that of Line",
    ]);
  });
  test.each(["square->of(2)", "(*square).of(2)", "through(*square, 2)"])("the only one: %s", async (call) => {
    expect(await kernel(`p[0] = ${call};`)).toEqual(["the virtual function of: that of Square"]);
  });
  test("its own where an object is at hand", async () => {
    expect(await kernel("Line l; l.a = 2; p[0] = l.at(p[1]);")).toEqual([]);
  });
});

test("tiles of several warps meet in memory of the block's", async () => {
  const kernel = await lowered(`#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int Threads> __device__ void meet(float *p) {
  __shared__ cg::block_tile_memory<Threads> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  p[threadIdx.x] = tile.thread_rank();
  tile.sync();
}
__global__ void k(float *p) { meet<128>(p); }`);
  expect(kernel.blocks.some(({ ops }) => ops.some(({ action }) => action.kind === "barrier"))).toBe(true);
});

describe("a function that calls itself is followed some calls deep", () => {
  test.each([
    ["once", "__device__ int f(int n) { return n < 2 ? 1 : n * f(n - 1); }", "16 at most"],
    ["twice", "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }", "4 at most"],
    [
      "by another",
      "__device__ int g(int n); __device__ int f(int n) { return n ? g(n - 1) : 0; } __device__ int g(int n) { return f(n); }",
      "16 at most",
    ],
  ])("%s", async (_, before, depth) => {
    expect(await assumedOf(`${before}\n__global__ void k(int *p, int n) { p[0] = f(n); }`)).toEqual([`calls of f in each other: ${depth}`]);
  });
  test("to the end where each is another instance of a template", async () => {
    const source = `template <int N> __device__ float f(float x) { return x * f<N - 1>(x); }
template <> __device__ float f<0>(float x) { return x; }
__global__ void k(float *p) { p[0] = f<20>(p[1]); }`;
    expect(await assumedOf(source)).toEqual([]);
  });
});

describe("what cannot be simulated is said, with its place", () => {
  const table: Record<string, [before: string, body: string, reason: RegExp, at: string]> = {
    "recursion that gives a place": [
      "__device__ float &f(float *p, int n) { return n ? f(p + 1, n - 1) : *p; }",
      "f(p, n) = 1;",
      /^f is recursive$/,
      "f(p + 1, n - 1)",
    ],
    "an unknown function given a pointer": ["", "library(p);", /^library is not known$/, "library(p)"],
    "a function of another file": ["__device__ void g(float *);", "g(p);", /^the body of g is not known$/, "g(p)"],
    "an unknown type": ["", "Vendor::Tensor t; t.go(p);", /^the type of t, Vendor::Tensor, is not known$/, "t"],
    "a host variable": ["int host = 3;", "p[0] = host;", /^host is a variable of the host$/, "host"],
    "a virtual function that no class has": [
      "struct A { __device__ virtual int f() = 0; };",
      "A *a = (A *)p; p[0] = a->f();",
      /^the body of f is not known$/,
      "a->f()",
    ],
    "unknown PTX": ["", 'asm volatile("tcgen05.wait::ld.sync.aligned;");', /tcgen05/, 'asm volatile("tcgen05.wait::ld.sync.aligned;")'],
  };
  test.each(Object.entries(table))("%s", async (_, [before, body, reason, at]) => {
    const text = `${before}\n__global__ void k(float *p, int n) { ${body} }`;
    const failure = await lowered(text).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotSimulated);
    if (!(failure instanceof NotSimulated)) return;
    expect(failure.message).toMatch(reason);
    expect(text.slice(failure.at?.start, failure.at?.end)).toContain(at);
  });

  test.each([
    "float a[1000000000] = {};",
    "float a[4][1000000000] = {{1.f}};",
    'char a[1000000000] = "abc";',
    "struct S { int v = 3; } a[1000000000];",
    "struct S { int v; __device__ S() {} } a[1000000000];",
  ])("too many elements: %s", async (array) => {
    await expect(lowered(`__global__ void k(int n) { ${array} }`)).rejects.toThrow(/more than 200000 operations/);
  });

  test("too much", async () => {
    const body = Array.from(
      { length: 40 },
      (_, level) => `__device__ int f${level + 1}(int x) { return f${level}(x) + f${level}(x + 1); }`,
    ).join("\n");
    await expect(lowered(`__device__ int f0(int x) { return x; }\n${body}\n__global__ void k(int *p) { p[0] = f40(1); }`)).rejects.toThrow(
      /more than 200000 operations/,
    );
  });
});

describe("the measured kernels", () => {
  const folder = new URL("../../../../sim-engine/validation/h200/kernels/", import.meta.url);
  test.each(readdirSync(folder))("%s lowers", async (name) => {
    const { unit, reading } = await parseText(readFileSync(new URL(name, folder), "utf8"));
    const semantics = bindUnit(unit);
    const kernels = semantics.functions.filter((each) => each.specifiers.global);
    expect(kernels.length).toBeGreaterThan(0);
    for (const kernel of kernels) {
      const substitution = kernel.templateParameters ? semantics.substitutionFor(kernel, [32n]) : undefined;
      expect(verifyKernel(lowerKernel(semantics, reading, kernel, substitution, { computeCapability: 90 }))).toEqual([]);
    }
  });
});

test.each([
  ["a lambda", "auto f = [&](int i) { s[i] = 1; }; f(0); f(1);"],
  ["one within another", "auto f = [&](int i) { auto g = [&](int k) { s[k] = i; }; g(i); }; f(0); f(1);"],
  ["one of any type", "auto f = [&](auto i) { s[i] = 1; }; f(0); f(1u);"],
])("a shared variable that %s names is the function's, one for each instance of it", async (_, body) => {
  const text = `template <int N> __device__ void put() { __shared__ int s[N]; ${body} }
__global__ void k() { put<2>(); put<4>(); }`;
  expect((await lowered(text)).shared.map(({ bytes }) => bytes)).toEqual([8, 16]);
});

test("constants lie in the bank as they are declared, used or not", async () => {
  const text = `__constant__ float first[17];
__constant__ double wide[3];
__constant__ int unused[5];
namespace n { __constant__ char bytes[5]; }
__constant__ __align__(16) float aligned[8];
extern __constant__ int elsewhere[2];
__constant__ Unknown unknown;
__constant__ int behind[2];
__global__ void k(float *o, int i) { o[i] = first[i] + wide[i] + n::bytes[i] + aligned[i] + behind[i]; }`;
  // As nvcc 13.0 lays them out.
  expect((await lowered(text)).globals.map(({ name, offset }) => [name, offset])).toEqual([
    ["first", 0],
    ["wide", 72],
    ["bytes", 116],
    ["aligned", 128],
    ["behind", undefined],
  ]);
});
