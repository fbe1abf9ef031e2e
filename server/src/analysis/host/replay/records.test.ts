/**
 * What arrays of records hold, against what g++ 13 (-O1 -fwrapv) leaves in them. `digests` are of one number of each record: its type (float,
 * int, unsigned char, double, short, unsigned short by their letter) and where it stands in the record, in bytes.
 */
import { beforeAll, expect, test } from "vitest";
import { digestOf, elementAt } from "../testing/elements.ts";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

interface Row {
  readonly name: string;
  readonly type: string;
  /** What stands in front of `main`. */
  readonly before: string;
  readonly count: number;
  readonly code: string;
  /** Where the array is, behind the code. */
  readonly data: string;
  readonly digests: Readonly<Record<string, number>>;
}

const rows: readonly Row[] = [
  {
    name: "members through a pointer",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\n",
    count: 300,
    code: "S* h = (S*)malloc(n * sizeof(S)); for (int i = 0; i < n; i++) { h[i].x = rand() % 1000 * 0.5f; h[i].m = i * i % 7; }",
    data: "h",
    digests: { f0: 1760516517, i16: 759114149 },
  },
  {
    name: "a whole record",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "S* h = new S[n]; for (int i = 0; i < n; i++) h[i] = S{rnd(), rnd(), rnd(), rnd(), i};",
    data: "h",
    digests: { f0: -311285369, f4: -1481855099, f8: 879662102, f12: -620831847, i16: 950954405 },
  },
  {
    name: "vectors that are made",
    type: "float4",
    before: "static float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "float4* h = new float4[n]; for (int i = 0; i < n; i++) h[i] = make_float4(rnd(), rnd(), i, 1.0f);",
    data: "h",
    digests: { f0: -250750388, f4: 1325314880, f8: 950954405, f12: 1710172581 },
  },
  {
    name: "a list of vectors",
    type: "float4",
    before: "static float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<float4> v; for (int i = 0; i < n; i++) v.push_back({rnd(), rnd(), 2.0f * i, 1.0f});",
    data: "v.data()",
    digests: { f0: 1325314880, f4: -250750388, f8: 849242533, f12: 1710172581 },
  },
  {
    name: "elements by reference",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (auto& s : v) { s.x = rnd(); s.r = 2 * s.x; s.m = s.x > 0.5f ? 1 : 2; }",
    data: "v.data()",
    digests: { f0: -749908833, f12: -487764833, i16: 1564420517 },
  },
  {
    name: "a reference to one",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (int i = 0; i < n; i++) { S& s = v[n - 1 - i]; s.x = rnd(); s.r = i; s.m++; }",
    data: "v.data()",
    digests: { f0: -757442769, f12: 1500309925, i16: 1710172581 },
  },
  {
    name: "a record of its own",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (int i = 0; i < n; i++) { S s = {rnd(), 2.0f, 3.0f}; s.m = i; v[i] = s; }",
    data: "v.data()",
    digests: { f0: -749908833, f4: 709831077, f8: 10430885, f12: 709831077, i16: 950954405 },
  },
  {
    name: "records within",
    type: "N",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstruct N { vec3 c; float r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<N> v(n); for (int i = 0; i < n; i++) { v[i].c.x = rnd(); v[i].c.y = v[i].c.x * 2; v[i].c.z = i; v[i].r = rnd(); v[i].m = -i; }",
    data: "v.data()",
    digests: { f0: 1325314880, f4: -379669696, f8: 950954405, f12: -250750388, i16: -1196529243 },
  },
  {
    name: "constructors",
    type: "N",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstruct N { vec3 c; float r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<N> v(n); auto f = [] { return rand() / (float)RAND_MAX; }; for (auto& s : v) { s.c = vec3(10 * f() - 5, 6 * f() - 3, -4 - 10 * f()); s.r = 0.15f + 0.5f * f(); s.m = 3; }",
    data: "v.data()",
    digests: { f0: 1810760676, f4: 802361296, f8: -1272223954, f12: 924175864, i16: 10430885 },
  },
  {
    name: "constructors with bodies",
    type: "N",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstruct N { vec3 c; float r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "N* h = new N[n]; for (int i = 0; i < n; i++) h[i] = {vec3(rnd()), 1.5f, i};",
    data: "h",
    digests: { f0: -749908833, f4: -749908833, f8: -487764833, f12: 262089125, i16: 950954405 },
  },
  {
    name: "lists for constructors",
    type: "N",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstruct N { vec3 c; float r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "N* h = new N[n]; for (int i = 0; i < n; i++) { h[i].c = vec3{rnd(), rnd(), rnd()}; h[i].r = h[i].c.x; h[i].m = 1; }",
    data: "h",
    digests: { f0: 985441315, f4: -1436798865, f8: -876778310, f12: 985441315, i16: 1710172581 },
  },
  {
    name: "an array within",
    type: "A",
    before: "struct A { float p[4]; int k; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "A* h = new A[n]; for (int i = 0; i < n; i++) { for (int j = 0; j < 4; j++) h[i].p[j] = rnd() * j; h[i].k = i; h[i].p[i % 4] += 1.0f; }",
    data: "h",
    digests: { f0: 1082075557, f4: 2084880029, f8: -1479615246, f12: 681596748, i16: 950954405 },
  },
  {
    name: "through an arrow",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "S* h = new S[n]; for (int i = 0; i < n; i++) { (h + i)->x = rnd(); (*(h + i)).m = 2 * i; }",
    data: "h",
    digests: { f0: -749908833, i16: 849242533 },
  },
  {
    name: "a nest",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 400,
    code: "S* h = new S[n]; for (int y = 0; y < 20; y++) for (int x = 0; x < 20; x++) { h[y * 20 + x].x = x + 0.1f * rnd(); h[y * 20 + x].y = y; h[y * 20 + x].m = 0; }",
    data: "h",
    digests: { f0: 1924007292, f4: 63864901, i16: 1202225221 },
  },
  {
    name: "a running index",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "S* h = new S[n]; int at = 0; while (at < n) { float x = rnd(); if (x < 0.3f) continue; S s; s.x = x; s.m = at; h[at++] = s; }",
    data: "h",
    digests: { f0: -2128845721, i16: 950954405 },
  },
  {
    name: "a copy of another array",
    type: "float4",
    before: "static float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "struct B { float x, y; int k; }; std::vector<B> b(n); for (auto& e : b) { e.x = rnd(); e.y = rnd(); e.k = rand() % 9; } std::vector<float4> v; for (auto& e : b) v.push_back(make_float4(e.x, e.y, e.k, 0));",
    data: "v.data()",
    digests: { f0: 985441315, f4: -1436798865, f8: -1469109851, f12: 709831077 },
  },
  {
    name: "sorted by a member",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (int i = 0; i < n; i++) { v[i].x = rnd(); v[i].m = i; } std::sort(v.begin(), v.end(), [](const S& a, const S& b) { return a.x < b.x; });",
    data: "v.data()",
    digests: { f0: -1905087081, i16: 1292151205 },
  },
  {
    name: "bytes",
    type: "uchar4",
    before: "",
    count: 300,
    code: "uchar4* h = new uchar4[n]; for (int i = 0; i < n; i++) h[i] = make_uchar4(rand() % 256, rand() & 255, i, 255);",
    data: "h",
    digests: { u0: -238163547, u1: 1947691429, u2: -1243977307, u3: 1823467941 },
  },
  {
    name: "doubles and halves of words",
    type: "D",
    before: "struct D { double e; short a; unsigned short b; unsigned char c; };\n",
    count: 300,
    code: "std::vector<D> v(n); for (int i = 0; i < n; i++) { v[i].e = rand() / 7.0; v[i].a = rand(); v[i].b = rand(); v[i].c = rand(); }",
    data: "v.data()",
    digests: { d0: 762694622, s8: 901394213, t10: 19869157, u12: 1817512357 },
  },
  {
    name: "a base class",
    type: "D",
    before: "struct B { float x; int k; };\nstruct D : B { float y; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "D* h = new D[n]; for (int i = 0; i < n; i++) { h[i].x = rnd(); h[i].k = i; h[i].y = h[i].x + i; }",
    data: "h",
    digests: { f0: -749908833, i4: 950954405, f8: 1345228865 },
  },
  {
    name: "a record of the host",
    type: "N",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstruct N { vec3 c; float r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "vec3 o(1, 2, 3); N* h = new N[n]; for (int i = 0; i < n; i++) { h[i].c = o; h[i].c.x += rnd(); h[i].r = o.y; h[i].m = 0; }",
    data: "h",
    digests: { f0: 1798740555, f4: 709831077, f8: 10430885, f12: 709831077, i16: 709831077 },
  },
  {
    name: "single elements",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\n",
    count: 3,
    code: "S h[3] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}; h[2].x = 5; h[1].m = 77;",
    data: "h",
    digests: { f0: -1473542243, f4: -1968470115, f8: -577796195, f12: 530941853, i16: 495372189 },
  },
  {
    name: "single elements behind a loop",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (auto& s : v) { s.x = rnd(); s.m = 1; } v[3].x = 5; v[7].m = 99;",
    data: "v.data()",
    digests: { f0: -91602893, i16: -2059081307 },
  },
  {
    name: "swapped",
    type: "S",
    before: "struct S { float x, y, z, r; int m; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<S> v(n); for (int i = 0; i < n; i++) { v[i].x = rnd(); v[i].m = i; } for (int i = n - 1; i > 0; i--) { int j = rand() % (i + 1); S t = v[i]; v[i] = v[j]; v[j] = t; }",
    data: "v.data()",
    digests: { f0: -226502569, i16: -1457608283 },
  },
  {
    name: "emplaced",
    type: "vec3",
    before:
      "struct vec3 { float x, y, z; vec3() {} vec3(float a, float b, float c) : x(a), y(b), z(c) {} explicit vec3(float s) { x = y = s; this->z = 2 * s; } };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<vec3> v; for (int i = 0; i < n; i++) v.emplace_back(rnd(), rnd(), 4.0f);",
    data: "v.data()",
    digests: { f0: -250750388, f4: 1325314880, f8: 544156069 },
  },
  {
    name: "structured bindings",
    type: "E",
    before: "struct E { int u, v; float w; };\nstatic float rnd() { return rand() / (float)RAND_MAX; }\n",
    count: 300,
    code: "std::vector<E> g; for (int i = 0; i < n; i++) g.push_back({rand() % 50, rand() % 50, rnd()}); std::vector<E> h; for (auto [u, v, w] : g) h.push_back({v, u, w + 1});",
    data: "h.data()",
    digests: { i0: 212347301, i4: -671209051, f8: 1293957560 },
  },
];

test.each(rows.map((row) => [row.name, row] as const))("%s", (_, { type, before, count, code, data, digests }) => {
  const upload = `${type} *d; cudaMalloc(&d, n * sizeof(${type})); cudaMemcpy(d, ${data}, n * sizeof(${type}), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const includes = "#include <vector>\n#include <algorithm>\n#include <cstdlib>\n";
  const body = `const int n = ${count}; srand(7); ${code} ${upload}`;
  const [fact] = launchesOf(`${includes}${before}__global__ void k(const ${type} *p) {}\nint main() { ${body} }`);
  const content = fact?.launch?.buffers[0]?.content;
  const found = Object.keys(digests).map((place) => {
    const offset = Number(place.slice(1));
    return [place, digestOf((index) => memberAt(content, index, offset), count)];
  });
  expect(Object.fromEntries(found)).toEqual(digests);
});

function memberAt(content: Parameters<typeof elementAt>[0], index: number, offset: number): number {
  if (content?.kind !== "records") return elementAt(content, index);
  return elementAt(content.members.find((member) => member.offset === offset)?.content, index);
}
