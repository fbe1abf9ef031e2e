/** Every construct of the grammar in any number: in a row, and nested where it can hold itself. */

export interface Construct {
  readonly name: string;
  /** A whole source with that many of it. */
  readonly source: (n: number) => string;
}

type Text = (n: number) => string;

/** One after another; `@` is the number of each. */
const row =
  (item: string, between = ""): Text =>
  (n) =>
    Array.from({ length: n }, (_, index) => item.replaceAll("@", String(index))).join(between);
/** One in another; `@` is the depth. */
const nest =
  (open: string, core: string, close: string): Text =>
  (n) =>
    row(open)(n) + core + close.repeat(n);

const kernelAndMain = `__global__ void k(float *a, int n) { a[threadIdx.x] = n * 0.5; }
int main(int argc, char **argv) { float *a; cudaMalloc(&a, 4096); k<<<1, 32>>>(a, 7); }
`;
const inFile =
  (text: Text): Text =>
  (n) =>
    `${text(n)}\n${kernelAndMain}`;
const inKernel =
  (text: Text): Text =>
  (n) =>
    `struct S { S *next; float v[4]; int f(int x) { return x; } };
__device__ int f(int x) { return x + 1; }
__global__ void k(float *a, int *b, S s, int n) {
  int i = threadIdx.x, x = n;
  ${text(n)}
  a[i] = x;
}
int main() { float *a; int *b; S s; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); k<<<1, 32>>>(a, b, s, 7); }
`;
const inHost =
  (text: Text): Text =>
  (n) =>
    `#include <vector>
struct S { S *next; float v[4]; int f(int x) { return x; } };
int f(int x) { return x + 1; }
__global__ void k(float *a, int n) { a[threadIdx.x] = n; }
int main(int argc, char **argv) {
  float *a; int i = 3, n = 7, x = 1; int b[64] = {}; S s;
  cudaMalloc(&a, 4096);
  ${text(n)}
  k<<<1, 32>>>(a, x);
}
`;

/** Statements, for kernels and host code alike. */
const statements: Readonly<Record<string, Text>> = {
  "empty statements": row(";"),
  "expression statements": row("x = x + @;\n"),
  declarations: row("int v@ = x + @;\n"),
  "declarators of one declaration": (n) => `int ${row("v@ = @", ", ")(n)};`,
  arrays: row("int w@[4] = {1, 2};\n"),
  "blocks, nested": nest("{ ", "x++;", " }"),
  "blocks, in a row": row("{ x++; }\n"),
  "ifs, nested": nest("if (x > @) { ", "x++;", " }"),
  "ifs, in a row": row("if (x > @) x++;\n"),
  "else ifs": (n) => `${row("if (x == @) x++; else ")(n)} x--;`,
  "fors, nested": nest("for (int j@ = 0; j@ < 1; j@++) { ", "x++;", " }"),
  "fors, in a row": row("for (int j = 0; j < 2; j++) x += j;\n"),
  "whiles, nested": nest("while (x < @) { ", "x++;", " }"),
  "whiles, in a row": row("while (x < @) x++;\n"),
  "dos, nested": nest("do { ", "x++;", " } while (0);"),
  "switches, nested": nest("switch (x) { case @: ", "x++;", " }"),
  cases: (n) => `switch (x) { ${row("case @: x += @; break;\n")(n)} }`,
  "cases that fall through": (n) => `switch (x) { ${row("case @: x += @;\n")(n)} }`,
  "labels and gotos": row("goto l@; l@: x++;\n"),
  returns: row("if (x == -@) return;\n"),
  attributes: (n) => `${row("[[maybe_unused]] ")(n)} int y = 0;`,
  "static asserts": row('static_assert(@ >= 0, "no");\n'),
  usings: row("using T@ = int;\n"),
  "local structs": row("struct L@ { int v; };\n"),
  "lambdas, in a row": row("auto g@ = [=](int y) { return y + @; }; x += g@(1);\n"),
  pragmas: row("#pragma unroll\nfor (int j = 0; j < 1; j++) x++;\n"),
  asms: row('asm volatile("" ::: "memory");\n'),
};

