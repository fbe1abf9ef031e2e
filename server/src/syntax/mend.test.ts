import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mend } from "./mend.ts";
import { parseText, printUnit } from "./testing/parse-text.ts";
import { walk } from "./walk.ts";

const table: Readonly<Record<string, string>> = {
  "struct __align__(16) S {};": "struct               S {};",
  "void __launch_bounds__(f(1), 2) k();": "void                            k();",
  "int x __attribute__((aligned(8), unused));": "int x                                    ;",
  "#pragma unroll 4\nfor": "                \nfor",
  '_Pragma("unroll") for': "                  for",
  '_Pragma("omp parallel") x': "                        x",
  "[=] __device__ (int i) {}": "[=]            (int i) {}",
  "T& __host__ __device__ f();": "T&                     f();",
  "__device__ friend int f();": "__device__        int f();",
  "__host__ __device__ explicit A(int a);": "__host__ __device__          A(int a);",
  "__device__ explicit(true) A(int a);": "__device__ explicit(true) A(int a);",
  "extern template void f<1>();": "       template void f<1>();",
  "template class F<int>;": "         class F<int>;",
  "float *__restrict p;": "float *restrict   p;",
  "float *__restrict__ p;": "float *__restrict__ p;",
  "new float *[n];": "new float  [n];",
  "new const float**[n];": "new       float  [n];",
  "a = new T * (3);": "a = new T   (3);",
  "k<<<{1, 2}, dim3{3}>>>();": "k<<<(1, 2), dim3{3}>>>();",
  "k<<<1, {2, 3}>>>({4});": "k<<<1, (2, 3)>>>({4});",
  "x.operator()(1);": "x.operator__(1);",
  "bool operator()(int);": "bool operator()(int);",
  "f<N >= 1>(x);": "f<N <= 1>(x);",
  "std::enable_if_t<sizeof(T) >= 2 && (N >= 3), int> = 0>": "std::enable_if_t<sizeof(T) <= 2 && (N >= 3), int> = 0>",
  "if (i < n && j >= 0 && k > (m)) x = v[i] >= 4;": "if (i < n && j >= 0 && k > (m)) x = v[i] >= 4;",
  "typeid(int).name();": "sizeof(int).name();",
  "va_arg(list, char*);": "va_arg(list       );",
  'printf("a" PRI "b" PRJ "c");': 'printf("a"     "b"     "c");',
  '"__align__(16)" \'"\' "#pragma unroll"': '"__align__(16)" \'"\' "#pragma unroll"',
  'R"(alignas(8))"': 'R"(alignas(8))"',
  "\ufeffint x;": " int x;",
};

