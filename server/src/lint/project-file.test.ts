import { describe, expect, test } from "vitest";
import { readProjectFile } from "./project-file.ts";

/** What is marked, and the problem. */
const problemsOf = (text: string) => readProjectFile(text).problems.map(({ start, end, message }) => [text.slice(start, end), message]);
const gpu = (rest: string) => `{ "gpus": [{ "id": "x", "extends": "h200"${rest} }] }`;

describe("problems stand where they are", () => {
  test.each<[string, string, string, RegExp]>([
    ["a misspelt key", '{ "gups": [] }', '"gups"', /did you mean `gpus`/],
    ["a key again", '{ "gpu": "t4", "argv": [],\n "\\u0067pu": "h200" }', '"\\u0067pu"', /^`gpu` stands here twice: first in line 1$/],
    [
      "a rule again",
      '{ "rules": {\n "small-block": "off",\n "small-block": "error" } }',
      '"small-block"',
      /^`small-block` stands here twice: first in line 2$/,
    ],
    ["a figure again", gpu(', "figures": { "smCount": 3, "smCount": 4 }'), '"smCount"', /^`smCount` stands here twice/],
    ["a rule of an odd name", '{ "rules": { "__proto__": "off" } }', '"__proto__"', /^There is no rule `__proto__`/],
    ["a value", '{ "argv": 3 }', "3", /`argv` should be/],
    ["a rule", '{ "ignore": ["instructions", "none-such"] }', '"none-such"', /no rule `none-such`/],
    ["a rule's level", '{ "rules": { "small-block": "loud" } }', '"loud"', /^`small-block` should be error, warning/],
    ["the level in an object", '{ "rules": { "small-block": { "level": 3 } } }', "3", /^`small-block.level` should be error, warning/],
    [
      "an option's name",
      '{ "rules": { "small-block": { "minGian": 3 } } }',
      '"minGian"',
      /^`small-block` has no option `minGian`; did you mean `minGain`\?/,
    ],
    ["an option of a rule that has none", '{ "rules": { "removed-api": { "fast": 3 } } }', '"fast"', /no option `fast`; it has none/],
    [
      "an option's value",
      '{ "rules": { "small-block": { "minGain": 300 } } }',
      "300",
      /^`small-block.minGain` should be a number of percent, 0 to 100/,
    ],
    ["a GPU that is none", '{ "gpus": [3] }', "3", /^gpus\[0\]: a GPU must be an object/],
    ["a GPU without extends", '{ "gpus": [{ "id": "x" }] }', '{ "id": "x" }', /^gpus\[0\]: extends must name/],
    ["a figure's name", gpu(', "figures": { "smCounts": 3 }'), '"smCounts"', /^gpus\[0\]\.figures\.smCounts: no figure/],
    [
      "a figure's value",
      gpu(', "figures": { "smCount": -3 }'),
      "-3",
      /^gpus\[0\]\.figures\.smCount: smCount must be a whole number of SMs/,
    ],
    [
      "figures that contradict",
      gpu(', "figures": { "registersPerBlock": 131072 }'),
      '{ "registersPerBlock": 131072 }',
      /a block has more registers than an SM/,
    ],
    ["a key of a GPU", gpu(', "speed": 3'), '"speed"', /^gpus\[0\]\.speed: speed is not understood/],
    [
      "the second of two",
      '{ "gpus": [{ "id": "x", "extends": "t4" }, { "id": "x", "extends": "t4" }] }',
      '"x"',
      /^gpus\[1\]\.id: there are two/,
    ],
    ["a gate", '{ "gates": ["k: time < 1 us", "k: tme < 1 us"] }', '"k: tme < 1 us"', /no figure `tme`; did you mean `time`/],
    ["a gate that is no text", '{ "gates": [3] }', "[3]", /^`gates` should be a list of gates/],
    ["a gate's GPU", '{ "gates": ["k on h20: time < 1 us"] }', '"k on h20: time < 1 us"', /no GPU model `h20`; did you mean `h200`/],
    ["a launch", '{ "launches": ["k: grid=(1)", "k: grid"] }', "grid", /^not of the form KEY=VALUE/],
    ["a launch with escapes", '{ "launches": ["\\u006b: grid"] }', '"\\u006b: grid"', /^not of the form KEY=VALUE/],
    ["a macro", '{ "defines": ["A=1", "2B"] }', "2B", /^not a macro: 2B; write NAME or NAME=VALUE/],
    [
      "a macro of two lines",
      '{ "defines": ["A=\\n#include <b>"] }',
      '"A=\\n#include <b>"',
      /^not a macro: A= #include <b>; write .*, in one line$/,
    ],
    ["an assumption", '{ "assume": ["k.n=2", "k.n=1+"] }', "n=1+", /^`n=1\+`: neither a number/],
    ["a baseline", '{ "baseline": [] }', "[]", /^`baseline` should be a file/],
    ["a baseline elsewhere", '{ "baseline": "/home/u/.profile" }', '"/home/u/.profile"', /should be a file in this file's folder or below/],
    ["a baseline above", '{ "baseline": "lint/../../x.json" }', '"lint/../../x.json"', /in this file's folder or below/],
    ["a baseline among git's own files", '{ "baseline": ".git/config" }', '".git/config"', /or below, in no hidden one/],
    ["a baseline in place of git's folder", '{ "baseline": "lint/.git" }', '"lint/.git"', /or below, in no hidden one/],
    ["a baseline in a hidden folder", '{ "baseline": "lint\\\\.x\\\\y" }', '"lint\\\\.x\\\\y"', /or below, in no hidden one/],
    ["a baseline on a drive", '{ "baseline": "C:x.json" }', '"C:x.json"', /in this file's folder or below/],
  ])("%s", (_, text, marked, message) => expect(problemsOf(text)).toEqual([[marked, expect.stringMatching(message)]]));

  test("behind a byte order mark and comments", () => {
    const text = '\uFEFF{ // who\n  "gpu": 3 }';
    expect(readProjectFile(text).problems).toMatchObject([{ line: 2, column: 10, start: text.indexOf("3"), end: text.indexOf("3") + 1 }]);
  });
});

test("what is wrong in a rule's setting is left out, the rest of it holds", () =>
  expect(
    readProjectFile(
      '{ "rules": { "small-block": { "level": "error", "minGain": "all" }, "removed-api": "loud", "idle-gpu": { "minShare": 20 } } }',
    ).file.rules,
  ).toEqual({ "small-block": { level: "error" }, "idle-gpu": { minShare: 20 } }));

test("what is wrong is left out, the rest holds", () => {
  const { file } = readProjectFile(
    '{ "gpu": "x", "gpus": [{ "id": "x", "extends": "t4" }, {}], "argv": 3, "simulate": false, "$schema": "s" }',
  );
  expect(file).toMatchObject({ gpu: "x", gpus: [{ id: "x", computeCapability: "7.5" }], simulate: false });
  expect(file).not.toHaveProperty("argv");
});

test("gates know their places, and the project's own GPUs wherever these stand", () => {
  const { file, problems } = readProjectFile(
    '{\n  "gates": [\n    "k on mine: time < 1 us"],\n  "gpus": [{ "id": "mine", "extends": "h200" }] }',
  );
  expect(problems).toEqual([]);
  expect(file.gates).toMatchObject([{ text: "k on mine: time < 1 us", gpu: "mine", line: 3, column: 5 }]);
});

test("the schema that the manifest names knows every key", async () => {
  const { projectKeys } = await import("./project-file.ts");
  const { default: schema } = await import("../../../client/schemas/warplens.schema.json");
  expect(Object.keys(schema.properties)).toEqual(Object.keys(projectKeys));
});

describe("a file of hostile size or shape is told to be one", () => {
  const many = (count: number, entry: string): string => `[${Array(count).fill(entry).join(",")}]`;
  test.each<[string, string, RegExp]>([
    ["too long", `{ "argv": ["${"x".repeat(1 << 20)}"] }`, /^this is too long to be settings: 1,025 KB; up to 1024 KB are read$/],
    ["too deep", `{ "argv": ${"[".repeat(100_000)}`, /^this is nested too deep$/],
    ["launches without end", `{ "launches": ${many(50_000, '"k: block=1"')} }`, /^`launches` has 50,000 entries; up to 1,000 are read$/],
    [
      "rules without end",
      `{ "rules": {${Array.from({ length: 5_000 }, (_, k) => `"r${k}":"off"`).join()}} }`,
      /^`rules` has 5,000 entries/,
    ],
    ["GPUs without end", `{ "gpus": ${many(2_000, "{}")} }`, /^`gpus` has 2,000 entries/],
    [
      "a gate without end",
      `{ "gates": ["${"k".repeat(20_000)}: time < 1 us"] }`,
      /^a text of 20,015 characters in `gates`; up to 10,000 are read$/,
    ],
    ["a name without end", `{ "gpu": "${"h".repeat(20_000)}" }`, /^a text of 20,002 characters in `gpu`/],
  ])("%s", (_, text, message) => {
    const { file, problems } = readProjectFile(text);
    expect(problems.map((each) => each.message)).toEqual([expect.stringMatching(message)]);
    expect(Object.values(file)).toEqual([]);
  });

  test("no more is told than anyone reads", () => {
    const { problems } = readProjectFile(`{${Array.from({ length: 20_000 }, (_, k) => `\n"key${k}": 1`).join()}}`);
    expect(problems).toHaveLength(101);
    expect(problems.slice(-2)).toMatchObject([{ line: 101 }, { line: 102, message: "there is more wrong than these 100" }]);
  });
});
