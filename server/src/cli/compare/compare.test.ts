import { findGpu, type LaunchReport } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../lint.ts";
import { reportOf } from "../../lsp/testing.ts";
import type { Severity } from "../../rules/rule.ts";
import { launchTitle, type SitedLaunch } from "../launches.ts";
import type { FileResult } from "../report.ts";
import { compare } from "./compare.ts";
import { comparisonMarkdown } from "./markdown.ts";
import { paired } from "./pairs.ts";
import { comparisonReport } from "./report.ts";
import { comparisonText } from "./text.ts";
import { type Compared, summaryText } from "./words.ts";

type Site = readonly [kernel: string, ns: number, more?: Partial<LaunchReport>];

/** A file with a launch a line, and a finding for each text: in its line of that text. */
function file(
  path: string,
  sites: readonly Site[],
  findings: readonly (readonly [text: string, severity?: Severity, kernel?: string])[] = [],
): FileResult {
  const texts = findings.map(([text]) => text);
  return {
    input: { path: `/w/${path}`, name: path, text: texts.join("\n"), bom: "", exact: true },
    simulation: {
      launches: sites.map(([kernel, ns, more], index) => ({ line: index + 1, report: reportOf(ns, { kernel, ...more }) })),
      notSimulated: [],
    },
    diagnostics: findings.map(([text, severity = "warning", kernel], line): Diagnostic => {
      const range = { start: { line, character: 0 }, end: { line, character: 1 } };
      return {
        path: `/w/${path}`,
        ruleId: "a-rule",
        severity,
        message: `${text} is slow`,
        range,
        fixes: [],
        related: [],
        tags: [],
        simulated: true,
        url: "https://x/a-rule",
        ...(kernel === undefined ? {} : { kernel }),
      };
    }),
    failures: [],
  };
}

const same = (path: string): string => path;
const occupancy = (theoreticalPct: number): Partial<LaunchReport> => ({
  occupancy: { theoreticalPct, blocksPerSm: 1, activeWarpsPerSm: 1, limiters: [], wavesPerSm: 1 },
});

describe("a launch is the one of before", () => {
  const site = (name: string, line: number, kernel: string, block = 32, templateArguments: string[] = []): SitedLaunch => ({
    path: `/w/${name}`,
    name,
    line,
    report: reportOf(1, { kernel, templateArguments, block: [block, 1, 1] }),
  });
  test.each<[string, SitedLaunch[], SitedLaunch[], string[]]>([
    ["by name, wherever in the file", [site("a", 1, "k"), site("a", 2, "j")], [site("a", 7, "j"), site("a", 9, "k")], ["2-7", "1-9"]],
    ["in order", [site("a", 1, "k"), site("a", 2, "k")], [site("a", 3, "k"), site("a", 4, "k"), site("a", 5, "k")], ["1-3", "2-4", "-5"]],
    ["by configuration before order", [site("a", 1, "k", 32), site("a", 2, "k", 64)], [site("a", 3, "k", 64)], ["2-3", "1-"]],
    ["with another block", [site("a", 1, "k", 32)], [site("a", 1, "k", 64)], ["1-1"]],
    ["with other template arguments", [site("a", 1, "k", 32, ["4"])], [site("a", 2, "k", 32, ["8"])], ["1-2"]],
    [
      "with the same template arguments before others",
      [site("a", 1, "k", 32, ["4"]), site("a", 2, "k", 32, ["8"])],
      [site("a", 3, "k", 32, ["8"]), site("a", 4, "k", 32, ["16"])],
      ["2-3", "1-4"],
    ],
    ["in a file of another name", [site("old", 1, "k")], [site("a", 1, "k")], ["1-1"]],
    ["in another file, where it is the only one", [site("b", 1, "k")], [site("c", 2, "k")], ["1-2"]],
    ["not in another file, where there are several", [site("b", 1, "k")], [site("c", 2, "k"), site("d", 3, "k")], ["-2", "-3", "1-"]],
  ])("%s", (_, before, after, expected) => {
    const pairs = paired(before, after, (path) => path.replace("/w/old", "/w/a"));
    expect(pairs.map((pair) => `${pair.before?.line ?? ""}-${pair.after?.line ?? ""}`)).toEqual(expected);
  });
});

