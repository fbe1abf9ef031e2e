/**
 * Algorithms of the standard library as the evaluator runs them where it knows nothing shorter: loops over indices, which are gone
 * through on bare numbers where they are long.
 */

/** An algorithm on a range. */
const on = (result: string, name: string, [types, parameters]: readonly [types: string, parameters: string], body: string): string =>
  `template <class I${types}> ${result} ${name}(I first, I last${parameters}) { size_t n = last - first; ${body} }\n`;

const nothing = ["", ""] as const;
const value = [", typename T", ", const T &value"] as const;
const rule = [", typename F", ", F f"] as const;
/** By a rule of the caller's, else by `<`. */
const order = [", typename F = __in_order", ", F less = F()"] as const;
const both = (a: readonly [string, string], b: readonly [string, string]) => [a[0] + b[0], a[1] + b[1]] as const;

const search = (condition: string): string =>
  `size_t from = 0; while (from < n) { size_t middle = (from + n) / 2; if (${condition}) from = middle + 1; else n = middle; }`;
const lower = search("less(first[middle], value)");
const best = (name: string, isBetter: string, using = nothing as readonly [string, string]): string =>
  on("I", name, using, `size_t at = 0; for (size_t i = 1; i < n; i++) if (${isBetter}) at = i; return first + at;`);
/** To the end, as a condition that is not known decides nothing then. */
const test = (name: string, using: readonly [string, string], condition: string, found: boolean, from = 0): string =>
  on("bool", name, using, `bool is = ${!found}; for (size_t i = ${from}; i < n; i++) if (${condition}) is = ${found}; return is;`);
const find = (name: string, using: readonly [string, string], condition: string): string =>
  on("I", name, using, `for (size_t i = 0; i < n; i++) if (${condition}) return first + i; return last;`);
const count = (name: string, using: readonly [string, string], condition: string): string =>
  on("long", name, using, `long found = 0; for (size_t i = 0; i < n; i++) if (${condition}) found++; return found;`);
const out = [", typename O", ", O out"] as const;
const operation = [", typename F", ", F op"] as const;
const init = [", typename T", ", T sum"] as const;

/** By `+`, and by an operation; `SUM(a, b)`. */
const summed = (result: string, name: string, using: readonly [string, string], body: string): string =>
  on(result, name, using, body.replaceAll(/SUM\((\w+), (.*?)\);/g, "$1 + $2;")) +
  on(result, name, both(using, operation), body.replaceAll(/SUM\((\w+), (.*?)\);/g, "op($1, $2);"));

const running =
  "if (n == 0) return out; auto sum = first[0]; out[0] = sum; for (size_t i = 1; i < n; i++) { sum = SUM(sum, first[i]); out[i] = sum; } return out + n;";
const total = "for (size_t i = 0; i < n; i++) sum = SUM(sum, first[i]); return sum;";

