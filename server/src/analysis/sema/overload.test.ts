/** Which function a call means, with which template arguments. */
import { describe, expect, test } from "vitest";
import { inKernel, types } from "./testing/shown.ts";

describe("overloads and templates", () => {
  const table: [name: string, declarations: string, body: string, expected: string[]][] = [
    [
      "exact before promoted before converted",
      "char f(int); short f(double); long f(float);",
      "show(f(1)); show(f(1.0f)); show(f(1.0)); show(f('a'));",
      ["char", "long", "short", "char"],
    ],
    ["a function before a template", "char f(float *); template <class T> short f(T *);", "show(f(p)); show(f(q));", ["char", "short"]],
    [
      "more special templates",
      "template <class T> char f(T); template <class T> short f(T *); template <class T> long f(const T *);",
      "show(f(n)); show(f(p)); show(f(q));",
      ["char", "short", "long"],
    ],
    [
      "const and references",
      "char f(int &); short f(const int &);",
      "const int k = 1; show(f(n)); show(f(k)); show(f(3));",
      ["char", "short", "short"],
    ],
    [
      "defaults of a declaration count for its definition",
      "float f(int a, int b = 2); float f(int a, int b) { return a; }",
      "show(f(1));",
      ["float"],
    ],
    [
      "deduced from pointers, arrays, template-ids",
      "template <class T> struct M { T t; }; template <class T> T f(const T *); template <class T, int N> T (&g(T (&)[N]))[N]; template <class T> T h(M<T>);",
      "M<short> m; int a[4]; show(f(p)); show(h(m)); show(f(a));",
      ["float", "short", "int"],
    ],
    [
      "a constant deduced from the type it is made a type of",
      "template <bool B, int N> struct A { char x[B ? N : 1]; }; template <bool B> A<B, 4> f(std::bool_constant<B>); char g(std::true_type); short g(std::false_type);",
      "show(f(std::bool_constant<true>{}).x); show(f(std::false_type{}).x); show(g(std::bool_constant<false>{})); show(g(std::is_same<int, int>{}));",
      ["char[4]", "char[1]", "short", "char"],
    ],
    [
      "explicit arguments and defaults",
      "template <class R, class T = float, int N = 4> R f(T); template <int N, class T> struct A { T x[N]; }; template <class T> using Quad = A<4, T>;",
      "show(f<double>(1)); A<3, char> a; Quad<short> b; show(a.x); show(b.x);",
      ["double", "char[3]", "short[4]"],
    ],
    [
      "specialisations",
      "template <class T> struct S { int x; }; template <class T> struct S<T *> { T y; }; template <> struct S<float> { double z; }; template <class T> T f(); template <> float f<float>();",
      "S<int> a; S<short *> b; S<float> c; show(a.x); show(b.y); show(c.z); show(f<float>());",
      ["int", "short", "double", "float"],
    ],
    [
      "enable_if",
      "template <class T> typename std::enable_if<std::is_integral<T>::value, char>::type f(T); template <class T> std::enable_if_t<std::is_floating_point<T>::value, short> f(T);",
      "show(f(n)); show(f(d));",
      ["char", "short"],
    ],
    [
      "members of class templates",
      "template <class T> struct Q { using value = T; T *data; __device__ T &at(int); template <class U> U as() const; static constexpr int k = sizeof(T); };",
      "Q<double> a; show(a.at(1)); show(a.as<int>()); show(Q<short>::k); Q<char>::value z; show(z); show(a.data[0]);",
      ["double", "int", "const int", "char", "double"],
    ],
    [
      "packs",
      "template <class... A> int count(A...); template <class T, class... R> T first(T, R...);",
      "show(count(1, 2.0)); show(first(1.0f, 2, 3));",
      ["int", "float"],
    ],
    [
      "the program's functions beside the library's",
      "__device__ double atomicAdd(double *a, double b); __device__ float4 make_float4(float3 a, float b); __device__ int clamp(int a, int b, int c);",
      "show(atomicAdd(&d, 1.0)); show(make_float4(make_float3(1, 2, 3), 4)); show(make_float4(1, 2, 3, 4)); show(clamp(1, 2, 3));",
      ["double", "float4", "float4", "int"],
    ],
  ];
  test.each(table)("%s", async (_, declarations, body, expected) => {
    expect(await types(inKernel(body, declarations))).toEqual(expected);
  });
});
