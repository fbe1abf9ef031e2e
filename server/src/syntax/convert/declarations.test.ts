import { describe, expect, it } from "vitest";
import { parseText, printed } from "../testing/parse-text.ts";

const table: Readonly<Record<string, string>> = {
  "int *a[3], (*f)(int), &r = x, m[2][3];":
    "(variable a type:(array (pointer (builtin int)) size:3))\n(variable f type:(pointer (function result:(builtin int) parameters:[(type:(builtin int))])))\n(variable r type:(reference (builtin int)) init:(style:copy [(name x)]))\n(variable m type:(array (array (builtin int) size:3) size:2))",
  "int (*rows)[3] = p;": "(variable rows type:(pointer (array (builtin int) size:3)) init:(style:copy [(name p)]))",
  "int (*table[3])(int, float*);":
    "(variable table type:(array (pointer (function result:(builtin int) parameters:[(type:(builtin int)) (type:(pointer (builtin float)))])) size:3))",
  "const unsigned int *const volatile p = nullptr;":
    '(variable p type:(pointer (builtin const "unsigned int") const volatile) init:(style:copy [(null)]))',
  "unsigned long long int a; long unsigned b; short c; signed char d; long double e; unsigned f;":
    '(variable a type:(builtin "unsigned long long"))\n(variable b type:(builtin "unsigned long"))\n(variable c type:(builtin short))\n(variable d type:(builtin "signed char"))\n(variable e type:(builtin "long double"))\n(variable f type:(builtin "unsigned int"))',
  "size_t a; int64_t b; __int128 c; auto d = 1; decltype(x) e;":
    "(variable a type:(named size_t))\n(variable b type:(named int64_t))\n(variable c type:(builtin __int128))\n(variable d type:(auto) init:(style:copy [1]))\n(variable e type:(decltype (name x)))",
  "void f(int (*)(int), float (&a)[3], const int, T&&... xs, ...);":
    "(function f result:(builtin void) parameters:[(type:(pointer (function result:(builtin int) parameters:[(type:(builtin int))]))) (type:(reference (array (builtin float) size:3)) a) (type:(builtin const int)) (type:(reference (named T) rvalue) xs pack)] variadic)",
  "int f(void);": "(function f result:(builtin int))",
  "auto f() -> float*;": "(function f result:(pointer (builtin float)))",
  "dim3 block(BX, BY);": "(variable block type:(named dim3) init:(style:direct [(name BX) (name BY)]))",
  "template <typename T, int N = 3, typename... A, template <typename> class Q, class = void> struct S<T, N> : B<T>, public C {};":
    "(record tag:struct bases:[(type:(named B<(named T)>)) (type:(named C))] S<(named T), (named N)> templateParameters:[(type T) (value type:(builtin int) N default:3) (type pack A) (template Q) (type default:(builtin void))])",
  "template <> __device__ void f<int, 3>(int a);":
    "(function f<(builtin int), 3> result:(builtin void) parameters:[(type:(builtin int) a)] specifiers:(device) specialisation)",
  "template <class T> template <class U> void S<T>::g(U u) {}":
    "(function S<(named T)>::g result:(builtin void) parameters:[(type:(named U) u)] body:(block body:[]) templateParameters:[(type T) (type U)])",
  'extern "C" __global__ void k(float *__restrict__ p, const __grid_constant__ P q);':
    "(function k result:(builtin void) parameters:[(type:(pointer (builtin float) restrict) p) (type:(named const P) specifiers:(gridConstant) q)] specifiers:(global))",
  'extern "C" const int a; extern "C" int b = 1;':
    "(variable a type:(builtin const int) specifiers:(extern))\n(variable b type:(builtin int) specifiers:(extern) init:(style:copy [1]))",
  'extern "C" { int a; }': "(linkage body:[(variable a type:(builtin int))])",
  "namespace a::b { int x; } namespace { int y; } inline namespace v1 {}":
    "(namespace body:[(namespace b body:[(variable x type:(builtin int))])] a)\n(namespace body:[(variable y type:(builtin int))])\n(namespace inline body:[] v1)",
  "using T = int*; typedef float real, *preal; template <class T> using V = W<T>; using namespace std; using a::b; namespace n = a::b;":
    "(alias T type:(pointer (builtin int)))\n(alias real type:(builtin float))\n(alias preal type:(pointer (builtin float)))\n(alias V type:(named W<(named T)>) templateParameters:[(type T)])\n(using std namespace)\n(using a::b)\n(namespace-alias n target:a::b)",
  "typedef struct { int x; } S; typedef struct Q { int y; } Q; typedef struct R R; struct Z;":
    "(alias S type:(inline declaration:(record tag:struct members:[(variable x type:(builtin int))])))\n(record tag:struct Q members:[(variable y type:(builtin int))])\n(record tag:struct R)\n(record tag:struct Z)",
  "struct A { int x : 3, y = 4; static int z; union { int a; float b; }; enum { P, Q = 2 }; };":
    "(record tag:struct A members:[(variable x type:(builtin int) bitWidth:3) (variable y type:(builtin int) init:(style:copy [4])) (variable z type:(builtin int) specifiers:(static)) (record tag:union members:[(variable a type:(builtin int)) (variable b type:(builtin float))]) (enum enumerators:[(P) (Q 2)])])",
  "struct A { __host__ __device__ explicit A(int a) { x = a; } };":
    '(record tag:struct A members:[(function A result:(unknown) parameters:[(type:(builtin int) a)] specifiers:(host device explicit) role:constructor body:(block body:[(expression (assign "" (name x) (name a)))]))])',
  "struct A { explicit A(int a) : x(a), y{3} {} ~A(); A(const A&) = delete; A() = default; operator float() const; T& operator[](int i) const { return p[i]; } };":
    "(record tag:struct A members:[(function A result:(unknown) parameters:[(type:(builtin int) a)] specifiers:(explicit) role:constructor initialisers:[(x [(name a)]) (y [3] braced)] body:(block body:[])) (function ~A result:(unknown) role:destructor) (function A result:(unknown) parameters:[(type:(reference (named const A)))] role:constructor deleted) (function A result:(unknown) role:constructor defaulted) (function operator float result:(builtin float) role:conversion const) (function operator[] result:(reference (named T)) parameters:[(type:(builtin int) i)] const role:operator body:(block body:[(return (subscript base:(name p) indices:[(name i)]))]))])",
  "struct A { friend A operator+(A, A); template <class U> void g(U u); virtual void h() override; using B::B; struct In {}; };":
    "(record tag:struct A members:[(function operator+ result:(named A) parameters:[(type:(named A)) (type:(named A))] specifiers:(friend) role:operator) (function g result:(builtin void) parameters:[(type:(named U) u)] templateParameters:[(type U)]) (function h result:(builtin void) specifiers:(virtual)) (using B::B) (record tag:struct In)])",
  "S::S(int a) : x(a), Base<T>(3) {} S::~S() {} S::operator float() const { return 1; } S& S::operator=(const S&) = default;":
    "(function S::S result:(unknown) parameters:[(type:(builtin int) a)] role:constructor initialisers:[(x [(name a)]) (Base<(named T)> [3])] body:(block body:[]))\n(function S::~S result:(unknown) role:destructor body:(block body:[]))\n(function S::operator float result:(builtin float) role:conversion const body:(block body:[(return 1)]))\n(function S::operator= result:(reference (named S)) parameters:[(type:(reference (named const S)))] role:operator defaulted)",
  "enum class E : unsigned { A = 1, B }; enum { X };":
    '(enum scoped enumerators:[(A 1) (B)] E underlying:(builtin "unsigned int"))\n(enum enumerators:[(X)])',
  "enum : word { X }; enum : int { Y };":
    "(enum enumerators:[(X)] underlying:(named word))\n(enum enumerators:[(Y)]  underlying:(builtin int))\nERROR 5-6\nERROR 23-23",
  "__shared__ float tile[32][33]; extern __shared__ char raw[]; __constant__ float c[4]; static __device__ int n; __managed__ int m;":
    "(variable tile type:(array (array (builtin float) size:33) size:32) specifiers:(shared))\n(variable raw type:(array (builtin char)) specifiers:(extern shared))\n(variable c type:(array (builtin float) size:4) specifiers:(constant))\n(variable n type:(builtin int) specifiers:(static device))\n(variable m type:(builtin int) specifiers:(managed))",
  "struct __align__(16) V { float x[4]; } ; struct alignas(8) W {}; __shared__ __align__(128) char s[64]; float b[2] __attribute__((aligned(32)));":
    "(record tag:struct specifiers:(align:16) V members:[(variable x type:(array (builtin float) size:4))])\n(record tag:struct specifiers:(align:8) W)\n(variable s type:(array (builtin char) size:64) specifiers:(shared align:128))\n(variable b type:(array (builtin float) size:2) specifiers:(align:32))",
  "__global__ void __launch_bounds__(256, 2) k(); __launch_bounds__(N) __global__ void l(); __global__ void __cluster_dims__(2, 1, 1) __maxnreg__(64) m();":
    "(function k result:(builtin void) specifiers:(global launchBounds:[256 2]))\n(function l result:(builtin void) specifiers:(global launchBounds:[(name N)]))\n(function m result:(builtin void) specifiers:(global clusterDims:[2 1 1] maxRegisters:64))",
  "static __forceinline__ __device__ float f(); __noinline__ __host__ __device__ inline constexpr int g() { return 1; }":
    "(function f result:(builtin float) specifiers:(static inline device))\n(function g result:(builtin int) specifiers:(noinline host device inline constexpr) body:(block body:[(return 1)]))",
  "template class Foo<float>; template void f<int>(int); extern template void g<3>();":
    "(instantiation declaration:(record tag:class Foo<(builtin float)>))\n(instantiation declaration:(function f<(builtin int)> result:(builtin void) parameters:[(type:(builtin int))]))\n(instantiation declaration:(function g<3> result:(builtin void)))",
  'static_assert(N > 3, "x"); struct { int x; } v, *w; struct B { int x; } b;':
    "(static-assert)\n(variable v type:(inline declaration:(record tag:struct members:[(variable x type:(builtin int))])))\n(variable w type:(pointer (inline declaration:(record tag:struct members:[(variable x type:(builtin int))]))))\n(record tag:struct B members:[(variable x type:(builtin int))])\n(variable b type:(named B))",
  "T t{.x = 1, .y = z};": "(variable t type:(named T) init:(style:copy [(list elements:[(designator:x 1) (designator:y (name z))])]))",
  "const auto [a, b] = f();": "(variable  type:(auto const) init:(style:copy [(call callee:(name f))]) bindings:[a b])",
  "template <class T> constexpr T pi = T(3);":
    "(variable pi type:(named T) specifiers:(constexpr) init:(style:copy [(cast style:functional type:(named T) [3])]) templateParameters:[(type T)])",
};

