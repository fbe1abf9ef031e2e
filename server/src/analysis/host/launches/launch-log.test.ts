/** Which launches of one site are told apart. */
import { beforeAll, describe, expect, test } from "vitest";
import { inMain, launchesOf, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const kernel = "__global__ void k(float *p, int stride, float by) { p[threadIdx.x * stride] *= by; }\n";
/** Of each launch what tells it from others, and how often it is made. */
const told = (code: string): unknown[] =>
  launchesOf(inMain(code, kernel)).map(({ given, executions }) => [
    given?.map(({ name, value }) => `${name} = ${value}`).join(", "),
    executions,
  ]);

describe("launches of a loop", () => {
  test.each<readonly [string, string, unknown[]]>([
    [
      "that are given other numbers are told apart, by those that differ",
      "for (int s = 1; s <= 4; s *= 2) k<<<4, 64>>>(a, s, 2.0f);",
      [
        ["stride = 1", 1],
        ["stride = 2", 1],
        ["stride = 4", 1],
      ],
    ],
    [
      "by each of them",
      "for (int s = 1; s <= 2; s++) k<<<4, 64>>>(a, s, 0.5f * s);",
      [
        ["stride = 1, by = 0.5", 1],
        ["stride = 2, by = 1", 1],
      ],
    ],
    [
      "that are given the same again count once more",
      "for (int t = 0; t < 6; t++) k<<<4, 64>>>(a, 1 + t % 2, 2.0f);",
      [
        ["stride = 1", 3],
        ["stride = 2", 3],
      ],
    ],
    ["that are given the same each time are one", "for (int t = 0; t < 6; t++) k<<<4, 64>>>(a, 3, 2.0f);", [[undefined, 6]]],
    ["of more than are simulated each are one", "for (int s = 1; s <= 20; s++) k<<<4, 64>>>(a, s, 2.0f);", [[undefined, 20]]],
    ["of which not every turn was followed are one", "for (int t = 0; t < 5000; t++) k<<<4, 64>>>(a, t % 2, 2.0f);", [[undefined, 5000]]],
    ["of numbers that nobody knows are one", "for (int s = 1; s <= 4; s *= 2) k<<<4, 64>>>(a, read(s), 2.0f);", [[undefined, 3]]],
    [
      "in several configurations are told apart as far as there is room",
      "for (int b = 32; b <= 256; b *= 2) for (int s = 1; s <= 3; s++) k<<<4, b>>>(a, s, 2.0f);",
      [
        ["stride = 1", 1],
        ["stride = 2", 1],
        ["stride = 3", 1],
        ["stride = 1", 1],
        ["stride = 2", 1],
        ["stride = 3", 1],
        [undefined, 3],
        [undefined, 3],
      ],
    ],
  ])("%s", (_, code, expected) => expect(told(code)).toEqual(expected));
});
