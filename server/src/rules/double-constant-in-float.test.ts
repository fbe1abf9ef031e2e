import { testRule } from "../testing/rule-tables.ts";
import rule from "./double-constant-in-float.ts";

const kernel = (body: string): string => `__global__ void k(float *a, double *d, const int *n, float x, double y, int i) {\n${body}\n}`;
const found = (marked: string, fixed: string, unsafe?: string) => ({
  code: kernel(marked),
  ...(fixed === "" ? {} : { fixed: kernel(fixed) }),
  ...(unsafe === undefined ? {} : { unsafe: kernel(unsafe) }),
});
const table = (suffix: string): string => Array.from({ length: 12 }, (_, index) => `${index}.5${suffix}`).join(", ");

testRule(rule, {
  clean: {
    "host code": "void h(float *a) { a[0] = a[0] * 0.5; float x = 1.0; }",
    "a suffix": kernel("  a[i] = a[i] * 0.5f + 1.F;"),
    "an operand is double": kernel("  d[i] = d[i] * 0.5; a[i] = y * 0.5;"),
    "the sum has a double": kernel("  a[i] = x * 0.5 + y;"),
    "the result is double": kernel("  double z = x * 0.5; d[i] = x + 1.0; z += x * 2.0;"),
    "a double parameter": `__device__ double f(double v);\n${kernel("  a[i] = f(x * 0.5);")}`,
    "a double function": "__device__ double f(float x) { return x * 0.5; }",
    "printf takes doubles": kernel('  printf("%f", x * 0.5);'),
    "auto takes the type it is given": kernel("  auto z = x * 0.5;"),
    "an explicit conversion": kernel("  a[i] = (float)0.1 * x + float(0.2) + static_cast<float>(0.3);"),
    "integers alone": kernel("  int j = i * 0.5; if (i < 0.5) j = 1;"),
    "the type depends on a parameter": "template <typename T> __global__ void k(T *a) { a[0] = a[0] * 0.5; T x = 1.0; }",
    "computed while compiling": kernel("  const float third = 1.0 / 3.0; a[i] = third;"),
    "too large for a float": kernel("  a[i] = 1e300;"),
    "lost in a float": kernel("  a[i] = 1e-60;"),
    "a function of the program's own": `__device__ double sqrt(double v, int k);\n__device__ double pow(double a, double b);\n${kernel("  d[i] = sqrt(x * 0.5, 3);")}`,
    "a long double": kernel("  a[i] = x * 0.5L;"),
    "a double template function": `template <typename T> __device__ T twice(T v) { return v + v; }\n${kernel("  a[i] = twice(x * 0.5);")}`,
  },
  found: {
    "a product": found(
      `  a[i] = x * 0.1;
  //         ^^^ double precision`,
      "",
      "  a[i] = x * 0.1f;",
    ),
    "a constant that only initialises": found(
      `  float z = 0.0;
  //        ^^^ only converted to float
  float w(1.5);
  //      ^^^
  a[i] = 2.5;
  //     ^^^`,
      "  float z = 0.0f;\n  float w(1.5f);\n  a[i] = 2.5f;",
    ),
    "every spelling": found(
      `  a[0] = 1.;
  //     ^^
  a[1] = .5;
  //     ^^
  a[2] = 1e-3;
  //     ^^^^
  a[3] = 2.5E+3;
  //     ^^^^^^
  a[4] = 0x1.8p3;
  //     ^^^^^^^
  a[5] = -(1.0);
  //       ^^^`,
      "  a[0] = 1.f;\n  a[1] = .5f;\n  a[2] = 1e-3f;\n  a[3] = 2.5E+3f;\n  a[4] = 0x1.8p3f;\n  a[5] = -(1.0f);",
    ),
    "compared with what is exactly a float": found(
      `  if (x < 0.5) a[i] = x;
  //      ^^^`,
      "  if (x < 0.5f) a[i] = x;",
    ),
    "compared with what is not": found(
      `  if (x < 0.1) a[i] = x;
  //      ^^^`,
      "",
      "  if (x < 0.1f) a[i] = x;",
    ),
    "in both arms of a choice": found(
      `  a[i] = i ? 1.0 : 0.0;
  //         ^^^
  //               ^^^`,
      "  a[i] = i ? 1.0f : 0.0f;",
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
      `  a[i] = sqrt(x + 1.0) * pow(x, 2.0);
  //              ^^^
  //                            ^^^
  a[i] = max(x, 0.0);
  //            ^^^`,
      "",
      "  a[i] = sqrt(x + 1.0f) * pow(x, 2.0f);\n  a[i] = max(x, 0.0f);",
    ),
    "arguments of float functions": found(
      `  a[i] = fmaxf(x, 0.0) + powf(2.0, x);
  //              ^^^
  //                          ^^^
  float4 v = make_float4(0.0, x, 1.0, 0.25);
  //                     ^^^
  //                             ^^^
  //                                  ^^^^
  atomicAdd(a, 1.0);
  //           ^^^`,
      "  a[i] = fmaxf(x, 0.0f) + powf(2.0f, x);\n  float4 v = make_float4(0.0f, x, 1.0f, 0.25f);\n  atomicAdd(a, 1.0f);",
    ),
    "compound assignment": found(
      `  a[i] *= 0.5;
  //      ^^^
  a[i] += 2.0 * x;
  //      ^^^`,
      "",
      "  a[i] *= 0.5f;\n  a[i] += 2.0f * x;",
    ),
    braces: found(
      `  float z[3] = {1.0, 2.0f, 3.0};
  //            ^^^
  //                       ^^^
  float2 v = {0.5, x};
  //          ^^^`,
      "  float z[3] = {1.0f, 2.0f, 3.0f};\n  float2 v = {0.5f, x};",
    ),
    "a long table, once": {
      code: kernel(`  const float z[12] = {${table("")}};\n//^^^`.replace("//^^^", `  //${" ".repeat(19)}^^^ 12 constants`)),
      fixed: kernel(`  const float z[12] = {${table("f")}};`),
    },
    "a returned constant": {
      code: "__device__ float f(float x) {\n  if (x < 0) return 0.0;\n  //                ^^^\n  return x * 2.0;\n  //         ^^^\n}",
      fixed: "__device__ float f(float x) {\n  if (x < 0) return 0.0f;\n  return x * 2.0;\n}",
      unsafe: "__device__ float f(float x) {\n  if (x < 0) return 0.0f;\n  return x * 2.0f;\n}",
    },
    "vector members and casts": found(
      `  float4 v = *(float4 *)a;
  a[i] = v.x * 0.5 + (float)n[i] * 0.25;
  //           ^^^
  //                               ^^^^`,
      "",
      "  float4 v = *(float4 *)a;\n  a[i] = v.x * 0.5f + (float)n[i] * 0.25f;",
    ),
    "a macro, where every use is a float's": {
      code: `#define HALF 0.5\n//           ^^^\n${kernel("  a[i] = HALF; a[i] = -HALF;")}`,
      fixed: `#define HALF 0.5f\n${kernel("  a[i] = HALF; a[i] = -HALF;")}`,
    },
    "a macro that a double needs too": {
      code: `#define HALF 0.5\n${kernel("  a[i] = HALF;\n  //     ^^^^\n  d[i] = HALF;")}`,
    },
    "a constant given to a macro": {
      code: `#define SCALE(v, s) ((v) * (s))\n${kernel("  a[i] = SCALE(x, 0.1);\n  //              ^^^")}`,
      unsafe: `#define SCALE(v, s) ((v) * (s))\n${kernel("  a[i] = SCALE(x, 0.1f);")}`,
    },
    "a device lambda": {
      code: "void h(float *a) {\n  auto f = [=] __device__ (float x) -> float { return x * 0.5; };\n  //                                                      ^^^\n}",
      unsafe: "void h(float *a) {\n  auto f = [=] __device__ (float x) -> float { return x * 0.5f; };\n}",
    },
  },
});
