import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Preprocessed } from "../reading.ts";
import { FIRST, type Lexed, lex, relex } from "./lexer.ts";
import { inCommon, read } from "./preprocess.ts";

const files: Readonly<Record<string, string>> = {
  "/src/a.h": "#pragma once\n#define A(x) (x + __LINE__)\nint a;\n",
  "/src/b.h": "#undef N\n#define N 7\nint b; // b\n",
};
const host = { read: (path: string) => files[path] };
const options = { computeCapability: 90 };

const lines = [
  '#include "a.h"',
  '#include "b.h"',
  "#define N 3",
  "#define F(x, y) x##y /* f */ N",
  "#undef N",
  "#if N > 3",
  "#ifdef F",
  "#else",
  "#endif",
  "int x = N; // n",
  "/* two",
  "lines */ float y;",
  "void f() { g(A(1), F(a, b));",
  "  h(__LINE__); }",
  "int top = __LINE__;",
  "namespace n {",
  "}",
  "F",
  "// between",
  "(a, b)",
  "F(1,",
  '  "s") __COUNTER__',
  "#pragma unroll N",
  "",
  '  auto s = R"(raw',
  ')";',
  "a \\",
  "b",
];
/** Long enough for several checkpoints. */
const text = fc.array(fc.constantFrom(...lines), { minLength: 20, maxLength: 60 }).map((some) => {
  const filler = Array.from({ length: 60 }, (_, i) => `int v${i} = N + A(${i}) * (${i} - x); // ${i}`);
  return [...some.slice(0, some.length / 2), ...filler, ...some.slice(some.length / 2), ...filler].join("\n");
});
const edit = fc.record({
  at: fc.oneof({ weight: 4, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constantFrom(0, 1, 2) }),
  remove: fc.constantFrom(0, 0, 1, 5, 60),
  put: fc.constantFrom("", " ", "x", "\n", "N", "{", "/*", "*/", '"', "\n#define N 4\n", "int q;\n", "//", "\\\n", "    ", "F", "(1, 2)"),
});

const said = ({ text: whole, files: paths, sources, comments, macroUses, missingIncludes }: Preprocessed): unknown => [
  whole,
  paths,
  sources,
  comments,
  macroUses,
  missingIncludes,
];

/** Where every piece of the text leads. */
const places = (reading: Preprocessed): unknown[] =>
  Array.from({ length: reading.text.length }, (_, at) => [reading.locate(at, at + 1), reading.spelled(at, at + 1)]);

const tokensOf = ({ text: whole, count, kinds, starts, ends, flags }: Lexed): unknown[] =>
  Array.from({ length: count }, (_, i) => [kinds[i], whole.slice(starts[i], ends[i]), starts[i], flags[i]]);

/** What was taken from the reading before is the same text, written the same way. */
function expectTaken(before: Preprocessed, after: Preprocessed): void {
  const { head, tail } = inCommon(before, after) ?? { head: 0, tail: 0 };
  expect(after.text.slice(0, head)).toBe(before.text.slice(0, head));
  const [old, now] = [before.text.length - tail, after.text.length - tail];
  expect(after.text.slice(now)).toBe(before.text.slice(old));
  const every = (length: number, each: (at: number) => string): string[] =>
    Array.from({ length: Math.floor(Math.max(0, length - 40) / 211) }, (_, i) => each(i * 211));
  expect(every(head, (at) => after.written(at, at + 40))).toEqual(every(head, (at) => before.written(at, at + 40)));
  expect(every(tail, (at) => after.written(now + at, now + at + 40))).toEqual(every(tail, (at) => before.written(old + at, old + at + 40)));
}

function applied(before: string, { at, remove, put }: { at: number; remove: number; put: string }): string {
  const offset = at % (before.length + 1);
  return before.slice(0, offset) + put + before.slice(offset + remove);
}

