import { expect, test } from "vitest";
import { readSettings, settings } from "./settings.ts";

test("nothing said gives every default", () => {
  const read = readSettings(undefined);
  expect(read.problems).toEqual([]);
  expect(read.settings).toEqual(Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.default])));
});

test("nested values are found by their dotted names", () => {
  const read = readSettings({ gpu: "t4", inlayHints: { loops: false }, rules: { "strided-global-access": "off" }, assume: ["n=4096"] });
  expect(read.problems).toEqual([]);
  expect(read.settings).toMatchObject({
    gpu: "t4",
    "inlayHints.loops": false,
    "inlayHints.sharedArrays": true,
    rules: { "strided-global-access": "off" },
    assume: ["n=4096"],
  });
});

test.each([
  [{ gpu: 90 }, "gpu", "auto"],
  [{ codeLens: { enabled: "yes" } }, "codeLens.enabled", true],
  [{ rules: { "strided-global-access": "loud" } }, "rules", {}],
  [{ argv: "1024" }, "argv", []],
] as const)("%j: the wrong kind keeps the default and says so", (section, name, initial) => {
  const read = readSettings(section);
  expect(read.settings[name]).toEqual(initial);
  expect(read.problems).toEqual([expect.stringContaining(`warplens.${name}`)]);
});

test("rules may have options, and what is wrong with one is said with its name", () => {
  const read = readSettings({ rules: { "small-block": { level: "hint", minGain: 10, minTime: -1 }, "idle-gpu": { minShare: 20 } } });
  expect(read.settings.rules).toEqual({ "small-block": { level: "hint", minGain: 10 }, "idle-gpu": { minShare: 20 } });
  expect(read.problems).toEqual([
    "The setting warplens.rules: `small-block.minTime` should be a number of µs, 0 to 1,000,000,000; it is not used.",
  ]);
});

test.each([
  [{ launches: Array(1001).fill("k: grid=(1)") }, "launches", []],
  [{ assume: ["n=1", `n=${"1".repeat(10_000)}`] }, "assume", []],
  [{ gpu: "h".repeat(10_001) }, "gpu", "auto"],
  [{ rules: Object.fromEntries(Array.from({ length: 1001 }, (_, k) => [`rule${k}`, "off"])) }, "rules", {}],
] as const)("more than anyone writes keeps the default and says so: %#", (section, name, initial) => {
  const read = readSettings(section);
  expect(read.settings[name]).toEqual(initial);
  expect(read.problems).toEqual([
    `The setting warplens.${name} should be up to 1000 entries, of up to 10000 characters; its default is used.`,
  ]);
});