describe("declarations", () => {
  for (const [code, tree] of Object.entries(table)) it(code, async () => expect(await printed(code)).toBe(tree));
});

describe("what may be a function or a variable", () => {
  const initOf = async (code: string) => {
    const { unit } = await parseText(`void f() { ${code} }`);
    const [outer] = unit.declarations;
    const first = outer?.kind === "function" ? outer.body?.body[0] : undefined;
    return first?.kind === "declaration" ? first.declarations[0] : undefined;
  };
  for (const code of ["dim3 b(x, y);", "dim3 b(n * m, 1);", "std::vector<float> v(n);", "T a(b(c));", "dim3 g(a::b);", "S s(x[i]);"]) {
    it(`${code} is a variable`, async () => {
      const declared = await initOf(code);
      expect(declared).toMatchObject({ kind: "variable", init: { style: "direct" } });
    });
  }
  it("keeps the other reading", async () => expect(await initOf("dim3 b(x, y);")).toMatchObject({ maybeFunction: { kind: "function" } }));
  for (const code of ["int f(float);", "void f(T);", "T f(const U&);", "T f(U u);", "T f(float4);"]) {
    it(`${code} is a function`, async () => expect(await initOf(code)).toMatchObject({ kind: "function" }));
  }
});

it("gives every declaration its place in the text", async () => {
  const text = "int a = 1, *b;\n__global__ void k(int n) {}\nstruct S { int x; };";
  const { unit } = await parseText(text);
  expect(unit.declarations.map(({ start, end }) => text.slice(start, end))).toEqual([
    "int a = 1",
    "*b",
    "__global__ void k(int n) {}",
    "struct S { int x; }",
  ]);
  const kernel = unit.declarations[2];
  expect(kernel?.kind === "function" && text.slice(kernel.nameSpan.start, kernel.nameSpan.end)).toBe("k");
});
