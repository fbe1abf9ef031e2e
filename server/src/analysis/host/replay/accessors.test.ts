/** Loops that fill arrays through operators of their classes. */
import { beforeAll, expect, test } from "vitest";
import { elementAt } from "../testing/elements.ts";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const count = 6000;
const classes = `struct Plain { int *p; int n; explicit Plain(int n_) : n(n_) { p = (int *)malloc(n_ * sizeof(int)); } int &operator[](size_t at) { return p[at]; } };
struct Sure { int *p; Sure(int n) { p = new int[n]; } int &operator[](int at) { return *(this->p + at); } int operator[](int at) const { return *(this->p + at); } };
template <class T> struct Matrix { std::vector<T> data; int rows, columns; Matrix(int r, int c) : data(r * c), rows(r), columns(c) {} T &operator()(int r, int c) { return data[r * columns + c]; } };
struct Guarded { int *p; int n, asked = 0; Guarded(int n_) : n(n_) { p = (int *)malloc(n_ * sizeof(int)); } int &operator[](int at) { asked++; return p[at]; } };
struct Byte { int *p; Byte(int n) { p = new int[n]; } int &operator[](unsigned char at) { return p[at]; } };
struct Unused { int *p; Unused(int n) { p = new int[n]; } int &operator()(int, int at) { return p[at]; } };
struct Other { int *p, *q; Other(int n) { p = new int[n]; q = new int[n]; } int &operator[](int at) { return p[at]; } int operator[](int at) const { return q[at]; } };
struct Valued { float *p; Valued(int n) { p = new float[n]; } int operator[](int at) const { return p[at]; } };
struct Real { int *p; Real(int n) { p = new int[n]; } int &operator[](float at) { return p[(int)(at * 2)]; } };
template <class T> struct Special { T *p; Special(int n) { p = new T[n]; } T &operator[](int at) { return p[at]; } };
template <> struct Special<float> { float *p; Special(int n) { p = new float[n]; } float &operator[](int at) { return p[at + 9]; } };
struct Derived : Plain { explicit Derived(int n) : Plain(n) {} int &operator[](size_t at) { return p[at ^ 1]; } };
struct Twice { int *p; Twice(int n) { p = (int *)malloc(n * sizeof(int)); } int &operator[](int at) { return p[at + at - at]; } };`;

function filled(code: string, from: string) {
  const upload = `int *d; cudaMalloc(&d, ${count} * sizeof(int)); cudaMemcpy(d, ${from}, ${count} * sizeof(int), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const [fact] = launchesOf(
    `#include <vector>\n__global__ void k(const int *p) {}\n${classes}\nint main() { unsigned s = 3; const int n = ${count}; ${code} ${upload} }`,
  );
  const content = fact?.launch?.buffers[0]?.content;
  return Array.from({ length: count }, (_, index) => elementAt(content, index, 4));
}

const drawn = (): readonly number[] => {
  let state = 3;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  });
};
const draw = "s = s * 1664525u + 1013904223u;";

test.each([
  ["an index", `Plain h(n); for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 16; }`, "h.p"],
  ["an index that counts on", `Plain h(n); int at = 0; while (at < n) { ${draw} h[at++] = s >> 16; }`, "h.p"],
  [
    "an index of what is constant, too",
    `Sure h(n); for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 17; h[i] += h[i] + (s >> 16 & 1); }`,
    "h.p",
  ],
  [
    "a row and a column",
    `Matrix<int> m(60, 100); for (int r = 0; r < 60; r++) for (int c = 0; c < m.columns; c++) { ${draw} m(r, c) = s >> 16; }`,
    "m.data.data()",
  ],
  [
    "an index of a byte",
    `Byte b(256); Plain h(n); for (int i = 0; i < 256; i++) { ${draw} b[i] = s >> 16; } s = 3; for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 16; if (i < 256) h[i] = b[i + 256]; }`,
    "h.p",
  ],
  [
    "a class written for a type",
    `Special<int> h(n); Special<float> f(100); for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 16; } f[3] = h[4];`,
    "h.p",
  ],
  [
    "an argument that is not read",
    `Unused h(n); int k = 0; for (int i = 0; i < n; i++) { ${draw} h(k++, i) = s >> 16; } h(0, 0) += k == n ? 0 : 1;`,
    "h.p",
  ],
  [
    "one that picks another where it is constant",
    `Other o(n); const Other &c = o; Plain h(n); for (int i = 0; i < n; i++) { ${draw} o.q[i] = s >> 16; o[i] = 1; } for (int i = 0; i < n; i++) h[i] = c[i];`,
    "h.p",
  ],
  [
    "what is converted on its way out",
    `Valued v(n); Plain h(n); for (int i = 0; i < n; i++) { ${draw} v.p[i] = (s >> 16) + 0.5f; } for (int i = 0; i < n; i++) h[i] = v[i] * 1.0f;`,
    "h.p",
  ],
  ["an index that is no whole number", `Real h(2 * n); for (int i = 0; i < n; i++) { ${draw} h[i * 0.5f] = s >> 16; }`, "h.p"],
  ["the operator of a base, by a reference", `Derived d(n); Plain &b = d; for (int i = 0; i < n; i++) { ${draw} b[i] = s >> 16; }`, "d.p"],
  ["what it does besides", `Guarded h(n); for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 16; }`, "h.p"],
  ["an argument that it reads several times", `Twice h(n); for (int i = 0; i < n; i++) { ${draw} h[i] = s >> 16; }`, "h.p"],
])("%s", (_, code, from) => {
  const expected = drawn();
  const made = filled(code, from);
  // What is not known is no other number.
  expect(made.filter((value, k) => !Number.isNaN(value) && value !== expected[k])).toEqual([]);
  expect(made.some(Number.isNaN)).toBe(/Guarded|Twice|Unused|Other|Valued|Real|Derived/.test(code));
});