describe("an edited text", () => {
  it("has the tokens it has when it is read whole", () => {
    fc.assert(
      fc.property(text, edit, fc.nat(), (before, change, pick) => {
        const old = lex(before);
        const after = applied(before, change);
        const offset = change.at % (before.length + 1);
        const from = Array.from({ length: old.count }, (_, i) => i).filter(
          (i) => ((old.flags[i] ?? 0) & FIRST) !== 0 && (old.starts[i] ?? 0) < offset,
        );
        const start = from[pick % Math.max(1, from.length)] ?? 0;
        const oldEnd = Math.min(before.length, offset + change.remove);
        const { lexed } = relex(old, start, after, { start: offset, oldEnd, newEnd: offset + change.put.length });
        expect(tokensOf(lexed)).toEqual(tokensOf(lex(after)));
      }),
      { numRuns: 150, seed: 23 },
    );
  });

  it("is read as it is read whole", () => {
    fc.assert(
      fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), (first, edits) => {
        let now = first;
        let reading = read("/src/e.cu", now, host, options);
        for (const change of edits) {
          now = applied(now, change);
          const before = reading;
          reading = read("/src/e.cu", now, host, options, before);
          expectTaken(before, reading);
          const whole = read("/src/e.cu", now, host, options);
          expect(reading.text).toBe(whole.text);
          expect(said(reading)).toEqual(said(whole));
          expect(places(reading)).toEqual(places(whole));
        }
      }),
      { numRuns: 100, seed: 29 },
    );
  });

  it.each([
    ["at its start", 0],
    ["in its middle", 5_000],
    ["at its end", 10_000],
  ])("is not read again but near the edit: %s", (_where, at) => {
    const source = `// first\n${"int x = N; // n\n".repeat(1_000)}`;
    const before = read("/src/e.cu", source, host, options);
    const after = read("/src/e.cu", `${source.slice(0, at)}// Read me.\n${source.slice(at)}`, host, options, before);
    const { head = 0, tail = 0 } = inCommon(before, after) ?? {};
    expect(head).toBeLessThanOrEqual(at);
    expect(head + tail).toBeGreaterThan(source.length * 0.8);
    expect(inCommon(after, before)).toBeUndefined();
  });

  it.each([
    ["a definition's blanks grow", `#define HALF 0.5\nint before;`, "#define HALF", "#define HALF      "],
    [
      "a macro above a comment is called behind it",
      `#define F(x) void x()\n${"int a; ".repeat(81)} a;\nF\n// comment\nint b;`,
      "// comment",
      "// comment\n(scale);",
    ],
    [
      "a macro comes to stand above a comment, which is called then",
      `#define F(x) void x()\n${"int a; ".repeat(84)}\n\n// comment\nint b;`,
      "\n\n// comment\n",
      "\nF\n// comment\n",
      "// comment",
      "// comment\n(scale);",
    ],
  ])("is read as it is read whole: %s", (_, start, ...replacements) => {
    let now = `${start}\n${"int v = HALF; // v\n".repeat(400)}`;
    let reading = read("/src/e.cu", now, host, options);
    for (let i = 0; i < replacements.length; i += 2) {
      now = now.replace(replacements[i] ?? "", replacements[i + 1] ?? "");
      // Some edit behind it all shows what was kept of what stands before.
      for (const text of [now, `${now}int end;`]) {
        reading = read("/src/e.cu", text, host, options, reading);
        const whole = read("/src/e.cu", text, host, options);
        expect(said(reading)).toEqual(said(whole));
        expect(places(reading)).toEqual(places(whole));
      }
    }
  });

  it("is read anew where a header changed", () => {
    const source = `#include "c.h"\n${"int x = C;\n".repeat(400)}`;
    const before = read("/src/e.cu", source, { read: () => "#define C 1\n" }, options);
    const after = read("/src/e.cu", `${source}int y;`, { read: () => "#define C 2\n" }, options, before);
    expect(after.text).toContain("int x = 2;");
    expect(after.text).not.toContain("int x = 1;");
  });
});
