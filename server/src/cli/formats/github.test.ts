import { gpus } from "@warplens/sim-engine";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../lint.ts";
import type { Severity } from "../../rules/rule.ts";
import type { Failure } from "../jobs/job.ts";
import { github } from "./github.ts";

const [gpu] = gpus;

function annotations(path: string, findings: readonly Partial<Diagnostic>[], failures: readonly Failure[] = []): string {
  if (!gpu) throw new Error("no GPU");
  const diagnostics = findings.map((finding): Diagnostic => {
    const severity: Severity = "warning";
    const range = { start: { line: 3, character: 4 }, end: { line: 3, character: 9 } };
    return {
      path,
      ruleId: "a-rule",
      severity,
      message: "slow",
      range,
      fixes: [],
      related: [],
      tags: [],
      simulated: false,
      url: "",
      ...finding,
    };
  });
  const input = { path, name: path, text: "", bom: "", exact: true };
  return github({ gpu, files: [{ input, diagnostics, failures }] }, (name) => name);
}

test("a place within a line has columns, a longer one has none", () => {
  expect(annotations("a.cu", [{}])).toBe("::warning file=a.cu,line=4,endLine=4,col=5,endColumn=10,title=WarpLens a-rule::slow\n");
  const range = { start: { line: 3, character: 4 }, end: { line: 5, character: 1 } };
  expect(annotations("a.cu", [{ range }])).toBe("::warning file=a.cu,line=4,endLine=6,title=WarpLens a-rule::slow\n");
});

test("what would end a command, or begin another, is escaped", () => {
  const message = "50%\r\n::error file=x::no, not: this";
  expect(annotations("a,b:c%\nd.cu", [{ message }])).toBe(
    "::warning file=a%2Cb%3Ac%25%0Ad.cu,line=4,endLine=4,col=5,endColumn=10,title=WarpLens a-rule::50%25%0D%0A::error file=x::no, not: this\n",
  );
});

test("the worst come first, and what failed before them", () => {
  const severities: readonly Severity[] = ["hint", "error", "information", "warning"];
  const lines = annotations(
    "a.cu",
    severities.map((severity) => ({ severity, message: severity })),
    [{ stage: "a-rule", reason: "no types" }],
  )
    .trim()
    .split("\n");
  expect(lines.map((line) => line.replace(/^::(\w+) .*::(.*)$/, "$1 $2"))).toEqual([
    "error a-rule failed: no types",
    "error error",
    "warning warning",
    "notice information",
    "notice hint",
  ]);
});
