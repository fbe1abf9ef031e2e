/**
 * What arrays hold, against what g++ 13 (-O1 -fwrapv) leaves in them: overflow, unsigned wrap, rounding to float, signed division, order of
 * stores. The last number of a row is the digest of what the compiled program printed.
 */
import { beforeAll, expect, test, vi } from "vitest";
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

/** Loops that take long, and are compiled: each turn rests on the one before. */
const compiled: readonly Row[] = [
  [
    "lcg32",
    "int",
    131072,
    "unsigned s = 1; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = (s >> 8) % 1000; }",
    1530731973,
  ],
  [
    "lcg64",
    "unsigned",
    131072,
    "unsigned long long s = 42; for (int i = 0; i < n; i++) { s = s * 6364136223846793005ULL + 1442695040888963407ULL; h[i] = s >> 33; }",
    590639837,
  ],
  [
    "xorshift32",
    "unsigned",
    131072,
    "unsigned x = 2463534242u; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; h[i] = x; }",
    -1623997368,
  ],
  [
    "xorshift64",
    "int",
    131072,
    "unsigned long long x = 88172645463325252ULL; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; h[i] = (int)(x % 1000003) - 500000; }",
    1662270533,
  ],
  [
    "splitmix64",
    "double",
    131072,
    "uint64_t s = 7; for (int i = 0; i < n; i++) { s += 0x9E3779B97F4A7C15ULL; uint64_t z = s; z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL; z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL; z ^= z >> 31; h[i] = (z >> 11) * (1.0 / 9007199254740992.0); }",
    1889064666,
    "#include <cstdint>\n",
  ],
  [
    "pcg32",
    "unsigned",
    131072,
    "uint64_t state = 0x853c49e6748fea9bULL; for (int i = 0; i < n; i++) { uint64_t old = state; state = old * 6364136223846793005ULL + (0xda3e39cb94b95bdbULL | 1); uint32_t x = (uint32_t)(((old >> 18u) ^ old) >> 27u); uint32_t rot = old >> 59u; h[i] = (x >> rot) | (x << ((-rot) & 31)); }",
    598125775,
    "#include <cstdint>\n",
  ],
  [
    "signed sums",
    "int",
    131072,
    "long long s = 0; int last = 3; for (int i = 0; i < n; i++) { s += (last * 7919 - i) % 1013 - 500; last = (int)(s / 3 - (s >> 4)) % 20011; h[i] = last; }",
    -794499323,
  ],
  [
    "float walk",
    "float",
    131072,
    "float x = 0.5f; for (int i = 0; i < n; i++) { x = 3.7f * x * (1.0f - x); h[i] = (float)(int)(x * 1000) / 1000.0f + x * 0.1; }",
    -327765618,
  ],
  [
    "double walk",
    "double",
    131072,
    "double v = 1; unsigned s = 9; for (int i = 0; i < n; i++) { s = s * 69069u + 1u; v = v * 0.999 + (double)(s & 0xffff) / 65536.0 - sqrt(v < 0 ? -v : v) * 1e-3f; h[i] = floor(v * 1e6) + fabs(v); }",
    -1167447857,
    "#include <cmath>\n",
  ],
  [
    "grid",
    "int",
    262144,
    "unsigned s = 5; for (int y = 0; y < 512; y++) for (int x = 0; x < 512; x++) { s = s * 1103515245u + 12345u; h[y * 512 + x] = ((s >> 16) & 0x7fff) % (y + 1) + x; }",
    -1539158587,
  ],
  [
    "choices",
    "int",
    131072,
    "unsigned s = 77; for (int i = 0; i < n; i++) h[i] = 9; int run = 0; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; if ((s >> 24) < 64) { run = 0; continue; } else if (s & 0x10000) run++; else run = run > 3 ? run - 2 : -run; h[i] = run * ((s >> 30) == 2 || (s & 6 && run != 5) ? 3 : 1); }",
    -1689739835,
  ],
  [
    "words",
    "char",
    131072,
    "const char lexicon[] = \"the\\0quick\\0brown\\0fox\\0jumps\\0over\\0lazy\\0dogs\"; unsigned s = 11; int at = 0; while (at < n) { s = s * 1103515245u + 12345u; int from = 0; int word = (s >> 16) % 8; while (word > 0) { if (lexicon[from] == 0) word--; from++; } while (lexicon[from] && at < n) h[at++] = lexicon[from++]; if (at < n) h[at++] = ' '; }",
    355900869,
  ],
  [
    "reference state",
    "int",
    131072,
    "unsigned s = 3; for (int i = 0; i < n; i++) h[i] = draw(s, 100) * 100 + draw(s, 10);",
    1238787653,
    "static unsigned draw(unsigned &state, unsigned below) { state ^= state << 13; state ^= state >> 17; state ^= state << 5; return state % below; }\n",
  ],
  [
    "static state",
    "float",
    131072,
    "for (int i = 0; i < n; i++) { float a = uniform(); h[i] = a * 2.0f - uniform(); }",
    -978253447,
    "static float uniform() { static unsigned long long state = 12345; state = state * 6364136223846793005ULL + 1; return (float)(state >> 40) / 16777216.0f; }\n",
  ],
  [
    "global state",
    "short",
    131072,
    "for (int i = 0; i < n; i++) h[i] = (short)(next() - 16384);",
    -1458097851,
    "static unsigned seed = 17; static int next() { seed = seed * 214013u + 2531011u; return (seed >> 16) & 0x7fff; }\n",
  ],
  [
    "histogram",
    "int",
    100000,
    "for (int i = 0; i < n; i++) h[i] = 0; unsigned s = 1; for (int i = 0; i < 300000; i++) { s = s * 1664525u + 1013904223u; h[(s >> 4) % n] += (int)(s >> 29) - 2; }",
    -2061529403,
  ],
  [
    "shuffle",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = i; unsigned s = 1; for (int i = n - 1; i > 0; i--) { s = s * 1664525u + 1013904223u; int j = s % (i + 1); int t = h[i]; h[i] = h[j]; h[j] = t; }",
    465570149,
  ],
  [
    "swap shuffle",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = i * 3; unsigned s = 8; for (int i = n - 1; i > 0; --i) { s = s * 22695477u + 1u; std::swap(h[i], h[(s >> 8) % (i + 1)]); }",
    353817161,
    "#include <utility>\n",
  ],
  [
    "recurrence",
    "unsigned char",
    131072,
    "unsigned s = 1; for (int i = 0; i < n; i++) { s ^= s << 7; s ^= s >> 9; signed char c = s; h[i] = (i > 0 ? h[i - 1] : 0) + c / 3 - (c < 0); }",
    1127914949,
  ],
  [
    "switch",
    "int",
    131072,
    "for (int i = 0; i < n; i++) h[i] = 9; unsigned s = 4; int v = 0; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; switch (s >> 29) { case 0: v += 3; break; case 1: v -= 7; case 2: v ^= 5; break; case 5: continue; default: v = v % 1000 + 1; } h[i] = v; }",
    -1909656123,
  ],
  [
    "long shifts",
    "long long",
    131072,
    "long long s = -12345; for (int i = 0; i < n; i++) { s = s * 2862933555777941757LL + 3037000493LL; h[i] = (s >> 17) % 1000003 + (s < 0 ? -(s >> 60) : (s & 0xff)) - (long long)((unsigned long long)s / 97 % 89); }",
    831402857,
  ],
  [
    "do while",
    "int",
    131072,
    "unsigned s = 2; int i = 0; do { int steps = 0; unsigned v = (s = s * 1664525u + 1013904223u) >> 20; while (v > 1 && steps < 50) { v = v & 1 ? 3 * v + 1 : v / 2; ++steps; } h[i] = steps; } while (++i < n);",
    -130736699,
  ],
  [
    "min max",
    "float",
    131072,
    "unsigned s = 6; float lo = 0, hi = 0; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; float v = (int)(s >> 9) / 8388608.0f; lo = std::min(lo * 0.99f, v - 0.5f); hi = fmaxf(hi * 0.98f, v); h[i] = hi - lo + abs((int)(s >> 20) - 2048); }",
    1043769168,
    "#include <algorithm>\n#include <cmath>\n#include <cstdlib>\n",
  ],
  [
    "bool and bits",
    "unsigned",
    131072,
    "unsigned s = 1; bool odd = false; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; odd ^= (s >> 31); unsigned r = ~s; r = ((r >> 1) & 0x55555555u) | ((r & 0x55555555u) << 1); h[i] = odd ? r : !odd + (r & -r); }",
    -1372289810,
  ],
  [
    "struct of arrays",
    "float",
    131072,
    "struct Bodies { float *x; float *v; }; std::vector<float> v(n); Bodies b{h, v.data()}; unsigned s = 21; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; b.x[i] = (s >> 8) * (1.0f / 16777216.0f); b.v[i] = b.x[i] * 2 - 1; } for (int i = 1; i < n; i++) h[i] = h[i - 1] * 0.5f + v[i];",
    955132366,
  ],
  [
    "lambda state",
    "int",
    131072,
    "unsigned s = 31; auto next = [&]() { s = s * 1664525u + 1013904223u; return s >> 16; }; for (int i = 0; i < n; i++) h[i] = next() % 37 + (next() & 1);",
    -497508923,
  ],
  [
    "rand",
    "int",
    131072,
    "srand(7); for (int i = 0; i < n; i++) { int r = rand(); h[i] = r % 100 < 30 ? -r : r / 3; if (i > 0 && h[i] == h[i - 1]) h[i]++; }",
    -1891584285,
    "#include <cstdlib>\n",
  ],
  [
    "drawn",
    "float",
    131072,
    "std::mt19937 gen(11); std::uniform_int_distribution<int> pick(0, 99); for (int i = 0; i < n; i++) { int a = pick(gen); h[i] = a % 3 == 0 ? gen() / 4294967296.0f : a; if (i > 0 && h[i] == h[i - 1]) h[i] += 1; }",
    -1877893194,
    "#include <random>\n",
  ],
  [
    "matrix",
    "double",
    90000,
    "double a[64]; unsigned s = 5; for (int i = 0; i < 64; i++) { s = s * 69069u + 5u; a[i] = (s >> 16) / 65536.0; } for (int y = 0; y < 300; y++) for (int x = 0; x < 300; x++) { double sum = 0; for (int k = 0; k < 8; k++) sum += a[(y + k) % 64] * a[(x * k) % 64]; s = s * 69069u + 5u; h[y * 300 + x] = sum + (s >> 31); }",
    1293553946,
  ],
  [
    "many ifs",
    "int",
    131072,
    "unsigned s = 1; int depth = 0; for (int i = 0; i < n; i++) { s = s * 1103515245u + 12345u; int r = (s >> 16) & 0x7fff; int v; if (r < 8000) v = depth++; else if (r < 16000 && depth > 0) v = --depth; else { int k = 0; while (r > 100) { r -= r / 3; k++; if (k == 12) break; } v = -k; } h[i] = v; }",
    47275461,
  ],
];

