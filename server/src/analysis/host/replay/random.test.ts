/**
 * Data that hosts make of random numbers, in containers that grow, against what g++ 13 with libstdc++ and glibc leaves in them: the numbers
 * of a row are the size of the vector and the digest of what it holds.
 */
import type { Content } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

type Row = readonly [name: string, code: string, size: number, digest: number, before?: string];

/** Each leaves its numbers in the vector `h`. */
const programs: readonly Row[] = [
  [
    "pushes of remainders",
    "std::vector<int> h; for (int i = 0; i < 5000; i++) if (i % 3 == 1) h.push_back(i * 7 % 101);",
    1667,
    2080000925,
  ],
  [
    "rows of random length",
    "std::mt19937 g(1); std::vector<int> h, p(1, 0); for (int r = 0; r < 900; r++) { int n = g() % 12; for (int k = 0; k < n; k++) h.push_back(g() % 500); p.push_back(h.size()); } h.insert(h.end(), p.begin(), p.end());",
    5888,
    1275405509,
  ],
  [
    "rand and srand",
    "srand(5); std::vector<int> h; for (int i = 0; i < 3000; i++) { int n = rand() % 4; while (n-- > 0) h.push_back(rand() % 1000 - rand() % 10); }",
    4544,
    514362309,
  ],
  [
    "rand without a seed",
    "std::vector<int> h; for (int i = 0; i < 3000; i++) { if (rand() % 2) h.push_back(rand() % 77); else h.push_back(-1); }",
    3000,
    947435653,
  ],
  [
    "drand48",
    "srand48(9); std::vector<int> h; for (int i = 0; i < 3000; i++) if (drand48() < 0.4) h.push_back((int)(drand48() * 1000) + lrand48() % 3);",
    1207,
    -716707395,
  ],
  [
    "uniform ints of a wide range",
    "std::mt19937 g(3); std::uniform_int_distribution<int> d(-2000000000, 2000000000); std::vector<int> h; for (int i = 0; i < 2000; i++) h.push_back(d(g));",
    2000,
    -30313608,
  ],
  [
    "a default engine",
    "std::default_random_engine g; std::uniform_int_distribution<int> d(1, 6); std::vector<int> h; for (int i = 0; i < 2000; i++) { int s = 0; for (int k = 0; k < 3; k++) s += d(g); h.push_back(s); }",
    2000,
    692357701,
  ],
  ["minstd", "std::minstd_rand g(77); std::vector<int> h; while (h.size() < 3000) h.push_back(g() % 900);", 3000, 1907923077],
  [
    "floats of a distribution, truncated",
    "std::mt19937 g(8); std::uniform_real_distribution<float> d(-3.5f, 12.f); std::vector<int> h; for (int i = 0; i < 2500; i++) h.push_back((int)d(g));",
    2500,
    744990565,
  ],
  [
    "doubles of a distribution",
    "std::mt19937 g(8); std::uniform_real_distribution<> d(0, 1); std::vector<int> h; for (int i = 0; i < 2500; i++) h.push_back((int)(d(g) * d(g) * 10000));",
    2500,
    1639976677,
  ],
  [
    "normal, two at a time",
    "std::mt19937 g(4); std::normal_distribution<double> d(50, 12); std::vector<int> h; for (int i = 0; i < 2501; i++) h.push_back((int)d(g)); h.push_back(g() % 1000);",
    2502,
    1384147125,
  ],
  [
    "normal floats",
    "std::mt19937 g(4); std::normal_distribution<float> d(50, 12); std::vector<int> h; for (int i = 0; i < 2501; i++) h.push_back((int)d(g));",
    2501,
    -46626195,
  ],
  [
    "bernoulli, poisson, geometric, exponential",
    "std::mt19937 g(6); std::bernoulli_distribution b(0.25); std::poisson_distribution<int> p(3.5); std::geometric_distribution<int> q(0.3); std::exponential_distribution<double> e(0.5); std::vector<int> h; for (int i = 0; i < 1500; i++) { if (b(g)) h.push_back(p(g)); else h.push_back(q(g) * 100 + (int)e(g)); }",
    1500,
    518109989,
  ],
  [
    "discrete",
    "std::mt19937 g(6); std::discrete_distribution<int> d({5, 1, 0, 3}); std::vector<int> h; for (int i = 0; i < 1500; i++) h.push_back(d(g));",
    1500,
    -449289947,
  ],
  [
    "discrete of a vector",
    "std::vector<double> w; for (int i = 0; i < 50; i++) w.push_back(1.0 / (i + 1)); std::mt19937 g(6); std::discrete_distribution<int> d(w.begin(), w.end()); std::vector<int> h; for (int i = 0; i < 1500; i++) h.push_back(d(g));",
    1500,
    271016229,
  ],
  [
    "discrete of a braced list",
    "std::mt19937 g(6); std::discrete_distribution<> d{1, 2}; std::vector<int> h; for (int i = 0; i < 1500; i++) h.push_back(d(g));",
    1500,
    -1240440539,
  ],
  [
    "a distribution made in the loop",
    "std::mt19937 g(2); std::vector<int> h; for (int i = 1; i < 2000; i++) { std::uniform_int_distribution<int> d(0, i); h.push_back(d(g)); }",
    1999,
    -1795530371,
  ],
  [
    "a distribution without a name",
    "std::mt19937 g(2); std::vector<int> h; for (int i = 1; i < 2000; i++) h.push_back(std::uniform_int_distribution<int>(0, i)(g));",
    1999,
    -1795530371,
  ],
  [
    "an engine made in the loop",
    "std::vector<int> h; for (int i = 0; i < 300; i++) { std::mt19937 g(i * 3 + 1); h.push_back(g() % 1000); h.push_back(g() % 7); }",
    600,
    -78257787,
  ],
  [
    "a lambda",
    "std::mt19937 g(12); std::uniform_int_distribution<int> d(0, 99); auto next = [&] { return d(g); }; std::vector<int> h; for (int i = 0; i < 2000; i++) { int a = next(); if (a > 30) h.push_back(a); }",
    1387,
    -2110775331,
  ],
  [
    "a lambda with arguments, in the loop",
    "std::mt19937 g(12); std::vector<int> h; for (int i = 0; i < 700; i++) { auto add = [&](int x, int times) { for (int k = 0; k < times; k++) h.push_back(x + k); }; add(i, g() % 4); }",
    1035,
    -741439267,
  ],
  [
    "a lambda that returns early",
    "std::mt19937 g(13); auto f = [&](int n) { if (n % 2) return n * 3; int x = g() % 50; return x - n; }; std::vector<int> h; for (int i = 0; i < 2000; i++) h.push_back(f(i));",
    2000,
    -1882830011,
  ],
  [
    "helpers with references",
    "std::mt19937 g(14); std::vector<int> h; for (int i = 0; i < 700; i++) fill(h, g, i % 5);",
    1400,
    -1465536891,
    "static int pick(std::mt19937 &g, int n) { return g() % n; }\nstatic void fill(std::vector<int> &to, std::mt19937 &g, int n) { for (int k = 0; k < n; k++) to.push_back(pick(g, 100) + k); }\n",
  ],
  [
    "a global engine",
    "std::vector<int> h; for (int i = 0; i < 2000; i++) h.push_back(roll(i + 1));",
    2000,
    -1261942203,
    "static std::mt19937 engine(99);\nstatic int roll(int n) { std::uniform_int_distribution<int> d(0, n); return d(engine); }\n",
  ],
  [
    "numbers before the loop, and behind it",
    "std::mt19937 g(15); int first = g() % 100; std::vector<int> h; for (int i = 0; i < 1000; i++) h.push_back(g() % 100); h.push_back(first); h.push_back(g() % 100); g.discard(3); h.push_back(g() % 100); g.seed(4); h.push_back(g() % 100);",
    1004,
    402409381,
  ],
  [
    "two loops of one engine",
    "std::mt19937 g(16); std::vector<float> x(3000); for (auto &v : x) v = g() % 1000 * 0.5f; std::vector<int> h; for (int i = 0; i < 3000; i++) if (x[i] > 100) h.push_back((int)x[i] + g() % 3);",
    2397,
    1567192621,
  ],
  [
    "counts and cursors",
    "const int n = 600, m = 4000; srand(3); std::vector<int> key(m), start(n + 1, 0), h(m); for (int i = 0; i < m; i++) key[i] = rand() % n; for (int k : key) start[k + 1]++; for (int i = 0; i < n; i++) start[i + 1] += start[i]; auto at = start; for (int i = 0; i < m; i++) h[at[key[i]]++] = i; h.insert(h.end(), start.begin(), start.end());",
    4601,
    376302733,
  ],
  [
    "partial sums",
    "std::mt19937 g(17); std::vector<int> n(800), s(801, 0); for (auto &x : n) x = g() % 9; std::partial_sum(n.begin(), n.end(), s.begin() + 1); std::vector<int> e(800); std::exclusive_scan(n.begin(), n.end(), e.begin(), 5); std::vector<int> h = s; h.insert(h.end(), e.begin(), e.end());",
    1601,
    -2085532723,
  ],
  [
    "a vector of vectors",
    "std::mt19937 g(18); const int n = 500; std::vector<std::vector<int>> a(n); for (int i = 0; i < 3000; i++) { int u = g() % n, v = g() % n; a[u].push_back(v); a[v].push_back(u); } std::vector<int> h; for (int i = 0; i < n; i++) { std::sort(a[i].begin(), a[i].end()); h.push_back(a[i].size()); for (int x : a[i]) h.push_back(x); }",
    6500,
    971989093,
  ],
  [
    "rows by reference",
    "std::mt19937 g(19); std::vector<std::vector<int>> a; a.resize(200); for (auto &row : a) { int n = g() % 7; for (int k = 0; k < n; k++) row.push_back(g() % 50); } std::vector<int> h; for (const auto &row : a) { h.push_back((int)row.size()); h.insert(h.end(), row.begin(), row.end()); } h.push_back(a[3].size()); h.push_back(a[5][0]);",
    813,
    296617645,
  ],
  [
    "rows that are pushed",
    "std::vector<std::vector<int>> a; for (int i = 0; i < 300; i++) { std::vector<int> row; for (int k = 0; k < i % 6; k++) row.push_back(i * k); a.push_back(row); } std::vector<int> h; for (auto &r : a) for (auto x : r) h.push_back(x);",
    750,
    1983456501,
  ],
  [
    "pairs",
    "std::mt19937 g(20); std::vector<std::pair<int, int>> e; for (int i = 0; i < 3000; i++) { int u = g() % 60, v = g() % 60; if (u != v) e.push_back({u, v}); } std::sort(e.begin(), e.end()); e.erase(std::unique(e.begin(), e.end()), e.end()); std::vector<int> h; for (auto [a, b] : e) { h.push_back(a); h.push_back(b); }",
    3956,
    1188325093,
  ],
  [
    "pairs by other means",
    "std::mt19937 g(20); std::vector<std::pair<int, int>> e; for (int i = 0; i < 3000; i++) { e.emplace_back(g() % 60, i); e.push_back(std::make_pair(i % 7, 3)); } std::vector<int> h; for (size_t i = 0; i < e.size(); i++) if (e[i].first > e[i].second) h.push_back(e[i].first); for (const auto &x : e) h.push_back(x.second); h.push_back(e[7].second);",
    7315,
    -2073442787,
  ],
  [
    "records sorted by a rule",
    "std::mt19937 g(21); std::vector<Edge> e; for (int i = 0; i < 3000; i++) e.push_back(Edge{int(g() % 50), int(g() % 50), 0.5f * (g() % 4)}); std::sort(e.begin(), e.end(), [](const Edge &a, const Edge &b) { return a.u != b.u ? a.u < b.u : a.w > b.w; }); std::vector<int> h; for (auto &x : e) { h.push_back(x.v); h.push_back((int)(x.w * 2)); }",
    6000,
    421536581,
    "struct Edge { int u, v; float w; };\n",
  ],
  [
    "records of the loop",
    "std::mt19937 g(22); std::vector<Edge> e; for (int i = 0; i < 900; i++) { Edge x; x.u = g() % 9; x.v = i; x.w = x.u * 0.5f; if (x.w > 1) e.push_back(x); } std::vector<int> h; for (auto x : e) { x.v += 1; h.push_back(x.v); } for (auto &x : e) h.push_back(x.v);",
    1220,
    645021541,
    "struct Edge { int u, v; float w; };\n",
  ],
  [
    "indices sorted by a key",
    "std::mt19937 g(23); std::vector<int> key(2000), h(2000); for (int i = 0; i < 2000; i++) { key[i] = g() % 40; h[i] = i; } std::sort(h.begin(), h.end(), [&](int a, int b) { return key[a] < key[b]; });",
    2000,
    -686054843,
  ],
  [
    "stable, descending",
    "std::mt19937 g(23); std::vector<int> key(2000), h(2000); for (int i = 0; i < 2000; i++) key[i] = g() % 40; std::iota(h.begin(), h.end(), 0); std::stable_sort(h.begin(), h.end(), [&](int a, int b) { return key[a] > key[b]; }); std::sort(key.begin(), key.end(), std::greater<int>()); h.insert(h.end(), key.begin(), key.end());",
    4000,
    1084475077,
  ],
  [
    "sets",
    "std::mt19937 g(24); std::vector<int> h; for (int i = 0; i < 300; i++) { std::set<int> s; while (s.size() < 6) s.insert(g() % 40); for (int x : s) h.push_back(x); }",
    1800,
    2073784581,
  ],
  [
    "what was seen",
    "std::mt19937 g(24); std::vector<int> h; for (int i = 0; i < 300; i++) { std::unordered_set<int> seen; for (int k = 0; k < 8; k++) { int x = g() % 20; if (seen.count(x)) continue; seen.insert(x); h.push_back(x); } }",
    2004,
    -1330090523,
  ],
  [
    "unique rows",
    "std::mt19937 g(25); std::vector<int> h; for (int i = 0; i < 300; i++) { std::vector<int> r; int n = 1 + g() % 9; for (int k = 0; k < n; k++) r.push_back(g() % 12); std::sort(r.begin(), r.end()); r.erase(std::unique(r.begin(), r.end()), r.end()); h.insert(h.end(), r.begin(), r.end()); }",
    1210,
    1921393621,
  ],
  [
    "shuffles",
    "std::mt19937 g(26); std::vector<int> h(1000); std::iota(h.begin(), h.end(), 0); std::shuffle(h.begin(), h.end(), g); h.push_back(g() % 100); for (int r = 0; r < 20; r++) { std::shuffle(h.begin() + r, h.end(), g); }",
    1001,
    1396293645,
  ],
  [
    "a shuffle by hand",
    "srand(8); std::vector<int> h(3000); for (int i = 0; i < 3000; i++) h[i] = i; for (int i = 2999; i > 0; i--) { int j = rand() % (i + 1); std::swap(h[i], h[j]); }",
    3000,
    1578890373,
  ],
  [
    "resized and cleared",
    "std::mt19937 g(27); std::vector<int> h, t; for (int i = 0; i < 500; i++) { t.clear(); t.resize(g() % 5, i); t.push_back(7); if (t.size() > 3) t.pop_back(); for (size_t k = 0; k < t.size(); k++) h.push_back(t[k]); if (h.size() > 1000) h.resize(800); }",
    926,
    712963189,
  ],
  [
    "back, front, empty",
    "std::mt19937 g(28); std::vector<int> h; for (int i = 0; i < 1500; i++) { int x = g() % 100; if (h.empty() || h.back() != x) h.push_back(x + h.size() % 3); if (h.front() > 50) h.back() += 1; }",
    1481,
    -1295701235,
  ],
  [
    "local arrays",
    "std::mt19937 g(29); std::vector<int> h; for (int i = 0; i < 400; i++) { int count[8] = {0}; for (int k = 0; k < 20; k++) count[g() % 8]++; for (int c : count) h.push_back(c); }",
    3200,
    -1604668987,
  ],
  [
    "searched",
    "std::mt19937 g(30); std::vector<double> c; double s = 0; for (int i = 0; i < 300; i++) { s += 1.0 / (i + 1); c.push_back(s); } for (auto &x : c) x /= s; std::uniform_real_distribution<double> u(0, 1); std::vector<int> h; for (int i = 0; i < 2000; i++) h.push_back(std::lower_bound(c.begin(), c.end(), u(g)) - c.begin());",
    2000,
    -1801516475,
  ],
  [
    "sums and extremes",
    "std::mt19937 g(31); std::vector<int> n, h; int most = 0, total = 0; for (int i = 0; i < 900; i++) { n.push_back(g() % 70); most = std::max(most, n.back()); total += n.back(); } h.assign(most, total); h.push_back(*std::max_element(n.begin(), n.end())); h.push_back(std::accumulate(n.begin(), n.end(), 0));",
    71,
    952424509,
  ],
  [
    "short circuits",
    "std::mt19937 g(32); std::vector<int> h; for (int i = 0; i < 1500; i++) { bool a = i % 3 == 0 || g() % 5 == 0; int b = i % 2 ? g() % 10 : -1; if (a && g() % 2) h.push_back(b); else if (!(i % 7) && g() % 3) h.push_back(1000 + b); }",
    447,
    1481865981,
  ],
  [
    "xorshift of 32 bits",
    "unsigned s = 2463534242u; std::vector<int> h; for (int i = 0; i < 1500; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; if (s % 3) h.push_back(s % 1000); }",
    981,
    925895917,
  ],
  [
    "members",
    "Csr a; a.make(700, 5); std::vector<int> h = a.row; h.insert(h.end(), a.col.begin(), a.col.end());",
    2129,
    -631904179,
    "struct Csr { std::vector<int> row, col; std::mt19937 g{7}; void make(int n, int k) { row.push_back(0); for (int i = 0; i < n; i++) { int c = g() % k; for (int j = 0; j < c; j++) col.push_back(g() % n); row.push_back(col.size()); } } };\n",
  ],
  [
    "returned by a function",
    "auto h = rows(600, 44);",
    897,
    592550861,
    "static std::vector<int> rows(int n, unsigned seed) { std::mt19937 g(seed); std::vector<int> out; for (int i = 0; i < n; i++) for (unsigned k = g() % 4; k > 0; k--) out.push_back(i); return out; }\n",
  ],
  [
    "breaks and continues",
    "std::mt19937 g(33); std::vector<int> h; for (int i = 0;; i++) { if (g() % 10 == 0) continue; if (h.size() >= 777) break; do { h.push_back(i); } while (g() % 2); }",
    778,
    176819285,
  ],
  [
    "generated",
    "std::mt19937 g(34); std::vector<int> h(1200); std::generate(h.begin(), h.end(), [&] { return g() % 99; }); for (auto &x : h) if (x > 50) x -= g() % 50;",
    1200,
    -902085307,
  ],
  [
    "other integers",
    "std::mt19937 g(35); std::vector<unsigned char> b; std::vector<long> l; for (int i = 0; i < 1500; i++) { b.push_back(g()); l.push_back((long)g() * 3); } std::vector<int> h; for (int i = 0; i < 1500; i++) h.push_back(b[i] + (int)(l[i] % 1000));",
    1500,
    -743996123,
  ],
  [
    "neighbours of points",
    "std::mt19937 g(36); std::uniform_real_distribution<float> u(0, 1); const int n = 120; std::vector<float> x(n), y(n); for (int i = 0; i < n; i++) { x[i] = u(g); y[i] = u(g); } std::vector<int> h; for (int i = 0; i < n; i++) { std::vector<std::pair<float, int>> d; for (int j = 0; j < n; j++) { float dx = x[i] - x[j], dy = y[i] - y[j]; d.push_back({dx * dx + dy * dy, j}); } std::sort(d.begin(), d.end()); for (int k = 1; k <= 4; k++) h.push_back(d[k].second); }",
    480,
    -212098875,
  ],
  [
    "a map of counts",
    "std::mt19937 g(37); std::vector<int> h; std::vector<int> deg(100, 0); for (int i = 0; i < 2000; i++) { int a = g() % 100; int b = (int)((g() % 100) * (g() % 100) / 100); deg[a]++; deg[b]++; } for (int i = 0; i < 100; i++) for (int k = 0; k < deg[i]; k++) h.push_back(i);",
    4000,
    1965520581,
  ],
];

