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
  "function objects of the library beside one of the program's": [
    inMain(
      "std::multiplies<int> times; k<<<times(3, 4), 32>>>(a, 1);",
      `${headers}struct Less { bool operator()(int x, int y) const { return x < y; } };\n`,
    ),
    ["k 12 32"],
  ],
};

describeKnown(cases);
