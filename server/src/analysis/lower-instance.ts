/** Lowering a kernel with what its `__constant__` and `__device__` variables hold at a launch. */
import type { Content, Kernel, Work } from "@warplens/sim-engine";
import type { FunctionDeclaration } from "../syntax/ast.ts";
import { stage } from "../trace.ts";
import { sameMembers } from "./database/database.ts";
import { bankLayout } from "./lower/constant-bank.ts";
import { lowerKernel } from "./lower/index.ts";
import type { ProgramUnit } from "./program-linker.ts";
import { identity, valueKey } from "./sema/type-tools.ts";
import type { Substitution } from "./sema/types.ts";
import type { AnalysisSettings } from "./settings.ts";

/** What a variable holds; `initial` is what its initialiser gives. */
export type GlobalContent = (name: string, initial: Content | undefined) => Content | undefined;

/** An instance of a kernel, and what it rests on besides where things stand. */
interface Instance {
  readonly stamp: readonly unknown[];
  readonly kernel: Kernel;
}

/** By the reading that says where things stand, and the instance: launches share one, and what the engine makes of it. */
const known = new WeakMap<object, Map<string, Instance>>();

/** One instance of a kernel of the unit. Throws `NotSimulated`, and `Cancelled`. */
export function lowerInstance(
  unit: ProgramUnit,
  declaration: FunctionDeclaration,
  substitution: Substitution | undefined,
  { computeCapability }: AnalysisSettings,
  contentOf: GlobalContent,
  work?: Work,
): Kernel {
  const { semantics, reading, code } = unit;
  const instances = known.get(reading) ?? new Map<string, Instance>();
  known.set(reading, instances);
  const key = identity(declaration) + keyOf(substitution);
  const stamp = [semantics, JSON.stringify([computeCapability, code, bankLayout(semantics.context)]), ...unit.bodiesBehind(declaration)];
  let instance = instances.get(key);
  if (!instance || !sameMembers(instance.stamp, stamp)) {
    const options = { computeCapability, code: code.options, work };
    instance = { stamp, kernel: stage("lower", () => lowerKernel(semantics, reading, declaration, substitution, options)) };
    instances.set(key, instance);
  }
  const { kernel } = instance;
  if (kernel.globals.length === 0) return kernel;
  // Each launch finds its own in them.
  const globals = kernel.globals.map((variable) => {
    const content = contentOf(variable.name, variable.content);
    return content === undefined ? variable : { ...variable, content };
  });
  return { ...kernel, globals };
}

const keyOf = (substitution: Substitution | undefined): string =>
  substitution
    ? `<${[...substitution.values].map(([name, value]) => name + valueKey(value))}>${substitution.record ? identity(substitution.record) : ""}${keyOf(substitution.outer)}`
    : "";
