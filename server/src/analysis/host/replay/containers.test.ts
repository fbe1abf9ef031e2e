/** Data that hosts build of random numbers in containers, against what g++ 13 with libstdc++ and glibc leaves in them: the size of a vector, and a digest of what it holds. */
import { beforeAll, expect, test } from "vitest";
import { digestOf, elementAt } from "../testing/elements.ts";
import { launchOfVector } from "../testing/launch-of-vector.ts";
import { useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

type Row = readonly [name: string, code: string, size: number, digest: number, before?: string];

/** Each leaves its numbers in the vector `h`. */
const programs: readonly Row[] = [
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
    "a lambda that may do nothing",
    "std::vector<int> h; auto add = [&](int q) { if (q < 0) return; h.push_back(q); }; for (int y = 0; y < 30; y++) for (int x = 0; x < 40; x++) { add(x - 1); add(y * x - 7); }",
    2287,
    1658226301,
  ],
  [
    "records that a rule takes for the same",
    "std::mt19937 g(20); std::vector<E> e; for (int i = 0; i < 3000; i++) { int u = g() % 60, v = g() % 60; if (u != v) e.push_back({u, v}); } std::sort(e.begin(), e.end(), [](const E &a, const E &b) { return a.u != b.u ? a.u < b.u : a.v < b.v; }); e.erase(std::unique(e.begin(), e.end(), [](const E &a, const E &b) { return a.u == b.u && a.v == b.v; }), e.end()); std::vector<int> h; for (auto &x : e) { h.push_back(x.u); h.push_back(x.v); }",
    3956,
    1188325093,
    "struct E { int u, v; };\n",
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
  [
    "a static engine of a helper",
    "std::vector<int> h; for (int i = 0; i < 900; i++) if (roll(10) > 3) h.push_back(roll(1000));",
    530,
    474444693,
    "static int roll(int n) { static std::mt19937 g(5); static std::uniform_int_distribution<int> d(0, 1 << 20); return d(g) % n; }\n",
  ],
  [
    "a static counter",
    "std::vector<int> h; for (int i = 0; i < 900; i++) h.push_back(next() * (i % 3)); h.push_back(next());",
    901,
    1927262317,
    "static int next() { static int at = 7; at = at * 5 % 1013; return at; }\n",
  ],
  [
    "part of a vector",
    "std::mt19937 g(4); std::vector<int> a; for (int i = 0; i < 900; i++) a.push_back(g() % 100); std::vector<int> h(a.begin() + 100, a.end() - 5); h[0] = -1;",
    795,
    1685246813,
  ],
  [
    "vectors exchanged",
    "std::mt19937 g(4); std::vector<int> a, h; for (int i = 0; i < 900; i++) { a.push_back(g() % 100); if (i % 2) h.push_back(i); } std::swap(a, h); h.push_back(5); a.swap(h); h.push_back(6);",
    451,
    513658269,
  ],
  [
    "a breadth-first search",
    "std::mt19937 g(4); const int n = 400; std::vector<std::vector<int>> a(n); for (int i = 0; i < 900; i++) { int u = g() % n, v = g() % n; a[u].push_back(v); a[v].push_back(u); } std::vector<int> level(n, -1), h; h.push_back(0); level[0] = 0; for (size_t at = 0; at < h.size(); at++) { int u = h[at]; for (int v : a[u]) if (level[v] < 0) { level[v] = level[u] + 1; h.push_back(v); } } h.insert(h.end(), level.begin(), level.end());",
    794,
    980871893,
  ],
  [
    "primes",
    "std::vector<int> h; for (int i = 2; h.size() < 600; i++) { bool prime = true; for (size_t k = 0; k < h.size() && h[k] * h[k] <= i; k++) if (i % h[k] == 0) { prime = false; break; } if (prime) h.push_back(i); }",
    600,
    1736572805,
  ],
  [
    "a stencil's rows",
    "std::vector<int> h, p(1, 0); const int n = 40; for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) { int u = x + dx, v = y + dy; if (u < 0 || v < 0 || u >= n || v >= n) continue; h.push_back(v * n + u); } p.push_back((int)h.size()); } h.insert(h.end(), p.begin(), p.end());",
    15525,
    566532333,
  ],
  [
    "negative offsets",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 900; i++) { int off = g() % 11 - 5; long far = g() % 7; h.push_back(i + off + (int)(far - 9)); if ((unsigned long)off > 100) h.push_back(-7); }",
    1310,
    -1473570699,
  ],
  [
    "scaled by the maximum",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 900; i++) { double u = g() / (double)std::mt19937::max(); h.push_back((int)(u * 100)); }",
    900,
    1804574053,
  ],
  [
    "scaled by the literal maximum",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 900; i++) { float u = (float)g() / 4294967295.0f; h.push_back((int)(u * 100)); }",
    900,
    1804574053,
  ],
  [
    "scaled by RAND_MAX",
    "srand(3); std::vector<int> h; for (int i = 0; i < 900; i++) { float u = rand() / (float)RAND_MAX; double v = 1.0 * rand() / (RAND_MAX + 1.0); h.push_back((int)(u * 1000 + v * 10)); }",
    900,
    816835941,
  ],
  [
    "a power law",
    "std::mt19937 g(4); std::uniform_real_distribution<float> u(0.f, 1.f); std::vector<int> h; for (int i = 0; i < 900; i++) { int d = (int)powf(u(g), -0.5f); h.push_back(d < 100 ? d : 100); }",
    900,
    1371987301,
  ],
  [
    "Box and Muller by hand",
    "srand(2); std::vector<int> h; for (int i = 0; i < 900; i++) { double a = (rand() + 1.0) / (RAND_MAX + 2.0), b = rand() / (double)RAND_MAX; h.push_back((int)(100 + 20 * std::sqrt(-2 * std::log(a)) * std::cos(6.283185307 * b))); }",
    900,
    -1379779227,
  ],
  [
    "a switch",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 900; i++) { switch (g() % 4) { case 0: h.push_back(1); break; case 1: h.push_back(2); case 2: h.push_back(3); break; default: h.push_back(g() % 9); } }",
    1122,
    488205333,
  ],
  [
    "a matrix of rows",
    "std::mt19937 g(4); const int n = 30; std::vector<std::vector<int>> m(n, std::vector<int>(n, 0)); for (int i = 0; i < 200; i++) m[g() % n][g() % n] += 1; std::vector<int> h; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (m[i][j]) h.push_back(i * n + j);",
    177,
    199146317,
  ],
  [
    "an array of arrays",
    "std::mt19937 g(4); static int t[16][16]; for (int i = 0; i < 500; i++) t[g() % 16][g() % 16]++; std::vector<int> h; for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) if (t[i][j] > 1) h.push_back(t[i][j]);",
    141,
    1525476781,
  ],
  [
    "a set of pairs",
    "std::mt19937 g(4); std::set<std::pair<int, int>> s; while (s.size() < 500) { int u = g() % 50, v = g() % 50; if (u != v) s.insert({u, v}); } std::vector<int> h; for (auto &e : s) { h.push_back(e.first); h.push_back(e.second); }",
    1000,
    -702174203,
  ],
  [
    "a set before the loop",
    "std::mt19937 g(4); std::set<int> s; for (int i = 0; i < 500; i++) s.insert(g() % 3000); std::vector<int> h(s.begin(), s.end()); for (int x : s) h.push_back(x);",
    938,
    -1851990699,
  ],
  [
    "whether a set had it",
    "std::mt19937 g(4); std::unordered_set<int> s; std::vector<int> h; while ((int)h.size() < 500) { int x = g() % 900; if (s.insert(x).second) h.push_back(x); }",
    500,
    665989861,
  ],
  [
    "found or not",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 300; i++) { int x = g() % 400; if (std::find(h.begin(), h.end(), x) == h.end()) h.push_back(x); }",
    206,
    -92764171,
  ],
  [
    "a set's find",
    "std::mt19937 g(4); std::set<int> s; std::vector<int> h; for (int i = 0; i < 500; i++) { int x = g() % 400; if (s.find(x) != s.end()) continue; s.insert(x); h.push_back(x); }",
    288,
    -1340546363,
  ],
  [
    "a 64-bit generator by hand",
    "unsigned long long s = 88172645463325252ull; std::vector<int> h; for (int i = 0; i < 900; i++) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; h.push_back((int)(s % 1000)); if (s & 1) h.push_back((int)(s >> 40)); }",
    1383,
    777139437,
  ],
  [
    "splitmix",
    "uint64_t x = 42; auto next = [&]() { uint64_t z = (x += 0x9e3779b97f4a7c15ull); z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull; z = (z ^ (z >> 27)) * 0x94d049bb133111ebull; return z ^ (z >> 31); }; std::vector<int> h; for (int i = 0; i < 900; i++) h.push_back((int)(next() % 1000));",
    900,
    874147173,
  ],
  [
    "a generator of the program's",
    "Rng g(9); std::vector<int> h; for (int i = 0; i < 900; i++) if (g.next() % 3) h.push_back(g.below(100));",
    594,
    -1591284331,
    "struct Rng { unsigned s; Rng(unsigned seed) : s(seed) {} unsigned next() { s = s * 1664525u + 1013904223u; return s >> 8; } int below(int n) { return next() % n; } };\n",
  ],
  [
    "a struct of arrays",
    "Graph g; g.build(200, 3); std::vector<int> h = g.offsets; h.insert(h.end(), g.targets.begin(), g.targets.end());",
    579,
    1262231965,
    "struct Graph { std::vector<int> offsets, targets; void build(int n, int seed) { std::mt19937 rng(seed); std::vector<std::vector<int>> lists(n); for (int i = 0; i < n; i++) for (int k = rng() % 5; k > 0; k--) lists[i].push_back(rng() % n); offsets.resize(n + 1); for (int i = 0; i < n; i++) { offsets[i + 1] = offsets[i] + lists[i].size(); for (auto t : lists[i]) targets.push_back(t); } } };\n",
  ],
  [
    "templates",
    "std::mt19937 g(4); std::vector<int> h; for (int i = 0; i < 300; i++) add(h, pick<int>(g, 50), 2);",
    600,
    1204873605,
    "template <typename T, typename G> T pick(G &g, T n) { return static_cast<T>(g() % n); }\ntemplate <typename T> void add(std::vector<T> &v, T x, int times) { for (int k = 0; k < times; k++) v.push_back(x + k); }\n",
  ],
  [
    "lengths, then rows in one array",
    "std::mt19937 g(4); std::vector<int> len(300), off(301); for (auto &l : len) l = g() % 9; for (int i = 0; i < 300; i++) off[i + 1] = off[i] + len[i]; std::vector<int> h(off[300]); for (int i = 0; i < 300; i++) for (int k = off[i]; k < off[i + 1]; k++) h[k] = g() % 300; for (int i = 0; i < 300; i++) std::sort(h.begin() + off[i], h.begin() + off[i + 1]);",
    1242,
    158494933,
  ],
  [
    "a heap-like choice",
    "std::mt19937 g(4); std::vector<int> load(8, 0), h; for (int i = 0; i < 400; i++) { int best = 0; for (int k = 1; k < 8; k++) if (load[k] < load[best]) best = k; load[best] += g() % 20; h.push_back(best); }",
    400,
    -786923451,
  ],
  [
    "top two",
    "std::mt19937 g(4); std::normal_distribution<float> d; std::vector<int> h; for (int t = 0; t < 300; t++) { float w[8]; for (int e = 0; e < 8; e++) w[e] = d(g); int a = 0; for (int e = 1; e < 8; e++) if (w[e] > w[a]) a = e; int b = a == 0 ? 1 : 0; for (int e = 0; e < 8; e++) if (e != a && w[e] > w[b]) b = e; h.push_back(a); h.push_back(b); }",
    600,
    296937861,
  ],
  [
    "a graph of hubs",
    "const int n = 60001; std::mt19937 rng(99); std::vector<std::vector<int>> adj(n); for (int k = 0; k < 200000; ++k) { double u = rng() / 4294967296.0; int a = (int)(n * u * u * std::sqrt(u)), b = rng() % n; if (a == b) continue; adj[a].push_back(b); adj[b].push_back(a); } std::vector<int> h(1, 0), col; for (int v = 0; v < n; ++v) { auto& l = adj[v]; std::sort(l.begin(), l.end()); l.erase(std::unique(l.begin(), l.end()), l.end()); for (int u : l) col.push_back(u); h.push_back((int)col.size()); } h.insert(h.end(), col.begin(), col.end());",
    459804,
    479007293,
  ],
  [
    "CSR via counting sort of edges",
    "const int n = 20000, m = 160000; std::vector<int> src(m), dst(m); unsigned s = 12345; for (int e = 0; e < m; e++) { s = s * 1664525u + 1013904223u; src[e] = (s >> 8) % n; s = s * 1664525u + 1013904223u; dst[e] = (s >> 8) % n; } std::vector<int> off(n + 1, 0); for (int e = 0; e < m; e++) off[src[e] + 1]++; for (int i = 0; i < n; i++) off[i + 1] += off[i]; std::vector<int> cur(off.begin(), off.end() - 1), h(m); for (int e = 0; e < m; e++) h[cur[src[e]]++] = dst[e]; for (int i = 0; i < n; i++) std::sort(h.begin() + off[i], h.begin() + off[i + 1]); h.insert(h.end(), off.begin(), off.end());",
    180001,
    -2000885539,
  ],
  [
    "union and find with path halving",
    "std::mt19937 g(9); const int n = 20000; std::vector<int> h(n); std::iota(h.begin(), h.end(), 0); auto find = [&](int x) { while (h[x] != x) { h[x] = h[h[x]]; x = h[x]; } return x; }; for (int k = 0; k < 15000; k++) { int a = find(g() % n), b = find(g() % n); if (a != b) h[std::max(a, b)] = std::min(a, b); } for (int i = 0; i < n; i++) h[i] = find(i);",
    20000,
    552002885,
  ],
  [
    "labels that spread until nothing changes",
    "std::mt19937 g(10); const int n = 3000, m = 5000; std::vector<int> a(m), b(m), h(n); for (int e = 0; e < m; e++) { a[e] = g() % n; b[e] = g() % n; } for (int i = 0; i < n; i++) h[i] = i; bool changed = true; while (changed) { changed = false; for (int e = 0; e < m; e++) { int l = std::min(h[a[e]], h[b[e]]); if (h[a[e]] != l || h[b[e]] != l) { h[a[e]] = h[b[e]] = l; changed = true; } } }",
    3000,
    1265303173,
  ],
  [
    "an open table filled by the host",
    "const unsigned mask = (1 << 15) - 1; std::vector<unsigned> h(mask + 1, 0xffffffffu); std::mt19937 g(11); for (int i = 0; i < 20000; i++) { unsigned k = g() % 1000000, s = (k * 2654435761u) & mask; while (h[s] != 0xffffffffu && h[s] != k) s = (s + 1) & mask; h[s] = k; }",
    32768,
    371267148,
  ],
  [
    "structured bindings of edges, degree, CSR both ways",
    "std::mt19937 g(6); const int n = 3000; std::vector<std::pair<int,int>> e; for (int i = 0; i < 20000; i++) e.push_back({(int)(g() % n), (int)(g() % n)}); std::vector<int> deg(n, 0); for (auto [a, b] : e) { deg[a]++; deg[b]++; } std::vector<int> ptr(n + 1, 0); std::partial_sum(deg.begin(), deg.end(), ptr.begin() + 1); std::vector<int> h(ptr[n]); auto at = ptr; for (const auto& [a, b] : e) { h[at[a]++] = b; h[at[b]++] = a; } h.insert(h.end(), ptr.begin(), ptr.end());",
    43001,
    -442818483,
  ],
  [
    "breadth first with frontiers that are exchanged",
    "std::mt19937 g(8); const int n = 8000; std::vector<std::vector<int>> adj(n); for (int k = 0; k < 24000; k++) { int a = g() % n, b = g() % n; adj[a].push_back(b); adj[b].push_back(a); } std::vector<int> h(n, -1), front{3}, next; h[3] = 0; for (int l = 1; !front.empty(); l++) { next.clear(); for (int v : front) for (int u : adj[v]) if (h[u] < 0) { h[u] = l; next.push_back(u); } front.swap(next); }",
    8000,
    2070138821,
  ],
  [
    "ELL from rows",
    "std::mt19937 g(21); const int n = 2000; std::vector<std::vector<int>> rows(n); for (int i = 0; i < n; i++) { int k = 1 + g() % 12; for (int j = 0; j < k; j++) rows[i].push_back(g() % n); } size_t w = 0; for (auto &r : rows) w = std::max(w, r.size()); std::vector<int> h(n * w, -1); for (int i = 0; i < n; i++) for (size_t j = 0; j < rows[i].size(); j++) h[j * n + i] = rows[i][j];",
    24000,
    -1184242747,
  ],
  [
    "a struct of a graph with methods",
    "Graph g(3000); std::mt19937 r(22); for (int i = 0; i < 9000; i++) g.add(r() % 3000, r() % 3000); g.build(); std::vector<int> h = g.ptr; h.insert(h.end(), g.col.begin(), g.col.end());",
    12001,
    -1542191795,
    "struct Graph { int n; std::vector<int> a, b, ptr, col; explicit Graph(int n) : n(n) {} void add(int x, int y) { a.push_back(x); b.push_back(y); } void build() { ptr.assign(n + 1, 0); for (int x : a) ptr[x + 1]++; for (int i = 0; i < n; i++) ptr[i + 1] += ptr[i]; col.resize(a.size()); std::vector<int> at(ptr.begin(), ptr.end()); for (size_t e = 0; e < a.size(); e++) col[at[a[e]]++] = b[e]; } };\n",
  ],
  [
    "two draws as arguments",
    "std::mt19937 g(23); auto f = [&](int a, int b) { return a * 100 + b % 7; }; std::vector<int> h; for (int i = 0; i < 2000; i++) { h.push_back(f(g() % 50, g() % 60)); h.push_back(two(g() % 9, g() % 11)); h.push_back((int)std::pow(g() % 4, g() % 5)); }",
    6000,
    111987781,
    "static int two(int a, int b) { return a * 16 - b; }\n",
  ],
  [
    "two draws of a pair",
    "std::mt19937 g(24); std::vector<std::pair<int,int>> e; std::set<std::pair<int,int>> s; for (int i = 0; i < 2000; i++) { e.emplace_back(g() % 50, g() % 60); e.push_back(std::make_pair(g() % 50, g() % 60)); e.push_back({(int)(g() % 50), (int)(g() % 60)}); s.emplace(g() % 50, g() % 60); } std::vector<int> h; for (auto &p : e) { h.push_back(p.first); h.push_back(p.second); } for (auto &p : s) { h.push_back(p.first); h.push_back(p.second); }",
    14942,
    -1626463627,
  ],
  [
    "pairs in order that are only read",
    "std::mt19937 g(26); std::vector<std::pair<int, int>> e; for (int i = 0; i < 4000; i++) { const int u = g() % 90, v = g() % 300; e.emplace_back(u, v); e.emplace_back(v, u); } std::sort(e.begin(), e.end()); e.erase(std::unique(e.begin(), e.end()), e.end()); const int m = static_cast<int>(e.size()); std::vector<int> from(m), to(m), h(301, 0); for (int k = 0; k < m; ++k) { from[k] = e[k].first; to[k] = e[k].second; h[from[k] + 1]++; } std::partial_sum(h.begin(), h.end(), h.begin()); h.insert(h.end(), from.begin(), from.end()); h.insert(h.end(), to.begin(), to.end());",
    14961,
    502135373,
  ],
  [
    "a search by a queue and one by a stack",
    "const int n = 4000; std::mt19937 g(5); std::vector<int> off(n + 1), nbr(8 * n); for (int v = 0; v <= n; v++) off[v] = 8 * v; for (auto &x : nbr) x = g() % n; std::vector<int> h(n, -1); { std::queue<int> q; q.push(17); h[17] = 0; while (!q.empty()) { const int u = q.front(); q.pop(); for (int e = off[u]; e < off[u + 1]; ++e) if (h[nbr[e]] == -1) { h[nbr[e]] = h[u] + 1; q.push(nbr[e]); } } } std::vector<int> seen(n, 0); std::stack<int> s; s.push(3); while (s.size() > 0) { int u = s.top(); s.pop(); if (seen[u]) continue; seen[u] = (int)s.size() + 1; for (int e = off[u]; e < off[u] + 3; e++) s.push(nbr[e]); } h.insert(h.end(), seen.begin(), seen.end());",
    8000,
    -1734186043,
  ],
  [
    "rows exchanged",
    "std::mt19937 g(25); std::vector<std::vector<int>> a(50); for (int i = 0; i < 2000; i++) a[g() % 50].push_back(i); for (int i = 0; i < 100; i++) { int x = g() % 50, y = g() % 50; std::swap(a[x], a[y]); if (x % 3 == 0) a[x].swap(a[y]); } std::vector<int> h; for (auto &r : a) for (int x : r) h.push_back(x);",
    2000,
    490904133,
  ],
];

