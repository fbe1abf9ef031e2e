/** Programs whose cost used to grow without end: each is analysed whole, or ends in a budget and says so. */
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "./grammar.ts";
import { type Diagnostic, lint } from "./lint.ts";
import { simulateProgram } from "./simulate.ts";
import { analyseCode } from "./testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

/** So that what grows without end fails, rather than keeps everybody waiting. */
const safetyNet = 120_000;

const times = (count: number, part: (index: number) => string): string => Array.from({ length: count }, (_, index) => part(index)).join("");
const nested = (count: number, open: string, inner: string, close: string): string => open.repeat(count) + inner + close.repeat(count);

/** A kernel that is launched once, with what stands in front of it. */
const kernel = (body: string, before = ""): string => `${before}
__global__ void k(float *x, int *y, int n, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${body}
}
int main() {
  float *x; int *y;
  cudaMalloc(&x, 1024 * 4);
  cudaMalloc(&y, 1024 * 4);
  k<<<4, 256>>>(x, y, 1024, 2.0f);
}`;

interface Inspected {
  readonly diagnostics: readonly Diagnostic[];
  readonly launches: number;
  readonly reasons: readonly string[];
}

/** As the command line does. A rule that throws fails the test. */
function inspect(code: string, simulates: boolean): Inspected {
  const gpu = findGpu("h200");
  const program = analyseCode(code);
  const simulation = simulates && gpu ? simulateProgram(program, gpu) : undefined;
  const diagnostics = lint(program, simulation?.launches, {}, (_, error) => {
    throw error;
  });
  return {
    diagnostics,
    launches: simulation?.launches.length ?? 0,
    reasons: simulation?.notSimulated.map(({ reason }) => reason) ?? [],
  };
}

const limitsOf = ({ diagnostics }: Inspected): readonly string[] =>
  diagnostics.filter(({ ruleId }) => ruleId === "analysis-limit").map(({ message }) => message);

describe("analysed whole", () => {
  const simulated: Readonly<Record<string, string>> = {
    "a sum of 160 terms": kernel(`y[i] = 1${" + 1".repeat(159)};`),
    "a sum of 1,000 products": kernel(`x[i] = c${" + x[i] * c".repeat(999)};`),
    "a sum of 10,000 terms": kernel(`y[i] = 1${" + 1".repeat(9999)};`),
    "a condition of 1,000 parts": kernel(`if (n > 0${" && n > 1".repeat(999)}) y[i] = 1;`),
    commas: kernel(`y[i] = (n++${", n++".repeat(100)});`),
    "a sum in the host's code": `__global__ void k(int *y, int n) { y[threadIdx.x] = n; }
int main() { int *y; cudaMalloc(&y, 4096); int n = 1${" + 1".repeat(9999)}; k<<<1, 32>>>(y, n); }`,
    "a macro that writes its argument twice": `#define D(x) x x\n${kernel(nested(5, "D(", "y[i] += 1;", ")"))}`,
    "a macro's call of 130,000 tokens": `#define NONE(x)\n${kernel(`NONE(${"a ".repeat(130_000)}) y[i] = 1;`)}`,
    "instances that hold the one before twice": kernel(
      `${times(17, (each) => `typedef V<T${each}> T${each + 1}; `)} T17 v; y[i] = sizeof(v);`,
      "template <class T> struct V { T a; T b; };\ntypedef char T0;",
    ),
    "nested instances": kernel(`${"V<".repeat(20)}int${" >".repeat(20)} v; y[i] = sizeof(v);`, "template <class T> struct V { T t; };"),
  };
  for (const [name, code] of Object.entries(simulated))
    test(`${name}, simulated`, { timeout: safetyNet }, () => {
      const inspected = inspect(code, true);
      expect(inspected.reasons).toEqual([]);
      expect(inspected.launches).toBe(1);
      expect(limitsOf(inspected)).toEqual([]);
    });

  const linted: Readonly<Record<string, string>> = {
    "a sum of 3,000 double constants": kernel(`x[i] = 0.5${" + x[i] * 0.5".repeat(2999)};`),
    "two namespaces that are each other's alias": kernel("y[i] = a::b::c;", "namespace b = a; namespace a = b;"),
    "a macro that writes its argument twice, 17 times nested": `#define D(x) x x\nint a[] = { ${nested(17, "D(", "1 +", ")")} 1 };`,
    "20,000 terms in a directive": `#if 1${" + 1".repeat(20_000)}\n#endif`,
    "3,000 calls of a macro that are not closed": `#define M(x) x\n${"M(".repeat(3000)}`,
    "a string of 7 MB": kernel(`const char *s = "${"a".repeat(7_000_000)}"; y[i] = 1;`),
    "enumerators that rest on each other": kernel("y[i] = e100;", `enum E { e0${times(100, (each) => `, e${each + 1} = e${each} + 1`)} };`),
    "bases that are bases of each other": kernel(
      "y[i] = sizeof(S24) + S24().missing;",
      `struct S0 {}; struct Z0 {};\n${times(24, (each) => `struct S${each + 1} : S${each}, Z${each} {}; struct Z${each + 1} : S${each}, Z${each} {};\n`)}`,
    ),
    "500 functions of one name, each called": kernel(
      times(500, (each) => `y[i] += g(O${each}());\n`),
      times(500, (each) => `struct O${each} {}; __device__ int g(O${each}) { return ${each}; }\n`),
    ),
    "10,000 labels of a switch": kernel(`switch (y[i]) { ${times(10_000, (each) => `case ${each}: y[i] = ${each}; break; `)} }`),
  };
  for (const [name, code] of Object.entries(linted))
    test(name, { timeout: safetyNet }, () => expect(limitsOf(inspect(code, false))).toEqual([]));

  test("constants of long sums are known", { timeout: safetyNet }, () => {
    const program = analyseCode(`int a[1${" + 1".repeat(9999)}];`);
    const [declaration] = program.items.flatMap(({ declarations }) => declarations);
    const type = declaration?.kind === "variable" ? program.semantics.declaredType(declaration) : undefined;
    expect(type).toMatchObject({ kind: "array", size: 10_000 });
  });
});