describe("mending", () => {
  for (const [text, expected] of Object.entries(table)) it(text, () => expect(mend(text).text).toBe(expected));

  it("keeps every offset and every line", () => {
    const pieces = fc.constantFrom(...Object.keys(table), "\n", "(", ")", '"', "'", "x", "{", "}", ";");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join(" ");
        const mended = mend(text).text;
        return mended.length === text.length && mended.split("\n").length === text.split("\n").length;
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});

const repairs: Readonly<Record<string, string>> = {
  "EXPORT void f();": "(function f result:(builtin void))",
  "struct S { inline __both__ S(int a) : x(a) {} };":
    "(record tag:struct S members:[(function S result:(unknown) parameters:[(type:(builtin int) a)] specifiers:(inline) role:constructor initialisers:[(x [(name a)])] body:(block body:[]))])",
  "INLINE __device__\nuint2 f(int* RESTRICT p) { return g(p); }":
    "(function f result:(named uint2) parameters:[(type:(pointer (builtin int)) p)] specifiers:(device) body:(block body:[(return (call callee:(name g) arguments:[(name p)]))]))",
  "void f() { CHECK(g(1))\n h(); }":
    "(function f result:(builtin void) body:(block body:[(expression (call callee:(name CHECK) arguments:[(call callee:(name g) arguments:[1])])) (expression (call callee:(name h)))]))",
  "void f() { LOCALS(size_t, x)\n int y = 1; }":
    '(function f result:(builtin void) body:(block body:[(unknown text:"LOCALS(size_t, x)") (declaration [(variable y type:(builtin int) init:(style:copy [1]))])]))',
  "DECLARE(int, float)\nint x;": '(statement (unknown text:"DECLARE(int, float)"))\n(variable x type:(builtin int))',
  "void f() { g(a < b, c > d); h(i < n, j > 2); }":
    "(function f result:(builtin void) body:(block body:[(expression (call callee:(name g) arguments:[(binary < (name a) (name b)) (binary > (name c) (name d))])) (expression (call callee:(name h) arguments:[(binary < (name i) (name n)) (binary > (name j) 2)]))]))",
  "struct A { static B hash(T) = delete; };":
    "(record tag:struct A members:[(function hash result:(named B) parameters:[(type:(named T))] specifiers:(static) deleted)])",
  "void f(S s = {1, 2}, T t = {}) {}":
    "(function f result:(builtin void) parameters:[(type:(named S) s default:(list elements:[(1) (2)])) (type:(named T) t default:(list))] body:(block body:[]))",
  "int x = f(typename T::type(3));":
    "(variable x type:(builtin int) init:(style:copy [(call callee:(name f) arguments:[(cast style:functional type:(named T::type) [3])])]))",
};

describe("repairs", () => {
  for (const [text, expected] of Object.entries(repairs))
    it(text, async () => expect(printUnit((await parseText(text)).unit)).toBe(expected));

  it("leave what cannot be repaired, and say where", async () => {
    const { unit } = await parseText("int a;\nint = = 3;\nint b;");
    expect(unit.errors.length).toBeGreaterThan(0);
    expect(unit.declarations.some((each) => each.kind === "variable" && each.name.parts[0]?.text === "b")).toBe(true);
  });
});

describe("texts made to take long", () => {
  it.each([
    ["launches that never end", "k<<<"],
    ["attributes that are not closed", "__attribute__(("],
    ["raw strings that are not closed", 'R"a('],
    ["pragmas in a row", "#pragma unroll\n"],
    ["allocations", "new a "],
    ["specifiers", "__device__ "],
  ])("%s are gone through", (_, piece) => {
    // Where each looked through all that follows, these took minutes.
    const text = piece.repeat(40_000);
    expect(mend(text).text).toHaveLength(text.length);
  });

  it("attributes in a row stand before and behind the same", () => {
    const text = "struct __align__(16) __attribute__((unused))\n alignas(8) S {};\n#pragma unroll 2\n#pragma unroll 4\nfor (;;);";
    const { annotations } = mend(text);
    const behind = annotations.attributesBehind("struct".length).map(({ kind }) => kind);
    expect(behind).toEqual(["align", "align"]);
    const [from, to] = annotations.unrollAt(text.indexOf("for"))?.count ?? [0, 0];
    expect(text.slice(from, to).trim()).toBe("4");
  });

  it("raw strings are passed over, and what follows them is mended", () => {
    expect(mend('auto s = R"x(__align__(8) )" )x"; struct __align__(8) S {};').text).toBe(
      'auto s = R"x(__align__(8) )" )x"; struct              S {};',
    );
    expect(mend('R"a( R"b(x)b" struct __align__(8) S {};').text).toBe('R"a( R"b(x)b" struct              S {};');
  });
});

describe("walking", () => {
  it("meets every node once, parents first", async () => {
    const { unit } = await parseText(
      "template <int N> struct S { int x = N + 1; void f(float a = 2) { g<3>(a, [&] { return h(a); }); } };",
    );
    const seen = new Set<object>();
    const names: string[] = [];
    walk(unit, (node, parent) => {
      expect(seen.has(node)).toBe(false);
      if (parent) expect(seen.has(parent)).toBe(true);
      seen.add(node);
      if (node.kind === "name") names.push(node.name.parts.map(({ text }) => text).join("::"));
      return true;
    });
    expect(names).toEqual(["N", "g", "a", "h", "a"]);
  });
});
