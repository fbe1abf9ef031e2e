import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { type Diagnostic, lint } from "../lint.ts";
import { analyseCode } from "../testing/rule-tables.ts";

beforeAll(loadGrammarFromDisk);

const found = (code: string): string[] =>
  lint(analyseCode(code), undefined).map(({ ruleId, range }) => `${range.start.line + 1} ${ruleId}`);
const half = "data[threadIdx.x] *= 0.7;";
const kernel = (...lines: string[]): string => ["__global__ void k(float *data) {", ...lines, "}"].join("\n");

describe("a suppression", () => {
  test.each<[string, string, string[]]>([
    [
      "of the next line",
      kernel("// warplens-disable-next-line double-constant-in-float -- measured", half, half),
      ["4 double-constant-in-float"],
    ],
    [
      "of the next line, by several comments",
      kernel(
        "// warplens-disable-next-line double-constant-in-float",
        "// warplens-disable-next-line legacy-warp-intrinsic",
        `${half} __any(1);`,
      ),
      [],
    ],
    ["of its own line", kernel(`${half} // warplens-disable-line double-constant-in-float`, half), ["3 double-constant-in-float"]],
    ["in a block comment", kernel(`/* warplens-disable-line double-constant-in-float */ ${half}`), []],
    [
      "of several rules",
      kernel("// warplens-disable-next-line double-constant-in-float, legacy-warp-intrinsic -- old", `${half} __any(1);`),
      [],
    ],
    ["of every rule", kernel("// warplens-disable-next-line", `${half} __any(1);`), []],
    ["of a group", kernel("// warplens-disable-next-line instructions", half), []],
    [
      "of a region",
      kernel("// warplens-disable double-constant-in-float", half, half, "// warplens-enable double-constant-in-float", half),
      ["6 double-constant-in-float"],
    ],
    ["to the end", kernel("// warplens-disable double-constant-in-float", half, half), []],
    ["of the file", kernel(half, "// warplens-disable-file double-constant-in-float -- ported"), []],
    [
      "of the kernel below",
      `// warplens-disable-kernel double-constant-in-float -- old\n${kernel(half)}\n${kernel(half).replace("k(", "l(")}`,
      ["6 double-constant-in-float"],
    ],
    [
      "of the kernel around",
      `${kernel(half).replace("k(", "j(")}\n${kernel(half, "// warplens-disable-kernel double-constant-in-float", half)}`,
      ["2 double-constant-in-float"],
    ],
    [
      "of a kernel, of no use",
      `// warplens-disable-kernel double-constant-in-float\n${kernel("data[0] = 1.0f;")}`,
      ["1 unused-suppression"],
    ],
    [
      "of another rule",
      kernel("// warplens-disable-next-line legacy-warp-intrinsic", half),
      ["2 unused-suppression", "3 double-constant-in-float"],
    ],
    ["of nothing", kernel("// warplens-disable-next-line double-constant-in-float", "data[0] = 1.0f;"), ["2 unused-suppression"]],
    ["of no rule there is", kernel("// warplens-disable-next-line double-constant", half), []],
    [
      "of a misspelt rule",
      kernel("// warplens-disable-next-line double-constnat-in-float", half),
      ["2 unused-suppression", "3 double-constant-in-float"],
    ],
    ["of a rule that has not run yet", kernel("// warplens-disable-next-line strided-global-access", "data[0] = 1.0f;"), []],
    ["in words", kernel("// warplens-disables nothing by itself", "data[0] = 1.0f;"), []],
  ])("%s", (_, code, expected) => expect(found(code)).toEqual(expected));
});

describe("the fix of a suppression that is not needed", () => {
  const fixed = (code: string): string => {
    const [diagnostic] = lint(analyseCode(code), undefined, { select: ["ALL"] }).filter(
      ({ ruleId }: Diagnostic) => ruleId === "unused-suppression",
    );
    const lines = code.split("\n");
    const edit = diagnostic?.fixes[0]?.edits[0];
    if (!edit) return code;
    const offset = (line: number, character: number): number =>
      lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + character;
    const { start, end } = edit.range;
    return code.slice(0, offset(start.line, start.character)) + edit.newText + code.slice(offset(end.line, end.character));
  };
  test("removes the comment and its line", () =>
    expect(fixed(kernel("  // warplens-disable-next-line legacy-warp-intrinsic", "  data[0] = 1.0f;"))).toBe(kernel("  data[0] = 1.0f;")));
  test("leaves the code before the comment", () =>
    expect(fixed(kernel("  data[0] = 1.0f; // warplens-disable-line legacy-warp-intrinsic"))).toBe(kernel("  data[0] = 1.0f;")));
  test("removes one rule of two", () =>
    expect(fixed(kernel("// warplens-disable-next-line legacy-warp-intrinsic, double-constant-in-float -- why", half))).toBe(
      kernel("// warplens-disable-next-line double-constant-in-float -- why", half),
    ));
  test("says what was meant", () => {
    const [diagnostic] = lint(analyseCode(kernel("// warplens-disable-line double-constnat-in-float")), undefined);
    expect(diagnostic?.message).toBe("There is no rule `double-constnat-in-float`; did you mean `double-constant-in-float`?");
  });
});

test("thousands of them above each other, and above kernels, are heeded up to a number, which is told", () => {
  const code = kernel(...Array<string>(6000).fill("// warplens-disable-next-line double-constant-in-float"), half);
  const diagnostics = lint(analyseCode(code), undefined);
  expect(diagnostics.map(({ range, message }) => `${range.start.line + 1} ${message}`)).toEqual([
    "5001 Only the first 5000 suppressions of a file are heeded.",
  ]);
});
