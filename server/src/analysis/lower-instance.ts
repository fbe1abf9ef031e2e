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

/** An instance of a kernel, and what was made of it for launches: those that find the same in its variables share one. */
interface Instance {
  /** What it rests on besides what names stand for. */
  readonly stamp: readonly unknown[];
  readonly kernel: Kernel;
  readonly made: { readonly contents: readonly (Content | undefined)[]; readonly kernel: Kernel }[];
}

/** By the reading that says where things stand, what names stand for, and the instance: what the engine makes of a kernel it makes once. */
const known = new WeakMap<object, WeakMap<object, Map<string, Instance>>>();

/** One instance of a kernel of the unit. Throws `NotSimulated`, and `Cancelled`. */
export function lowerInstance(
  unit: ProgramUnit,
  declaration: FunctionDeclaration,
  substitution: Substitution | undefined,
  settings: AnalysisSettings,
  contentOf: GlobalContent,
  work?: Work,
): Kernel {
  const { kernel, made } = instanceOf(unit, declaration, substitution, settings, work);
  const contents = kernel.globals.map((variable) => contentOf(variable.name, variable.content));
  const before = made.find((each) => sameMembers(each.contents, contents));
  if (before) return before.kernel;
  const globals = kernel.globals.map((variable, k) => (contents[k] === undefined ? variable : { ...variable, content: contents[k] }));
  const own = { ...kernel, globals };
  made.push({ contents, kernel: own });
  return own;
}

function instanceOf(
  unit: ProgramUnit,
  declaration: FunctionDeclaration,
  substitution: Substitution | undefined,
  { computeCapability }: AnalysisSettings,
  work?: Work,
): Instance {
  const { semantics, reading, code } = unit;
  const ofReading = known.get(reading) ?? new WeakMap<object, Map<string, Instance>>();
  known.set(reading, ofReading);
  const instances = ofReading.get(semantics) ?? new Map<string, Instance>();
  ofReading.set(semantics, instances);
  const key = `${identity(declaration)}${substitutionKey(substitution)}`;
  const stamp = [JSON.stringify([computeCapability, code, bankLayout(semantics.context)]), ...unit.bodiesBehind(declaration)];
  const before = instances.get(key);
  if (before && sameMembers(before.stamp, stamp)) return before;
  const kernel = stage("lower", () =>
    lowerKernel(semantics, reading, declaration, substitution, { computeCapability, code: code.options, work }),
  );
  const instance = { stamp, kernel, made: [] };
  instances.set(key, instance);
  return instance;
}

const substitutionKey = (substitution: Substitution | undefined): string =>
  substitution === undefined
    ? ""
    : `<${[...substitution.values].map(([name, value]) => `${name}=${valueKey(value)}`).join()}>${
        substitution.record === undefined ? "" : identity(substitution.record)
      }${substitutionKey(substitution.outer)}`;
