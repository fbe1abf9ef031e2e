import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readReport } from "./read-report.ts";
import type { MeasuredReport } from "./report.ts";

/** What ncu 2025.3.1 printed of `launches.cu` on an H200, less most columns; of the source page less most instructions. */
const printed = (name: string) => ({ name, text: readFileSync(new URL(`testing/${name}`, import.meta.url), "utf8") });

function reportOf(...texts: readonly { readonly name: string; readonly text: string }[]): MeasuredReport {
  const answer = readReport(texts);
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.report;
}

const csv = (...lines: readonly string[]) => ({ name: "r.csv", text: lines.join("\n") });
const head = '"ID","Kernel Name","Block Size","Grid Size","CC","gpu__time_duration.sum"';
const units = '"","","","","","us"';

describe("what the profiler printed", () => {
  test.each(["raw.csv", "raw-base.csv"])("%s: every launch with its figures, in whichever units", (name) => {
    const { launches, devices, notes } = reportOf(printed(name));
    expect(devices).toEqual([{ name: "NVIDIA H200", computeCapability: "9.0", multiprocessors: 132 }]);
    expect(notes).toEqual([]);
    expect(launches.map(({ kernel, grid, block }) => [kernel, grid, block])).toEqual([
      ...Array(3).fill(["axpy(int, float, const float *, float *)", [16384, 1, 1], [256, 1, 1]]),
      ["axpy(int, float, const float *, float *)", [65536, 1, 1], [64, 1, 1]],
      ["void transpose<32>(const float *, float *, int)", [64, 64, 1], [32, 32, 1]],
      ["void transpose<16>(const float *, float *, int)", [128, 128, 1], [16, 16, 1]],
    ]);
    const [first] = launches;
    expect(first?.figures.time).toBeCloseTo(14560, 6);
    expect(first?.figures.dramRead).toBeCloseTo(33557504, 3);
    expect(first?.figures.dramGBs).toBeCloseTo(2367.191, 2);
    expect(first?.figures.achievedOccupancy).toBeCloseTo(74.6, 1);
    expect(first?.figures).toMatchObject({ registers: 16, loadSectors: 1048576, sharedLoads: 0, warpInstructions: 2490368 });
    expect(launches[4]?.figures).toMatchObject({ sharedLoads: 4213014, threadInstructions: 125829120, staticShared: 4096 });
  });

  test("a report of few sections has few figures: none is taken to be 0", () => {
    const { launches, notes } = reportOf(printed("direct.csv"));
    expect(notes).toEqual([]);
    expect(Object.keys(launches[0]?.figures ?? {}).sort()).toEqual([
      "achievedOccupancy",
      "dynamicShared",
      "registers",
      "staticShared",
      "theoreticalOccupancy",
      "time",
    ]);
  });

  test("the details page, by its own names", () => {
    const { launches, notes } = reportOf(printed("details.csv"));
    expect(notes).toEqual([]);
    expect(launches).toHaveLength(1);
    expect(launches[0]?.figures).toMatchObject({ time: 14560, registers: 16, warpInstructions: 2490368, theoreticalOccupancy: 100 });
  });

  test("lines belong to the launches of their kernel, in order", () => {
    const { launches, notes } = reportOf(printed("raw.csv"), printed("source.csv"));
    expect(notes).toEqual([]);
    expect(launches).toHaveLength(6);
    const samples = launches.map(({ files }) => files?.[0]?.lines.find(({ line }) => line === 5)?.figures.samples);
    expect(samples).toEqual([1398, 1344, 1390, 4134, undefined, undefined]);
    expect(launches[4]?.files?.[0]).toMatchObject({ name: "launches.cu" });
    expect(launches[4]?.files?.[0]?.lines.find(({ line }) => line === 14)?.figures).toEqual({
      samples: 1441,
      instructions: 917504,
      threadInstructions: 29360128,
      globalSectors: 524288,
      sharedWavefronts: 4194304,
    });
  });

  test("one file that holds both", () => {
    const both = { name: "all.csv", text: `${printed("raw.csv").text}\n${printed("source.csv").text}` };
    expect(reportOf(both).launches).toEqual(reportOf(printed("raw.csv"), printed("source.csv")).launches);
  });

  test("another page of the same run tells of the same launches", () => {
    expect(reportOf(printed("raw.csv"), printed("raw-base.csv")).launches).toHaveLength(6);
    expect(reportOf(printed("raw.csv"), printed("details.csv")).launches).toHaveLength(6);
  });

  test("a report of another run has launches of its own, and its pages find them", () => {
    const another = (name: string, ...texts: readonly [string, string][]) =>
      texts.reduce(({ text }, [from, to]) => ({ name: `2-${name}`, text: text.replaceAll(from, to) }), printed(name));
    const raw = another("raw.csv", ['"14.560000"', '"14.570000"']);
    const details = another("details.csv", ['"14.56"', '"14.57"']);
    const { launches, notes } = reportOf(printed("raw.csv"), printed("source.csv"), raw, details, another("source.csv"));
    expect(notes).toEqual([]);
    expect(launches).toHaveLength(12);
    expect([launches[0]?.figures.time, launches[6]?.figures.time]).toEqual([14560, 14570]);
    expect(launches.every(({ files }) => files?.length === 1)).toBe(true);
  });

  test("two runs printed into one file are two, whatever their launches are called", () => {
    const line = (time: string): string => `"0","k(int)","(256, 1, 1)","(1, 1, 1)","9.0","${time}"`;
    const { launches, notes } = reportOf(
      csv(head, units, line("3"), "==PROF== Disconnected", head, units, line("4"), head, units, line("4")),
    );
    expect(notes).toEqual([]);
    expect(launches.map(({ figures }) => figures.time)).toEqual([3000, 4000]);
  });

  test("a source page alone: launches without a configuration", () => {
    const { launches } = reportOf(printed("source.csv"));
    expect(launches).toHaveLength(6);
    expect(launches.every(({ grid, figures }) => grid === undefined && Object.keys(figures).length === 0)).toBe(true);
  });

  test.each([
    ["sass.csv", "sass.csv: instructions without lines of source are left out; print them with --print-source cuda,sass."],
    ["cuda.csv", "cuda.csv: lines of source without figures are left out; print them with --print-source cuda,sass."],
  ])("%s has nothing by line, and it is told", (name, note) => {
    expect(reportOf(printed("raw.csv"), printed(name)).notes).toEqual([note]);
  });

  test("lines of more launches than there are, are of none", () => {
    const half = csv(head, units, '"0","axpy(int, float, const float *, float *)","(256, 1, 1)","(1, 1, 1)","9.0","3"');
    const { launches, notes } = reportOf(half, printed("source.csv"));
    expect(launches[0]?.files).toBeUndefined();
    expect(notes).toEqual([
      "Lines of axpy(int, float, const float *, float *) are there 4 times, its launches 1 times: they are left out.",
    ]);
  });
});

