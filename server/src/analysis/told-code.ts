/** How the code of a file's kernels is made: as the user says, else as its project does, and what reports say of that. */
import type { Assumption } from "@warplens/sim-engine";
import type { CompileOptions } from "./compile-commands.ts";
import { type CodeOptions, wordsOf } from "./nvcc-options.ts";
import type { AnalysisSettings } from "./settings.ts";

export interface ToldCode {
  readonly options: CodeOptions;
  readonly assumptions: readonly Assumption[];
}

/** @param settings of the file: what they say holds before what the project says */
export function toldCode(
  project: Pick<CompileOptions, "code" | "told">,
  { code = {}, computeCapability }: Pick<AnalysisSettings, "code" | "computeCapability">,
): ToldCode {
  const where = project.told?.where ?? "";
  const assumptions: Assumption[] = [];
  const say = (options: CodeOptions, why: string): void => {
    const value = wordsOf(options).join(" ");
    if (value !== "") assumptions.push({ what: "compile options", value, why });
  };
  const said = Object.keys(code);
  say(Object.fromEntries(Object.entries(project.code).filter(([name]) => !said.includes(name))), `as ${where} has them`);
  say(code, "as the options given for nvcc have them");
  const options = { ...project.code, ...code };
  if (options.unoptimised !== undefined)
    assumptions.push({
      what: "optimisation",
      value: "-O3",
      why: `${code.unoptimised === undefined ? where : "the options given for nvcc"}: ${options.unoptimised}; figures are those of optimised code`,
    });
  const architecture = project.told?.architecture;
  if (architecture !== undefined && architecture !== computeCapability)
    assumptions.push({
      what: "architecture of code",
      value: `sm_${computeCapability}`,
      why: `${where} compiles for sm_${architecture}; code is taken to be compiled for the GPU that is shown`,
    });
  return { options, assumptions };
}