const headers = ["algorithm", "cstdlib", "numeric", "random", "set", "unordered_set", "vector"]
  .map((name) => `#include <${name}>\n`)
  .join("");
const upload = "int *d; cudaMalloc(&d, h.size() * 4); cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);";

function launchOf(code: string, before = "") {
  const [fact] = launchesOf(
    `${headers}__global__ void k(const int *p, int n) {}\n${before}int main() { ${code} ${upload} k<<<1, 32>>>(d, (int)h.size()); }`,
  );
  const [buffer] = fact?.launch?.buffers ?? [];
  return { fact, content: buffer?.content, size: (buffer?.bytes ?? Number.NaN) / 4 };
}

test.each(programs.map((row) => [row[0], row] as const))("%s", (_, [, code, count, digest, before]) => {
  const { fact, content, size } = launchOf(code, before);
  expect([size, digestOf((index) => elementAt(content, index), count), fact?.assumptions]).toEqual([count, digest, []]);
});

function elementAt(content: Content | undefined, index: number): number {
  switch (content?.kind) {
    case "zero":
      return 0;
    case "constant":
      return content.value;
    case "linear":
      return content.start + content.stride * index;
    case "values":
      return content.drawn ? Number.NaN : (content.values[index] ?? Number.NaN);
    case "computed":
      return content.by.at(index);
    case "parts": {
      const part = content.parts.find(({ from, to }) => index * 4 >= from && index * 4 < to);
      return elementAt(part?.content, index - (part?.origin ?? 0) / 4);
    }
    default:
      return Number.NaN;
  }
}

