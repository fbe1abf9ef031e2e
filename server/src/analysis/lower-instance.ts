/** Lowering a kernel with what its `__constant__` and `__device__` variables hold at a launch. */
import type { Content, Kernel, Work } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../syntax/ast.ts";
import { stage } from "../trace.ts";
import { lowerKernel } from "./lower/index.ts";
import type { ProgramUnit } from "./program-linker.ts";
import type { Substitution } from "./sema/types.ts";
import type { AnalysisSettings } from "./settings.ts";

/** What a variable holds; `initial` is what its initialiser gives. */
export type GlobalContent = (name: string, initial: Content | undefined) => Content | undefined;

/** One instance of a kernel of the unit. Throws `NotSimulated`, and `Cancelled`. */
export function lowerInstance(
  { semantics, reading, code }: ProgramUnit,
  kernel: FunctionDeclaration,
  substitution: Substitution | undefined,
  { computeCapability }: AnalysisSettings,
  contentOf: GlobalContent,
  work?: Work,
): Kernel {
  const lowered = stage("lower", () =>
    lowerKernel(semantics, reading, kernel, substitution, { computeCapability, code: code.options, work }),
  );
  lowered.globals = lowered.globals.map((variable) => {
    const content = contentOf(variable.name, variable.content);
    return content === undefined ? variable : { ...variable, content };
  });
  return lowered;
}
