/** What sema knows of a program: marked expressions and their types, constants and callees. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";
import { bindUnit, type Semantics } from "./index.ts";
import { typeName } from "./type-tools.ts";

/** Every `show(e)` of a text, with sema's view of `e`. */
async function shown(text: string): Promise<{ semantics: Semantics; expressions: Expression[] }> {
  const { unit } = await parseText(text);
  const semantics = bindUnit(unit);
  const expressions: Expression[] = [];
  walk(unit, (node: AnyNode) => {
    if (node.kind === "call" && node.callee.kind === "name" && node.callee.name.parts[0]?.text === "show" && node.arguments[0])
      expressions.push(node.arguments[0]);
    return true;
  });
  return { semantics, expressions };
}

const types = async (text: string): Promise<string[]> => {
  const { semantics, expressions } = await shown(text);
  return expressions.map((each) => {
    const type = semantics.typeOf(each);
    return type ? typeName(type) : "?";
  });
};

const inKernel = (body: string, before = ""): string =>
  `${before}\n__global__ void kernel(float *p, const int *q, float4 *v, int n, unsigned u, double d, short s, char c, bool b) { ${body} }`;

describe("types of expressions", () => {
  const table: Record<string, string> = {
    "s + c": "int",
    "u * n": "unsigned int",
    "n * 1L": "long",
    "u + 1L": "long",
    "u + 1ll": "long long",
    "s << 2ull": "int",
    "b + b": "int",
    "-u": "unsigned int",
    "~c": "int",
    "!n": "bool",
    "n < d": "bool",
    "p[n] * 2": "float",
    "p[n] * 2.0": "double",
    "p[n] * 2.0f": "float",
    "1 / 2.": "double",
    "*q": "const int",
    "q + 1": "const int*",
    "&p[1] - p": "long",
    "v[0].x": "float",
    "&v[n]": "float4*",
    "make_int2(1, 2).y": "int",
    "threadIdx.x": "unsigned int",
    "blockDim.x * blockIdx.x + threadIdx.x": "unsigned int",
    "n ? s : c": "int",
    "n ? p : nullptr": "float*",
    "(float)n": "float",
    "float(n) + u": "float",
    "sqrtf(d)": "float",
    "sqrt(p[0])": "float",
    "sqrt(n)": "double",
    "pow(p[0], 2.0)": "double",
    "pow(p[0], 2)": "float",
    "powf(n, 3)": "float",
    "max(n, u)": "unsigned int",
    "max(p[0], d)": "double",
    "std::min(n, 3)": "int",
    "fabs(p[0])": "float",
    "abs(n)": "int",
    "__shfl_down_sync(0xffffffff, d, 1)": "double",
    "__popc(n)": "int",
    "atomicAdd(p, 1.0f)": "float",
    "__ldg(&v[1])": "float4",
    "sizeof(n)": "unsigned long",
    "'a'": "char",
    "0x80000000": "unsigned int",
    "2147483648": "long",
    "10000000000u": "unsigned long",
    "n += d": "int",
    "n++": "int",
    "(n, d)": "double",
    "static_cast<unsigned char>(n)": "unsigned char",
    "reinterpret_cast<int4 *>(p)[2].w": "int",
    "size_t(3) + n": "unsigned long",
    "uint64_t(1) << n": "unsigned long",
    warpSize: "int",
    INT_MAX: "int",
    M_PI: "double",
    "std::numeric_limits<float>::max()": "float",
    "unknownThing + 1": "?",
  };
  test.each(Object.entries(table))("%s is %s", async (expression, type) => {
    expect(await types(inKernel(`show(${expression});`))).toEqual([type]);
  });
});

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
    ["structured bindings", inKernel("auto [x, y] = make_int2(1, 2); show(y);"), ["int"]],
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