test.each(programs.map((row) => [row[0], row] as const))("%s", (_, [, code, count, digest, before]) => {
  const { fact, content, size } = launchOfVector(code, before);
  expect([size, digestOf((index) => elementAt(content, index), count), fact?.assumptions]).toEqual([count, digest, []]);
});

test("arguments are made from the last, elements between braces from the first, in loops and elsewhere", () => {
  const functions = "int made = 0; int next() { return ++made; } int both(int a, int b = 0) { return 10 * a + b; }\n";
  const { content, size } = launchOfVector(
    "std::vector<int> h(1); h[0] = both(next(), next()); for (int i = 0; i < 2; i++) { std::pair<int, int> p(next(), next()), q{next(), next()}; h.push_back(both(p.first, p.second)); h.push_back(both(q.first, q.second) % 100); }",
    functions,
  );
  // g++ 13
  expect(Array.from({ length: size }, (_, k) => elementAt(content, k))).toEqual([21, 43, 56, 87, 0]);
});

test("what is added is made before the place that it is added to is looked for and read", () => {
  const { content, size } = launchOfVector(
    "std::mt19937 g(1); int s = 42; std::vector<int> h(4); for (int i = 0; i < 20; i++) { h[g() % 4] += (int)(g() % 10); s += next(s); } h.push_back(s);",
    "int next(int &s) { s = (s * 1103 + 12345) % 10007; return s % 50; }\n",
  );
  // g++ 13
  expect(Array.from({ length: size }, (_, k) => elementAt(content, k))).toEqual([39, 21, 14, 18, 4660]);
});
