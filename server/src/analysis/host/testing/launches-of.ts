/** What host code launches, in short. */
import { describe, expect, test } from "vitest";
import { useParser } from "../../../syntax/current-parser.ts";
import { installedAssets } from "../../../syntax/parser/installed.ts";
import { loadWasmParser } from "../../../syntax/parser/wasm.ts";
import { analyze } from "../../analyze.ts";
import type { LaunchFact } from "../../facts.ts";
import type { AnalysisSettings } from "../../settings.ts";

export async function useInstalledParser(): Promise<void> {
  useParser(await loadWasmParser(installedAssets()));
}

const base: AnalysisSettings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

let files = 0;

/** The launches of a text of its own; beforehand `useInstalledParser`. */
export function launchesOf(source: string, settings: Partial<AnalysisSettings> = {}): readonly LaunchFact[] {
  files += 1;
  return analyze(`/test/${files}.cu`, source, { ...base, ...settings }, { read: () => undefined }).launches;
}

/** `kernel<args> grid block shared` of each launch, sides of 1 at the end left out. */
export function shapes(facts: readonly LaunchFact[]): string[] {
  return facts.map(({ kernelName, templateArguments, launch, reason }) => {
    const name = templateArguments.length > 0 ? `${kernelName}<${templateArguments.join(", ")}>` : kernelName;
    return launch === undefined
      ? `${name}: ${reason}`
      : `${name} ${sides(launch.grid)} ${sides(launch.block)}${launch.dynamicSharedBytes > 0 ? ` ${launch.dynamicSharedBytes}` : ""}`;
  });
}

function sides([x, y, z]: readonly [number, number, number]): string {
  return z > 1 ? `${x}x${y}x${z}` : y > 1 ? `${x}x${y}` : `${x}`;
}

export const kernel = "__global__ void k(float *a, int n) { a[threadIdx.x] = n; }\n";
export const inMain = (body: string, before = kernel) =>
  `${before}int main(int argc, char **argv) { float *a; cudaMalloc(&a, 1 << 20); ${body} }`;

/** By name, a program and the `shapes` that it launches, of which nothing is assumed. */
export function describeKnown(cases: Readonly<Record<string, readonly [source: string, expected: readonly string[]]>>): void {
  describe("known without assumptions", () => {
    test.each(Object.entries(cases))("%s", (_, [source, expected]) => {
      const facts = launchesOf(source);
      expect(shapes(facts)).toEqual(expected);
      expect(facts.flatMap(({ configuration }) => configuration)).toEqual([]);
    });
  });
}