describe("what ends in a budget says so", () => {
  const cut: Readonly<Record<string, string>> = {
    "a macro that writes its argument twice, 100 times nested": `#define D(x) x x\nint a[] = { ${nested(100, "D(", "1 +", ")")} 1 };`,
    "3,000 uses of a macro in each other": `#define M(x) x\nint a = ${nested(3000, "M(", "1", ")")};`,
    "3,000 macros that stand for each other": `#define A0 1\n${times(3000, (each) => `#define A${each + 1} A${each}\n`)}int a = A3000;`,
    "a macro that makes a string of its argument, 40 times": `#define S(x) #x\n#define U0(x) x\n${times(40, (each) => `#define U${each + 1}(x) U${each}(S(x))\n`)}const char *a = U40("a\\"\\\\");`,
    "a macro that pastes its argument twice, 40 times nested": `#define P(x) x##x\n#define D(x) P(x)\nint ${nested(40, "D(", "a", ")")};`,
    "a long string of 10 macros that each write the next ten times": `${times(10, (each) => `#define S${each + 1} ${`S${each} `.repeat(10)}\n`)}#define S0 "${"a".repeat(10_000)}"\nconst char *a = S10;`,
    "20,000 parentheses in a directive": `#if ${nested(20_000, "(", "1", ")")}\n#endif`,
    "20,000 conditions in each other": nested(20_000, "#if 1\n", "int a;\n", "#endif\n"),
    "20,000 parentheses of a pragma": kernel(`\n#pragma unroll ${nested(20_000, "(", "1", ")")}\nfor (int j = 0; j < 2; j++) y[i] += j;`),
    "3,000 parentheses": kernel(`y[i] = ${nested(3000, "(", "1", ")")};`),
    "3,000 blocks": kernel(nested(3000, "{", "y[i] = 1;", "}")),
    "3,000 choices": kernel(`y[i] = ${"n > i ? 1 : ".repeat(3000)} 2;`),
    "3,000 times `else if`": kernel(`${times(3000, (each) => `if (y[i] == ${each}) y[i] = 0; else `)} y[i] = 1;`),
    "3,000 lambdas": kernel(`auto f = ${nested(3000, "[=](int a) { return ", "1", "; }")}; y[i] = 1;`),
    "3,000 braces of an initialiser": kernel(`int a = ${nested(3000, "{", "1", "}")}; y[i] = a;`),
    "3,000 instances in each other": `template <class T> struct V { T t; };\n${"V<".repeat(3000)}int${" >".repeat(3000)} v;`,
    "3,000 instances in each other that nothing declares": `${"V<".repeat(3000)}int${" >".repeat(3000)} v;`,
    "5,000 asterisks": `int ${"*".repeat(5000)} p;`,
    "3,000 namespaces in each other": nested(3000, "namespace a {", "int z;", "}"),
    "12,000 declarations": times(12_000, (each) => `int a${each};\n`),
    "the beginnings of 12,000 declarations in one line": "int a = ".repeat(12_000),
    "1,000 functions of one name, each called": kernel(
      times(1000, (each) => `x[i] += g(O${each}()) * 0.5;\n`),
      times(1000, (each) => `struct O${each} {}; __device__ float g(O${each}) { return ${each}; }\n`),
    ),
    "3,000 types that stand for each other": kernel(
      `typedef float T0; ${times(3000, (each) => `typedef T${each} T${each + 1}; `)} T3000 q = 0.5; x[i] = q;`,
    ),
  };
  for (const [name, code] of Object.entries(cut))
    test(name, { timeout: safetyNet }, () => expect(limitsOf(inspect(code, false))).not.toEqual([]));

  test("a launch whose kernel is cut has a reason", { timeout: safetyNet }, () => {
    const { reasons, launches } = inspect(kernel(`y[i] = ${nested(3000, "(", "1", ")")};`), true);
    expect(launches).toBe(0);
    expect(reasons).toHaveLength(1);
  });
});
