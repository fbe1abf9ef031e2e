import { existsSync, readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { findingsOf } from "../testing/rule-tables.ts";
import { rules } from "./index.ts";
import { catalogue, rulePage } from "./page.ts";

beforeAll(loadGrammarFromDisk);

const folder = new URL("./", import.meta.url);
const docs = new URL("../../../docs/rules/", import.meta.url);
/** Rules whose tests are in the file of what they are about. */
const testedElsewhere: Readonly<Record<string, string>> = {
  "unused-suppression": "suppressions.test.ts",
  "invalid-directive": "rules.test.ts",
};

test("every rule's file is in the list", () => {
  const isRule = (name: string): boolean =>
    name.endsWith(".ts") && /^export default defineRule\(/m.test(readFileSync(new URL(name, folder), "utf8"));
  const files = readdirSync(folder).filter(isRule);
  expect(rules.map(({ id }) => `${id}.ts`)).toEqual(files.sort());
});

test("the catalogue is the rules'", () => expect(readFileSync(new URL("README.md", docs), "utf8")).toBe(catalogue(rules)));

describe.each(rules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
  const asked = rule.offByDefault ? [id] : [];
  test("is named after a pattern, in kebab case", () => expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z]+)+$/));
  test("has tests", () => expect(existsSync(new URL(testedElsewhere[id] ?? `${id}.test.ts`, folder))).toBe(true));
  test("has a page that is up to date", () => expect(readFileSync(new URL(`${id}.md`, docs), "utf8")).toBe(rulePage(rule)));
  test("says everything in sentences", () => {
    for (const text of [rule.summary, rule.why, rule.remedy]) expect(text).toMatch(/^[A-Z`].*[.]$/s);
  });
  test("finds the bad example, and that only", () => {
    const found = findingsOf(rule.example.bad, asked, true);
    expect(found).not.toHaveLength(0);
    expect(new Set(found.map(({ ruleId }) => ruleId))).toEqual(new Set([id]));
    // What says what it costs can be set by that.
    if (found.some(({ gain }) => gain !== undefined)) expect(rule.tellsGain).toBe(true);
  });
  test("has nothing to say about the good one, nor has any other", () => expect(findingsOf(rule.example.good, asked, true)).toEqual([]));
  test("fixes as well as it says", () => {
    const fixes = findingsOf(rule.example.bad, asked, true).flatMap((diagnostic) => diagnostic.fixes);
    if (rule.fix === "none") expect(fixes).toEqual([]);
    else expect(fixes).not.toHaveLength(0);
  });
});
