import { describe, expect, it } from "vitest";
import { bursts, scripts } from "./edits.mjs";
import { generate } from "./generate.mjs";
import { Text } from "./text.mjs";

/** The text after edits that an editor told by lines and characters. */
function told(text, changes) {
  return changes.reduce((now, { range: { start, end }, text: put }) => {
    const lines = now.split("\n");
    const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
    return now.slice(0, offset(start)) + put + now.slice(offset(end));
  }, text);
}

describe("generated programs", () => {
  it.each([200, 1000, 5000])("have about %i lines, the same each time", (lines) => {
    const text = generate(lines);
    expect(Math.abs(text.split("\n").length - lines)).toBeLessThan(0.1 * lines);
    expect(generate(lines)).toBe(text);
  });
});

describe("scripts of edits", () => {
  const text = generate(1000);

  it("change the text with every step, say so by line and character, and leave it as it was", () => {
    for (const steps of [...scripts(text, 60), ...bursts(text, 3).map(({ typed, undo }) => [...typed, undo])]) {
      const document = new Text(text);
      for (const { edits } of steps) {
        const before = document.text;
        expect(told(before, document.apply(edits))).toBe(document.text);
        expect(document.text).not.toBe(before);
      }
      expect(document.text).toBe(text);
    }
  });

  it("know where the edited kernel's name stands", () => {
    for (const steps of scripts(text, 60)) {
      const document = new Text(text);
      for (const { edits, kernel } of steps) {
        document.apply(edits);
        if (kernel !== undefined) expect(document.text.slice(kernel)).toMatch(/^\w+Kernel\d+\(/);
      }
    }
  });

  it("are of every kind, in kernels, host code, comments and at the top", () => {
    const kinds = new Set(scripts(text, 40).flatMap((steps) => steps.map(({ kind, where }) => `${where} ${kind}`)));
    const inFunctions = ["constant", "whitespace", "line", "token", "half-typed", "completed", "rename"];
    const expected = ["kernel", "host"].flatMap((where) => inFunctions.map((kind) => `${where} ${kind}`));
    expect([...kinds].sort()).toEqual([...expected, "comment comment", "top define", "top line", "top include"].sort());
  });

  it("find nothing to edit where there is no function", () => {
    expect(scripts("int x;\n", 4).map(([step]) => step.where)).toEqual(["top", "top", "top", "top"]);
    expect(bursts("int x;\n", 2)).toEqual([]);
  });
});
