/** What declarations declare. */
import { describe, expect, test } from "vitest";
import { inKernel, types } from "./testing/shown.ts";

describe("declarations", () => {
  const table: [name: string, text: string, expected: string[]][] = [
    [
      "auto decays, auto& does not",
      inKernel("const int a[3] = {1, 2, 3}; auto x = a; auto &y = a; const auto z = n; auto *w = p; show(x); show(y); show(z); show(w);"),
      ["const int*", "const int[3]", "const int", "float*"],
    ],
    [
      "shadowing ends with its block",
      inKernel("int x = 1; { float x = 2; show(x); } show(x); for (double x = 0; x < 1;) show(x);"),
      ["float", "int", "double"],
    ],
    ["a name counts from its declaration on", inKernel("{ show(x); double x = 0; show(x); }", "float x;"), ["float", "double"]],
    [
      "typedefs, aliases, enumerations",
      inKernel(
        "real r; word w; Colour k = Red; show(r); show(w); show(k); show(k + 1); show(Level::High);",
        "typedef float real; using word = unsigned short; enum Colour { Red }; enum class Level { High };",
      ),
      ["float", "unsigned short", "Colour", "int", "Level"],
    ],
    [
      "enumerations are as wide as they are said to be, or as their values need",
      inKernel(
        "show(A + 0); show(B + 0); show(C + 0); show(D + 0); show(E + 0); show(H + 0); show(J + 0);",
        "using word = unsigned long long; enum : word { A }; enum { B = 0x7fffffff }; enum { C = 0x80000000u }; enum { D = -1, F = 0x80000000u }; enum { E = 1ull << 63 }; enum { G = 1ull << 31, H = G << 1 }; __device__ int h[sizeof(H)]; enum { I = 1ull << 40, J = I + 1 };",
      ),
      ["unsigned long long", "int", "unsigned int", "long", "unsigned long", "long", "long"],
    ],
    [
      "namespaces and using",
      inKernel(
        "show(a::f(1)); using namespace a; show(g); show(b::g);",
        "namespace a { __device__ double f(int); namespace { float g; } } namespace b = a;",
      ),
      ["double", "float", "float"],
    ],
    [
      "members, bases and methods",
      inKernel(
        "Derived x; const Derived *y; show(x.a); show(x.b.z); show(y->a); show(x.get()); show((*y).get()); show(x.n);",
        "struct Base { int a; static const long n = 3; __device__ int *get(); __device__ const int *get() const; }; struct Derived : Base { float3 b; };",
      ),
      ["int", "float", "const int", "int*", "const int*", "const long"],
    ],
    [
      "a variable and not a function",
      inKernel("float x(p[0]), y(float(n) + u); dim3 g(n, u); show(x); show(y); show(g.x); T t(); show(t);", "struct T {};"),
      ["float", "float", "unsigned int", "t"],
    ],
    [
      "lambdas",
      inKernel("auto f = [=](int k) { return k * d; }; auto g = [](auto x) { return x + 1; }; show(f(1)); show(g(2.5f)); show(g(n));"),
      ["double", "float", "int"],
    ],
    [
      "lambdas with template parameters",
      inKernel(
        "auto f = []<class T, int N>(T (&x)[N]) { return x[0] + N; }; auto g = []<class T>(int n) { return T(n); }; float a[3]; show(f(a)); show(g.operator()<double>(1)); show([]<int... I>(Seq<I...>) { return (I + ... + 1.0f); }(Seq<1, 2>{}));",
        "template <int... I> struct Seq {};",
      ),
      ["float", "double", "float"],
    ],
    [
      "functions as they are pointed to",
      inKernel(
        "auto *f = twice; float (*g)() = f0; show(f(1)); show(g()); show(call<&twice>()); show(call<C<2>::h>()); show(std::max<float>(1, d));",
        "double twice(int); float f0(); template <auto F> auto call() { return F(1); } template <int N> struct C { static C<N + 1> *h(int); };",
      ),
      ["double", "float", "double", "C<3>*", "float"],
    ],
    [
      "what a dependent name makes",
      inKernel(
        "show(f<4>()); show(g<float>());",
        "template <int N> struct E { using type = double; }; template <class T> struct A { using type = T; }; template <int N> auto f() { return typename E<N - 1>::type(2); } template <class T> auto g() { auto r = typename A<T>::type(); return r; }",
      ),
      ["double", "float"],
    ],
    [
      "class templates whose arguments are deduced",
      inKernel(
        "Pr a{1, 2.0f}; Pr b(n, d); Wr w{u}; Ar r{1.0f, 2.0f}; show(a); show(b.b); show(w.v); show(r);",
        "template <class A, class B> struct Pr { A a; B b; Pr(A x, B y) : a(x), b(y) {} }; template <class T> struct Wr { T v; }; template <class T, int N> struct Ar { T v[N]; };",
      ),
      ["Pr<int, float>", "double", "unsigned int", "Ar<float, 2>"],
    ],
    [
      "structured bindings",
      inKernel(
        "auto [x, y] = make_int2(1, 2); show(y); auto [f, g] = Two{1, 2}; show(g); Pair ps[2]; for (auto [k, v] : ps) { show(k); show(v); } for (auto i : {1u, 2u}) show(i);",
        "struct Two { float held[2]; }; struct Pair { int key; double value; };",
      ),
      ["int", "float", "int", "double", "unsigned int"],
    ],
    [
      "operators of the program",
      inKernel(
        "V a, b; show(a + b); show(a * 2.0f); show(a[0]); show(-a); show(a == b);",
        "struct V { float x; __device__ float &operator[](int); __device__ V operator-() const; }; __device__ V operator+(V, V); __device__ V operator*(V, float); __device__ bool operator==(const V &, const V &);",
      ),
      ["V", "V", "float", "V", "bool"],
    ],
    [
      "half arithmetic",
      inKernel("__half h; __half2 g; show(h * h); show(h < h); show(__hadd(h, h)); show(g + g); show(g.x); show(__half2float(h));"),
      ["__half", "bool", "__half", "half2", "__half", "float"],
    ],
    [
      "cooperative groups",
      `namespace cg = cooperative_groups; ${inKernel("auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<16>(block); show(tile); show(tile.shfl(d, 0)); show(tile.thread_rank()); show(cg::reduce(tile, n, cg::plus<int>()));")}`,
      ["thread_block_tile<16, void>", "double", "unsigned int", "int"],
    ],
  ];
  test.each(table)("%s", async (_, text, expected) => {
    expect(await types(text)).toEqual(expected);
  });
});
