/** Names made to become something else, in comments of pull requests and on a terminal. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { lexer, type Token, type Tokens, walkTokens } from "marked";
import { describe, expect, test } from "vitest";
import { visible } from "../../foreign-text.ts";
import { readGate } from "../../lint/gate.ts";
import type { ProjectGate } from "../../lint/project-file.ts";
import type { Diagnostic } from "../../lint.ts";
import { reportOf } from "../../lsp/testing.ts";
import { hostile, isVisible } from "../../testing/hostile.ts";
import { type Judgement, judge } from "../gates/judge.ts";
import { gatesGithub, gatesMarkdown, gatesText } from "../gates/print.ts";
import type { FileResult } from "../report.ts";
import { compare } from "./compare.ts";
import { comparisonMarkdown } from "./markdown.ts";
import { comparisonText } from "./text.ts";
import type { Compared } from "./words.ts";

const gpu = findGpu("h200") as GpuModel;
const rulePage = "https://example.invalid/our-page";

/** A file of that name with a launch, a finding, a failure, and a launch that was refused. */
function file(name: string, ns: number, finding: string): FileResult {
  const path = `/w/${name.slice(0, 200)}`;
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const diagnostic: Diagnostic = {
    path,
    ruleId: "a-rule",
    severity: "error",
    message: visible(`\`${name}\` ${finding}`),
    range,
    kernel: name,
    fixes: [],
    related: [],
    tags: [],
    simulated: false,
    url: rulePage,
  };
  return {
    input: { path, name: path.slice(3), text: `${finding} ${name}`, bom: "", exact: true },
    diagnostics: [diagnostic],
    simulation: {
      launches: [
        {
          line: 1,
          report: reportOf(ns, { kernel: name, templateArguments: [name], assumptions: [{ what: name, value: name, why: name }] }),
        },
      ],
      notSimulated: [{ kernel: `other ${name}`, line: 2, reason: name }],
    },
    failures: [{ stage: "parse", reason: name }],
  };
}

function gatesOf(name: string, files: readonly FileResult[]): Judgement[] {
  return [`${name}: time < 1 ns`, `*: no finding`, "*: time < 1 ns", `none${name}: time < 1 s`].flatMap((text) => {
    const gate = readGate(text);
    if ("problem" in gate) return [];
    const placed: ProjectGate = { ...gate, line: 1, column: 1 };
    return [judge(placed, gpu, files, {})];
  });
}

/** What of a comment is more than text, code, tables, lists and emphasis. */
function beyondText(markdown: string): string[] {
  const found: string[] = [];
  walkTokens(lexer(markdown, { gfm: true }), (token: Token) => {
    if (
      token.type === "html" &&
      !/^(<details><summary>[\w ]+<\/summary>|<\/details>|<br>|\s)*$/.test(token.raw) &&
      !/^<details><summary>[\w ,]+<\/summary>\s*$/.test(token.raw)
    )
      found.push(token.raw);
    if (token.type === "link" && (token as Tokens.Link).href !== rulePage) found.push(token.raw);
    if (["image", "code", "blockquote", "hr", "del", "em", "def"].includes(token.type)) found.push(token.raw);
  });
  return found;
}

describe.each(hostile.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const))("%s", (_, name) => {
  const before = [file(name, 1, "old")];
  const after = [file(name, 2, "new")];
  const compared: Compared = { comparison: compare(before, after, (path) => path, 1), gpu, before: name, after: name, threshold: 1 };
  const judgements = gatesOf(name, after);

  test("a comment holds text, and links to our pages", () => {
    expect(beyondText(comparisonMarkdown(compared))).toEqual([]);
    expect(beyondText(gatesMarkdown(judgements))).toEqual([]);
    expect(comparisonMarkdown(compared).length).toBeLessThan(65_536);
  });

  test("a terminal is told no control sequence, and lines are ours", () => {
    const plain = (text: string): string => text;
    for (const text of [comparisonText(compared, plain), gatesText(judgements, plain)])
      expect(text.split("\n").filter((line) => !isVisible(line))).toEqual([]);
  });

  test("a workflow command ends where it is meant to", () => {
    const text = gatesGithub(judgements, "/w/warplens.json", (path) => path);
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(/^::error file=[^,:]*,line=1(,endLine=1,col=1,endColumn=2)?,title=WarpLens%3A [\w ]+::/);
  });
});