/** Values of `x`. */
const expressions: Readonly<Record<string, Text>> = {
  sums: row("@", " + "),
  "sums of names": row("x", " + "),
  "products and sums": row("b[@] * x", " + "),
  "sums, nested to the right": nest("@ + (", "x", ")"),
  parentheses: nest("(", "x", ")"),
  minuses: nest("- ", "x", ""),
  nots: nest("!", "x", ""),
  tildes: nest("~", "x", ""),
  casts: nest("(int)", "x", ""),
  "static casts": nest("static_cast<int>(", "x", ")"),
  "conditionals, nested": nest("x > @ ? @ : ", "x", ""),
  "conditionals, nested in conditions": nest("(", "x", " ? 1 : 0)"),
  comparisons: row("x < @", " && "),
  "comparisons of comparisons": row("x", " < "),
  ors: row("x == @", " || "),
  shifts: row("x", " << "),
  commas: (n) => `(${row("@", ", ")(n)}, x)`,
  assignments: nest("x = ", "1", ""),
  "compound assignments": nest("x += (", "1", ")"),
  "calls, nested": nest("f(", "x", ")"),
  "calls, in a row": row("f(@)", " + "),
  "subscripts, nested": nest("b[", "0", "]"),
  "member calls, nested": nest("s.f(", "x", ")"),
  arrows: (n) => `x + (int)(s${n > 0 ? ".next" : ""}${"->next".repeat(n)} == 0)`,
  "derefs and addresses": nest("*&", "x", ""),
  sizeofs: nest("sizeof(", "x", ")"),
  "lambdas, nested": nest("[&] { return ", "x", "; }()"),
  "strings, one after another": (n) => `sizeof(${row('"a@"', " ")(n)})`,
  "long number": (n) => `1${"0".repeat(n)}`,
  "long name": (n) => `x; int ${"y".repeat(n)} = 1`,
  "long string": (n) => `sizeof("${"y".repeat(n)}")`,
  "initialisers, nested": (n) => `0; int z${"[1]".repeat(n)} = ${"{".repeat(n)}1${"}".repeat(n)}`,
  "initialisers, in a row": (n) => `0; int z[] = {${row("@", ", ")(n)}}`,
  "designated initialisers": (n) => `0; struct { int q; } z = {${row(".q = @", ", ")(n)}}`,
};

