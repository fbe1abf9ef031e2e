/**
 * Registers by the user's compiler are those measured, on every launch: each file is compiled once and each launch finds its
 * template instance. Needs an nvcc on the PATH that knows the H200; elsewhere the tests are skipped and say why.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findGpu } from "@warplens/sim-engine";
import { beforeAll, describe, expect, test } from "vitest";
import { loadGrammarFromDisk } from "../grammar.ts";
import { compileResources } from "../nvcc/compile.ts";
import { findCompiled } from "../nvcc/resources.ts";
import { findToolkit } from "../nvcc/toolkit.ts";
import { capabilityNumber } from "../simulate/device-properties.ts";
import { type LaunchIdentity, signatureName, takeMatch } from "./compare.ts";
import { analyseFile, measuredLaunches } from "./measured-set.ts";

const gpu = findGpu("h200")!;
const computeCapability = capabilityNumber(gpu.computeCapability);
const toolkit = await findToolkit("auto");
const missing =
  "problem" in toolkit
    ? toolkit.problem
    : toolkit.toolkit.architectures.includes(computeCapability)
      ? undefined
      : `nvcc ${toolkit.toolkit.version} does not compile for compute capability ${gpu.computeCapability}`;

beforeAll(async () => {
  await loadGrammarFromDisk();
});

describe.each(["h200", "h200-more", "h200-programs"])("registers compiled for the launches of %s", (set) => {
  const folder = fileURLToPath(new URL(`../../../sim-engine/validation/${set}`, import.meta.url));
  const measured = measuredLaunches(folder);
  const files = [...new Set(measured.map(({ file }) => file))];

  test.for(files)("%s", { timeout: 240_000 }, async (file, { skip }) => {
    if (missing !== undefined) skip(missing);
    const source = path.join(folder, "kernels", file);
    const text = readFileSync(source, "utf8");
    const answer = await compileResources("auto", {
      path: source,
      text,
      headers: [],
      computeCapability,
      defines: [],
      includeDirs: [],
      options: [],
    });
    if ("problem" in answer) throw new Error(answer.problem);
    const launches = new Set(analyseFile(source, gpu).launches.flatMap(identityOf));
    const wanted = measured.filter((launch) => launch.file === file);
    const compiled = wanted.map((launch) => {
      const match = takeMatch(launch, launches);
      const found = match && findCompiled(answer.kernels, match.kernel, match.templateArguments);
      return [signatureName(launch.kernel), found?.registers];
    });
    expect(compiled).toEqual(wanted.map((launch) => [signatureName(launch.kernel), launch.registers_per_thread]));
  });
});

function identityOf({ launch, kernelName, lower }: ReturnType<typeof analyseFile>["launches"][number]): LaunchIdentity[] {
  if (!launch) return [];
  const { grid, block, dynamicSharedBytes } = launch;
  return [{ kernel: kernelName, templateArguments: [...lower().templateArguments], grid, block, dynamicSharedBytes }];
}
