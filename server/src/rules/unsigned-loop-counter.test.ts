import { readFileSync } from "node:fs";
import { type Launch, runWhole } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { lint } from "../lint.ts";
import { analyseCode, testRule } from "../testing/rule-tables.ts";
import rule from "./unsigned-loop-counter.ts";

const kernel = (body: string): string =>
  `#define N 1024\n__global__ void k(float *a, const float *b, int n, unsigned m, int stride) {\n  int tid = threadIdx.x;\n${body}\n}`;
const safe = (marked: string, fixed: string) => ({ code: kernel(marked), fixed: kernel(fixed) });
const unsafe = (marked: string, fixed: string) => ({ code: kernel(marked), unsafe: kernel(fixed) });

testRule(rule, {
  clean: {
    signed: kernel("  for (int i = 0; i < n; i++) a[i] = b[stride * i];"),
    "host code": "void h(float *a, unsigned n) { for (unsigned i = 0; i < n; ++i) a[i] = 0; }",
    "64 bits": kernel("  for (size_t i = 0; i < m; ++i) a[i] = b[i];\n  for (unsigned long long i = 0; i < m; ++i) a[i] = b[i];"),
    "no address and no product": kernel("  float s = 0;\n  for (unsigned i = 0; i < m; ++i) s += sinf(s);\n  a[0] = s;"),
    "by a factor": kernel(
      "  for (unsigned s = 512; s > 0; s >>= 1) if (tid < s) a[tid] += a[tid + s];\n  for (unsigned s = 1; s < 512; s *= 2) a[tid] += a[tid + s];",
    ),
    "division is cheaper unsigned": kernel("  for (unsigned i = tid; i < m; i += 256) a[i / 3] = b[i % 7];"),
    "unrolled away": kernel("#pragma unroll\n  for (unsigned i = 0; i < 4; ++i) a[i] = b[i];"),
    "ends by wrapping": kernel(`  for (unsigned i = m - 1; i < m; i--) a[i] = 0;
  for (unsigned i = n - 1; i < n; --i) a[i] = 0;
  for (unsigned i = 63; i <= 63; i -= 2) a[i] = 0;
  for (unsigned i = 63; i < 64; i += -1) a[i] = 0;
  for (unsigned i = 63; i < 64 && b[i] > 0; i--) a[i] = 0;
  for (unsigned i = 63; 64 > i; i = i - 1) a[i] = 0;
  for (unsigned i = 63; i != ~0u; --i) a[i] = 0;
  for (unsigned i = 63; i != 0xffffffff; --i) a[i] = 0;
  for (unsigned i = 63; i != (unsigned)-1; --i) a[i] = 0;
  for (unsigned i = 63; i != -1; --i) a[i] = 0;
  for (unsigned i = -64; i != 0; ++i) a[i + 64] = 0;
  for (unsigned i = 5; i != 0; ++i) a[i] = 0;
  for (unsigned i = 5; i != 9; --i) a[i] = 0;
  for (unsigned i = 1; i > 0; i++) a[i] = 0;
  for (unsigned i = 0; i + 1 > i; i++) a[i] = 0;
  for (unsigned i = 0; i < i + 16; i += 16) a[i] = 0;`),
    "beyond what int holds": kernel(`  for (unsigned i = 0; i < 3000000000u; i++) a[i] = 0;
  for (unsigned i = 0; i <= 0xffffffffu; i++) a[i] = 0;
  for (unsigned i = 1u << 31; i > 5; --i) a[i] = 0;`),
    "steps known when it runs": kernel("  for (unsigned i = tid; i < m; i += blockDim.x) a[i] = b[stride * i];"),
    "shared memory": kernel("  __shared__ float s[64];\n  for (unsigned i = 0; i < m; ++i) a[0] += s[i + stride];"),
    "unsigned for another's sake": kernel("  for (unsigned i = 0; i < m; ++i) a[threadIdx.x + i] = b[m * i];"),
    "unrolled by its count": kernel("  for (unsigned i = 0; i < 16; ++i) a[i * stride] = b[i + 1];"),
    "constants alone": kernel("  for (unsigned i = 0; i < N; ++i) a[i * 8] = b[i + 1];"),
    "not unrolled": kernel("#pragma unroll 1\n  for (unsigned i = 0; i < m; ++i) a[i * stride] = 0;"),
    "the counter alone": kernel("  for (unsigned i = 0; i < m; ++i) a[i] = b[i];"),
    "only bits": kernel("  unsigned s = 0;\n  for (unsigned i = 0; i < 32; ++i) s |= ((m >> i) & 1u) << (31 - i);\n  a[0] = s;"),
  },
  found: {
    "a constant bound": safe(
      `  for (unsigned int i = 0; i < N; ++i) a[tid + i] = b[i];
  //   ^^^^^^^^^^^^^^ 2^32`,
      "  for (int i = 0; i < N; ++i) a[tid + i] = b[i];",
    ),
    "every spelling": safe(
      `  for (unsigned i = 0; i < 800; i++) a[tid + i] = 0;
  //   ^^^^^^^^^^
  for (uint i = 0; i != 800; i++) a[tid + i] = 0;
  //   ^^^^^^
  for (uint32_t i = 0; 800 > i; i += 2) a[tid + i] = 0;
  //   ^^^^^^^^^^
  for (std::uint32_t i = 0; i <= 800; i = i + 1) a[tid + i] = 0;
  //   ^^^^^^^^^^^^^^^`,
      `  for (int i = 0; i < 800; i++) a[tid + i] = 0;
  for (int i = 0; i != 800; i++) a[tid + i] = 0;
  for (int32_t i = 0; 800 > i; i += 2) a[tid + i] = 0;
  for (std::int32_t i = 0; i <= 800; i = i + 1) a[tid + i] = 0;`,
    ),
    "within the limits of a launch": safe(
      `  for (unsigned i = threadIdx.x; i < 4096; i += 2) a[tid + i] = b[i];
  //   ^^^^^^^^^^`,
      "  for (int i = threadIdx.x; i < 4096; i += 2) a[tid + i] = b[i];",
    ),
    downwards: safe(
      `  for (unsigned i = 64; i > 0; --i) a[tid + i] = b[i];
  //   ^^^^^^^^^^`,
      "  for (int i = 64; i > 0; --i) a[tid + i] = b[i];",
    ),
    "the guide's example": unsafe(
      `  for (unsigned int i = 0; i < n; i++) a[tid + i] = b[tid + stride * i];
  //   ^^^^^^^^^^^^^^ tid + i`,
      "  for (int i = 0; i < n; i++) a[tid + i] = b[tid + stride * i];",
    ),
    "an unsigned bound": unsafe(
      `  for (unsigned int i = 0; i < m; i++) a[tid + i] = b[i];
  //   ^^^^^^^^^^^^^^`,
      "  for (int i = 0; i < m; i++) a[tid + i] = b[i];",
    ),
    "an address by way of a variable": unsafe(
      `  for (unsigned int i = 0; i < N; i++) { int j = i * stride; a[j] = 0; }
  //   ^^^^^^^^^^^^^^ i * stride`,
      "  for (int i = 0; i < N; i++) { int j = i * stride; a[j] = 0; }",
    ),
    "a product that may overflow": unsafe(
      `  for (unsigned i = 0; i < N; i++) a[tid + i * 4194304] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) a[tid + i * 4194304] = 0;",
    ),
    "a difference that may wrap": unsafe(
      `  for (unsigned i = 0; i < N; i++) a[tid + i - 1] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) a[tid + i - 1] = 0;",
    ),
    "a difference that cannot": safe(
      `  for (unsigned i = 1; i < N; i++) a[tid + i - 1] = 0;
  //   ^^^^^^^^^^`,
      "  for (int i = 1; i < N; i++) a[tid + i - 1] = 0;",
    ),
    "what does not wrap is as before": safe(
      `  for (unsigned i = 1; i < N; i++) if (i - 1 < N && i != 5 && i > 2) a[tid + i] = (i * 3) & 255;
  //   ^^^^^^^^^^
  for (unsigned i = 0; i < N; i++) a[(i - 1) & 31] = a[tid + i] + ((i << 4) | (i ^ 5) | (i >> 2));
  //   ^^^^^^^^^^
  for (unsigned i = 0; i < N; i++) { int j = i - 1; unsigned k = i - 2; a[tid + i] = j + (k >> 3) + (~i & 7); }
  //   ^^^^^^^^^^
  for (unsigned i = 64; i != 0; --i) a[tid + i] = 0;
  //   ^^^^^^^^^^
  for (unsigned i = 640; i > 1; i += -2) a[tid + i] = 0;
  //   ^^^^^^^^^^`,
      `  for (int i = 1; i < N; i++) if (i - 1 < N && i != 5 && i > 2) a[tid + i] = (i * 3) & 255;
  for (int i = 0; i < N; i++) a[(i - 1) & 31] = a[tid + i] + ((i << 4) | (i ^ 5) | (i >> 2));
  for (int i = 0; i < N; i++) { int j = i - 1; unsigned k = i - 2; a[tid + i] = j + (k >> 3) + (~i & 7); }
  for (int i = 64; i != 0; --i) a[tid + i] = 0;
  for (int i = 640; i > 1; i += -2) a[tid + i] = 0;`,
    ),
    "several loops": unsafe(
      `  unsigned i;
//^^^^^^^^^^
  for (i = 0; i < N; i++) a[tid + i] = 0;
  for (i = 1; i < m; i += 2) a[tid + i] = 0;`,
      "  int i;\n  for (i = 0; i < N; i++) a[tid + i] = 0;\n  for (i = 1; i < m; i += 2) a[tid + i] = 0;",
    ),
    ...Object.fromEntries(
      [
        ["a first value that may fall below 0", "for (unsigned i = m - 1; i < N; i++) a[tid + i] = 0;", "its first value may fall below 0"],
        ["a first value that may be negative", "for (unsigned i = tid - 1; i < N; i++) a[tid + i] = 0;", "its first value may be negative"],
        ["a last step past 0", "for (unsigned i = 640; i > 0; i -= 3) a[tid + i] = 0;", "its last step may go below 0"],
        ["down to 0 itself", "for (unsigned i = 64; i >= 0; --i) a[tid + i] = 0;", "its last step may go below 0"],
        ["compared with what may be negative", "for (unsigned i = 0; i < N; i++) if (i < n) a[tid + i] = 0;", "`n` may be negative"],
        ["compared with -1", "for (unsigned i = 0; i < N; i++) if (i == -1) a[tid + i] = 0;", "`-1` may be negative"],
        ["a difference that is compared", "for (unsigned i = 0; i < N; i++) if (i - 1 < N) a[tid + i] = 0;", "`i - 1 < N` may"],
        ["a sum compared with itself", "for (unsigned i = 0; i < m; i++) if (i + 1 > i) a[tid + i] = 0;", "`i + 1 > i` may"],
        ["a difference of more bits", "for (unsigned i = 0; i < N; i++) { size_t j = i - 1; a[tid + i] = j; }", "`i - 1` may"],
        ["a difference as a float", "for (unsigned i = 0; i < N; i++) a[tid + i] = i - 8;", "`i - 8` may"],
        ["a difference shifted", "for (unsigned i = 0; i < N; i++) a[tid + i] = (i - 1) >> 4;", "may exceed 2147483647 or fall below 0"],
        [
          "a product whose bits count",
          "for (unsigned i = 0; i < N; i++) a[((i * 40503000) >> 16) & 63] = a[tid + i];",
          "may exceed 2147483647",
        ],
        ["a hash", "for (unsigned i = 0; i < N; i++) { unsigned h = i * 40503000; a[h & 63] = a[tid + i]; }", "`i * 40503000` may"],
        ["a hash joined", "for (unsigned i = 0; i < N; i++) a[((i * 40503000) ^ m) & 63] = a[tid + i];", "`(i * 40503000)` may"],
        ["turned round", "for (unsigned i = 0; i < N; i++) a[-i & 63] = a[tid + i] + float(-i);", "`-i` may"],
        ["divided into", "for (unsigned i = 1; i < N; i++) { stride /= i; a[tid + i] = 0; }", "`stride` may"],
        ["an auto variable", "for (unsigned i = 0; i < N; i++) { auto j = i; a[j] = a[tid + i]; }", "an `auto` variable"],
        ["an overload", "for (unsigned i = 0; i < N; i++) a[tid + i] = min(i, m);", "another overload"],
        ["set in the body", "for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; if (a[tid + i] > 0) i = m; }", "it is also set"],
        ["counted down in the body", "for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; if (a[tid + i] > 0) i--; }", "it is also set"],
        ["doubled in the body", "for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; if (a[tid + i] > 0) i *= 2; }", "it is also set"],
        ["in asm", 'for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; asm("mov.u32 %0, 5;" : "=r"(i)); }', "an `asm` statement"],
      ].map(([name, loop, why]) => [name, { code: kernel(`  ${loop}\n  //   ^^^^^^^^^^ ${why}`) }]),
    ),
    "changed in the body": unsafe(
      `  for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; if (a[i + 1] > 0) i += 2; }
  //   ^^^^^^^^^^`,
      "  for (int i = 0; i < N; i++) { a[tid + i] = 0; if (a[i + 1] > 0) i += 2; }",
    ),
    "its address is taken": {
      code: `__device__ void f(unsigned *);\n${kernel("  for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; f(&i); }\n  //   ^^^^^^^^^^")}`,
    },
    "it narrows in braces": {
      code: kernel("  for (unsigned i = 0; i < N; i++) { a[tid + i] = 0; uint2 v = {i, i}; }\n  //   ^^^^^^^^^^"),
    },
    "a type for two variables": {
      code: kernel("  for (unsigned i = 0, e = 800; i < e; i++) a[tid + i] = 0;\n  //   ^^^^^^^^^^"),
    },
    "declared before the loop": unsafe(
      `  unsigned i;
//^^^^^^^^^^
  for (i = 0; i < m; i++) a[tid + i] = 0;`,
      "  int i;\n  for (i = 0; i < m; i++) a[tid + i] = 0;",
    ),
  },
});

