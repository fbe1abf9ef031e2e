/** Kernel arguments and what they point at. */
import { beforeAll, describe, expect, test } from "vitest";
import { inMain, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

describe("arguments", () => {
  test("pointers into one buffer keep their offsets", () => {
    const [fact] = launchesOf(
      inMain(
        "int n = 1000; float *soa; cudaMalloc(&soa, 3 * n * sizeof(float)); k3<<<1, 32>>>(soa, soa + n, &soa[2 * n]);",
        "__global__ void k3(float *x, float *y, float *z) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toEqual([0, 4000, 8000].map((offset) => ({ kind: "pointer", buffer: 0, offset })));
    expect(fact?.launch?.buffers).toMatchObject([{ name: "soa", bytes: 12000, element: "f32", residence: "device" }]);
  });
  test("scalars have their parameter's type", () => {
    const [fact] = launchesOf(
      inMain(
        "s<<<1, 1>>>(2.7, 3, -1, 'a', 1ull << 40, true);",
        "__global__ void s(int i, float f, unsigned u, char c, size_t z, bool b) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toEqual([2, 3, -1, 97, 1n << 40n, 1].map((value) => ({ kind: "scalar", value })));
  });
  test("structs by value are laid out", () => {
    const [fact] = launchesOf(
      inMain(
        "P p; p.c = 5; p.d = 2.5; p.v = make_float2(1, 2); p.p = a + 4; p.t[1] = 9; s<<<1, 1>>>(p);",
        "struct P { char c; double d; float2 v; float *p; int t[2]; };\n__global__ void s(P p) {}\n",
      ),
    );
    expect(fact?.launch?.arguments).toMatchObject([
      {
        kind: "aggregate",
        fields: [
          { offset: 0, type: "i8", value: { value: 5 } },
          { offset: 8, type: "f64", value: { value: 2.5 } },
          { offset: 16, type: "f32", value: { value: 1 } },
          { offset: 20, type: "f32", value: { value: 2 } },
          { offset: 24, type: "ptr", value: { kind: "pointer", offset: 16 } },
          { offset: 36, type: "i32", value: { value: 9 } },
        ],
      },
    ]);
  });
  test("constant memory is filled by cudaMemcpyToSymbol", () => {
    const [fact] = launchesOf(
      inMain(
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, sizeof(h)); s<<<1, 4>>>(a);",
        "__constant__ float c[4];\n__constant__ int unused;\n__global__ void s(float *p) { p[threadIdx.x] = c[threadIdx.x] + unused; }\n",
      ),
    );
    expect(fact?.lower().globals.map(({ name, content }) => [name, content])).toEqual([
      ["c", { kind: "linear", start: 1, stride: 1 }],
      ["unused", { kind: "zero" }],
    ]);
  });
  test("a launch in a loop is counted", () => {
    const counts = (body: string) => launchesOf(inMain(body)).map((fact) => fact.executions);
    expect(counts("for (int i = 0; i < 1000; i++) k<<<1, 32>>>(a, i);")).toEqual([1000]);
    expect(counts("for (int i = 0; i < 20; i++) for (int j = 0; j < 500; j += 5) k<<<1, 32>>>(a, i);")).toEqual([2000]);
    expect(counts("float e = 1; while (e > 0.1f) { k<<<1, 32>>>(a, 1); cudaMemcpy(&e, a, 4, cudaMemcpyDeviceToHost); }")).toEqual([
      undefined,
    ]);
    expect(counts("if (argc > 5) k<<<1, 32>>>(a, 1); k<<<2, 32>>>(a, 1);")).toEqual([0, 1]);
  });
  test("a launch in a loop has the values of its first execution", () => {
    const [only, ...more] = launchesOf(inMain("for (int s = 512; s > 0; s >>= 1) k<<<4, 32>>>(a, s);"));
    expect(more).toEqual([]);
    expect(only?.launch?.arguments[1]).toEqual({ kind: "scalar", value: 512 });
    expect(only?.executions).toBe(10);
  });

  test("of many configurations eight are told apart, and that there are more is said", () => {
    const facts = launchesOf(inMain("for (int s = 1; s <= 20; s++) k<<<s, 32>>>(a, s);"));
    expect(shapes(facts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((s) => `k ${s} 32`));
    expect(facts.map(({ executions }) => executions)).toEqual(facts.map(() => 1));
    const told = facts.map(({ assumptions }) =>
      assumptions.filter(({ what }) => what === "other configurations").map(({ value }) => value),
    );
    expect(told).toEqual([[12], ...facts.slice(1).map(() => [])]);
  });

  test("nobody knows how often each configuration of a loop comes that is not run to its end", () => {
    const facts = launchesOf(inMain("for (int s = 0; s < 1000; s++) k<<<1 + s % 2, 32>>>(a, s);"));
    expect(shapes(facts)).toEqual(["k 1 32", "k 2 32"]);
    expect(facts.map(({ executions }) => executions)).toEqual([undefined, undefined]);
  });

  test("what the user says of the grid holds for all of them", () => {
    const source = inMain("for (int s = 64; s <= 256; s *= 2) k<<<1024 / s, s>>>(a, s);");
    expect(shapes(launchesOf(source, { launches: ["k: grid=3 block=32"] }))).toEqual(["k 3 32"]);
  });
});
