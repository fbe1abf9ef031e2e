import { expect, test } from "vitest";
import type { Diagnostic, DiagnosticFix } from "../lint.ts";
import { applyFixes } from "./fixes.ts";

const finding = (...fixes: DiagnosticFix[]): Diagnostic => ({
  path: "/a.cu",
  ruleId: "rule",
  severity: "hint",
  message: "",
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
  fixes,
  related: [],
  tags: [],
  simulated: false,
  url: "",
});
const edit = (line: number, from: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});
const fix = (safe: boolean, ...edits: DiagnosticFix["edits"]): DiagnosticFix => ({ title: "", safe, edits, proof: { verdict: "proved" } });
const text = "one two\r\nthree 🚀 four\n";

test.each<[string, Diagnostic[], boolean, string, number]>([
  ["safe fixes", [finding(fix(true, edit(0, 0, 3, "1"))), finding(fix(false, edit(0, 4, 7, "2")))], false, "1 two\r\nthree 🚀 four\n", 1],
  [
    "unsafe fixes too",
    [finding(fix(true, edit(0, 0, 3, "1"))), finding(fix(false, edit(0, 4, 7, "2")))],
    true,
    "1 2\r\nthree 🚀 four\n",
    2,
  ],
  ["the safe one of two", [finding(fix(false, edit(0, 0, 3, "x")), fix(true, edit(0, 0, 3, "1")))], true, "1 two\r\nthree 🚀 four\n", 1],
  [
    "of overlapping ones the first",
    [finding(fix(true, edit(0, 0, 5, "1"))), finding(fix(true, edit(0, 4, 7, "2")))],
    true,
    "1wo\r\nthree 🚀 four\n",
    1,
  ],
  [
    "all edits of a fix or none",
    [finding(fix(true, edit(0, 0, 3, "1"))), finding(fix(true, edit(1, 9, 13, "4"), edit(0, 1, 2, "n")))],
    true,
    "1 two\r\nthree 🚀 four\n",
    1,
  ],
  ["behind characters of two units", [finding(fix(true, edit(1, 9, 13, "4")))], false, "one two\r\nthree 🚀 4\n", 1],
  [
    "an insertion beside a replacement",
    [finding(fix(true, edit(0, 0, 3, "1"), edit(0, 3, 3, "+")))],
    false,
    "1+ two\r\nthree 🚀 four\n",
    1,
  ],
  ["nothing to do", [finding()], true, text, 0],
  [
    "only what is proved",
    [
      finding({ ...fix(true, edit(0, 0, 3, "1")), proof: { verdict: "withheld", why: "" } }),
      finding({ ...fix(true, edit(0, 4, 7, "2")), proof: { verdict: "unchecked", why: "" } }),
      finding({ title: "", safe: true, edits: [edit(1, 9, 13, "4")] }),
    ],
    true,
    text,
    0,
  ],
])("%s", (_, diagnostics, unsafe, expected, applied) =>
  expect(applyFixes(text, diagnostics, unsafe)).toMatchObject({ text: expected, applied }),
);
