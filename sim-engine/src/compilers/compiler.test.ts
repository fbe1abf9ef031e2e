import { describe, expect, test } from "vitest";
import { defaultCompiler } from "./compiler.ts";
import { data } from "./data.ts";
import { compilerFigureNames } from "./figures.ts";
import type { CompilerData, CompilerFile } from "./files.ts";
import { lintCompilerData } from "./lint.ts";

describe("compiler data", () => {
  test("is sound", () => expect(lintCompilerData(data)).toEqual([]));

  const [first, ...rest] = data.compilers;
  const changed = (figure: object): CompilerData => ({
    ...data,
    compilers: [{ ...first!, figures: { ...first!.figures, tripSearch: { ...first!.figures.tripSearch!, ...figure } } }, ...rest],
  });
  test.each([
    ["an uncited figure", { source: undefined }, /source missing is not among the sources/],
    ["an unknown source", { source: "hearsay" }, /source hearsay is not among/],
    ["a figure that says no place", { at: "" }, /does not say where/],
    ["another unit", { unit: "loops" }, /unit is loops/],
    ["a basis that is a GPU's", { basis: "specified" }, /basis is specified/],
    ["a text for a number", { value: "100" }, /is not a number/],
  ])("the lint finds %s", (_, figure, message) => expect(lintCompilerData(changed(figure))).toEqual([expect.stringMatching(message)]));

  test("the lint finds figures that are missing and those that nothing knows", () => {
    const { tripSearch, ...others } = first!.figures;
    const wrong = { ...data, compilers: [{ ...first!, figures: { ...others, tripSeek: tripSearch! } }] };
    expect(lintCompilerData(wrong)).toEqual([
      expect.stringMatching(/no figure is called tripSeek/),
      expect.stringMatching(/tripSearch is missing/),
    ]);
  });

  test.each([
    ["f32.exp", { source: undefined }, /f32.exp: source missing/],
    ["f32.exp", { code: "FMUL ?" }, /\? is no opcode/],
    ["f32.exp", { code: "" }, /nothing is no opcode/],
    ["f32.exp", { callee: 5 }, /without a branch/],
    ["f16.exp", {}, /no sequence can be called f16.exp/],
  ])("the lint finds a wrong sequence: %s %j", (name, sequence, message) => {
    const sequences = { ...first!.sequences, [name]: { ...first!.sequences["f32.exp"]!, ...sequence } };
    expect(lintCompilerData({ ...data, compilers: [{ ...first!, sequences } as CompilerFile] })).toEqual([expect.stringMatching(message)]);
  });

  test("the lint finds intervals that do not go together", () => {
    const { registerIntervalLow, ...others } = first!.figures;
    const figures = { ...others, registerIntervalLow: { ...registerIntervalLow!, value: [1] } };
    expect(lintCompilerData({ ...data, compilers: [{ ...first!, figures }] })).toEqual([expect.stringMatching(/different lengths/)]);
  });

  test("every value has its source", () =>
    expect(defaultCompiler.values).toEqual(
      Object.fromEntries(compilerFigureNames.map((name) => [name, data.compilers.at(-1)?.figures[name]?.value])),
    ));
});