describe("what changed", () => {
  test("is what changed by the threshold or more, the largest difference of time first", () => {
    const before = [
      file("a.cu", [
        ["tiny", 100],
        ["slow", 1_000_000],
        ["fast", 500_000],
        ["still", 1_000_000],
        ["noise", 1_000_000],
      ]),
    ];
    const after = [
      file("a.cu", [
        ["tiny", 900],
        ["slow", 1_100_000],
        ["fast", 300_000],
        ["still", 1_000_000],
        ["noise", 1_009_000],
      ]),
    ];
    const { changed, unchanged } = compare(before, after, same, 1);
    expect(changed.map(({ shown }) => launchTitle(shown.report))).toEqual(["fast", "slow", "tiny"]);
    expect(unchanged.map(({ shown }) => launchTitle(shown.report))).toEqual(["still", "noise"]);
    expect(compare(before, after, same, 0.5).changed).toHaveLength(4);
  });

  test("may be another figure than time, one that is new or not known any more, and findings", () => {
    const before = [
      file(
        "a.cu",
        [
          ["occupied", 1, occupancy(100)],
          ["lost", 1],
          ["found", 1],
        ],
        [["x", "hint", "found"]],
      ),
    ];
    const after = [
      file(
        "a.cu",
        [
          ["occupied", 1, occupancy(50)],
          ["lost", 1, { time: undefined } as never],
          ["found", 1],
        ],
        [
          ["x", "hint", "found"],
          ["y", "error", "found"],
        ],
      ),
    ];
    const { changed } = compare(before, after, same, 1);
    expect(
      changed.map(({ shown, changes, newFindings }) => [
        shown.report.kernel,
        changes.map(({ figure, before: one, after: other }) => [figure.key, one, other]),
        newFindings,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["occupied", [["occupancyPct", 100, 50]], 0],
        ["lost", [["timeNs", 1, undefined]], 0],
        ["found", [], 1],
      ]),
    );
  });

  test("is told of kernels that came, went, or cannot be simulated any more", () => {
    const before = [
      file("a.cu", [
        ["gone", 5],
        ["stuck", 5],
      ]),
    ];
    const [after] = [file("a.cu", [["new", 5]])];
    const stuck = {
      ...after,
      simulation: { launches: after.simulation?.launches ?? [], notSimulated: [{ kernel: "stuck", line: 2, reason: "it never ends" }] },
    };
    const { changed } = compare(before, [stuck], same, 1);
    expect(changed.map((change) => [change.shown.report.kernel, !!change.before, !!change.after, change.notSimulated])).toEqual([
      ["new", false, true, undefined],
      ["gone", true, false, undefined],
      ["stuck", true, false, "it never ends"],
    ]);
  });

  test("findings are new or gone by the text of their line, in a file by any name, the worst first", () => {
    const before = [file("old.cu", [], [["kept"], ["twice"], ["fixed"]])];
    const after = [file("new.cu", [], [["added", "hint"], ["twice"], ["kept"], ["twice"], ["worse", "error"]])];
    const { newFindings, goneFindings } = compare(before, after, (path) => path.replace("old", "new"), 1);
    expect(newFindings.map(({ name, diagnostic }) => `${name} ${diagnostic.message}`)).toEqual([
      "new.cu worse is slow",
      "new.cu twice is slow",
      "new.cu added is slow",
    ]);
    expect(goneFindings.map(({ name, diagnostic }) => `${name} ${diagnostic.message}`)).toEqual(["old.cu fixed is slow"]);
  });

  test("failures of either are told", () => {
    const failing = { ...file("a.cu", []), failures: [{ stage: "parse", reason: "no" }] };
    expect(compare([failing], [failing], same, 1).failures).toEqual(["a.cu: parse failed: no"]);
  });

  test("what is missing because a file failed is neither new nor gone", () => {
    const whole = file("a.cu", [["k", 5]], [["slow"]]);
    const failing = { ...file("a.cu", []), failures: [{ stage: "parse", reason: "no" }] };
    for (const [before, after] of [
      [whole, failing],
      [failing, whole],
    ] as const) {
      const { newFindings, goneFindings, changed } = compare([before], [after], same, 1);
      expect([newFindings, goneFindings, changed]).toEqual([[], [], []]);
    }
  });
});

const gpu = findGpu("h200");
if (!gpu) throw new Error("no GPU");
const compared = (before: readonly FileResult[], after: readonly FileResult[]): Compared => ({
  comparison: compare(before, after, same, 1),
  gpu,
  before: "1111111",
  after: "working tree",
  threshold: 1,
});

test.each<[Site[], Site[], string]>([
  [[["k", 1]], [["k", 1]], "nothing changed"],
  [[["k", 1]], [["k", 2]], "1 launch slower"],
  [
    [
      ["k", 2],
      ["j", 2],
    ],
    [
      ["k", 1],
      ["j", 1],
    ],
    "2 launches faster",
  ],
  [
    [
      ["k", 1],
      ["j", 1],
      ["g", 1],
    ],
    [
      ["k", 2],
      ["j", 1, occupancy(25)],
      ["n", 1],
    ],
    "1 launch slower, 1 otherwise changed, 1 new, 1 gone",
  ],
])("%j to %j: %s", (before, after, summary) =>
  expect(summaryText(compared([file("a.cu", before)], [file("a.cu", after)]).comparison)).toBe(summary),
);