/** What nvcc makes of a loop whose counter is unsigned, beside the same with an `int`. */
interface Recorded {
  readonly form: string;
  readonly others: string;
  readonly type: string;
  readonly source: string;
  readonly sass: { readonly markers: number };
}

describe("what nvcc makes of loops", () => {
  beforeAll(loadGrammarFromDisk);
  const path = new URL("../../../sim-engine/validation/compiler/counterTypes.json", import.meta.url);
  const { probes } = JSON.parse(readFileSync(path, "utf8")) as { readonly probes: readonly Recorded[] };
  /** nvcc unrolls neither, and adds the same. */
  const sameAllTheSame = /^times_4_plus$/;
  test.each(probes.filter(({ type }) => type === "unsigned").map((probe) => [`${probe.form}, ${probe.others}`, probe] as const))(
    "%s: found where it differs",
    (_, probe) => {
      const signed = probes.find(({ form, others, type }) => form === probe.form && others === probe.others && type === "int");
      const ratio = probe.sass.markers / (signed?.sass.markers || 1);
      const found = lint(analyseCode(probe.source), undefined, { select: [rule.id] }).length > 0;
      if (found && !sameAllTheSame.test(probe.form)) expect(ratio).toBeGreaterThan(1.05);
      if (!found) expect(ratio).toBeLessThan(1.15);
    },
  );
});

