import { createRequire } from "node:module";
import Ajv from "ajv-draft-04";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { run } from "../testing/command.ts";

// The schema is OASIS', as SARIF's own test library ships it. Its patterns are not written for the `u` flag.
const ajv = new Ajv.default({ allErrors: true, strict: false, unicodeRegExp: false });
formats.default(ajv);
const require = createRequire(import.meta.url);
const valid = ajv.compile(require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"));

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
}
interface Place {
  readonly id?: number;
  readonly physicalLocation: { readonly artifactLocation: { readonly uri: string; readonly index: number }; readonly region: Region };
}
interface Log {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly Record<string, unknown>[] } };
    readonly automationDetails: object;
    readonly invocations: readonly [
      {
        readonly executionSuccessful: boolean;
        readonly toolExecutionNotifications: readonly { readonly message: { readonly text: string } }[];
      },
    ];
    readonly artifacts: readonly { readonly location: { readonly uri: string } }[];
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly [Place];
      readonly relatedLocations?: readonly Place[];
      readonly partialFingerprints: Readonly<Record<string, string>>;
      readonly fixes?: readonly object[];
      readonly properties: object;
    }[];
  }[];
}

/** The log of a check, which keeps to the schema. */
async function logOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  argv: readonly string[] = ["."],
  env: Readonly<Record<string, string>> = {},
): Promise<Log["runs"][number]> {
  const { out } = await run(files, ["check", ...argv, "--format", "sarif"], { env });
  const log: Log = JSON.parse(out);
  valid(log);
  expect(valid.errors ?? []).toEqual([]);
  const [only] = log.runs;
  if (!only) throw new Error("no run");
  return only;
}

const strided = `#include "at.cuh"
__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = at(in, i) * 0.7;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 26);
  cudaMalloc(&out, 1 << 26);
  copy<<<4096, 256>>>(out, in, 1 << 20);
}
`;
const header = "__device__ float at(const float *p, int i) { return p[i * 8]; }\n";

describe("sarif keeps to the schema", () => {
  test("of a clean file", async () => expect((await logOf({ "a.cu": "" })).results).toEqual([]));

  test("of findings with fixes and related places, in files with names that need care", async () => {
    const { results, artifacts } = await logOf({ "my src/ä #1%.cu": strided, "my src/at.cuh": header });
    expect(results.map(({ ruleId }) => ruleId).sort()).toEqual(["double-constant-in-float", "strided-global-access"]);
    expect(artifacts.map(({ location }) => location)).toEqual([
      { uri: "my%20src/at.cuh", uriBaseId: "%SRCROOT%", index: 0 },
      { uri: "my%20src/%C3%A4%20%231%25.cu", uriBaseId: "%SRCROOT%", index: 1 },
    ]);
    for (const { locations, relatedLocations = [] } of results)
      for (const { physicalLocation } of [...locations, ...relatedLocations])
        expect(artifacts[physicalLocation.artifactLocation.index]?.location).toEqual(physicalLocation.artifactLocation);
    const fixed = results.find(({ ruleId }) => ruleId === "double-constant-in-float");
    expect(fixed).toMatchObject({
      level: "note",
      properties: { severity: "hint", simulated: false, kernel: "copy" },
      fixes: [
        {
          properties: { safe: false },
          artifactChanges: [
            {
              artifactLocation: { index: 1 },
              replacements: [
                { deletedRegion: { startLine: 4, startColumn: 35, endLine: 4, endColumn: 38 }, insertedContent: { text: "0.7f" } },
              ],
            },
          ],
        },
      ],
    });
  });

  test("of a hostile source", async () => {
    const hostile = `__global__ void k(float *a) { a[0] = (float)(a[1] * 0.1)/* ![x](https://e) [c](command:x) \u2028 {0} </script> */; }\n`;
    expect((await logOf({ "[x](y) {0}.cu": hostile })).results).toHaveLength(1);
  });

  test("of what is left out or not simulated, which it says", async () => {
    const { invocations } = await logOf({
      "x/a.cu":
        "__global__ void k(int *a) { while (true) a[threadIdx.x]++; }\nint main() { int *p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); }\n",
      "x/b.h": new Uint8Array([1, 0]),
    });
    const [{ executionSuccessful, toolExecutionNotifications }] = invocations;
    expect(executionSuccessful).toBe(true);
    expect(toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
      "x/b.h is not read: it is not UTF-8 text; it is left out",
      expect.stringMatching(/^k is not simulated: ./),
    ]);
  });
});

describe("sarif gives code scanning what it shows", () => {
  test("a rule has its texts, its page, and a level", async () => {
    const { tool } = await logOf({ "a.cu": "" });
    for (const rule of tool.driver.rules) {
      expect(rule).toMatchObject({
        id: expect.stringMatching(/^[a-z0-9-]+$/),
        name: expect.stringMatching(/^([A-Z][a-z0-9]*)+$/),
        shortDescription: { text: expect.stringMatching(/^.{1,1024}$/) },
        fullDescription: { text: expect.stringMatching(/^.{1,1024}$/s) },
        help: { text: expect.any(String), markdown: expect.stringMatching(/^# /) },
        helpUri: expect.stringMatching(/^https:\/\//),
        defaultConfiguration: { level: expect.stringMatching(/^(error|warning|note)$/) },
        properties: {
          precision: expect.stringMatching(/^(very-high|high)$/),
          "problem.severity": expect.stringMatching(/^(error|warning|recommendation)$/),
        },
      });
    }
  });

  test("fingerprints stay where lines are put above and indented, and tell equal lines apart", async () => {
    const line = "  a[threadIdx.x] *= 0.1;\n";
    const source = (before: string, middle: string): string => `${before}__global__ void k(float *a) {\n${middle}}\n`;
    const prints = async (text: string) =>
      (await logOf({ "a.cu": text }, ["a.cu", "--no-simulate"])).results.map(({ partialFingerprints }) => partialFingerprints);
    const before = await prints(source("", line + line));
    expect(new Set(before.map((each) => JSON.stringify(each))).size).toBe(2);
    expect(before[0]).toEqual({
      primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{1,16}:\d+$/),
      primaryLocationStartColumnFingerprint: "18",
    });
    expect(await prints(source("// above\n\n", `  ${line}\t${line}`))).toEqual(before);
  });

  test("paths are relative to the checkout, in folders of it too", async () => {
    const cwdOf = await run(
      { "a.cu": strided.replace("at(in, i)", "in[i * 8]").replace('#include "at.cuh"', "") },
      ["check", "a.cu", "--format", "sarif"],
      { env: { GITHUB_WORKSPACE: "/" } },
    );
    const { originalUriBaseIds, artifacts } = JSON.parse(cwdOf.out).runs[0];
    expect(originalUriBaseIds).toEqual({ "%SRCROOT%": { uri: "file:///" } });
    expect(artifacts[0].location).toEqual({ uri: expect.stringMatching(/^[^/].*\/a\.cu$/), uriBaseId: "%SRCROOT%", index: 0 });
  });
});