describe("a comparison is printed", () => {
  const before = [
    file(
      "a.cu",
      [
        ["slow", 200_000, occupancy(100)],
        ["still", 5],
        ["old", 7_000],
      ],
      [["fixed"]],
    ),
  ];
  const assumptions = [{ what: "n", value: 1024, why: "read from input" }];
  const after = [
    file(
      "a.cu",
      [
        ["slow", 304_000, { ...occupancy(75), assumptions }],
        ["still", 5],
        ["fresh|er", 9_000],
      ],
      [["added `x|y`", "error", "slow"]],
    ),
  ];
  const value = compared(before, after);

  test("for a pull request", () => {
    expect(comparisonMarkdown(value)).toBe(
      `### WarpLens: 1 launch slower, 1 new, 1 gone; 1 new finding, 1 gone

|  | kernel | time | occupancy | DRAM bytes | registers | findings |
| --- | --- | --- | --- | --- | --- | --- |
| slower | \`slow\`\\* | **200 µs → 304 µs (+52 %)** | **100 % → 75 %** |  | 16 | +1 |
| new | \`fresh\\|er\` | 9 µs | 50 % |  | 16 |  |
| gone | \`old\` | 7 µs | 50 % |  | 16 |  |

<details><summary>1 new finding</summary>

- a.cu:1: error [a-rule](https://x/a-rule): added \`x|y\` is slow

</details>

<details><summary>1 finding gone</summary>

- a.cu:1: warning [a-rule](https://x/a-rule): fixed is slow

</details>

<details><summary>All figures that changed</summary>

- \`slow\` at a.cu:1: time 200 µs → 304 µs (+52 %); occupancy 100 % → 75 %; findings +1; rests on values that are assumed
- \`fresh|er\` at a.cu:3: is: time 9 µs, occupancy 50 %, registers 16
- \`old\` at a.cu:3: was: time 7 µs, occupancy 50 %, registers 16

</details>

\\* rests on values that are assumed.
1 launch did not change by 1 % or more; \`1111111\` → \`working tree\`, simulated on NVIDIA H200
`,
    );
  });

  test("for a pull request of any size, within what GitHub takes", () => {
    const many = (ns: number) => [
      file(
        "a.cu",
        Array.from({ length: 500 }, (_, i): Site => [`kernel${"_".repeat(180)}${i}`, ns]),
        Array.from({ length: 500 }, (_, i) => [`${ns} ${"x".repeat(1500)} ${i}`, "error", "k"] as const),
      ),
    ];
    const text = comparisonMarkdown(compared(many(1), many(2)));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toContain("475 launches more changed.");
    expect(text).toMatch(/simulated on NVIDIA H200\n$/);
  });

  test("for people", () => {
    const text = comparisonText(value, (part) => part);
    expect(text).toContain(
      "NVIDIA H200, 1111111 → working tree\n\nslower   slow at a.cu:1\n         time 200 µs → 304 µs (+52 %)\n         occupancy 100 % → 75 %\n",
    );
    expect(text).toContain("gone     old at a.cu:3\n         was: time 7 µs, occupancy 50 %, registers 16\n");
    expect(text).toContain("new      a.cu:1  error a-rule\n         added `x|y` is slow\n");
    expect(text).toMatch(/\n\n1 launch slower, 1 new, 1 gone; 1 new finding, 1 gone; 1 launch did not change by 1 % or more\n$/);
  });

  test("for scripts", () => {
    expect(comparisonReport(value, "1.2.3")).toMatchObject({
      version: 1,
      gpu: { id: "h200" },
      before: "1111111",
      after: "working tree",
      thresholdPct: 1,
      launches: [
        {
          kernel: "slow",
          status: "slower",
          before: { path: "a.cu", line: 1, timeNs: 200_000, occupancyPct: 100, registersPerThread: 16 },
          after: { timeNs: 304_000, assumptions },
          changed: ["timeNs", "occupancyPct"],
          newFindings: 1,
          goneFindings: 0,
        },
        { kernel: "fresh|er", status: "new" },
        { kernel: "old", status: "gone" },
        { kernel: "still", status: "unchanged", changed: [] },
      ],
      findings: { new: [{ path: "a.cu", ruleId: "a-rule", severity: "error", kernel: "slow" }], gone: [{ message: "fixed is slow" }] },
    });
  });
});
