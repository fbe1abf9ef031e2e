import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { type LintSettings, lint } from "../lint.ts";
import { simulateProgram } from "../simulate.ts";
import { analyseCode } from "../testing/rule-tables.ts";
import idleGpu from "./idle-gpu.ts";
import { rules } from "./index.ts";
import missingLaunchBounds from "./missing-launch-bounds.ts";
import { levelIn, optionsIn, optionsOf, settingsOver } from "./options.ts";
import sharedBankConflict from "./shared-bank-conflict.ts";
import tailEffect from "./tail-effect.ts";

beforeAll(loadGrammarFromDisk);

const found = (code: string, settings: LintSettings): string[] => {
  const program = analyseCode(code);
  return lint(program, simulateProgram(program, findGpu("h200") as GpuModel).launches, settings).map(({ ruleId }) => ruleId);
};

describe("what is set decides what is told", () => {
  const conflict = sharedBankConflict.example.bad;
  test.each<[string, string, LintSettings, boolean]>([
    ["nothing set", conflict, {}, true],
    ["a gain that no finding has", conflict, { rules: { "shared-bank-conflict": { minGain: 99 } } }, false],
    ["a gain of all rules", conflict, { leastGain: 99 }, false],
    ["a rule's own gain goes before that of all", conflict, { leastGain: 99, rules: { "shared-bank-conflict": { minGain: 1 } } }, true],
    ["a time that no finding has", conflict, { rules: { "shared-bank-conflict": { minTime: 1e6 } } }, false],
    ["off, with options", conflict, { rules: { "shared-bank-conflict": { level: "off", minGain: 1 } } }, false],
    ["a rule that asks for more by itself", tailEffect.example.bad, { leastGain: 0 }, true],
    ["and is asked for more", tailEffect.example.bad, { rules: { "tail-effect": { minGain: 60 } } }, false],
    ["a launch's time", idleGpu.example.bad, { rules: { "idle-gpu": { minLaunchTime: 1e6 } } }, false],
    ["a rule's own option", missingLaunchBounds.example.bad, { rules: { "missing-launch-bounds": { level: "hint" } } }, true],
    [
      "a rule's own option, set",
      missingLaunchBounds.example.bad,
      { rules: { "missing-launch-bounds": { level: "hint", maxThreads: 1024 } } },
      false,
    ],
  ])("%s", (_, code, settings, isFound) => expect(found(code, settings).length > 0).toBe(isFound));
});

test("settings go over each other option by option", () => {
  const over = settingsOver(
    { a: "off", b: { minGain: 3, minTime: 1 }, c: "hint" },
    { a: { minGain: 2 }, b: { level: "error", minGain: 4 }, d: "warning" },
  );
  expect(over).toEqual({
    a: { level: "off", minGain: 2 },
    b: { level: "error", minGain: 4, minTime: 1 },
    c: { level: "hint" },
    d: { level: "warning" },
  });
  expect(levelIn(over.b)).toBe("error");
});

test("an option that nothing is said of has its default", () =>
  expect(optionsIn(idleGpu, { minShare: 20 })).toEqual({ minGain: 5, minTime: 0.5, minLaunchTime: 20, minShare: 20 }));

test("rules that are asked item by item, before anything is set, have no options", () => {
  for (const rule of rules) if (!rule.simulated && !rule.ofFile) expect([rule.id, optionsOf(rule)]).toEqual([rule.id, {}]);
});

test.each(rules.flatMap((rule) => Object.entries(optionsOf(rule)).map(([name, option]) => [rule.id, name, option] as const)))(
  "%s.%s is said in a sentence, and its default is within its bounds",
  (_, name, { says, default: initial, most }) => {
    expect(name).toMatch(/^(min|max)[A-Z]\w+$/);
    expect(says).toMatch(/^[A-Z].*\.$/);
    expect(initial).toBeLessThanOrEqual(most);
  },
);
