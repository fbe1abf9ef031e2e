/** Where exceptions and jumps lead. */
import { beforeAll } from "vitest";
import { describeKnown, inMain, kernel, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const checked = `#include <stdexcept>\n${kernel}int checked(int n) { if (n > 3) throw std::invalid_argument("n"); return n; }\n`;

const cases: Record<string, [source: string, expected: string[]]> = {
  "what is thrown leaves its function, and what stood behind it is not done": [
    inMain(
      `int n = 1; try { n = 2; checked(9); n = 3; } catch (const std::exception &e) { n += 10; } k<<<n, 32>>>(a, 1);
try { n = checked(3); } catch (...) { n = 40; } k<<<n, 64>>>(a, 1);`,
      checked,
    ),
    ["k 12 32", "k 3 64"],
  ],
  "what a handler throws on goes to the handler around": [
    inMain("int n = 1; try { try { throw 5; } catch (int) { n = 6; throw; } } catch (...) { n *= 2; } k<<<n, 32>>>(a, 1);"),
    ["k 12 32"],
  ],
  "a jump out of loops, and back": [
    inMain(
      `int s = 0; for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) { if (i * j == 6) goto done; s++; }
done: k<<<s, 32>>>(a, 1); int i = 0; again: k<<<i + 1, 64>>>(a, 1); if (++i < 3) goto again;`,
    ),
    ["k 13 32", "k 1 64", "k 2 64", "k 3 64"],
  ],
  "a search in a table within a loop, to the element that is looked for": [
    inMain(
      "int n = 1; for (int i = 0; i < 2; i++) n += found(20 + i); k<<<n, 32>>>(a, 1);",
      `${kernel}int found(int key) { int t[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, -1}; int at = 0;
while (t[at] != -1) { if (t[at] == key) return at * 10; at++; } return 0; }
`,
    ),
    ["k 411 32"],
  ],
  "comparisons that read like template arguments, in loops that are compiled as well": [
    inMain(
      `int n = 1024; std::vector<int> v(10); for (int i = 0; i < 10; i++) v[i] = i < n >> 8 ? i : n < 5 ? 1 : i >> 1;
k<<<n < 5000 ? 3 : n >> 2, 32>>>(a, 1); k<<<v[9] + v[2] * 10, 32>>>(a, 1); k<<<pick(v[3] < n, n > (7)), 32>>>(a, 1);
for (int i = 0; i < 10000; i++) v[3] += i < n >> 9 ? i : n < 5 ? 1 : 0; k<<<v[3], 32>>>(a, 1);`,
      `#include <vector>\n${kernel}int pick(bool a, bool b) { return a * 2 + b; }\n`,
    ),
    ["k 3 32", "k 24 32", "k 3 32", "k 4 32"],
  ],
  "ranges of temporary objects, and the rows of an array": [
    inMain(
      `int s = 0; for (int x : Steps{3, 9}) s += x; k<<<s, 32>>>(a, 1);
int m[3][4] = {{1, 2}, {3}, {0, 0, 7}}; int t = 0; for (auto &row : m) for (auto x : row) t = t * 2 + x; k<<<t, 64>>>(a, 1);`,
      `${kernel}struct At { int v; int operator*() const { return v; } At &operator++() { ++v; return *this; } bool operator!=(const At &o) const { return v != o.v; } };
struct Steps { int from, to; At begin() const { return {from}; } At end() const { return {to}; } };\n`,
    ),
    ["k 33 32", "k 4494 64"],
  ],
  "what lists make: arrays and objects of the heap, vectors, a map of one pair": [
    inMain(
      `int *p = new int[5]{1, 2, 3}; k<<<p[1] + p[4], 32>>>(a, 1); Node *n = new Node{7}; n->next = new Node{8, nullptr}; k<<<n->v + n->next->v, 32>>>(a, 1);
std::vector<int> v{{1, 2}}; std::vector<std::vector<int>> w{{1, 2}}; k<<<v.size(), 32 * w.size()>>>(a, 1); std::map<int, int> m{{4, 1}}; k<<<m[4], 32 * m.size()>>>(a, 1);`,
      `#include <map>\n#include <vector>\n${kernel}struct Node { int v; Node *next = nullptr; };\n`,
    ),
    ["k 2 32", "k 15 32", "k 2 32", "k 1 32"],
  ],
  "the limits of a type, and the bits of a number": [
    inMain(
      "k<<<std::numeric_limits<int>::max() / 10000000, 32>>>(a, 1); float f = 2; unsigned u; memcpy(&u, &f, 4); k<<<u >> 22, 32>>>(a, 1);",
      `#include <limits>\n${kernel}`,
    ),
    ["k 214 32", "k 256 32"],
  ],
};

describeKnown(cases);
