import { describe, expect, test } from "vitest";
import { outlineOf, type SourceOutline } from "./source-outline.ts";

const namesIn = (set: ReadonlySet<string>): string => [...set].sort().join(" ");

describe("functions", () => {
  test.each([
    ["int f(int a) { }", "f"],
    ["static inline float *f (int a)\n{", "f"],
    ["template <class T> T &f(T a) const noexcept {", "f"],
    ["void ns::inner::f() {", "f"],
    ["std::vector<int> f(std::pair<int, int> p) {", "f"],
    ["A::A(int n) : size(n) {}", ""],
    ["int f(int a);", ""],
    ["x = f(1);", ""],
    ["f(1) {", ""],
    ["void operator()(int i) {", "operator()"],
    ["T &operator[](int i) {", "operator[]"],
    ['// int f() {\n/* int g() { */ "int h() {"', ""],
  ])("%s", (text, names) => expect(namesIn(outlineOf(text).functions)).toBe(names));
});

test.each<[keyof SourceOutline, string, string]>([
  ["bodies", "f(int a) { g() { if (x) { h((1)) {", "f g"],
  ["bodies", "A::A() : x(1) { } A::~A() {", "A x"],
  ["methods", "void A::f(int a) { B<int, C<2>>::g(); A::~A() {} A::operator[](int i) {", "A::f A::operator[] A::~A B::g"],
  ["methods", "std::vector<A::Type>::resize(1); x::y::z(", "vector::resize y::z"],
  ["variables", "int a = 1, *b, c[N][2], d;\nextern int e;\nextern int f = 1;\n", "a b c d f"],
  ["variables", "Matrix m(1);\nMatrix<float> n{1};\nx + y;\n", "m n"],
  ["launched", "k<<<1, 2>>>(a); t<float, V<2>><<<g, b>>>(); f<<2; ns::n<<<1,1>>>()", "k n t"],
  ["words", "a1 /* b */ \"c\" 'd' _e", "_e a1"],
])("%s of %s", (part, text, names) => expect(namesIn(outlineOf(text)[part] as ReadonlySet<string>)).toBe(names));

test.each([
  ["int main(int argc, char **argv) {", true],
  ["// main()\ndomain(1); main;", false],
])("%s: %s", (text, has) => expect(outlineOf(text).hasMain).toBe(has));

const pieces = [
  "x[",
  "int x[",
  "x[]",
  "f(",
  "int f(int a) ",
  "A<",
  "A<B>::f(",
  "a::",
  "operator",
  "extern int x ",
  "int f() {",
  ">",
  "<<<",
  "main (",
  '"',
  "/*",
  'R"(',
  "~",
];
test.each(pieces)("a megabyte of %j takes one pass, and what stands behind is found where it can be", (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  const hides = ['"', "/*", 'R"('].includes(piece);
  expect(outlineOf(`${text}\n;}\nint last() {}`).functions.has("last")).toBe(!hides || piece === '"');
});