describe("what is wrong with a report is told with its place", () => {
  test.each([
    ["a cell too few", [head, units, '"0","k(int)","1","1","9.0"'], "r.csv, row 3: it has 5 cells, the head 6."],
    [
      "a row that is cut off",
      [head, units, '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9'],
      "r.csv, row 3: it is cut off, or its quotes do not match, or it has too many cells.",
    ],
    [
      "no time",
      [head, units, '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","0.00"'],
      "r.csv, row 3, column gpu__time_duration.sum: nothing measured is `0.00`.",
    ],
    [
      "less than none",
      [
        head.replace("gpu__time_duration.sum", "launch__registers_per_thread"),
        units.replace("us", "register/thread"),
        '"0","k(int)","1","1","9.0","-3"',
      ],
      "r.csv, row 3, column launch__registers_per_thread: nothing measured is `-3`.",
    ],
    [
      "less than none at a line",
      [head, units, '"0","k(int)","1","1","9.0","3"', '"Kernel Name","other(int)"', '"Line No","Source","# Samples"', '"5","a","-3"', head],
      "r.csv, row 6, column # Samples: nothing measured is `-3`.",
    ],
    [
      "no number",
      [head, units, '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","soon"'],
      "r.csv, row 3, column gpu__time_duration.sum: `soon` is no number.",
    ],
    [
      "another unit",
      [head, '"","","","","","cycle"', '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","3"'],
      "r.csv, row 3, column gpu__time_duration.sum: the unit is `cycle`.",
    ],
  ])("%s", (_, lines, note) => {
    const { notes, launches } = reportOf(csv(...lines, '"1","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","n/a"'));
    expect(notes).toEqual([note]);
    expect(launches.at(-1)?.figures).toEqual({});
  });

  test.each([
    ["nothing", "", "r.csv holds no table of Nsight Compute's. Print one with: ncu --csv --page raw"],
    ["another table", "a,b\n1,2\n", "r.csv holds no table of Nsight Compute's. Print one with: ncu --csv --page raw"],
    ["a refusal", "==ERROR== ERR_NVGPUCTRPERM: no permission\n", "r.csv: Nsight Compute says: ERR_NVGPUCTRPERM: no permission"],
    ["no launch", `${head}\n${units}\n`, "r.csv has no launch of a kernel."],
    [
      "a report file",
      "NVR\0\u0001",
      "r.csv is not text. Of a report file, print what it holds: ncu --import r.csv --csv --page raw > report.csv",
    ],
  ])("%s", (_, text, problem) => {
    expect(readReport([{ name: "r.csv", text }])).toEqual({ problem });
  });

  test("what goes wrong everywhere is told in few sentences", () => {
    const rows = Array.from({ length: 100 }, (_, index) => `"${index}","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","soon"`);
    const { notes, launches } = reportOf(csv(head, units, ...rows));
    expect(launches).toHaveLength(100);
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toBe("80 more places could not be read.");
  });

  test.each([
    [
      "rows",
      `${head}\n${units}\n${'"0","k(int)","1","1","9.0","3"\n'.repeat(200_001)}`,
      "row 200002: there are more than 200,000 rows; those from here on are not read",
    ],
    [
      "lines",
      `${head}\n"0","k(int)","1","1","9.0",""\n${"x\n".repeat(1_000_000)}a,b\n`,
      "row 1000003: there are more than 1,000,000 lines; what stands from here on is not read",
    ],
    [
      "tables",
      `${head}\n"0","k(int)","1","1","9.0",""\n${`${head}\n`.repeat(20_000)}`,
      "row 20002: there are more than 20,000 tables; what stands from here on is not read",
    ],
  ])("what is of too many %s is told", (_, text, note) => {
    const answer = readReport([{ name: "r.csv", text }]);
    expect("report" in answer ? answer.report.notes : answer.problem).toEqual([`r.csv, ${note}.`]);
  });

  test("names and cells of any length are cut", () => {
    const long = "x".repeat(1_000_000);
    const { launches, notes } = reportOf(csv(head, units, `"0","${long}","(1, 1, 1)","(1, 1, 1)","9.0","${long}"`));
    expect(launches[0]?.kernel).toHaveLength(10_000);
    expect(notes.every((note) => note.length < 300)).toBe(true);
  });

  test("launches end where there are too many", () => {
    const rows = Array.from({ length: 5000 }, (_, index) => `"${index}","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","3"`);
    const { notes, launches } = reportOf(csv(head, units, ...rows));
    expect(launches).toHaveLength(4096);
    expect(notes).toEqual(["Only the first 4,096 launches are read."]);
    const other = { name: "s.csv", text: [head, units, '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","4"'].join("\n") };
    expect(reportOf(csv(head, units, ...rows.slice(0, 4096)), other)).toMatchObject({ launches: { length: 4096 }, notes });
  });

  test("lines of many instances of many kernels are found their launches at once", () => {
    const kernels = Array.from({ length: 4096 }, (_, index) => `k<${index}>(int)`);
    const launches = kernels.map((kernel, index) => `"${index}","${kernel}","(1, 1, 1)","(1, 1, 1)","9.0","3"`);
    const lines = kernels.map((kernel) => `"Kernel Name","${kernel}"\n"Line No","Source","# Samples"\n"5","a","3"`);
    const begun = performance.now();
    const report = reportOf(csv(head, units, ...launches), { name: "s.csv", text: lines.join("\n") });
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(report.launches).toHaveLength(4096);
    expect(report.launches.every(({ files }) => files?.length === 1)).toBe(true);
  });

  test.each(['a = ""1,2"";', "1,2"])("a line of source that reads `%s` says nothing of the locale", (source) => {
    const launch = '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9.0","14.5"';
    const lines = ['"Kernel Name","k(int)"', '"Line No","Source","# Samples"', `"5","${source}","1,000"`];
    const { launches } = reportOf(csv(head, units, launch, ...lines));
    expect(launches[0]?.figures.time).toBe(14500);
    expect(launches[0]?.files?.[0]?.lines[0]?.figures).toEqual({ samples: 1000 });
  });

  test("numbers of another locale", () => {
    const { launches } = reportOf(csv(head, units, '"0","k(int)","(1, 1, 1)","(1, 1, 1)","9,0","1.234,5"'));
    expect(launches[0]?.figures.time).toBe(1234500);
    expect(reportOf(csv(head, units, '"0","k","1","1","9,0","1.234,5"')).devices).toEqual([{ computeCapability: "9.0" }]);
  });
});
