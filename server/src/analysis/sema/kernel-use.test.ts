import { expect, test } from "vitest";
import type { FunctionDeclaration } from "../../syntax/ast.ts";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { kernelUse } from "./kernel-use.ts";

async function useOf(body: string) {
  const { unit } = await parseText(`__global__ void k(float *a, int n, int m) { ${body} }`);
  return kernelUse(unit.declarations[0] as FunctionDeclaration);
}

test.each<[string, 1 | 2 | 3, Record<string, object>]>([
  ["int i = threadIdx.x; if (i < n) a[i * m] = 0;", 1, { n: { kind: "extent", axis: 0 }, m: { kind: "pitch" } }],
  ["for (int j = 0; j < n; j++) a[j] = 0;", 1, { n: { kind: "trips" } }],
  ["int y = blockIdx.y + 1; if (y + n < m) a[y] = 0;", 2, { m: { kind: "extent", axis: 1 }, n: { kind: "trips" } }],
  ["if (threadIdx.z + threadIdx.x < n) a[0] = 0;", 3, { n: { kind: "extent", axis: 2 } }],
  ["if (a[threadIdx.x] < n) a[0] = 0;", 1, { n: { kind: "trips" } }],
  ["int i = 0; if (i < n) i = threadIdx.y; if (i < m) a[i] = 0;", 2, { n: { kind: "trips" }, m: { kind: "extent", axis: 1 } }],
  ["a[0] = (n < (m < threadIdx.y));", 2, { n: { kind: "extent", axis: 1 }, m: { kind: "extent", axis: 1 } }],
])("%s", async (body, dimensions, roles) => {
  const use = await useOf(body);
  expect({ dimensions: use.dimensions, roles: Object.fromEntries(use.roles) }).toEqual({ dimensions, roles });
});

test("each of many comparisons in each other is looked at once", async () =>
  expect((await useOf(`a[0] = ${"n < ".repeat(20_000)} n;`)).roles).toEqual(new Map([["n", { kind: "trips" }]])));