describe("constants", () => {
  const table: Record<string, bigint | number | boolean | undefined> = {
    "1 << 20": 1048576n,
    "(256 + 31) / 32 * sizeof(float)": 32n,
    "-7 / 2 * 10 + -7 % 2": -31n,
    "0xffffffffu + 1": 0n,
    "int(3000000000u)": -1294967296n,
    "1.5f * 2": 3,
    "0.1f == 0.1": false,
    "N > 3 ? M : 0": 8n,
    Blue: 6n,
    "static_cast<int>(Level::High)": 9n,
    "Matrix<4, 3>::size": 12n,
    "factorial(10)": 3628800n,
    "log2Of(1024)": 10n,
    "table[2]": 5n,
    "sizeof(Wide)": 32n,
    "alignof(float4)": 16n,
    "sizeof(Matrix<2, 2>)": 16n,
    "std::is_same<int, unsigned>::value": false,
    "std::is_same_v<decltype(1.0f), float>": true,
    "std::numeric_limits<unsigned>::max()": 4294967295n,
    "std::max(3, 4)": 4n,
    "Power<2, 10>::value": 1024n,
    host: undefined,
    "1 / 0": undefined,
    "endless(1)": undefined,
  };
  const before = `
    const int N = 4; constexpr int M = N * 2; int host = 3; enum Colour { Red, Green = 5, Blue }; enum class Level { High = 9 };
    template <int R, int C> struct Matrix { static constexpr int size = R * C; float data[R][C]; };
    constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
    constexpr int log2Of(int n) { int r = 0; while (n > 1) { n >>= 1; ++r; } return r; }
    constexpr int endless(int n) { while (n) n = n | 1; return n; }
    constexpr int table[] = {1, 3, 5, 7}; struct __align__(16) Wide { double d; int i[3]; };
    template <int B, int E> struct Power { static const int value = B * Power<B, E - 1>::value; };
    template <int B> struct Power<B, 0> { static const int value = 1; };`;
  test.each(Object.entries(table))("%s", async (expression, value) => {
    const { semantics, expressions } = await shown(inKernel(`show(${expression});`, before));
    expect(expressions.map((each) => semantics.constant(each))).toEqual([value]);
  });
});

describe("launches", () => {
  test("name their kernel with its arguments, written or deduced", async () => {
    const { unit } = await parseText(`
      template <class T, int N> __global__ void scale(T *p) {}
      template <class T> __global__ void copy(T *p, const T *q, int n) {}
      void host(double *a) { scale<float, 4><<<1, 32>>>((float *)a); copy<<<2, 64>>>(a, a, 3); auto k = scale<int, 8>; k<<<1, 1>>>(nullptr); }`);
    const semantics = bindUnit(unit);
    const found: string[] = [];
    walk(unit, (node: AnyNode) => {
      if (node.kind !== "call" || !node.launch) return true;
      const callee = semantics.callee(node);
      found.push(
        `${callee?.function.name.parts[0]?.text} ${[...(callee?.substitution.values ?? [])].map(([name, value]) => `${name}=${typeof value === "object" && "kind" in value ? typeName(value as Parameters<typeof typeName>[0]) : String(value)}`).join(" ")}`,
      );
      return true;
    });
    expect(found).toEqual(["scale T=float N=4", "copy T=double", "scale T=int N=8"]);
  });

  test("a kernel's substitution from values by position", async () => {
    const { unit } = await parseText("template <class T, int N = 2> __global__ void k(T *p) { T x[N]; show(x); }");
    const semantics = bindUnit(unit);
    const kernel = semantics.functions[0] as FunctionDeclaration;
    expect(semantics.substitutionFor(kernel, [])).toBeUndefined();
    const substitution = semantics.substitutionFor(kernel, [{ kind: "floating", name: "float" }, 7n]);
    const statement = kernel.body?.body[0];
    const variable = statement?.kind === "declaration" ? statement.declarations[0] : undefined;
    const type = variable?.kind === "variable" ? semantics.declaredType(variable, substitution) : undefined;
    expect(type && typeName(type)).toBe("float[7]");
  });
});

describe("any program", () => {
  const words = [
    "int",
    "float",
    "x",
    "y",
    "T",
    "struct",
    "template",
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    ";",
    "=",
    "+",
    "*",
    "&",
    ",",
    "auto",
    "return",
    "if",
    "1",
    "2.0",
    "::",
    ".",
    "[",
    "]",
    "class",
    "typename",
    "using",
    "operator",
    "const",
    "namespace",
    "f",
    "->",
    "...",
  ];
  test("is bound and typed without an exception, and in time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...words), { maxLength: 120 }), async (tokens) => {
        const { unit } = await parseText(tokens.join(" "));
        const semantics = bindUnit(unit);
        walk(unit, (node: AnyNode) => {
          if (node.kind === "variable") semantics.declaredType(node);
          else if (expressionKinds.has(node.kind)) {
            semantics.typeOf(node as Expression);
            semantics.constant(node as Expression);
            semantics.resolve(node as Expression);
          }
          return true;
        });
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});

const expressionKinds: ReadonlySet<string> = new Set([
  "name",
  "unary",
  "binary",
  "call",
  "subscript",
  "member",
  "cast",
  "list",
  "conditional",
  "assign",
  "parenthesized",
  "lambda",
  "integer",
]);
