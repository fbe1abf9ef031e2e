/** Which values the compiler knows. */
import { expect, test } from "vitest";
import { shown } from "./testing/shown.ts";

const fixed = async (text: string): Promise<boolean[]> => {
  const { semantics, expressions } = await shown(text);
  return expressions.map((each) => semantics.isFixed(each));
};

test("what follows from a template's values is known, what comes of the launch is not", async () => {
  const asked = "show((float)N / 2); show(half); show(twice + half); show(n * N); show(moved);";
  expect(
    await fixed(
      `template <int N> __global__ void k(int n) { const float half = N / 2.0f; const float twice = half * 4; const float moved = half + n; ${asked} }`,
    ),
  ).toEqual([true, true, true, false, false]);
});

test("a variable that is named many times is looked at once", async () => {
  const all = (name: string): string => `float(${Array.from({ length: 400 }, () => name).join(", ")})`;
  const made = `const float a = ${all("N")}; const float b = ${all("a")}; const float c = ${all("b")}; const float d = ${all("c")};`;
  expect(await fixed(`template <int N> __global__ void k() { ${made} show(d); }`)).toEqual([true]);
});
