/** Launches through templates of today's C++: packs, tags, type lists, members of instances. */
import { beforeAll, expect, test } from "vitest";
import { describeKnown, inMain, kernel, launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const sized = "#include <utility>\ntemplate <int B, int I = 1> __global__ void k(float *a) { a[threadIdx.x] = B * I; }\n";

const cases: Record<string, [source: string, expected: string[]]> = {
  "a fold over launches": [
    inMain("sweep<32, 64>(a);", `${sized}template <int... B> void sweep(float *a) { (k<B><<<2, B>>>(a), ...); }\n`),
    ["k<32, 1> 2 32", "k<64, 1> 2 64"],
  ],
  "a fold over calls, by an index sequence": [
    inMain(
      "sweep(a, std::make_index_sequence<2>{});",
      `${sized}template <std::size_t... I> void sweep(float *a, std::index_sequence<I...>) { (k<64, (2 << I)><<<I + 1, 64>>>(a), ...); }\n`,
    ),
    ["k<64, 2> 1 64", "k<64, 4> 2 64"],
  ],
  "the sum of a pack, from either side": [
    inMain(
      "k<1><<<sum(1, 2, 3), difference(100, 30, 6)>>>(a);",
      `${sized}template <typename... T> int sum(T... v) { return (v + ...); }\ntemplate <typename... T> int difference(T... v) { return (... - v); }\n`,
    ),
    ["k<1, 1> 6 64"],
  ],
  "an initialiser list that runs": [
    inMain(
      "all(list<C<32>, C<96>>{}, a);",
      `${sized}template <int B> struct C { static constexpr int block = B; };\ntemplate <typename... T> struct list {};
template <typename T> void one(float *a) { k<T::block><<<3, T::block>>>(a); }
template <typename... T> void all(list<T...>, float *a) { int unused[] = {0, (one<T>(a), 0)...}; (void)unused; }\n`,
    ),
    ["k<32, 1> 3 32", "k<96, 1> 3 96"],
  ],
  "a table made of a pack": [
    inMain(
      "auto table = make(std::make_index_sequence<3>{}); for (int i = 0; i < table.size(); i++) { table[i](a); }",
      `#include <array>\n${sized}template <std::size_t I> void go(float *a) { k<I><<<I + 1, 32>>>(a); }
template <std::size_t... I> constexpr std::array<void (*)(float *), sizeof...(I)> make(std::index_sequence<I...>) { return {{&go<I>...}}; }\n`,
    ),
    ["k<0, 1> 1 32", "k<1, 1> 2 32", "k<2, 1> 3 32"],
  ],
  "tags by a generic lambda": [
    inMain(
      "for (int b : {64, 128}) dispatch(b, [&](auto block) { constexpr int B = decltype(block)::value; k<B><<<8, B>>>(a); k<block(), 2><<<block / 32, block()>>>(a); });",
      `#include <type_traits>\n${sized}template <typename F> void dispatch(int b, F &&f) { if (b == 64) f(std::integral_constant<int, 64>{}); else f(std::integral_constant<int, 128>{}); }\n`,
    ),
    ["k<64, 1> 8 64", "k<128, 1> 8 128", "k<64, 2> 2 64", "k<128, 2> 4 128"],
  ],
  "types by tags, and what `if constexpr` passes over": [
    inMain(
      `each<float, double>([&](auto t) { using T = typename decltype(t)::type; if constexpr (sizeof(T) == 4) q<T><<<4, 32>>>(nullptr); else q<T><<<8, 64>>>(nullptr); });`,
      `template <typename T> __global__ void q(T *p) {}\ntemplate <typename T> struct tag { using type = T; };\ntemplate <typename... T, typename F> void each(F f) { (f(tag<T>{}), ...); }\n`,
    ),
    ["q<float> 4 32", "q<double> 8 64"],
  ],
  "true_type for a kernel's argument": [
    inMain(
      "with(a != nullptr, [&](auto yes) { b<yes><<<1, 32>>>(a); });",
      `#include <type_traits>\ntemplate <bool C> __global__ void b(float *p) {}\ntemplate <typename F> void with(bool c, F &&f) { if (c) f(std::true_type{}); else f(std::false_type{}); }\n`,
    ),
    ["b<true> 1 32"],
  ],
  "a policy given as a template": [
    inMain(
      "run<Dense, 64>(a, 1000); run<Halved, 64>(a, 1000);",
      `${sized}template <int T> struct Dense { static int blocks(int n) { return (n + T - 1) / T; } };\ntemplate <int T> struct Halved { static int blocks(int n) { return n / (2 * T); } };
template <template <int> class P, int T> void run(float *a, int n) { k<T><<<P<T>::blocks(n), T>>>(a); }\n`,
    ),
    ["k<64, 1> 16 64", "k<64, 1> 7 64"],
  ],
  "a kernel that is a member of a traits class": [
    inMain(
      "Runner<Traits>::run(a);",
      `${sized}struct Traits { static constexpr auto kernel = k<5>; static constexpr int threads = 96; };\ntemplate <typename T> struct Runner { static void run(float *a) { T::kernel<<<2, T::threads>>>(a); } };\n`,
    ),
    ["k<5, 1> 2 96"],
  ],
  "a launcher that calls its derived class": [
    inMain(
      "Twice t; t.go(a);",
      `${sized}template <typename D> struct Launcher { int n = 1024; void go(float *a) { static_cast<D *>(this)->launch(a, n / D::block); } };
struct Twice : Launcher<Twice> { static constexpr int block = 128; void launch(float *a, int g) { k<2><<<g, block>>>(a); } };\n`,
    ),
    ["k<2, 1> 8 128"],
  ],
  "methods of a base with other arguments": [
    inMain(
      "Derived<32> d(a); d.step();",
      `${sized}template <typename T, int B> struct Base { T *p; static constexpr int twice = 2 * B; Base(T *a) : p(a) {} void step() { k<B><<<3, twice>>>(p); } };
template <int N> struct Derived : Base<float, N * 2> { explicit Derived(float *a) : Base<float, N * 2>(a) {} };\n`,
    ),
    ["k<64, 1> 3 128"],
  ],
  "a method written for one instance": [
    inMain(
      "S<float> f; S<double> d; f.run(a); d.run(a);",
      `${sized}template <typename T> struct S { void run(float *a); };\ntemplate <> void S<float>::run(float *a) { k<4><<<4, 32>>>(a); }\ntemplate <> void S<double>::run(float *a) { k<8><<<8, 32>>>(a); }\n`,
    ),
    ["k<4, 1> 4 32", "k<8, 1> 8 32"],
  ],
  "static methods of another class, and nested classes of one name": [
    inMain(
      "Op<float> op; op.init({100, 20}); op.run(a);",
      `${kernel}struct Coord { int m, n; Coord(int m = 0, int n = 0) : m(m), n(n) {} };\nstruct Linear { struct Params { float alpha; Params(float a = 1) : alpha(a) {} }; };
template <int N> struct Swizzle { static int scale(Coord c) { return N >= 2 && c.n > 1 ? N : 1; } static dim3 grid(Coord c) { return dim3(c.m * scale(c), c.n); } };
template <typename T> struct Op { struct Params { Coord size; T beta; }; Params params_; void init(Coord c) { params_ = typename Op::Params{c, T(2)}; } int scale(Coord) { return 7; }
void run(float *a) { k<<<Swizzle<4>::grid({params_.size.m / 10, params_.size.n}), 32 * (int)params_.beta>>>(a, 1); } };\n`,
    ),
    ["k 40x20 64"],
  ],
  "recursion through specialisations": [
    inMain(
      "Unroll<2>::go([&](auto i) { k<7><<<i + 1, 32>>>(a); });",
      `#include <type_traits>\n${sized}template <int N> struct Unroll { template <typename F> static void go(F &&f) { Unroll<N - 1>::go(f); f(std::integral_constant<int, N - 1>{}); } };
template <> struct Unroll<0> { template <typename F> static void go(F &&) {} };\n`,
    ),
    ["k<7, 1> 1 32", "k<7, 1> 2 32"],
  ],
  "an array of functions, called in turn": [
    inMain(
      "void (*all[])(float *) = {one, two}; for (int i = 0; i < 2; i++) all[i](a);",
      `${sized}void one(float *a) { k<1><<<1, 32>>>(a); }\nvoid two(float *a) { k<2><<<2, 32>>>(a); }\n`,
    ),
    ["k<1, 1> 1 32", "k<2, 1> 2 32"],
  ],
  "a class by what it is made with": [
    inMain(
      "Shape s{dim3(3, 2), 64}; Twice t(5.f); k<<<s.grid, s.block>>>(a, 1); k<<<t.size, Twice{8}.size>>>(a, 1);",
      `${kernel}template <typename G, typename B> struct Shape { G grid; B block; };\ntemplate <typename T> struct Twice { int size; explicit Twice(T v) : size(sizeof(T) * (int)v) {} };\n`,
    ),
    ["k 3x2 64", "k 20 32"],
  ],
  "one of several lambdas": [
    inMain(
      "auto run = overloaded{[&](const A &x) { k<<<x.n, 32>>>(a, 1); }, [&](const B &x) { k<<<x.n, 64>>>(a, 1); }}; run(B{7}); std::visit(run, std::variant<A, B>(A{2}));",
      `#include <variant>\n${kernel}struct A { int n; };\nstruct B { int n; };\ntemplate <class... T> struct overloaded : T... { using T::operator()...; };\ntemplate <class... T> overloaded(T...) -> overloaded<T...>;\n`,
    ),
    ["k 2 32", "k 7 64"],
  ],
  "iterators of the program's own": [
    inMain(
      "for (int v : range(2, 8, 3)) k<<<v, 32 * v>>>(a, 1);",
      `${kernel}struct range { int b, e, s; range(int b, int e, int s) : b(b), e(e), s(s) {}
struct iterator { int v, s; int operator*() const { return v; } iterator &operator++() { v += s; return *this; } bool operator!=(const iterator &o) const { return v < o.v; } };
iterator begin() const { return {b, s}; } iterator end() const { return {e, s}; } };\n`,
    ),
    ["k 2 64", "k 5 160"],
  ],
  "specialisations of a constant": [
    inMain(
      "k<<<pick<double>, 32>>>(a, 1); k<<<pick<float>, 64>>>(a, 1);",
      `${kernel}template <typename T> constexpr unsigned pick = sizeof(T) + 1;\ntemplate <> constexpr unsigned pick<double> = 3;\n`,
    ),
    ["k 3 32", "k 5 64"],
  ],
  "a constant that is a template": [
    inMain("k<<<blocks<float, 2>, 64>>>(a, 1);", `${kernel}template <typename T, int N = 1> constexpr int blocks = sizeof(T) * N;\n`),
    ["k 8 64"],
  ],
  "specialisations of a function": [
    inMain(
      "k<<<size<double>(), size<short>() * 32>>>(a, 1); k<<<size<char>(), 32>>>(a, 1);",
      `${kernel}template <typename T> int size() { return 5; }\ntemplate <> int size<short>() { return 2; }\ntemplate <> int size<double>() { return 8; }\n`,
    ),
    ["k 8 64", "k 5 32"],
  ],
  "a class made of a constant object's members": [
    inMain(
      "constexpr Config c = make(2); using C = Tile<c.threads, c.items>; k<<<c.tile() / C::threads, C::threads>>>(a, C::items);",
      `${kernel}struct Config { int threads, items; constexpr int tile() const { return threads * items; } };\nconstexpr Config make(int n) { Config c{}; c.threads = 32 * n; c.items = 6; return c; }
template <int T, int I> struct Tile { static constexpr int threads = T, items = I; };\n`,
    ),
    ["k 6 64"],
  ],
  "an object copied by its own constructor": [
    inMain(
      "List one; one.add(3); List two(one); two.all[0]->n = 5; k<<<one.all[0]->n, 32>>>(a, 1); k<<<two.all[0]->n, 64>>>(a, 1); Node x{7}; Node y(x); y.n = 9; k<<<x.n, 96>>>(a, 1);",
      `#include <memory>\n#include <vector>\n${kernel}struct Node { int n; };
struct List { std::vector<std::unique_ptr<Node>> all; List() {} List(const List &o) { for (const auto &e : o.all) all.push_back(std::make_unique<Node>(*e)); } void add(int n) { all.push_back(std::make_unique<Node>(Node{n})); } };\n`,
    ),
    ["k 3 32", "k 5 64", "k 7 96"],
  ],
  "a grid by an operator, and an object that converts to one": [
    inMain(
      "k<<<Box{96, 64} / dim3(32, 16), 64>>>(a, 1); k<<<Box{3, 2}, 32>>>(a, 1);",
      `${kernel}struct Box { int x_, y_; operator dim3() const { return dim3(x_, y_); } };\nBox operator/(Box a, dim3 b) { return {a.x_ / (int)b.x, a.y_ / (int)b.y}; }\n`,
    ),
    ["k 3x4 64", "k 3x2 32"],
  ],
  "a literal of the program's own": [
    inMain(
      "k<<<1_Ki, 2 * 32_B>>>(a, 1);",
      `${kernel}constexpr unsigned long long operator""_Ki(unsigned long long v) { return v << 10; }\nconstexpr int operator"" _B(unsigned long long v) { return v; }\n`,
    ),
    ["k 1024 64"],
  ],
  "a number of an unsigned type": [inMain("long n = 1000; k<<<unsigned((n + 255) / 256), unsigned(64)>>>(a, 1);"), ["k 4 64"]],
  "a constructor of a base, and a delegating one": [
    inMain(
      "D d(8); k<<<d.g, d.b>>>(a, 1);",
      `${kernel}struct B0 { int g, b; B0() : g(5), b(64) {} };\nstruct D : B0 { D() {} D(int x) : D() { g *= x; } };\n`,
    ),
    ["k 40 64"],
  ],
};

describeKnown(cases);

test("a kernel with a pack of parameters is lowered with one for each", () => {
  const [fact] = launchesOf(
    inMain(
      "each<<<2, 64>>>(Add{}, 3.f, 4);",
      "struct Add { __device__ float operator()(float x, int y) const { return x + y; } };\ntemplate <typename F, typename... A> __global__ void each(F f, A... args) { if (f(args...) > 9) __trap(); }\n",
    ),
  );
  expect(fact?.templateArguments).toEqual(["Add", "float", "int"]);
  expect(fact?.lower().parameters.map(({ name, type }) => [name, type])).toEqual([
    ["f", undefined],
    ["args0", "f32"],
    ["args1", "i32"],
  ]);
});

test("a constant that rests on itself is not known", () => {
  const [fact] = launchesOf(
    inMain(
      "k<<<factorial<4>, 64>>>(a, 1);",
      `${kernel}template <int N> constexpr int factorial = N * factorial<N - 1>;\ntemplate <> constexpr int factorial<0> = 1;\n`,
    ),
  );
  expect(fact?.configuration.map(({ what }) => what)).toEqual(["grid"]);
});

test("a literal whose operator is not declared is worth nothing that is known", () => {
  const [fact] = launchesOf(inMain("k<<<4_Ki, 64>>>(a, 1);"));
  expect(fact?.configuration.map(({ what }) => what)).toContain("grid");
});

test("where no constructor fits, members are not what is written in their order", () => {
  const [fact] = launchesOf(
    inMain(
      "Box b(1, 2, 3); k<<<b.blocks, 64>>>(a, 1);",
      `${kernel}struct Box { int blocks; int rest; Box(const char *path, int, int, int); };\n`,
    ),
  );
  expect(fact?.configuration.map(({ what }) => what)).toContain("blocks");
});