/** Of `<algorithm>`. */
export const algorithms = `#pragma once
#include <utility>
namespace std {
${[
  on("I", "lower_bound", both(value, order), `${lower} return first + from;`),
  on("I", "upper_bound", both(value, order), `${search("!less(value, first[middle])")} return first + from;`),
  on("bool", "binary_search", both(value, order), `${lower} return first + from != last && !less(value, first[from]);`),
  best("max_element", "first[at] < first[i]"),
  best("max_element", "f(first[at], first[i])", rule),
  best("min_element", "first[i] < first[at]"),
  best("min_element", "f(first[i], first[at])", rule),
  test("is_sorted", order, "less(first[i], first[i - 1])", false, 1),
  test("any_of", rule, "f(first[i])", true),
  test("all_of", rule, "!f(first[i])", false),
  test("none_of", rule, "f(first[i])", false),
  test("equal", [", typename J", ", J other"], "!(first[i] == other[i])", false),
  find("find", value, "first[i] == value"),
  find("find_if", rule, "f(first[i])"),
  count("count", value, "first[i] == value"),
  count("count_if", rule, "f(first[i])"),
  on(
    "I",
    "unique",
    rule,
    "if (n == 0) return last; size_t kept = 0; for (size_t i = 1; i < n; i++) if (!f(first[kept], first[i])) first[++kept] = first[i]; return first + kept + 1;",
  ),
  on(
    "I",
    "unique",
    nothing,
    "if (n == 0) return last; size_t kept = 0; for (size_t i = 1; i < n; i++) if (!(first[kept] == first[i])) first[++kept] = first[i]; return first + kept + 1;",
  ),
].join("")}template <class I> I rotate(I first, I middle, I last) {
 size_t n = last - first, by = middle - first;
 if (by == 0) return last;
 for (size_t i = 0, j = by - 1; i < j; i++, j--) swap(first[i], first[j]);
 for (size_t i = by, j = n - 1; i < j; i++, j--) swap(first[i], first[j]);
 for (size_t i = 0, j = n - 1; i < j; i++, j--) swap(first[i], first[j]);
 return first + (n - by);
}
template <class I, class F> I partition(I first, I last, F f) {
 for (;; ++first) {
  while (first != last && f(*first)) ++first;
  if (first == last) return first;
  do { if (first == --last) return first; } while (!f(*last));
  swap(*first, *last);
 }
}
template <class I, class J, class O, class F> O transform(I first, I last, J other, O out, F f) { size_t n = last - first; for (size_t i = 0; i < n; i++) out[i] = f(first[i], other[i]); return out + n; }
template <class I> pair<I, I> minmax_element(I first, I last) { return pair<I, I>(min_element(first, last), max_element(first, last)); }
template <class T> pair<T, T> minmax(const T &a, const T &b) { return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b); }
template <class I> I next(I at, long by = 1) { return at + by; }
template <class I> I prev(I at, long by = 1) { return at - by; }
template <class I> void advance(I &at, long by) { at += by; }
template <class I> void iter_swap(I a, I b) { swap(*a, *b); }
template <class T> __host__ __device__ constexpr T clamp(const T &value, const T &low, const T &high) { return value < low ? low : high < value ? high : value; }
}
`;

/** Of `<numeric>`. */
export const sums = `#pragma once
#include <utility>
namespace std {
${[
  summed("O", "partial_sum", out, running),
  summed("O", "inclusive_scan", out, running),
  summed(
    "O",
    "exclusive_scan",
    both(out, init),
    "for (size_t i = 0; i < n; i++) { auto next = SUM(sum, first[i]); out[i] = sum; sum = next; } return out + n;",
  ),
  summed("T", "accumulate", init, total),
  summed("T", "reduce", init, total),
  on("auto", "reduce", nothing, "auto sum = first[0]; for (size_t i = 1; i < n; i++) sum = sum + first[i]; return sum;"),
].join(
  "",
)}template <class I, class J, class T> T inner_product(I first, I last, J other, T sum) { size_t n = last - first; for (size_t i = 0; i < n; i++) sum = sum + first[i] * other[i]; return sum; }
template <class I, class J, class T> T transform_reduce(I first, I last, J other, T sum) { return inner_product(first, last, other, sum); }
template <class I, class T, class F, class G> T transform_reduce(I first, I last, T sum, F op, G f) { size_t n = last - first; for (size_t i = 0; i < n; i++) sum = op(sum, f(first[i])); return sum; }
template <class A, class B> constexpr auto lcm(A a, B b) { return a == 0 ? a : a / gcd(a, b) * b; }
template <class T> constexpr T midpoint(T a, T b) { return a + (b - a) / 2; }
}
`;

/** Of `<bit>`. */
export const bits = `#pragma once
namespace std {
template <class T> constexpr int popcount(T x) { int n = 0; for (; x != 0; x &= x - 1) n++; return n; }
template <class T> constexpr int bit_width(T x) { int n = 0; for (; x != 0; x >>= 1) n++; return n; }
template <class T> constexpr int countl_zero(T x) { return 8 * sizeof(T) - bit_width(x); }
template <class T> constexpr int countr_zero(T x) { return x == 0 ? 8 * sizeof(T) : bit_width((T)(x & (~x + 1))) - 1; }
template <class T> constexpr T bit_floor(T x) { return x == 0 ? 0 : (T)1 << (bit_width(x) - 1); }
template <class T> constexpr T bit_ceil(T x) { return x <= 1 ? 1 : (T)1 << bit_width((T)(x - 1)); }
}
`;
