/** Random numbers that hosts draw, against what g++ 13 with libstdc++ and glibc leaves of them: the size of a vector, and a digest of what it holds. */
import { beforeAll, expect, test } from "vitest";
import { digestOf, elementAt } from "../testing/elements.ts";
import { launchOfVector } from "../testing/launch-of-vector.ts";
import { useInstalledParser } from "../testing/launches-of.ts";

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
];

test.each(programs.map((row) => [row[0], row] as const))("%s", (_, [, code, count, digest, before]) => {
  const { fact, content, size } = launchOfVector(code, before);
  expect([size, digestOf((index) => elementAt(content, index), count), fact?.assumptions]).toEqual([count, digest, []]);
});
