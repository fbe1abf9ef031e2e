/** Grid, block and dynamic shared memory of every measured launch, from the programs' sources alone. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { useParser } from "../syntax/current-parser.ts";
import { installedAssets } from "../syntax/parser/installed.ts";
import { loadWasmParser } from "../syntax/parser/wasm.ts";
import { analyze } from "./analyze.ts";
import type { AnalysisSettings } from "./settings.ts";

interface Truth {
  readonly file: string;
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly dynamic_shared_bytes: number;
}

const root = fileURLToPath(new URL("../../../sim-engine/validation/h200/", import.meta.url));
const truth = (JSON.parse(readFileSync(`${root}truth/launches.json`, "utf8")) as { readonly launches: readonly Truth[] }).launches;
const settings: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

beforeAll(async () => {
  useParser(await loadWasmParser(installedAssets()));
});

describe.each([...new Set(truth.map((launch) => launch.file))])("%s", (file) => {
  test("its launches are those that were measured", () => {
    const path = `${root}kernels/${file}`;
    const program = analyze(path, readFileSync(path, "utf8"), settings, { read: () => undefined });
    const found = program.launches.map(({ kernelName, templateArguments, launch }) => ({
      kernel: templateArguments.length > 0 ? `${kernelName}<${templateArguments.join(", ")}>` : kernelName,
      grid: launch?.grid,
      block: launch?.block,
      shared: launch?.dynamicSharedBytes,
    }));
    const measured = truth
      .filter((launch) => launch.file === file)
      .map(({ kernel, grid, block, dynamic_shared_bytes }) => ({
        kernel: kernel.replace(/^void /, "").replace(/\(.*$/, ""),
        grid,
        block,
        shared: dynamic_shared_bytes,
      }));
    expect(found).toEqual(measured);
    expect(program.launches.flatMap((launch) => launch.assumptions)).toEqual([]);
  });
});
