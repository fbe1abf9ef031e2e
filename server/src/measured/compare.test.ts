import { describe, expect, test } from "vitest";
import { reportOf } from "../lsp/testing.ts";
import { errorMark, errorText } from "../measured-text.ts";
import { compareFigures, compareLines } from "./compare.ts";
import { digestOf, type Figures, type MeasuredFile, type MeasuredLaunch } from "./report.ts";

const launch = (figures: Figures, files?: readonly MeasuredFile[]): MeasuredLaunch => ({
  kernel: "k(int)",
  device: 0,
  figures,
  ...(files ? { files } : {}),
});

describe("figures", () => {
  test.each([
    [[300], 300],
    [[500, 100, 300], 300],
    [[100, 200], 150],
  ])("of %j ns the middle is %d", (times, middle) => {
    const [time] = compareFigures(
      reportOf(100),
      times.map((time) => launch({ time })),
    );
    expect(time?.measured).toBe(middle);
  });

  test("what was not measured is not there, nor an estimate that there is none of", () => {
    const report = reportOf(100, { traffic: { ...reportOf(100).traffic, l2HitPct: undefined as never } });
    const found = compareFigures(report, [launch({ l2Hits: 50, registers: 32 })]);
    expect(found.map(({ name, estimated }) => [name, estimated])).toEqual([
      ["registers", report.resources.registersPerThread.value],
      ["l2Hits", undefined],
    ]);
  });

  test.each([
    ["well within the error bar", "time", 100, "✓", "0 %"],
    ["half of it", "time", 200, "▼", "−50 %"],
    ["twenty times as long", "time", 5, "▲", "20 times"],
    ["points between percentages", "theoreticalOccupancy", 97, "✓", "+3 points"],
    ["far off in points", "theoreticalOccupancy", 50, "▲", "+50 points"],
  ] as const)("%s", (_, name, value, mark, text) => {
    const report = reportOf(100);
    const range = { ...report, time: { ...report.time, range: [90, 110] } } as typeof report;
    const occupied = { ...range, occupancy: { ...range.occupancy, theoreticalPct: 100 } };
    const [figure] = compareFigures(occupied, [launch({ [name]: value })]);
    expect(figure && [errorMark(figure), errorText(figure)]).toEqual([mark, text]);
  });

  test("of nothing that was measured no share can be told", () => {
    const report = { ...reportOf(100), dynamicSharedBytes: 64 };
    const [figure] = compareFigures(report, [launch({ dynamicShared: 0 })]);
    expect(figure).toMatchObject({ measured: 0, estimated: 64, isClose: false });
    expect(figure && "error" in figure).toBe(false);
  });
});

describe("lines", () => {
  const measuredText = ["a();", "b();", "}", "c();", "}"];
  const file = (figures: readonly number[], name = "k.cu"): MeasuredFile => ({
    name,
    lines: figures.map((samples, index) => ({ line: index + 1, digest: digestOf(measuredText[index] ?? ""), figures: { samples } })),
  });
  const samplesBy = (text: string | undefined, ...launches: readonly MeasuredLaunch[]) => {
    const found = compareLines(launches, "k.cu", text);
    return found && { lost: found.lost, by: Object.fromEntries(Object.entries(found.lines).map(([line, { samples }]) => [line, samples])) };
  };

  test.each<[string, string[] | undefined, Record<string, number>, number]>([
    ["as they were", measuredText, { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }, 0],
    ["indented otherwise", measuredText.map((line) => `\t${line} `), { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }, 0],
    ["moved down", ["new();", "new();", ...measuredText], { 3: 1, 4: 2, 5: 3, 6: 4, 7: 5 }, 0],
    ["one is another now", ["a();", "x();", "}", "c();", "}"], { 1: 1, 3: 3, 4: 4, 5: 5 }, 1],
    ["one is gone", ["a();", "}", "c();", "}"], { 1: 1, 2: 3, 3: 4, 4: 5 }, 1],
    ["the text is not known", undefined, { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }, 0],
  ])("%s", (_, text, by, lost) => {
    expect(samplesBy(text?.join("\n"), launch({}, [file([1, 2, 3, 4, 5])]))).toEqual({ by, lost });
  });

  test("the middle of several launches, and shares of all their samples", () => {
    const launches = [launch({}, [file([1, 3]), file([4], "h.h")]), launch({}, [file([2, 2])]), launch({}, [file([6, 0])])];
    expect(compareLines(launches, "k.cu", undefined)?.lines).toMatchObject({ 1: { samples: 2, share: 0.5 }, 2: { samples: 2 } });
    expect(compareLines(launches, "other.cu", undefined)).toBeUndefined();
  });
});