/** Declarations of files. */
const declarations: Readonly<Record<string, Text>> = {
  functions: row("__device__ int g@(int x) { return x + @; }\n"),
  "functions that call the one before": (n) =>
    `__device__ int g0(int x) { return x; }\n${Array.from({ length: n }, (_, i) => `__device__ int g${i + 1}(int x) { return g${i}(x) + 1; }\n`).join("")}`,
  overloads: row("struct O@ {}; __device__ int g(O@) { return @; }\n"),
  prototypes: row("void g(int x);\n"),
  kernels: row("__global__ void q@(float *a) { a[threadIdx.x] *= 0.5; }\n"),
  "kernels with directives": row("// warplens: grid=(1,1,1) block=(32,1,1)\n__global__ void q@(float *a) { a[threadIdx.x] *= 0.5; }\n"),
  parameters: (n) => `__global__ void q(${row("int p@", ", ")(n)}) {}`,
  "parameters of function type": nest("void g@(int (*h)(", "int", "));\n"),
  pointers: (n) => `int ${"*".repeat(n)}p;`,
  references: (n) => `int ${"&".repeat(n)}p = q;`,
  dimensions: (n) => `int p${"[2]".repeat(n)};`,
  "function pointers, nested": nest("int (*", "p", ")(int)") as Text,
  globals: row("int v@ = @;\n"),
  "constants of constants": (n) =>
    `constexpr int c0 = 1;\n${Array.from({ length: n }, (_, i) => `constexpr int c${i + 1} = c${i} + 1;\n`).join("")}`,
  "constant memory": row("__constant__ float m@[4];\n"),
  structs: row("struct T@ { int v; };\n"),
  "structs, nested": nest("struct T@ { int v; ", "int w;", " };\n"),
  members: (n) => `struct T { ${row("int v@;\n")(n)} };`,
  "member functions": (n) => `struct T { ${row("int v@() { return @; }\n")(n)} };`,
  "bases, in a row": (n) => `${row("struct B@ {};\n")(n)} struct T : ${row("B@", ", ")(n)} {};`,
  "bases, one of another": (n) =>
    `struct B0 { int v; };\n${Array.from({ length: n }, (_, i) => `struct B${i + 1} : B${i} {};\n`).join("")}`,
  "constructor initialisers": (n) => `struct T { ${row("int v@;")(n)} T() : ${row("v@(@)", ", ")(n)} {} };`,
  operators: (n) => `${row("struct O@ {}; int operator+(O@, int);\n")(n)}`,
  enumerators: (n) => `enum E { ${row("e@", ", ")(n)} };`,
  enums: row("enum class E@ { a, b };\n"),
  unions: row("union U@ { int i; float f; };\n"),
  "typedefs of typedefs": (n) => `typedef int T0;\n${Array.from({ length: n }, (_, i) => `typedef T${i} T${i + 1};\n`).join("")}`,
  "namespaces, nested": nest("namespace m@ { ", "int v;", " }"),
  "namespaces, in a row": row("namespace m@ { int v; }\n"),
  "namespaces, once more": row("namespace m { int v@; }\n"),
  "qualified names": (n) => `int v = ${"m::".repeat(n)}x;`,
  "linkages, nested": nest('extern "C" { ', "int v;", " }"),
  "using directives": row("namespace m@ {} using namespace m@;\n"),
  friends: (n) => `struct T { ${row("friend void g@(T);\n")(n)} };`,
  templates: row("template <int N> __device__ int g@() { return N; }\n"),
  "template parameters": (n) => `template <${row("int N@", ", ")(n)}> void g();`,
  "template arguments, in a row": (n) => `template <int... N> struct T {}; T<${row("@", ", ")(n)}> v;`,
  "template arguments, nested": (n) => `template <class U> struct T {}; ${"T<".repeat(n)}int${" >".repeat(n)} v;`,
  "template specialisations": (n) => `template <int N> struct T {};\n${row("template <> struct T<@> { int v; };\n")(n)}`,
  "template heads, nested": nest("template <class T@> ", "struct T {};", ""),
  "instances of a template kernel": (n) =>
    `template <int N> __global__ void t(float *a) { a[threadIdx.x] = N; }\nvoid all(float *a) { ${row("t<@><<<1, 32>>>(a);\n")(n)} }`,
  "recursion of templates": (n) =>
    `template <int N> struct R { static const int v = R<N - 1>::v; }; template <> struct R<0> { static const int v = 1; };\n__device__ int g() { return R<${n}>::v; }`,
  concepts: row("template <class T> concept C@ = sizeof(T) > @;\n"),
  "try and catch": row("void g@() { try { } catch (int) { } }\n"),
  "asm declarations": row('asm("nop");\n'),
  comments: row("// what @ says\n"),
  "block comments": row("/* what @ says */\n"),
  "one long comment": (n) => `/* ${"x ".repeat(n)} */`,
  "directives that cannot be read": row("// warplens: n=\n"),
  suppressions: row("// warplens-disable-next-line double-constant-in-float\n"),
  includes: row("#include <header@.h>\n"),
  defines: row("#define M@ @\n"),
  "defines of defines": (n) => `#define M0 1\n${Array.from({ length: n }, (_, i) => `#define M${i + 1} M${i}\n`).join("")}int v = M${n};`,
  "a macro used": (n) => `#define M(x) int x;\n${row("M(v@)\n")(n)}`,
  "arguments of a macro": (n) => `#define M(...) __VA_ARGS__\nint v[] = { M(${row("@", ", ")(n)}) };`,
  "macro calls, nested": (n) => `#define M(x) (x)\nint v = ${"M(".repeat(n)}1${")".repeat(n)};`,
  "a macro that doubles": (n) => `#define M(x) x x\n${"M(".repeat(n)};${")".repeat(n)}`,
  "pasted tokens": (n) => `#define P(a, b) a##b\n${row("int P(v, @);\n")(n)}`,
  "conditions, nested": nest("#if 1\n", "int v;\n", "#endif\n"),
  "conditions, in a row": row("#if @ > 3\nint v@;\n#else\nint w@;\n#endif\n"),
  elifs: (n) => `#if 0\n${row("#elif 0\n")(n)}#endif`,
  "terms of a condition": (n) => `#if ${row("@", " + ")(n)}\nint v;\n#endif`,
  "parentheses of a condition": (n) => `#if ${"(".repeat(n)}1${")".repeat(n)}\nint v;\n#endif`,
  "spliced lines": (n) => `int v = 1 ${"\\\n".repeat(n)};`,
  "blank lines": (n) => "\n".repeat(n),
  blanks: (n) => " ".repeat(n),
  "open braces": (n) => "{".repeat(n),
  "close braces": (n) => "}".repeat(n),
  "open parentheses": (n) => `int v = ${"(".repeat(n)};`,
  "open brackets": (n) => `int v = ${"x[".repeat(n)};`,
  "open angles": (n) => `int v = ${"x<".repeat(n)};`,
  "open quotes": (n) => "'\" ".repeat(n),
  words: (n) => "word ".repeat(n),
  semicolons: (n) => ";".repeat(n),
  hashes: (n) => "# ".repeat(n),
};

