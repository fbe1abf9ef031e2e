/** What classes of the standard library that are written as headers of ours lead to. */
import { beforeAll } from "vitest";
import { describeKnown, inMain, kernel, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const headers = `#include <functional>\n#include <map>\n#include <queue>\n#include <set>\n#include <sstream>\n#include <string>\n#include <unordered_map>\n#include <vector>\n${kernel}`;

const cases: Record<string, [source: string, expected: string[]]> = {
  "a map in the order of its keys, of pairs too, or of a rule": [
    inMain(
      `std::map<std::string, int> m{{"b", 2}, {"a", 1}}; m.emplace("c", 9); for (auto &[name, n] : m) k<<<n, name[0]>>>(a, 1);
std::map<std::pair<int, int>, int> p; p[{1, 2}] = 7; p[std::make_pair(0, 1)] = 3; k<<<p.begin()->second, 32 * p.rbegin()->second>>>(a, 1);
std::map<int, int, std::greater<int>> g; g[1] = 5; g[7] = 6; k<<<g.begin()->second, 32>>>(a, 1);`,
      headers,
    ),
    ["k 1 97", "k 2 98", "k 9 99", "k 3 224", "k 6 32"],
  ],
  "whether something was put in, and what is taken out": [
    inMain(
      `std::map<int, int> m{{4, 1}}; auto [at, isNew] = m.insert({4, 9}); k<<<isNew ? 2 : 3, at->second * 32>>>(a, 1); m.erase(4); k<<<m.size() + 1, 32>>>(a, 1);
std::set<int> s{5, 1}; k<<<s.insert(1).second ? 5 : 6, 32>>>(a, 1); std::unordered_map<std::string, int> u; u["x"] += 4; u["y"]++; k<<<u.at("x") + u.size(), 32>>>(a, 1);`,
      headers,
    ),
    ["k 3 32", "k 1 32", "k 6 32", "k 6 32"],
  ],
  "a queue by priority, as libstdc++ has it": [
    inMain(
      `std::priority_queue<int> q; for (int x : {3, 9, 4}) q.push(x); k<<<q.top(), 32>>>(a, 1); q.pop(); k<<<q.top(), q.size() * 32>>>(a, 1);
std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<std::pair<int, int>>> p; p.push({5, 1}); p.emplace(2, 7); k<<<p.top().first, p.top().second>>>(a, 1);
struct N { int f, id; bool operator<(const N &o) const { return f > o.f; } }; std::priority_queue<N> n; for (int i = 0; i < 6; i++) n.push(N{i / 4, i}); n.pop(); n.pop(); k<<<n.top().id + 2, 32>>>(a, 1);`,
      headers,
    ),
    ["k 9 32", "k 4 64", "k 2 7", "k 3 32"],
  ],
  "numbers and characters of a text, to its end": [
    inMain(
      `std::stringstream all("10 20 30"); int x, t = 0; while (all >> x) t += x; k<<<t, 32>>>(a, 1);
std::istringstream size("64x32"); int w = 0, h = 0; char by; size >> w >> by >> h; k<<<w, h>>>(a, 1);`,
      headers,
    ),
    ["k 60 32", "k 64 32"],
  ],
  "algorithms that search, count, add up and move": [
    inMain(
      `std::vector<int> v(10); std::iota(v.begin(), v.end(), 1); k<<<std::lower_bound(v.begin(), v.end(), 7) - v.begin(), *std::upper_bound(v.begin(), v.end(), 7)>>>(a, 1);
auto [low, high] = std::minmax_element(v.begin(), v.end()); k<<<*low, *high>>>(a, 1); std::vector<int> s(11, 0); std::partial_sum(v.begin(), v.end(), s.begin() + 1); k<<<s.back(), 32>>>(a, 1);
std::exclusive_scan(v.begin(), v.end(), s.begin(), 0); k<<<s[9], 32>>>(a, 1); k<<<std::inner_product(v.begin(), v.end(), v.begin(), 0), std::clamp(77, 1, 50)>>>(a, 1);
std::rotate(v.begin(), v.begin() + 3, v.end()); k<<<v[0], *std::next(v.begin(), 6)>>>(a, 1); auto end = std::partition(v.begin(), v.end(), [](int x) { return x > 5; }); k<<<end - v.begin(), std::is_sorted(v.begin(), v.end()) ? 32 : 64>>>(a, 1);`,
      `#include <algorithm>\n#include <numeric>\n#include <vector>\n${kernel}`,
    ),
    ["k 6 8", "k 1 10", "k 55 32", "k 45 32", "k 385 50", "k 4 10", "k 5 64"],
  ],
  "algorithms on many elements, and on records by a rule": [
    inMain(
      `std::vector<int> d(5000); for (int i = 0; i < 5000; i++) d[i] = (i * 7) % 13; k<<<std::accumulate(d.begin(), d.end(), 0), *std::max_element(d.begin(), d.end())>>>(a, 1);
std::vector<E> e{{1, 5}, {2, 1}, {2, 1}}; e.erase(std::unique(e.begin(), e.end(), [](const E &x, const E &y) { return x.u == y.u && x.v == y.v; }), e.end()); k<<<e.size(), 32>>>(a, 1);`,
      `#include <algorithm>\n#include <numeric>\n#include <vector>\n${kernel}struct E { int u, v; };\n`,
    ),
    ["k 29992 12", "k 2 32"],
  ],
  "bits of integers": [
    inMain(
      "k<<<std::popcount(77u), std::bit_width(100u)>>>(a, 1); k<<<std::bit_ceil(900u), std::bit_floor(900u)>>>(a, 1); k<<<std::countr_zero(8u), std::countl_zero(1u)>>>(a, 1);",
      `#include <bit>\n${kernel}`,
    ),
    ["k 4 7", "k 1024 512", "k 3 31"],
  ],
  "function objects of the library beside one of the program's": [
    inMain(
      "std::multiplies<int> times; k<<<times(3, 4), 32>>>(a, 1);",
      `${headers}struct Less { bool operator()(int x, int y) const { return x < y; } };\n`,
    ),
    ["k 12 32"],
  ],
};

describeKnown(cases);
