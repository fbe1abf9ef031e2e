import { describe, expect, test } from "vitest";
import { rules } from "./index.ts";
import { type Selection, selectedRules, selectorProblem } from "./selection.ts";

const ids = (selection: Selection): string[] => [...selectedRules(selection).keys()].map(({ id }) => id);
const on = rules.filter(({ offByDefault }) => !offByDefault).map(({ id }) => id);
const memory = rules.filter(({ group }) => group === "memory").map(({ id }) => id);
const but = (all: readonly string[], id: string): string[] => all.filter((each) => each !== id);

describe("selecting rules", () => {
  test.each<[string, Selection, string[]]>([
    ["nothing said: all that are on", {}, on],
    ["everything", { select: ["ALL"] }, rules.map(({ id }) => id)],
    ["a rule", { select: ["legacy-warp-intrinsic"] }, ["legacy-warp-intrinsic"]],
    ["a group", { select: ["memory"] }, memory],
    ["a prefix of whole words", { select: ["double-constant", "unsigned"] }, ["double-constant-in-float", "unsigned-loop-counter"]],
    ["not a prefix of a word", { select: ["doubl"] }, []],
    ["all but one", { ignore: ["legacy-warp-intrinsic"] }, but(on, "legacy-warp-intrinsic")],
    ["the closer selector wins", { select: ["legacy-warp-intrinsic"], ignore: ["ALL"] }, ["legacy-warp-intrinsic"]],
    ["a group but one", { select: ["memory"], ignore: ["strided-global-access"] }, but(memory, "strided-global-access")],
    ["as close: left out", { select: ["memory"], ignore: ["memory"] }, []],
    ["off", { select: ["memory"], rules: { "strided-global-access": "off" } }, but(memory, "strided-global-access")],
  ])("%s", (_, selection, expected) => expect(ids(selection)).toEqual(expected));

  test("another severity", () => {
    const [[, severity] = []] = selectedRules({ select: ["unsigned-loop-counter"], rules: { "unsigned-loop-counter": "error" } });
    expect(severity).toBe("error");
  });

  test("a selector that stands for nothing", () => {
    expect(selectorProblem("unsigned-loop-cuonter")).toBe(
      "There is no rule `unsigned-loop-cuonter`; did you mean `unsigned-loop-counter`?",
    );
    expect(selectorProblem("zzz")).toBe("There is no rule `zzz`");
    expect(selectorProblem("memory")).toBeUndefined();
  });
});