/** Of kernels and of host code alone. */
const ofKernels: Readonly<Record<string, Text>> = {
  "loads and stores": row("a[i + @] = b[i * @];\n"),
  "shared arrays": row("__shared__ int t@[8]; t@[i & 7] = x; x += t@[0];\n"),
  "cases that store and fall through": (n) => `switch (n) { ${row("case @: b[@] = 1;\n")(n)} }`,
  barriers: row("__syncthreads();\n"),
  atomics: row("atomicAdd(&b[@], 1);\n"),
  shuffles: row("x += __shfl_xor_sync(0xffffffff, x, 1);\n"),
  "divergent ifs, nested": nest("if (i & @) { ", "a[i] = 1;", " }"),
  math: row("a[i] += sqrtf(a[i]) * 0.5;\n"),
  "chain of sums": (n) => `${row("x = x * 3 + b[@];\n")(n)}`,
  ptx: row('asm volatile("add.s32 %0, %0, 1;" : "+r"(x));\n'),
};
const ofHost: Readonly<Record<string, Text>> = {
  launches: row("k<<<@, 32>>>(a, @);\n"),
  "launches of a loop": (n) => `for (int j = 0; j < ${n}; j++) k<<<j + 1, 32>>>(a, j);`,
  allocations: row("float *p@; cudaMalloc(&p@, 64);\n"),
  copies: row("cudaMemcpy(a, b, 64, cudaMemcpyHostToDevice);\n"),
  "rounds of a loop": (n) => `for (int j = 0; j < ${n}; j++) x = (x * 3 + 1) % 1000;`,
  vectors: row("std::vector<int> v@(@); x += v@.size();\n"),
  "a vector that grows": (n) => `std::vector<int> v; for (int j = 0; j < ${n}; j++) v.push_back(j); x = v.size();`,
  news: row("int *q@ = new int[4]; delete[] q@;\n"),
  "range fors": row("for (int y : b) x += y;\n"),
  throws: row("if (x < 0) throw @;\n"),
  "calls of calls": (n) => `struct R { static int g(int d) { return d <= 0 ? 1 : g(d - 1); } }; x = R::g(${n});`,
};

const of = (where: string, all: Readonly<Record<string, Text>>, within: (text: Text) => Text): Construct[] =>
  Object.entries(all).map(([name, text]) => ({ name: `${name}${where}`, source: within(text) }));
const asValue =
  (within: (text: Text) => Text) =>
  (text: Text): Text =>
    within((n) => `x = ${text(n)};`);

export const constructs: readonly Construct[] = [
  ...of("", declarations, inFile),
  ...of(" (kernel)", statements, inKernel),
  ...of(" (kernel)", ofKernels, inKernel),
  ...of(" (host)", statements, inHost),
  ...of(" (host)", ofHost, inHost),
  ...of(" (kernel)", expressions, asValue(inKernel)),
  ...of(" (host)", expressions, asValue(inHost)),
];
