import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { findingsOf, testRule } from "../testing/rule-tables.ts";
import rule from "./double-constant-in-float.ts";

const kernel = (body: string): string => `__global__ void k(float *a, double *d, const int *n, float x, double y, int i) {\n${body}\n}`;
const found = (marked: string, fixed: string, unsafe?: string) => ({
  code: kernel(marked),
  ...(fixed === "" ? {} : { fixed: kernel(fixed) }),
  ...(unsafe === undefined ? {} : { unsafe: kernel(unsafe) }),
});
testRule(rule, {
  clean: {
    "host code": "void h(float *a) { a[0] = a[0] * 0.5; float x = 1.0; }",
    "a suffix": kernel("  a[i] = a[i] * 0.5f + 1.F;"),
    "an operand is double": kernel("  d[i] = d[i] * 0.5; a[i] = y * 0.5;"),
    "the sum has a double": kernel("  a[i] = x * 0.5 + y;"),
    "the result is double": kernel("  double z = x * 0.5; d[i] = x + 1.0; z += x * 2.0;"),
    "numbers of 32 bits, which floats do not all hold": kernel("  int z = n[0] * 0.3; a[z] = x;"),
    "bytes that come out as other integers with a float": `__global__ void k(const unsigned char *in, int *out) {
  unsigned char r = in[threadIdx.x];
  int q = r * 0.29;
  out[threadIdx.x] = q + (int)(in[0] * 0.7);
}`,
    "a double parameter": `__device__ double f(double v);\n${kernel("  a[i] = f(x * 0.5);")}`,
    "a double function": "__device__ double f(float x) { return x * 0.5; }",
    "printf takes doubles": kernel('  printf("%f", x * 0.5);'),
    "auto takes the type it is given": kernel("  auto z = x * 0.5;"),
    "an explicit conversion": kernel("  a[i] = (float)0.1 * x + float(0.2) + static_cast<float>(0.3);"),
    "integers alone": kernel("  int j = i * 0.5; if (i < 0.5) j = 1;"),
    "the type depends on a parameter": "template <typename T> __global__ void k(T *a) { a[0] = a[0] * 0.5; T x = 1.0; }",
    "computed while compiling": kernel("  const float third = 1.0 / 3.0; a[i] = third;"),
    "one operation, which nvcc does with floats": kernel("  a[i] = x * 0.5; a[i] += 1.0; a[i] = i ? 2.0 * x : 0.0; float z = 1.0 / x;"),
    "compared with what is exactly a float": kernel("  if (x < 0.5) a[i] = x;"),
    "only converted": kernel("  float z = 0.1, w[3] = {1.0, 2.0f, 3.0}; a[i] = i ? 1.5 : 0.1; a[0] = fmaxf(x, 0.1); float2 v = {0.1, x};"),
    "too large for a float": kernel("  a[i] = 1e300;"),
    "lost in a float": kernel("  a[i] = 1e-60;"),
    "a function of the program's own": `__device__ double sqrt(double v, int k);\n__device__ double pow(double a, double b);\n${kernel("  d[i] = sqrt(x * 0.5, 3);")}`,
    "a long double": kernel("  a[i] = x * 0.5L;"),
    "a double template function": `template <typename T> __device__ T twice(T v) { return v + v; }\n${kernel("  a[i] = twice(x * 0.5);")}`,
  },
  found: {
    "colours, which floats hold": {
      code: `__global__ void gray(const unsigned char *in, unsigned char *out) {
  int i = threadIdx.x;
  unsigned char r = in[3 * i], g = in[3 * i + 1];
  out[i] = 0.3 * r + 0.7 * g;
  //       ^^^ are doubles
}`,
      unsafe: `__global__ void gray(const unsigned char *in, unsigned char *out) {
  int i = threadIdx.x;
  unsigned char r = in[3 * i], g = in[3 * i + 1];
  out[i] = 0.3f * r + 0.7f * g;
}`,
    },
    "bytes that a float scales to the same integers": {
      code: `__global__ void k(const unsigned char *in, int *out) {
  unsigned char r = in[threadIdx.x];
  int q = r * 0.3;
  //          ^^^
  out[threadIdx.x] = q;
}`,
      fixed: `__global__ void k(const unsigned char *in, int *out) {
  unsigned char r = in[threadIdx.x];
  int q = r * 0.3f;
  out[threadIdx.x] = q;
}`,
    },
    "scaled bytes that are the same floats, and that a sum takes unrounded": {
      code: `__global__ void k(const unsigned char *in, const float *g, float *out) {
  float f = in[threadIdx.x] * 0.30000001192092896;
  //                          ^^^^^^^^^^^^^^^^^^^
  out[threadIdx.x] = f + g[threadIdx.x];
}`,
      unsafe: `__global__ void k(const unsigned char *in, const float *g, float *out) {
  float f = in[threadIdx.x] * 0.30000001192092896f;
  out[threadIdx.x] = f + g[threadIdx.x];
}`,
    },
    "colours as fractions: all 256 are the same floats": {
      code: `__global__ void k(const unsigned char *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x] / 255.0;
  //                                   ^^^^^
}`,
      fixed: `__global__ void k(const unsigned char *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x] / 255.0f;
}`,
    },
    "colours scaled by what no float is: some are other floats": {
      code: `__global__ void k(const unsigned char *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x] * 0.1;
  //                                   ^^^
}`,
      unsafe: `__global__ void k(const unsigned char *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x] * 0.1f;
}`,
    },
    "a product": found(
      `  a[i] = x * 0.1;
  //         ^^^ double precision`,
      "",
      "  a[i] = x * 0.1f;",
    ),
    "every spelling": found(
      `  a[0] = x * (y > 0 ? 1. : 2.) * x;
  //                  ^^
  a[1] = 2 + .7 * x;
  //         ^^
  a[2] = x * 1e-3;
  //         ^^^^
  a[3] = 2.5E-3 + x;
  //     ^^^^^^
  a[4] = 0x1.8p3 * x * x;
  //     ^^^^^^^
  a[5] = -(0.1) * x;
  //       ^^^`,
      "",
      "  a[0] = x * (y > 0 ? 1.f : 2.f) * x;\n  a[1] = 2 + .7f * x;\n  a[2] = x * 1e-3f;\n  a[3] = 2.5E-3f + x;\n  a[4] = 0x1.8p3f * x * x;\n  a[5] = -(0.1f) * x;",
    ),
    "compared with what no float is": found(
      `  if (x < 0.1) a[i] = x;
  //      ^^^`,
      "",
      "  if (x < 0.1f) a[i] = x;",
    ),
    "the constants of one computation, once": found(
      `  a[i] = 0.5 * x + 0.25 * a[0] + 0.5;
  //     ^^^ are doubles`,
      "",
      "  a[i] = 0.5f * x + 0.25f * a[0] + 0.5f;",
    ),
    "an integer operand and a float result": found(
      `  float z = 1.0 / i;
  //        ^^^`,
      "",
      "  float z = 1.0f / i;",
    ),
    "a float operand and an integer result": found(
      `  int j = x + 0.5;
  //          ^^^
  j = (int)(x * 255.0);
  //            ^^^^^`,
      "",
      "  int j = x + 0.5f;\n  j = (int)(x * 255.0f);",
    ),
    "arguments of overloaded functions": found(
      `  a[i] = sqrt(x * 2.0) * pow(x, 2.5);
  //              ^^^ \`2.5\``,
      "",
      "  a[i] = sqrt(x * 2.0f) * pow(x, 2.5f);",
    ),
    "only chosen": found(
      `  a[i] = max(x, 0.0);
  //            ^^^`,
      "  a[i] = max(x, 0.0f);",
    ),
    "compound assignment": found(
      `  a[i] *= 0.1;
  //      ^^^
  a[i] += 2.0 * x;
  //      ^^^`,
      "",
      "  a[i] *= 0.1f;\n  a[i] += 2.0f * x;",
    ),
    "a returned value": {
      code: "__device__ float f(float x) {\n  if (x < 0) return 0.0;\n  return x * 2.1;\n  //         ^^^\n}",
      unsafe: "__device__ float f(float x) {\n  if (x < 0) return 0.0;\n  return x * 2.1f;\n}",
    },
    "vector members and casts": found(
      `  float4 v = *(float4 *)a;
  a[i] = v.x * 0.5 + (float)n[i] * 0.25;
  //           ^^^`,
      "",
      "  float4 v = *(float4 *)a;\n  a[i] = v.x * 0.5f + (float)n[i] * 0.25f;",
    ),
    "a macro, where every use is a float's": {
      code: `#define TENTH 0.1\n//            ^^^\n${kernel("  a[i] = x * TENTH; a[i] = -TENTH + x;")}`,
      unsafe: `#define TENTH 0.1f\n${kernel("  a[i] = x * TENTH; a[i] = -TENTH + x;")}`,
    },
    "a macro that a double needs too": {
      code: `#define TENTH 0.1\n${kernel("  a[i] = x * TENTH;\n  //         ^^^^^\n  d[i] = TENTH;")}`,
    },
    "a constant given to a macro": {
      code: `#define SCALE(v, s) ((v) * (s))\n${kernel("  a[i] = SCALE(x, 0.1);\n  //              ^^^")}`,
      unsafe: `#define SCALE(v, s) ((v) * (s))\n${kernel("  a[i] = SCALE(x, 0.1f);")}`,
    },
    "a device lambda": {
      code: "void h(float *a) {\n  auto f = [=] __device__ (float x) -> float { return x * 0.1; };\n  //                                                      ^^^\n}",
      unsafe: "void h(float *a) {\n  auto f = [=] __device__ (float x) -> float { return x * 0.1f; };\n}",
    },
  },
});

/** What nvcc leaves of an expression: instructions in double precision. */
interface Recorded {
  readonly expression: string;
  readonly source: string;
  readonly ptx: { readonly markers: number };
}

describe("what nvcc makes of double constants", () => {
  beforeAll(loadGrammarFromDisk);
  const path = new URL("../../../sim-engine/validation/compiler/foldedDoubles.json", import.meta.url);
  const { probes } = JSON.parse(readFileSync(path, "utf8")) as { readonly probes: readonly Recorded[] };
  test.each(probes.map((probe) => [probe.expression, probe] as const))("%s", (_, { source, ptx }) => {
    expect(findingsOf(source, [rule.id], false).length > 0).toBe(ptx.markers > 0);
  });
});
