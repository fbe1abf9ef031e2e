/** What kernels store to variables of the device is not what the host has put there. */
import { beforeAll, expect, test } from "vitest";
import { inMain, kernel, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const variables = `${kernel}__device__ int blocks = 4; __device__ int kept = 3; __managed__ int threads = 64; __device__ struct { int n; } all;
__device__ void bump(int v) { threads = v; }
__global__ void set(int kept) { blocks = kept; kept = 9; bump(blocks); }
__global__ void look(int *p) { p[0] = blocks + kept; }
`;
/** The launch of `k`, and why its configuration is only assumed. */
function launchOfK(body: string, before = variables) {
  const facts = launchesOf(inMain(body, before)).filter(({ kernelName }) => kernelName === "k");
  return { shape: shapes(facts)[0], assumed: facts.flatMap(({ configuration }) => configuration.map(({ why }) => why)) };
}

test("a kernel that only reads leaves what the host knows", () => {
  const read = "int n; look<<<1, 32>>>(0); cudaMemcpyFromSymbol(&n, blocks, 4); k<<<n, threads>>>(a, 1);";
  expect(launchOfK(read)).toEqual({ shape: "k 4 64", assumed: [] });
});

test("what a kernel stores, by itself or in what it calls, is assumed", () => {
  const read = "int n; set<<<1, 32>>>(1); cudaMemcpyFromSymbol(&n, blocks, 4); k<<<n, 32>>>(a, 1);";
  expect(launchOfK(read).assumed).toEqual(["`set` stored to it"]);
  expect(launchOfK("set<<<1, 32>>>(1); k<<<1, threads>>>(a, 1);").assumed[0]).toMatch(/^`set` stored to it/);
});

test("what is named as a parameter is another's", () => {
  const read = "int n; set<<<1, 32>>>(1); cudaMemcpyFromSymbol(&n, kept, 4); k<<<n, 32>>>(a, 1);";
  expect(launchOfK(read)).toEqual({ shape: "k 3 32", assumed: [] });
});

test("what the host puts there afterwards is known again", () => {
  const put =
    "int n = 7, m; set<<<1, 32>>>(1); cudaMemcpyToSymbol(blocks, &n, 4); cudaMemcpyFromSymbol(&m, blocks, 4); k<<<m, 32>>>(a, 1);";
  expect(launchOfK(put)).toEqual({ shape: "k 7 32", assumed: [] });
});

test("a part of a variable is copied from where it is", () => {
  const table = `${kernel}__device__ int g[4] = {1, 2, 3, 4};`;
  const part =
    "int n[2], m = 9, o; cudaMemcpyFromSymbol(n, g, 8, 8); cudaMemcpyToSymbol(g, &m, 4, 4); cudaMemcpyFromSymbol(&o, g, 4, 4); k<<<n[0], dim3(n[1], o)>>>(a, 1);";
  expect(launchOfK(part, table)).toEqual({ shape: "k 3 4x9", assumed: [] });
});

const functor = "struct F { int k; ";
const stores: Readonly<Record<string, readonly [before: string, body: string]>> = {
  "a functor": [`${functor}__device__ void operator()() { v_ = 7; } };`, "F f; f();"],
  "a functor made in place": [`${functor}__device__ void operator()() { v_ = 7; } };`, "F{}();"],
  "a constructor": [`${functor}__device__ F() { v_ = 7; } };`, "F f;"],
  "a destructor": [`${functor}__device__ ~F() { v_ = 7; } };`, "F f;"],
  "an operator": [`${functor}__device__ F &operator+=(int x) { v_ = x; return *this; } };`, "F f; f += 7;"],
  "an operator that takes a reference": [`${functor}__device__ void operator<<(int &x) { x = 7; } };`, "F f; f << v_;"],
  "a conversion": [`${functor}__device__ operator int() { return v_ = 7; } };`, "F f; int n = f;"],
  "a method": [`${functor}__device__ static void set() { v_ = 7; } };`, "F::set();"],
  "a method defined outside": [`${functor}__device__ void set(); }; __device__ void F::set() { v_ = 7; }`, "F f; f.set();"],
  "a member that is a reference": ["struct R { int &r; };", "R f{v_}; f.r = 7;"],
  "a pointer": ["__device__ int *q_ = &v_;", "*q_ = 7;"],
  "a pointer that another kernel keeps": ["__device__ int *q_; __global__ void keep() { q_ = &v_; }", "*q_ = 7;"],
  "a result that is a reference": ["__device__ int &r() { return v_; }", "r() = 7;"],
  "a reference": ["", "auto &r = v_; r = 7;"],
  "a cast": ["", "static_cast<int &>(v_) = 7;"],
  assembly: ["", 'asm("mov.u32 %0, 7;" : "=r"(v_));'],
  "a lambda": ["", "auto f = [] { v_ = 7; }; f();"],
  "a table of functions": ["__device__ void f() { v_ = 7; } typedef void (*fn)(); __device__ fn table[] = {f};", "table[0]();"],
  "a variable of that name elsewhere": ["", "{ int v_ = 1; v_ += 1; } v_ = 7;"],
  "a function of another file": ["extern __device__ void other();", "other();"],
};
const readBack = "int n; set<<<1, 1>>>(); cudaMemcpyFromSymbol(&n, v_, 4); k<<<n, 32>>>(a, 1);";
test.each(Object.entries(stores))("what is stored by %s is assumed", (_, [before, body]) => {
  const text = `${kernel}__device__ int v_ = 3; ${before} __global__ void set() { ${body} }`;
  expect(launchOfK(readBack, text).assumed).toEqual(["`set` stored to it"]);
});

test("what a kernel is given as a template argument may store", () => {
  const text = `${kernel}__device__ int v_ = 3; struct F { __device__ void operator()() { v_ = 7; } }; template <class T> __global__ void set() { T f; f(); }`;
  expect(launchOfK(readBack.replace("set", "set<F>"), text).assumed[0]).toMatch(/stored to it/);
  const call = `${kernel}__device__ int v_ = 3; __device__ void f() { v_ = 7; } template <void (*T)()> __global__ void set() { T(); }`;
  expect(launchOfK(readBack.replace("set", "set<f>"), call).assumed[0]).toMatch(/stored to it/);
});

test("a lambda that a kernel is given may store", () => {
  const text = `${kernel}__device__ int v_ = 3; template <class T> __global__ void set(T f) { f(); }`;
  const body = readBack.replace("set<<<1, 1>>>()", "set<<<1, 1>>>([=] __device__ () { v_ = 7; })");
  expect(launchOfK(body, text).assumed[0]).toMatch(/stored to it/);
});
test("what is only read is known", () => {
  const text = `${kernel}__device__ int v_ = 3; __device__ int twice(int x) { return 2 * x; }
__global__ void set() { int n = v_ + 1; float x = n * v_; n = v_; if (v_ > 2) n = twice(v_); printf("%d", v_); }`;
  expect(launchOfK(readBack, text)).toEqual({ shape: "k 3 32", assumed: [] });
});