/** FNV-1a of the bits of the numbers as doubles. */
function digestOf(at: (index: number) => number, count: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  let sum = 2166136261;
  for (let index = 0; index < count; index++) {
    bits.setFloat64(0, at(index));
    sum = Math.imul(sum ^ bits.getInt32(0), 16777619);
    sum = Math.imul(sum ^ bits.getInt32(4), 16777619);
  }
  return sum;
}

describe("of generators that nobody knows the state of", () => {
  const rows =
    "std::vector<int> h, c; for (int r = 0; r < 500; r++) { int n = 1 + DRAW % 9; for (int k = 0; k < n; k++) c.push_back(k); h.push_back((int)c.size()); }";
  test.each([
    ["a seed of the device", "std::random_device d; std::mt19937 g(d());", "g()"],
    ["a seed of the clock", "std::mt19937 g((unsigned)time(nullptr));", "g()"],
    ["srand with the clock", "srand(time(0));", "rand()"],
    ["an engine that is not followed", "std::mt19937_64 g(3);", "g()"],
    ["one that a loop nobody follows has drawn from", "std::mt19937 g(3); for (int i = 0; i < 99; i++) { read_one(i); g(); }", "g()"],
  ])("%s: numbers stand for the program\u0027s, and are no known ones", (_, before, draw) => {
    const { content, size } = launchOf(before + rows.replace("DRAW", draw));
    expect([size, content?.kind === "values" && content.drawn]).toEqual([500, true]);
    expect(
      content?.kind === "values" &&
        Array.from(content.values).every((end, k, all) => end - (all[k - 1] ?? 0) >= 1 && end - (all[k - 1] ?? 0) <= 9),
    ).toBe(true);
  });
  test("sizes and counts that come of them are assumed, and told with the launch", () => {
    const { fact, content, size } = launchOf(
      `srand(time(0)); ${rows.replace("DRAW", "rand()").replace("h, c", "c, h").replaceAll("c.", "x.").replaceAll("h.", "c.").replaceAll("x.", "h.")}`,
    );
    expect(fact?.assumptions).toEqual([
      { what: "h.size()", value: size, why: "it comes of random numbers, of which nobody knows what they began with" },
    ]);
    expect([size > 500 && size < 4500, content?.kind === "values" && content.drawn]).toEqual([true, true]);
  });
  test("what does not come of them stays known", () => {
    const code =
      "std::random_device d; std::mt19937 g(d()); std::vector<int> h; std::vector<float> x; for (int i = 0; i < 500; i++) { x.push_back(g() % 7); h.push_back(i * i); }";
    const { content, fact } = launchOf(code);
    expect([elementAt(content, 20), elementAt(content, 499), fact?.assumptions]).toEqual([400, 249001, []]);
  });
});

describe("what is not known", () => {
  test.each([
    [
      "a container of which a loop that is not followed changes the size",
      "std::vector<int> h; for (int i = 0; i < 9000; i++) if (read_one(i)) h.push_back(i);",
    ],
    [
      "one of several",
      "std::vector<std::vector<int>> a(9); for (int i = 0; i < 100; i++) a[read_one(i)].push_back(i); std::vector<int> h = a[3];",
    ],
  ])("%s", (_, code) => expect(launchOf(code).size).toBeNaN());
});