/** Loops of every combination, each in a kernel of its own; `c` counts the turns, so that none goes on for long. */
const loops = (() => {
  const firsts = ["0", "1", "n", "n - 1", "m - 1", "8", "~0u", "tid - 1", "m"];
  const ends = ["i < m", "i < n", "i < 8", "i != m", "i != ~0u", "i != -1", "i > 0", "i >= 2", "i > m", "i + 1 > i", "i <= 8 && i < n"];
  const steps = ["i++", "--i", "i += s", "i -= 2", "i += -1", "i = i + 3"];
  const bodies = [
    "a[i & 15] += 1;",
    "if (i - 1 < n) a[1] += i;",
    "if (i - 1 < m) a[2] += i;",
    "if (i < n) a[3] += 2;",
    "if (i + 1 > i) a[4] += 3;",
    "long long w = i - 3; if (w > 20) a[5] += 1;",
    "int j = i - 3; a[6] += j;",
    "a[7] += (i - 2) >> 3;",
    "a[8] ^= i * 7; a[8] += (i * 1000003) & 31;",
    "float f = i - 2; if (f > 100.0f) a[9] += 1;",
    "if (i == -1) a[10] += 1;",
    "a[11] += i > 3 ? i : -1;",
    "if (a[12] < 3) { i -= 1; a[12] += 1; }",
    "if (a[13] < 3) { i += 1; a[13] += 1; }",
    "a[14] = -i; a[15] += ~i & 3; long long v = -i; if (v > 0) a[0] += 1;",
  ];
  const all = firsts.flatMap((first) => ends.flatMap((end) => steps.map((step) => `unsigned i = ${first}; ${end}; ${step}`)));
  return all.flatMap((header, k) =>
    [k, k + 4].map((n) => `for (${header}) { if (++c > 40) break; a[16 + c] += b[i] + 1; ${bodies[n % bodies.length]} }`),
  );
})();

