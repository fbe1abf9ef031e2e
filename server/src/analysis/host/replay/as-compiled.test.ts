/**
 * What arrays hold, against what g++ 13 (-O1 -fwrapv) leaves in them: overflow, unsigned wrap, rounding to float, signed division, order of
 * stores. The last number of a row is the digest of what the compiled program printed.
 */
import { beforeAll, expect, test } from "vitest";
import { digestOf, elementAt } from "../testing/elements.ts";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

type Row = readonly [name: string, type: string, elements: number, code: string, digest: number, before?: string];

/** Each fills `h`, which has `n` elements. */
const programs: readonly Row[] = [
  ["div14", "int", 131072, "for (int i = 0; i < n; i++) h[i] = i / 14;", 597117893],
  ["hash", "int", 131072, "for (int i = 0; i < n; i++) h[i] = (int)((i * 2654435761u) >> 12) % 300000;", 930711941],
  ["size t", "float", 131072, "for (size_t i = 0; i < n; i++) h[i] = (float)((i * 48271) % 65521) / 65521.f;", -2137323750],
  [
    "neighbours",
    "int",
    262144,
    "int m = n / 64; std::vector<int> number(m); for (int i = 0; i < m; i++) { number[i] = 24 + i % 17; for (int k = 0; k < 64; k++) h[k * m + i] = (i + (k - 32) * 5 + m) % m; }",
    729333189,
  ],
  [
    "signed div",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = (i - 1000000) / 7 * 3 + (i - 1000000) % 7 - ((500 - i) >> 3);",
    668943301,
  ],
  ["overflow", "int", 131072, "for (int i = 0; i < n; i++) h[i] = (int)((unsigned)i * 40503u * 977u) ^ (i << 7);", -725499965],
  ["char", "signed char", 131072, "for (int i = 0; i < n; i++) h[i] = i * 3 - 70;", -1081303611],
  ["ushort", "unsigned short", 131072, "for (long i = 0; i < n; i++) h[i] = (unsigned short)(i * 77 + 5);", 1815208645],
  ["doublesum", "double", 131072, "for (int i = 0; i < n; i++) h[i] = 0.1 * i + 1.0 / (i + 1) - sqrt((double)i);", 298444811],
  ["floatround", "float", 131072, "for (int i = 0; i < n; i++) { float x = i * 0.001f; h[i] = x * x - 3.0 * x + 1; }", -154102446],
  ["stride3", "float", 120000, "for (int i = 0; i < n / 3; i++) { h[3*i] = i % 100; h[3*i+1] = i / 100; h[3 * i + 2] = -i; }", 125034437],
  [
    "rows",
    "int",
    307200,
    "for (int y = 0; y < 150; y++) { int base = y * 7; for (int x = 0; x < 2048; x++) h[y * 2048 + x] = base + x % 9; }",
    -1322605115,
  ],
  ["cols", "int", 300000, "for (int x = 0; x < 1000; x++) for (int y = 0; y < 300; y++) h[y * 1000 + x] = x * y;", -412853663],
  [
    "cond",
    "int",
    131072,
    "for (int i = 0; i < n; i++) { if (i % 5 == 2) h[i] = -1; else if (i & 8) h[i] = i; else h[i] = n - i; }",
    -949231483,
  ],
  [
    "skip",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = 3; for (int i = 0; i < n; i++) { if (i % 5 == 2) continue; h[i] = i; }",
    1408008229,
  ],
  ["inplace", "int", 131072, "for (int i = 0; i < n; i++) h[i] = i % 13; for (int i = 0; i < n; i++) h[i] = h[i] * h[i] + 1;", -996844091],
  ["own", "int", 131072, "std::vector<int> g(n); for (int i = 0; i < n; i++) { g[i] = i % 11; h[i] = g[i] + 5; }", -1713070651],
  [
    "other",
    "int",
    131072,
    "std::vector<int> g(n); for (int i = 0; i < n; i++) g[i] = (i * 17u) % n; for (int i = 0; i < n; i++) h[i] = g[n - 1 - i] + g[g[i]];",
    -304766907,
  ],
  [
    "function",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = mix(i, 7);",
    2062592613,
    "static int mix(int a, int b) { unsigned x = a; x ^= x >> 16; x *= 0x45d9f3bu; x ^= x >> 16; if (x & 1) return (int)x % b; return (int)x; }\n",
  ],
  [
    "reduction",
    "float",
    131072,
    "for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < 10; k++) s += 1.f / (i + k + 1); h[i] = s; }",
    674198459,
  ],
  ["over", "int", 131072, "for (int r = 0; r < 4; r++) for (int i = 0; i < n; i++) h[i] = i * (r + 1);", -498000443],
  ["two", "int", 131072, "for (int i = 0; i < n - 1; i++) { h[i] = i; h[i + 1] = -5; }", 11774549],
  [
    "break inner",
    "int",
    131072,
    "for (int i = 0; i < n; i++) { int k = 0; for (k = 0; k < 20; k++) if ((i >> k) % 3 == 2) break; h[i] = k; }",
    -770925115,
  ],
  [
    "triangle",
    "int",
    90000,
    "for (int i = 0; i < n; i++) h[i] = 7; for (int i = 0; i < 300; i++) for (int j = i; j < 300; j++) h[i * 300 + j] = i - j;",
    776187973,
  ],
  ["alias shift", "int", 262144, "int *p = h + 1; h[0] = 5; for (int i = 0; i < n - 1; i++) p[i] = h[i] + i % 3;", -1254815107],
  ["alias two", "int", 131072, "int *p = h + n / 2; for (int i = 0; i < n / 2; i++) { h[i] = i; p[i] = -i; }", -196502075],
  [
    "overlap",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = 0; for (int i = 0; i < n / 2; i++) { h[2 * i] = i; h[i] = -i; }",
    -1069474363,
  ],
  [
    "reverse",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = i * 3; for (int i = 0; i < n / 2; i++) { int t = h[i]; h[i] = h[n - 1 - i]; h[n - 1 - i] = t; }",
    865188505,
  ],
  [
    "live out",
    "int",
    131072,
    "int last = 0, other = 3; for (int i = 0; i < n; i++) { last = i % 1000; h[i] = last * 2; } for (int i = 0; i < n; i++) h[i] += last;",
    965340101,
  ],
  ["carried late", "int", 131072, "int before = 9; for (int i = 0; i < n; i++) { h[i] = before; before = i * 2; }", -2011520459],
  ["unsigned down2", "unsigned", 131072, "for (unsigned i = n; i > 0; --i) h[i - 1] = (i - 70000u) / 7u;", 1149388684],
  ["ne", "int", 131072, "for (int i = 0; i != n; i += 2) { h[i] = i; h[i + 1] = ~i; }", -567206459],
  ["short counter", "short", 30000, "for (short i = 0; i < n; ++i) h[i] = i * i;", 13672197],
  [
    "ref param",
    "int",
    131072,
    "for (int i = 0; i < n; i++) { int a = i, b; split(a, b); h[i] = a * 10 + b; }",
    -1820685092,
    "static int split(int &a, int &b) { b = a % 7; if (b == 3) return 0; a /= 7; return 1; }\n",
  ],
  [
    "fn return",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = clampit(i - 1000, -5, 100000);",
    -2081130811,
    "static int clampit(int v, int lo, int hi) { if (v < lo) return lo; if (v > hi) return hi; return v; }\n",
  ],
  [
    "fill fn",
    "int",
    131072,
    "fillit(h, n, 3); fillit(h + n / 2, n / 4, 5);",
    328975525,
    "static void fillit(int *p, int count, int f) { for (int i = 0; i < count; i++) p[i] = i * f; }\n",
  ],
  [
    "template",
    "float",
    131072,
    "fillit<float>(h, n); std::vector<int> g(n); fillit<int>(g.data(), n); for (int i = 0; i < n; i++) h[i] += g[i];",
    468120322,
    "template <typename T> void fillit(T *p, int count) { for (int i = 0; i < count; i++) p[i] = (T)(i * 0.7); }\n",
  ],
  [
    "shift count",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = (1 << (i % 31)) - (i >> (i % 20)) + (int)(0xf0000000u >> (i % 32));",
    -1143128277,
  ],
  ["neg mod", "int", 131072, "for (int i = 0; i < n; i++) h[i] = (100 - i) % 17 + (-i) / 5;", 743507205],
  [
    "uchar wrap",
    "int",
    131072,
    "for (int i = 0; i < n; i++) { unsigned char c = i * 5; signed char d = i * 9; h[i] = c - d; }",
    -359883323,
  ],
  ["bool", "int", 131072, "for (int i = 0; i < n; i++) { bool b = i & 6; h[i] = b + !b * 7 + (i > 5 && i % 3 || i == 2); }", -1982554683],
  ["float int", "int", 131072, "for (int i = 0; i < n; i++) h[i] = (int)(i * 0.37f) + (int)(-i * 1.9);", 468081765],
  ["double mixed", "float", 131072, "for (int i = 0; i < n; i++) { double d = i; d /= 3; h[i] = d + 0.1f * i; }", 1097467840],
  [
    "transpose",
    "int",
    63000,
    "std::vector<int> g(n); for (int i = 0; i < n; i++) g[i] = i * 7 % 1001; for (int y = 0; y < 90; y++) for (int x = 0; x < 700; x++) h[x * 90 + y] = g[y * 700 + x];",
    1235380101,
  ],
  [
    "pitch",
    "int",
    102800,
    "memset(h, 0, n * 4); for (int y = 0; y < 100; y++) for (int x = 0; x < 1024; x++) h[y * 1028 + x] = x + y;",
    1588009029,
  ],
  [
    "border",
    "int",
    262144,
    "for (int y = 0; y < 512; y++) for (int x = 0; x < 512; x++) { if (x == 0 || y == 0 || x == 511 || y == 511) h[y * 512 + x] = 100; else h[y * 512 + x] = 0; }",
    -628711995,
  ],
  [
    "inner perhaps",
    "int",
    262144,
    "for (int i = 0; i < n; i++) h[i] = 4; for (int i = 0; i < 512; i++) { if (i % 3 == 1) continue; for (int j = 0; j < 512; j++) h[i * 512 + j] = j; }",
    -1749983803,
  ],
  [
    "count",
    "int",
    131072,
    "int c = 0; for (int i = 0; i < n; i++) { if (i % 3 == 0) { h[c] = i; c++; } } for (int i = c; i < n; i++) h[i] = -1;",
    1572825221,
  ],
  ["sort", "int", 131072, "for (int i = 0; i < n; i++) h[i] = (int)((i * 2654435761u) >> 12) % 300000; std::sort(h, h + n);", -1301788107],
  ["sort parts", "int", 65536, "for (int i = 0; i < n; i++) h[i] = (i * 7919) % 65536; std::sort(h, h + n / 2);", -1538381883],
];

const bytesOf: Readonly<Record<string, number>> = { "signed char": 1, short: 2, "unsigned short": 2, double: 8 };

test.each(programs.map((row) => [row[0], row] as const))("%s", (_, [, type, elements, code, digest, before = ""]) => {
  const body = `const int n = ${elements}; ${type} *h = (${type} *)malloc(n * sizeof(${type})); ${code}`;
  const upload = `${type} *d; cudaMalloc(&d, n * sizeof(${type})); cudaMemcpy(d, h, n * sizeof(${type}), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const [fact] = launchesOf(`#include <vector>\n${before}__global__ void k(const ${type} *p) {}\nint main() { ${body} ${upload} }`);
  const content = fact?.launch?.buffers[0]?.content;
  expect(digestOf((index) => elementAt(content, index, bytesOf[type] ?? 4), elements)).toBe(digest);
});
