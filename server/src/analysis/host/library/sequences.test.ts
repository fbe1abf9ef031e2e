/** Configurations that algorithms, containers and texts lead to. */
import { beforeAll, describe, expect, test } from "vitest";
import { describeKnown, inMain, kernel, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const candidates = `#include <algorithm>\n#include <vector>\n${kernel}struct C { int block, score; };\n`;
const three = "std::vector<C> cs{{64, 3}, {128, 1}, {256, 2}};";

const cases: Record<string, [source: string, expected: string[]]> = {
  "the best by a rule": [
    inMain(
      `${three} std::sort(cs.begin(), cs.end(), [](const C &x, const C &y) { return x.score < y.score; }); k<<<1, cs.front().block>>>(a, 1);
k<<<2, std::max_element(cs.begin(), cs.end(), [](const C &x, const C &y) { return x.block < y.block; })->block>>>(a, 1);`,
      candidates,
    ),
    ["k 1 128", "k 2 256"],
  ],
  "pairs by their order, and by a function object": [
    inMain(
      `std::vector<std::pair<int, int>> v{{3, 32}, {1, 64}, {1, 32}}; std::sort(v.begin(), v.end()); k<<<v[1].first, v[1].second>>>(a, 1);
std::vector<int> w{5, 9, 7}; std::sort(w.begin(), w.end(), std::greater<int>()); k<<<w[0], w[2] * 32>>>(a, 1);`,
      `#include <algorithm>\n#include <functional>\n#include <vector>\n${kernel}`,
    ),
    ["k 1 64", "k 9 160"],
  ],
  "each of a range": [
    inMain(`${three} std::for_each(cs.begin(), cs.end(), [&](const C &c) { k<<<c.score, c.block>>>(a, 1); });`, candidates),
    ["k 3 64", "k 1 128", "k 2 256"],
  ],
  "what is taken out, put in and turned round": [
    inMain(
      `${three} cs.erase(std::remove_if(cs.begin(), cs.end(), [](const C &c) { return c.score == 1; }), cs.end()); k<<<cs.size(), cs.back().block>>>(a, 1);
std::vector<int> v{32, 64, 96}; std::reverse(v.begin(), v.end()); v.erase(v.begin()); v.insert(v.end(), 128); v.insert(v.begin(), 7); k<<<v[0], v[1]>>>(a, 1); k<<<v.size(), v.back()>>>(a, 1);`,
      candidates,
    ),
    ["k 2 256", "k 7 64", "k 4 128"],
  ],
  "sums and products": [
    inMain(
      `std::array<int, 3> s{2, 3, 4}; const int sizes[] = {10, 40, 20};
k<<<std::accumulate(s.begin(), s.end(), 1, std::multiplies<int>()), std::accumulate(s.begin(), s.end(), 5, [](int x, int y) { return x + 2 * y; })>>>(a, 1); k<<<*std::max_element(std::begin(sizes), std::end(sizes)), 32 * std::size(sizes)>>>(a, 1);`,
      `#include <array>\n#include <numeric>\n#include <functional>\n${kernel}`,
    ),
    ["k 24 23", "k 40 96"],
  ],
  "questions to a range": [
    inMain(
      `${three} auto it = std::find_if(cs.begin(), cs.end(), [](const C &c) { return c.score == 2; }); if (it != cs.end()) k<<<it - cs.begin(), it->block>>>(a, 1);
if (std::any_of(cs.begin(), cs.end(), [](const C &c) { return c.block > 200; })) k<<<std::count_if(cs.begin(), cs.end(), [](const C &c) { return c.block > 100; }), 32>>>(a, 1);`,
      candidates,
    ),
    ["k 2 256", "k 2 32"],
  ],
  "queues, stacks, sets and maps": [
    inMain(
      `std::queue<int> q; q.push(4); q.push(2); while (!q.empty()) { k<<<q.front(), 32>>>(a, 1); q.pop(); } std::stack<int> s; s.push(1); s.push(6); k<<<s.top(), 64>>>(a, 1);
std::set<int> t{96, 64}; t.insert(64); k<<<t.size(), *t.begin()>>>(a, 1); std::map<std::string, int> m; m.emplace("x", 3); m.emplace("x", 9); k<<<m.at("x"), 128>>>(a, 1);`,
      `#include <map>\n#include <queue>\n#include <set>\n#include <stack>\n#include <string>\n${kernel}`,
    ),
    ["k 4 32", "k 2 32", "k 6 64", "k 2 64", "k 3 128"],
  ],
  "words of a text": [
    inMain(
      `std::stringstream in("3,64;5"); std::string g, b; std::getline(in, g, ','); std::getline(in, b, ';'); k<<<std::stoi(g), std::stoi(b)>>>(a, 1); int x, y; if (sscanf("32x4", "%dx%d", &x, &y) == 2) k<<<1, dim3(x, y)>>>(a, 1);
for (char c : std::string("bc")) k<<<c - 'a', std::toupper(c) - 'A' + 32>>>(a, 1);`,
      `#include <sstream>\n#include <string>\n${kernel}`,
    ),
    ["k 3 64", "k 1 32x4", "k 1 33", "k 2 34"],
  ],
  "lists within a map": [
    inMain(
      `std::map<int, std::vector<std::pair<std::string, std::function<void()>>>> phases; phases[4].emplace_back("a", [&] { k<<<1, 7>>>(a, 1); }); phases[2].push_back({"b", [&, g = 3] { k<<<g, 9>>>(a, 1); }});
for (auto &[phase, list] : phases) for (auto &[name, run] : list) { k<<<phase, list.size() + 31>>>(a, 1); run(); }`,
      `#include <functional>\n#include <map>\n#include <string>\n#include <vector>\n${kernel}`,
    ),
    ["k 1 7", "k 3 9", "k 2 32", "k 4 32"],
  ],
  "threads, tasks and what is done once": [
    inMain(
      `std::vector<std::thread> all; for (int i = 1; i <= 2; i++) all.emplace_back([&, i] { k<<<i, 32>>>(a, 1); }); for (auto &t : all) t.join(); std::thread one([](float *p, int n) { k<<<n, 64>>>(p, 1); }, a, 5); one.join();
auto f = std::async(std::launch::async, [&] { return 9; }); k<<<f.get(), 96>>>(a, 1); std::once_flag flag; for (int i = 0; i < 3; i++) std::call_once(flag, [&] { k<<<i + 20, 128>>>(a, 1); });
std::atomic<int> next{0}; for (int j; (j = next++) < 2;) k<<<30 + j, 160>>>(a, 1);`,
      `#include <atomic>\n#include <future>\n#include <mutex>\n#include <thread>\n#include <vector>\n${kernel}`,
    ),
    ["k 1 32", "k 2 32", "k 5 64", "k 9 96", "k 20 128", "k 30 160", "k 31 160"],
  ],
  "bits counted": [inMain("k<<<1 << (31 - __builtin_clz(100)), 32 * __builtin_popcount(7)>>>(a, __builtin_ctz(8));"), ["k 64 96"]],
  "what is appended by an algorithm": [
    inMain(
      `std::vector<int> v, w, x; std::generate_n(std::back_inserter(v), 3, [n = 1]() mutable { return n *= 2; }); std::transform(v.begin(), v.end(), std::back_inserter(w), [](int n) { return n * 32; });
std::copy_if(w.begin(), w.end(), std::back_inserter(x), [](int n) { return n > 64; }); for (int n : x) k<<<v.back(), n>>>(a, 1); k<<<x.size(), w[0]>>>(a, 1);`,
      `#include <algorithm>\n#include <iterator>\n#include <vector>\n${kernel}`,
    ),
    ["k 8 128", "k 8 256", "k 2 64"],
  ],
  "objects that are all alike": [
    inMain(`for (const C &c : std::vector<C>(2, C{96, 5})) k<<<c.score, c.block>>>(a, 1);`, candidates),
    ["k 5 96"],
  ],
  "a configuration given as a pack": [
    inMain("std::apply([&](auto... c) { k<<<c...>>>(a, 1); }, std::make_tuple(7, 32, 64));", `#include <tuple>\n${kernel}`),
    ["k 7 32 64"],
  ],
};

describeKnown(cases);

test("a rule that cannot be told leaves the order unknown", () => {
  const [fact] = launchesOf(
    inMain(
      `${three} std::sort(cs.begin(), cs.end(), [](const C &x, const C &y) { return measured(x) < measured(y); }); k<<<1, cs.front().block>>>(a, 1);`,
      `${candidates}float measured(const C &);\n`,
    ),
  );
  expect(fact?.configuration.map(({ what }) => what)).toEqual(["block"]);
});

const containers = `#include <algorithm>\n#include <cstdlib>\n#include <ctime>\n#include <set>\n#include <unordered_set>\n#include <vector>\n${kernel}`;

describe("not told as known", () => {
  const unknowns: Record<string, string> = {
    "how many of numbers that nobody knows are different":
      "srand(time(NULL)); std::set<int> s; for (int i = 0; i < 50; i++) s.insert(rand() % 100); k<<<s.size(), 32>>>(a, 1);",
    "what is left of such numbers without repeats":
      "srand(time(NULL)); std::vector<int> v; for (int i = 0; i < 50; i++) v.push_back(rand() % 100); std::sort(v.begin(), v.end()); v.erase(std::unique(v.begin(), v.end()), v.end()); k<<<v.size(), 32>>>(a, 1);",
    "a length that is such a number":
      "srand(time(NULL)); std::vector<int> v; for (int i = 0; i < 9; i++) v.resize(rand() % 20 + 1); k<<<v.size(), 32>>>(a, 1);",
    "in which order a hash has its elements":
      "std::unordered_set<int> s{5, 3, 9}; int last = 0; for (int x : s) last = x; k<<<last, 32>>>(a, 1);",
    "how many of a range are different": "std::vector<int> v{3, 3, 1}; std::set<int> s(v.begin(), v.end()); k<<<s.size(), 32>>>(a, 1);",
    "the order of a set with a rule": "std::set<int, std::greater<int>> s{1, 2}; k<<<*s.begin(), 32>>>(a, 1);",
    "what was sorted from behind": "std::vector<int> v{3, 1, 2}; std::sort(v.rbegin(), v.rend()); k<<<v[0], 32>>>(a, 1);",
    "what was shuffled":
      "std::vector<int> v(64); for (int i = 0; i < 64; i++) v[i] = i % 4 + 1; std::random_shuffle(v.begin(), v.end()); k<<<v[1], 32>>>(a, 1);",
  };
  test.each(Object.entries(unknowns))("%s", (_, source) => {
    const [fact] = launchesOf(inMain(source, containers));
    expect(fact?.configuration.map(({ what }) => what)).not.toEqual([]);
  });
});

test("what was put into a map first stays there, and what is put into a queue is made in place", () => {
  const facts = launchesOf(
    inMain(
      "std::map<int, int> m; for (int i = 0; i < 5; i++) m.insert({0, i + 3}); k<<<m.size(), m[0]>>>(a, 1); std::queue<std::pair<int, int>> q; q.emplace(2, 64); k<<<q.front().first, q.front().second>>>(a, 1);",
      `#include <map>\n#include <queue>\n${kernel}`,
    ),
  );
  expect(shapes(facts)).toEqual(["k 1 3", "k 2 64"]);
});
