import { describe, expect, test } from "vitest";
import { rules } from "./index.ts";
import { type Selection, selectedRules, selectorProblem } from "./selection.ts";

const ids = (selection: Selection): string[] => [...selectedRules(selection).keys()].map(({ id }) => id);
const all = rules.map(({ id }) => id);

describe("selecting rules", () => {
  test.each<[string, Selection, string[]]>([
    ["nothing said: all", {}, all],
    ["a rule", { select: ["legacy-warp-intrinsic"] }, ["legacy-warp-intrinsic"]],
    ["a group", { select: ["memory"] }, ["strided-global-access", "uncoalesced-global-access"]],
    ["a prefix of whole words", { select: ["double-constant", "unsigned"] }, ["double-constant-in-float", "unsigned-loop-counter"]],
    ["not a prefix of a word", { select: ["doubl"] }, []],
    ["all but one", { ignore: ["legacy-warp-intrinsic"] }, all.filter((id) => id !== "legacy-warp-intrinsic")],
    ["the closer selector wins", { select: ["legacy-warp-intrinsic"], ignore: ["ALL"] }, ["legacy-warp-intrinsic"]],
    ["a group but one", { select: ["memory"], ignore: ["strided-global-access"] }, ["uncoalesced-global-access"]],
    ["as close: left out", { select: ["memory"], ignore: ["memory"] }, []],
    ["off", { select: ["memory"], levels: { "strided-global-access": "off" } }, ["uncoalesced-global-access"]],
  ])("%s", (_, selection, expected) => expect(ids(selection)).toEqual(expected));

  test("another severity", () => {
    const [[, severity] = []] = selectedRules({ select: ["unsigned-loop-counter"], levels: { "unsigned-loop-counter": "error" } });
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
