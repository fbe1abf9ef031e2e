import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { rules } from "../rules/index.ts";
import { triedAt } from "../testing/refactoring-tables.ts";
import { refactorings } from "./index.ts";
import { refactoringsPage } from "./page.ts";

beforeAll(loadGrammarFromDisk);

const folder = new URL("./", import.meta.url);

test("every refactoring's file is in the list", () => {
  const isOne = (name: string): boolean =>
    name.endsWith(".ts") && /^export default defineRefactoring\(/m.test(readFileSync(new URL(name, folder), "utf8"));
  expect(refactorings.map(({ id }) => `${id}.ts`)).toEqual(readdirSync(folder).filter(isOne).sort());
});

test("the page is the refactorings'", () =>
  expect(readFileSync(new URL("../../../docs/refactorings.md", import.meta.url), "utf8")).toBe(refactoringsPage(refactorings)));

describe.each(refactorings.map((each) => [each.id, each] as const))("%s", (_, refactoring) => {
  test("says everything in sentences, and names rules that there are", () => {
    for (const text of [refactoring.summary, refactoring.where]) expect(text).toMatch(/^[A-Z`].*[.]$/s);
    for (const id of refactoring.rules ?? []) expect(rules.map((rule) => rule.id)).toContain(id);
  });
  test("is offered at its example, proved, and makes what it shows", () => {
    const { before, cursor, after } = refactoring.example;
    const tried = triedAt(refactoring, before, cursor);
    expect(tried.map((each) => each.after)).toContain(after);
    for (const { proof } of tried) expect(proof).toMatchObject({ verdict: "proved" });
  });
  test("ends lines as the file does", () => {
    const { before, cursor, after } = refactoring.example;
    const ended = (text: string): string => text.replaceAll("\n", "\r\n");
    expect(triedAt(refactoring, ended(before), ended(cursor)).map((each) => each.after)).toContain(ended(after));
  });
  test("is not offered once more on what it has made, unless there is more to choose", () => {
    const { after, cursor } = refactoring.example;
    if (!after.includes(cursor) || ["exchange-axes", "change-block-size"].includes(refactoring.id)) return;
    expect(triedAt(refactoring, after, cursor).map(({ offer }) => offer.title)).toEqual([]);
  });
});
