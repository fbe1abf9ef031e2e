/** `simulate --measured`: what Nsight Compute printed of a program on an H200, beside what is simulated of its source. */
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, run, runIn } from "./testing/command.ts";

const printed = (name: string): string => readFileSync(new URL(`../measured/testing/${name}`, import.meta.url), "utf8");
const files = {
  "launches.cu": printed("launches.cu"),
  "raw.csv": printed("raw.csv"),
  "source.csv": printed("source.csv"),
  "details.csv": printed("details.csv"),
};
const simulate = ["simulate", "launches.cu", "--no-cache", "--measured", "raw.csv"];

interface MeasuredSite {
  readonly launches: number;
  readonly figures: Readonly<Record<string, { readonly measured: number; readonly estimated: number; readonly error: number }>>;
  readonly lines?: Readonly<Record<string, { readonly globalSectors: number; readonly share: number }>>;
}

describe("a report beside the launches of a file", () => {
  test("as text", async () => {
    const { code, out, err } = await run(files, [...simulate, "--measured", "source.csv"]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/measured {6}3 launches, medians\n {6}Time {2,}14\.6 µs {2}est\. [\d.]+ µs {2,}. [−+]?\d+ %\n/);
    expect(out).toMatch(/line 5 {6}88 % of samples, est\. \d+ % of the time; 1\.57M sectors, est\. 1\.57M/);
    expect(out).not.toContain("of no launch here");
  });

  test("as JSON", async () => {
    const { out } = await run(files, [...simulate, "--measured", "source.csv", "--format", "json"]);
    const report = JSON.parse(out) as {
      readonly measured: unknown;
      readonly files: readonly { readonly launches: readonly { readonly line: number; readonly measured: MeasuredSite }[] }[];
    };
    expect(report.measured).toEqual({
      name: "raw.csv, source.csv",
      devices: [{ name: "NVIDIA H200", computeCapability: "9.0", multiprocessors: 132 }],
      unmatched: [],
      elsewhere: [],
      notes: [],
    });
    const launches = report.files[0]?.launches ?? [];
    expect(launches.map(({ measured }) => measured.launches)).toEqual([3, 1, 1, 1]);
    for (const { measured } of launches) {
      const { loadSectors, warpInstructions, registers, time } = measured.figures;
      // What the engine counts exactly.
      expect([loadSectors?.error, warpInstructions?.error, registers?.error]).toEqual([0, 0, 0]);
      expect(Math.abs(time?.error ?? 1)).toBeLessThan(0.25);
    }
    expect(launches[0]?.measured.lines?.["5"]).toMatchObject({ globalSectors: 1572864, share: 1390 / 1583 });
  });

  test("on another GPU nothing is compared", async () => {
    const { code, out } = await run(files, [...simulate, "--gpu", "a100"]);
    expect(code).toBe(0);
    expect(out).toContain(
      "raw.csv\n  measured on NVIDIA H200 (6 launches), not on the NVIDIA A100 SXM4 80 GB: not compared; simulate with --gpu h200\n",
    );
    expect(out).not.toContain("est. ");
  });

  test("launches that are not in the source are listed", async () => {
    const source = files["launches.cu"].replace(/^.*transpose<16><<<.*$/m, "").replaceAll("n * n / 64, 64", "n * n / 128, 128");
    const { out } = await run({ ...files, "launches.cu": source }, simulate);
    expect(out).toContain(
      [
        "raw.csv",
        "  measured, of no launch here: axpy(int, float, const float *, float *), 65536 blocks of 64: launched here with 16384 blocks of 256, 32768 blocks of 128",
        "  measured, of no launch here: void transpose<16>(const float *, float *, int), 128 × 128 blocks of 16 × 16: launched here with 64 × 64 blocks of 32 × 32",
        "",
      ].join("\n"),
    );
  });

  test("of many that are not in the source, the first", async () => {
    const others = Array.from({ length: 23 }, (_, index) => `"${index}","other${index}(int)","(1, 1, 1)","(1, 1, 1)","9.0","3"`);
    const report = ['"ID","Kernel Name","Block Size","Grid Size","CC","gpu__time_duration.sum"', '"","","","","","us"', ...others].join(
      "\n",
    );
    const { out } = await run({ ...files, "raw.csv": report }, simulate);
    expect(out.match(/of no launch here/g)).toHaveLength(20);
    expect(out).toMatch(/other19\(int\).*\n {2}and 3 more\n/);
  });

  test.each([
    ["no file", {}, "warplens: --measured: there is no file raw.csv\n"],
    [
      "no report",
      { "raw.csv": "a,b\n" },
      "warplens: --measured: raw.csv holds no table of Nsight Compute's. Print one with: ncu --csv --page raw\n",
    ],
    ["not text", { "raw.csv": "NVR\0" }, "warplens: --measured: raw.csv is not read: it is not UTF-8 text\n"],
  ])("%s", async (_, given, message) => {
    const { code, err, out } = await run({ "launches.cu": files["launches.cu"], ...given }, simulate);
    expect({ code, err, out }).toEqual({ code: 2, err: message, out: "" });
  });

  describe("a report file", () => {
    // A stand-in for ncu: prints what the real one did of such a file.
    const ncu = [
      "#!/usr/bin/env node",
      'const { readFileSync } = require("node:fs");',
      "const [, file, , , page] = process.argv.slice(2);",
      'if (readFileSync(file, "utf8") !== "report") { console.log("==ERROR== Failed to load the report"); process.exit(1); }',
      'console.error("a word on the other stream");',
      'process.stdout.write(readFileSync(require("node:path").join(__dirname, page + ".csv"), "utf8"));',
    ].join("\n");
    const folder = () => {
      const made = folderWith({ ...files, ncu, "a.ncu-rep": "report", "other.ncu-rep": "no report" });
      chmodSync(path.join(made, "ncu"), 0o755);
      return made;
    };
    const simulateFile = (name: string, ...more: readonly string[]) => [
      "simulate",
      "launches.cu",
      "--no-cache",
      "--measured",
      name,
      ...more,
    ];

    test("is printed by the ncu that is named: both pages", async () => {
      const cwd = folder();
      const { code, out, err } = await runIn(cwd, simulateFile("a.ncu-rep", "--ncu", path.join(cwd, "ncu")));
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(/Time {2,}14\.6 µs/);
      expect(out).toContain("line 5      88 % of samples");
    });

    test.each([
      [
        "no ncu is allowed",
        ["a.ncu-rep"],
        "a.ncu-rep is a report file: --ncu auto has your own Nsight Compute print it; or print it: ncu --import a.ncu-rep --csv --page raw > report.csv",
      ],
      ["there is no such file", ["b.ncu-rep", "--ncu", "auto"], "there is no file b.ncu-rep"],
      ["there is no such ncu", ["a.ncu-rep", "--ncu", "/no/ncu"], "There is no ncu at /no/ncu."],
    ])("%s", async (_, [name = "", ...more], message) => {
      const { code, err } = await runIn(folder(), simulateFile(name, ...more));
      expect({ code, err }).toEqual({ code: 2, err: `warplens: --measured: ${message}\n` });
    });

    test("what ncu says of it is told", async () => {
      const cwd = folder();
      const { code, err } = await runIn(cwd, simulateFile("other.ncu-rep", "--ncu", path.join(cwd, "ncu")));
      expect(code).toBe(2);
      expect(err).toMatch(/ncu does not print other\.ncu-rep: Failed to load the report\n$/);
    });
  });

  test("what of it cannot be read is told with its place", async () => {
    const lines = files["raw.csv"].split("\n");
    const { code, err } = await run({ ...files, "raw.csv": [...lines.slice(0, 3), '"1","2"', ...lines.slice(3)].join("\n") }, simulate);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^--measured: raw\.csv, row 4: it has 2 cells, the head \d+\.\n$/),
    });
  });
});