const bytesOf: Readonly<Record<string, number>> = {
  char: 1,
  "signed char": 1,
  "unsigned char": 1,
  short: 2,
  "unsigned short": 2,
  double: 8,
  "long long": 8,
};

function digestIn([, type, elements, code, , before = ""]: Row): number {
  const body = `const int n = ${elements}; ${type} *h = (${type} *)malloc(n * sizeof(${type})); ${code}`;
  const upload = `${type} *d; cudaMalloc(&d, n * sizeof(${type})); cudaMemcpy(d, h, n * sizeof(${type}), cudaMemcpyHostToDevice); k<<<1, 32>>>(d);`;
  const [fact] = launchesOf(`#include <vector>\n${before}__global__ void k(const ${type} *p) {}\nint main() { ${body} ${upload} }`);
  const content = fact?.launch?.buffers[0]?.content;
  return digestOf((index) => elementAt(content, index, bytesOf[type] ?? 4), elements);
}

const named = (rows: readonly Row[]) => rows.map((row) => [row[0], row] as const);

test.each(named(programs))("%s", (_, row) => expect(digestIn(row)).toBe(row[4]));

/** With constructors of WebAssembly exchanged. */
function exchanged<T>(constructors: object, make: () => T): T {
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly), constructors));
  try {
    return make();
  } finally {
    vi.unstubAllGlobals();
  }
}

test.each(named(compiled))("%s, compiled", (_, row) => {
  let made = 0;
  class Instance extends WebAssembly.Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      made++;
    }
  }
  expect(exchanged({ Instance }, () => digestIn(row))).toBe(row[4]);
  expect(made).toBeGreaterThan(0);
});

test.each(named(compiled.slice(0, 6)))("%s, where no code may be made", (_, row) => {
  let refused = 0;
  class Module {
    constructor() {
      refused++;
      throw new WebAssembly.CompileError("a policy says no");
    }
  }
  expect(exchanged({ Module }, () => digestIn(row))).toBe(row[4]);
  expect(refused).toBeGreaterThan(0);
});