const program = (kernels: readonly string[]): string =>
  kernels
    .map(
      (loop, k) =>
        `__global__ void k${k}(int *a, const int *b, int n, unsigned m, int s) { int tid = threadIdx.x; int c = 0;\n  ${loop}\n}`,
    )
    .join("\n");

/** What each kernel leaves in `a`, for some arguments. */
function results(code: string): string[][] {
  return analyseCode(code).launches.map((fact) =>
    [
      [5, 5, 1],
      [0, 0, 1],
      [1, 9, -1],
      [-2, 3, 2],
    ].map(([n = 0, m = 0, s = 0]) => {
      const launch: Launch = {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        dynamicSharedBytes: 0,
        arguments: [
          { kind: "pointer", buffer: 0, offset: 0 },
          { kind: "pointer", buffer: 1, offset: 0 },
          ...[n, m, s].map((value) => ({ kind: "scalar" as const, value })),
        ],
        buffers: [
          { name: "a", bytes: 4096, element: "i32", content: { kind: "zero" } },
          { name: "b", element: "i32", content: { kind: "zero" } },
        ],
      };
      const run = runWhole(fact.lower(), launch, { optimised: false });
      return Array.from({ length: 64 }, (_, index) => run.read(0, index, "i32")).join(" ");
    }),
  );
}

describe("mended loops", () => {
  beforeAll(loadGrammarFromDisk);
  test("compute what they did, with ordinary values and where the original did not run away", () => {
    const code = program(loops);
    const found = lint(analyseCode(code), undefined, { select: ["unsigned-loop-counter"] });
    const mended = new Map(
      found.flatMap(({ range, fixes: [fix] }) => (fix ? [[range.start.line, fix.edits[0]?.newText ?? ""] as const] : [])),
    );
    const changed = loops.flatMap((loop, k) => {
      const type = mended.get(3 * k + 1);
      return type === undefined ? [] : [{ loop, now: loop.replace("unsigned i", `${type} i`) }];
    });
    expect(changed.length).toBeGreaterThan(50);
    const before = results(program(changed.map(({ loop }) => loop)));
    const after = results(program(changed.map(({ now }) => now)));
    const different = changed.filter((_, k) =>
      before[k]?.some((value, each) => {
        const ranAway = value.split(" ")[16 + 40] !== "0";
        return !ranAway && value !== after[k]?.[each];
      }),
    );
    expect(different.map(({ now }) => now)).toEqual([]);
  });
});
