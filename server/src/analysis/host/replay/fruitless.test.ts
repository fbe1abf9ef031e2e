/** Loops that hold what the device has computed against what the host has: passed over, and nothing that a launch is given rests on that. */
import { beforeAll, describe, expect, test } from "vitest";
import { elementAt } from "../testing/elements.ts";
import { launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const before = `#include <algorithm>\n#include <cmath>\n#include <vector>
__global__ void fill(float *p, int n) { p[threadIdx.x] = n; }
__global__ void k(const int *p, int n) {}
struct Result { double sum; int bad; };\n`;

/** What the last launch is given, behind a comparison of `n` results in `got` with `ref`, which both hosts of numbers have. */
function given(code: string) {
  const facts = launchesOf(`${before}int main() {
    const int n = 1 << 20; std::vector<float> got(n), ref(n); std::vector<int> h(5000);
    float *d; cudaMalloc(&d, n * 4); fill<<<1, 256>>>(d, n);
    for (int i = 0; i < n; i++) ref[i] = (float)((i * 31) % 65521);
    cudaMemcpy(got.data(), d, n * 4, cudaMemcpyDeviceToHost);
    int count = 7; ${code}
    int *g; cudaMalloc(&g, h.size() * 4); cudaMemcpy(g, h.data(), h.size() * 4, cudaMemcpyHostToDevice); k<<<1, 32>>>(g, count); }`);
  const { launch } = facts.at(-1) ?? {};
  const [, argument] = launch?.arguments ?? [];
  const content = launch?.buffers[0]?.content;
  const isAssumed = (facts.at(-1)?.assumptions.length ?? 0) > 0;
  return { isAssumed, count: argument?.kind === "scalar" ? argument.value : undefined, at: (index: number) => elementAt(content, index) };
}

const compares = "int bad = 0; for (int i = 0; i < n; i++) bad += got[i] != ref[i];";

describe("what launches are given behind loops of which nothing is known", () => {
  test("many comparisons leave the budget to the loops that follow them", () => {
    const all = Array.from({ length: 24 }, (_, k) => compares.replaceAll("bad", `bad${k}`)).join(" ");
    const { at } = given(`${all} unsigned s = 7; for (int i = 0; i < 5000; i++) { s = s * 1664525u + 1013904223u; h[i] = s >> 8; }`);
    expect([at(0), at(4999)]).toEqual([4006077, 12217316]);
  });

  /** Each leaves `count` and `h` as the compiled program does. */
  test.each<readonly [name: string, code: string, count: number, last: number]>([
    ["a variable that is assigned later on", "for (int i = 0; i < n; i++) { count += got[i]; if (i == n - 1) count = 6; }", 6, 0],
    [
      "a variable that a function assigns",
      "auto set = [&](int x) { count = x; }; for (int i = 0; i < n; i++) { count += got[i]; set(i); }",
      n(-1),
      0,
    ],
    [
      "a variable beside it",
      "int bad = 0; count = 0; for (int i = 0; i < n; i++) { bad += got[i] != ref[i]; count += i & 1; }",
      1 << 19,
      0,
    ],
    ["one by a reference", "int bad = 0; int &c = count; for (int i = 0; i < n; i++) { bad += got[i] != ref[i]; c = i; }", n(-1), 0],
    ["one by a pointer", "int bad = 0; int *c = &count; for (int i = 0; i < n; i++) { bad += got[i] != ref[i]; *c = i; }", n(-1), 0],
    ["a member", "Result r{}; for (int i = 0; i < n; i++) { r.sum += got[i]; r.bad = i; } count = r.bad;", n(-1), 0],
    ["an array beside it", "int bad = 0; for (int i = 0; i < n; i++) { bad += got[i] != ref[i]; h[i % 5000] = i; }", 7, 1044999],
    [
      "an array beside it, by a pointer",
      "int bad = 0; int *p = h.data(); for (int i = 0; i < n; i++) { bad += got[i] != ref[i]; p[i % 5000] = i; }",
      7,
      1044999,
    ],
    [
      "an array that the results are in",
      "for (int i = 0; i < n; i++) got[i] = ref[i]; for (int i = 0; i < 5000; i++) h[i] = (int)got[i];",
      7,
      23927,
    ],
    ["one that they were in", "for (int i = 0; i < n; i++) { h[i % 5000] = (int)got[i]; h[i % 5000] = i; }", 7, 1044999],
    [
      "the least of what is known",
      "float least = 1e9f; for (int i = 0; i < n; i++) least = std::min(least, ref[i]); count = (int)least;",
      0,
      0,
    ],
    ["what a choice leaves", "float x = 3; for (int i = 0; i < n; i++) x = i == n - 1 ? 9 : x + got[i]; count = (int)x;", 9, 0],
    ["what is known whatever the result is", "int ok = 1; for (int i = 0; i < n; i++) ok = ok + got[i] > 0 && i < 9; count = ok;", 0, 0],
    ["where the loop stood", "int bad = 0, i; for (i = 0; i < n; i++) bad += got[i] != ref[i]; count = i;", 1 << 20, 0],
  ])("%s", (_, code, count, last) => {
    const told = given(code);
    expect([told.count, told.at(4999), told.isAssumed]).toEqual([count, last, false]);
  });

  test.each([
    ["a count of differences", `${compares} count = bad;`],
    [
      "the greatest difference",
      "float worst = 0; for (int i = 0; i < n; i++) worst = std::max(worst, std::fabs(got[i] - ref[i])); count = (int)worst;",
    ],
    ["what is copied from them", "for (int i = 0; i < n; i++) h[i % 5000] = (int)got[i]; count = h[3];"],
  ])("%s is not known", (_, code) => {
    expect(given(code).isAssumed).toBe(true);
  });
});

function n(more: number): number {
  return (1 << 20) + more;
}
