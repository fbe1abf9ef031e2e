/** Random numbers that stand for those of a generator of which nobody knows the state. */
import { beforeAll, describe, expect, test } from "vitest";
import { elementAt } from "../testing/elements.ts";
import { launchOfVector } from "../testing/launch-of-vector.ts";
import { useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

describe("of generators that nobody knows the state of", () => {
  const rows =
    "std::vector<int> h, c; for (int r = 0; r < 500; r++) { int n = 1 + DRAW % 9; for (int k = 0; k < n; k++) c.push_back(k); h.push_back((int)c.size()); }";
  test.each([
    ["a seed of the device", "std::random_device d; std::mt19937 g(d());", "g()"],
    ["a seed of the clock", "std::mt19937 g((unsigned)time(nullptr));", "g()"],
    ["srand with the clock", "srand(time(0));", "rand()"],
    ["an engine that is not followed", "std::mt19937_64 g(3);", "g()"],
    ["one that a loop nobody follows has drawn from", "std::mt19937 g(3); for (int i = 0; i < 99; i++) { read_one(i); g(); }", "g()"],
  ])("%s: numbers stand for the program\u0027s, and are no known ones", (_, before, draw) => {
    const { content, size } = launchOfVector(before + rows.replace("DRAW", draw));
    expect([size, content?.kind === "values" && content.drawn]).toEqual([500, true]);
    expect(
      content?.kind === "values" &&
        Array.from(content.values).every((end, k, all) => end - (all[k - 1] ?? 0) >= 1 && end - (all[k - 1] ?? 0) <= 9),
    ).toBe(true);
  });
  test("sizes and counts that come of them are assumed, and told with the launch", () => {
    const { fact, content, size } = launchOfVector(
      `srand(time(0)); ${rows.replace("DRAW", "rand()").replace("h, c", "c, h").replaceAll("c.", "x.").replaceAll("h.", "c.").replaceAll("x.", "h.")}`,
    );
    expect(fact?.assumptions).toEqual([
      { what: "h.size()", value: size, why: "it comes of random numbers, of which nobody knows what they began with" },
    ]);
    expect([size > 500 && size < 4500, content?.kind === "values" && content.drawn]).toEqual([true, true]);
  });
  test("what does not come of them stays known", () => {
    const code =
      "std::random_device d; std::mt19937 g(d()); std::vector<int> h; std::vector<float> x; for (int i = 0; i < 500; i++) { x.push_back(g() % 7); h.push_back(i * i); }";
    const { content, fact } = launchOfVector(code);
    expect([elementAt(content, 20), elementAt(content, 499), fact?.assumptions]).toEqual([400, 249001, []]);
  });
});

describe("what is not known", () => {
  test.each([
    [
      "a container of which a loop that is not followed changes the size",
      "std::vector<int> h; for (int i = 0; i < 9000; i++) if (read_one(i)) h.push_back(i);",
    ],
    [
      "what is counted at indices of a list that nobody knows",
      "std::vector<int> c(9000); for (int x : read_all()) c[x]++; std::vector<int> h; for (int i = 0; i < 9000; i++) if (c[i]) h.push_back(i);",
    ],
    [
      "one of several",
      "std::vector<std::vector<int>> a(9); for (int i = 0; i < 100; i++) a[read_one(i)].push_back(i); std::vector<int> h = a[3];",
    ],
  ])("%s", (_, code) => expect(launchOfVector(code).size).toBeNaN());
});
