/**
 * Pairs of small programs, one with a single fault and its twin without. The line of the fault ends with `// BUG: rule`, and with other
 * lines at which it may fairly be told. What is not found yet stands in `missed.json`, with why.
 */
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../../grammar.ts";
import { rules } from "../../rules/index.ts";
import { findingsOf } from "../../testing/rule-tables.ts";

const folder = new URL("programs/", import.meta.url);
const missed = JSON.parse(readFileSync(new URL("missed.json", import.meta.url), "utf8")) as Readonly<Record<string, string>>;
const correctness = rules.filter(({ group }) => group === "correctness").map(({ id }) => id);

const names = readdirSync(folder)
  .filter((name) => name.endsWith(".bad.cu"))
  .map((name) => name.slice(0, -".bad.cu".length));
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

/** 1-based lines at which the fault may be told, and by which rule. */
function faultOf(text: string): { readonly rule: string; readonly lines: readonly number[] } {
  const at = text.split("\n").findIndex((line) => line.includes("// BUG: "));
  const [, rule = "", others = ""] = /\/\/ BUG: ([\w-]+)(?: \(or lines? ([\d, ]+)\))?/.exec(text.split("\n")[at] ?? "") ?? [];
  return {
    rule,
    lines: [
      at + 1,
      ...others
        .split(",")
        .filter((each) => each.trim() !== "")
        .map(Number),
    ],
  };
}

beforeAll(loadGrammarFromDisk);

test("there are as many as there were", () => expect(names.length).toBeGreaterThanOrEqual(219));
test("all that is missed is there", () => expect(Object.keys(missed).filter((name) => !names.includes(name))).toEqual([]));

test.each(names)("%s: the fault is told where it stands", (name) => {
  const text = read(`${name}.bad.cu`);
  const { rule, lines } = faultOf(text);
  const found = findingsOf(text, correctness, true).filter(({ ruleId, range }) => ruleId === rule && lines.includes(range.start.line + 1));
  // One that is found now is taken out of the list.
  expect(found.length > 0).toBe(!(name in missed));
});

test.each(names)("%s: its twin is left alone", (name) => {
  expect(findingsOf(read(`${name}.good.cu`), correctness, true).map(({ message }) => message)).toEqual([]);
});
