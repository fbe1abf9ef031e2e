/** Configurations that come in tuples, optionals and variants. */
import { beforeAll, expect, test } from "vitest";
import { describeKnown, inMain, kernel, launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const functor = "template <typename F> __global__ void m(float *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }\n";
const ops = `struct Add { float k; static constexpr int block = 64; __device__ float operator()(float x) const { return x + k; } };
struct Mul { float k; static constexpr int block = 128; __device__ float operator()(float x) const { return x * k; } };
${functor}`;

const cases: Record<string, [source: string, expected: string[]]> = {
  "a tuple returned, and taken apart": [
    inMain(
      "auto [g, b, s] = plan(1000); k<<<g, b, s>>>(a, 1);",
      `#include <tuple>\n${kernel}std::tuple<dim3, int, size_t> plan(int n) { return {dim3(n / 10, 2), 32, 256}; }\n`,
    ),
    ["k 100x2 32 256"],
  ],
  "elements by number and by type": [
    inMain(
      "const auto t = std::make_tuple(7, 64u, 2.5); k<<<std::get<0>(t), std::get<unsigned>(t)>>>(a, std::get<double>(t));",
      `#include <tuple>\n${kernel}`,
    ),
    ["k 7 64"],
  ],
  "tied variables": [
    inMain(
      "int g, b; std::tie(g, b) = shape(4096); k<<<g, b>>>(a, 1); std::tie(g, std::ignore) = shape(512); k<<<g, 32>>>(a, 1);",
      `#include <tuple>\n#include <utility>\n${kernel}std::pair<int, int> shape(int n) { return {n / 128, 128}; }\n`,
    ),
    ["k 32 128", "k 4 32"],
  ],
  "a list of tuples": [
    inMain(
      `std::vector<std::tuple<int, int, const char *>> cases{{132, 256, "one"}, {264, 64, "two"}}; cases.emplace_back(8, 32, "small"); cases.push_back(std::make_tuple(9, 96, "last"));
for (const auto &[g, b, name] : cases) k<<<g, b>>>(a, 1);`,
      `#include <tuple>\n#include <vector>\n${kernel}`,
    ),
    ["k 132 256", "k 264 64", "k 8 32", "k 9 96"],
  ],
  "a function applied to a tuple": [
    inMain("auto run = [&](int g, int b) { k<<<g, b>>>(a, 1); }; std::apply(run, std::make_tuple(6, 32));", `#include <tuple>\n${kernel}`),
    ["k 6 32"],
  ],
  "what is there, and what stands for what is not": [
    inMain(
      "std::optional<int> n, m = 96; n = std::nullopt; k<<<n.value_or(5), *m>>>(a, 1); if (!n) n = 12; if (m.has_value() && n) k<<<n.value(), 32>>>(a, 1);",
      `#include <optional>\n${kernel}`,
    ),
    ["k 5 96", "k 12 32"],
  ],
  "an optional of a class, returned": [
    inMain(
      "if (auto c = find(2)) k<<<c->grid, c->block>>>(a, 1);",
      `#include <optional>\n${kernel}struct Config { dim3 grid; int block; };\nstd::optional<Config> find(int n) { if (n < 1) return std::nullopt; return Config{dim3(3, n), 64}; }\n`,
    ),
    ["k 3x2 64"],
  ],
  "each alternative visited": [
    inMain(
      "std::vector<Op> all{Add{1.f}, Mul{2.f}}; for (const Op &op : all) std::visit([&](const auto &f) { using F = std::decay_t<decltype(f)>; m<<<4, F::block>>>(a, f); }, op);",
      `#include <variant>\n#include <vector>\n${ops}using Op = std::variant<Add, Mul>;\n`,
    ),
    ["m<Add> 4 64", "m<Mul> 4 128"],
  ],
  "what a variant holds": [
    inMain(
      `std::variant<int, Mul> v = Mul{3.f}; if (std::holds_alternative<Mul>(v)) m<<<1, 32>>>(a, std::get<Mul>(v)); if (auto *f = std::get_if<1>(&v)) m<<<v.index() + 1, 64>>>(a, *f);
v = 5; if (auto *n = std::get_if<int>(&v)) k<<<*n, 32>>>(a, 1);`,
      `#include <variant>\n${kernel}${ops}`,
    ),
    ["m<Mul> 1 32", "m<Mul> 2 64", "k 5 32"],
  ],
  "an array of arrays' elements, and what is left out": [
    inMain(
      "std::array<int, 3> t{{4, 8}}; std::array<dim3, 2> b{{dim3(8, 2), {4, 4}}}; k<<<t.size() + t[2], b[1]>>>(a, std::get<0>(t));",
      `#include <array>\n${kernel}`,
    ),
    ["k 3 4x4"],
  ],
};

describeKnown(cases);

test("an alternative that it does not hold is not known", () => {
  const [fact] = launchesOf(
    inMain("std::variant<int, float> v = 2.f; k<<<std::get<int>(v), 64>>>(a, 1);", `#include <variant>\n${kernel}`),
  );
  expect(fact?.configuration.map(({ what }) => what)).toEqual(["grid"]);
});
