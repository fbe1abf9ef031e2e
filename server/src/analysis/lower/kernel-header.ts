/** A kernel's parameters and launch bounds, from its declaration. */
import type { Kernel, Parameter } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";
import { NotSimulated } from "../facts.ts";
import type { CodeOptions } from "../nvcc-options.ts";
import { expandedParameters } from "../sema/expanded-parameters.ts";
import type { Semantics } from "../sema/index.ts";
import { launchBoundsOf } from "../sema/launch-bounds.ts";
import type { Substitution } from "../sema/types.ts";
import { scalarOf } from "./emit/scalars.ts";

export function parametersOf(
  semantics: Semantics,
  reading: Reading,
  declaration: FunctionDeclaration,
  substitution: Substitution,
): Parameter[] {
  const { context } = semantics;
  const expanded = expandedParameters(declaration, substitution);
  if (!expanded) {
    const pack = declaration.parameters.find((each) => each.pack);
    throw new NotSimulated(
      "a kernel with a parameter pack of which the elements are not known",
      pack && reading.locate(pack.start, pack.end),
    );
  }
  return expanded.map(({ parameter, name: own, substitution: inner }, index): Parameter => {
    const name = own ?? `parameter${index}`;
    const at = parameter.start >= 0 ? reading.locate(parameter.start, parameter.end) : undefined;
    const type = context.declaredType(parameter, inner);
    if (!type)
      throw new NotSimulated(
        `the type of the parameter ${name}, ${reading.textOf(parameter.type.start, parameter.type.end).replace(/\s+/g, " ")}, is not known`,
        at,
      );
    const scalar = scalarOf(type);
    const bytes = type.kind === "reference" ? 8 : context.sizeOf(type);
    if (bytes === undefined) throw new NotSimulated(`the size of the parameter ${name} is not known`, at);
    if (!scalar) return { name, bytes };
    if (type.kind !== "pointer") return { name, type: scalar, bytes };
    const pointee = scalarOf(type.to);
    const size = context.sizeOf(type.to) ?? 1;
    return {
      name,
      type: scalar,
      bytes,
      pointee: { bytes: size, const: type.to.const ?? false, ...(pointee ? { type: pointee } : {}) },
      ...(type.restrict ? { restrict: true } : {}),
    };
  });
}

export function boundsOf(
  semantics: Semantics,
  declaration: FunctionDeclaration,
  substitution: Substitution,
  { maxRegisters }: CodeOptions = {},
): Partial<Pick<Kernel, "launchBounds" | "maxRegisters">> {
  const constant = (expression: Expression | undefined): number | undefined => {
    const value = expression && semantics.constant(expression, substitution);
    return value === undefined ? undefined : Number(value);
  };
  const [threads, blocks, cluster] = launchBoundsOf(semantics.context, declaration).map(constant);
  // -maxrregcount is for kernels that say nothing of it themselves.
  const registers = constant(declaration.specifiers.maxRegisters) ?? (threads === undefined && maxRegisters ? maxRegisters : undefined);
  return {
    ...(threads === undefined
      ? {}
      : {
          launchBounds: {
            maxThreads: threads,
            ...(blocks === undefined ? {} : { minBlocks: blocks }),
            ...(cluster === undefined ? {} : { maxBlocksPerCluster: cluster }),
          },
        }),
    ...(registers === undefined ? {} : { maxRegisters: registers }),
  };
}

/** What the compiler is told of all code of a kernel. */
export function codeOf({ ftz, fmad, loadCache }: CodeOptions = {}): Pick<Kernel, "floats" | "loadCache"> {
  return {
    ...(ftz || fmad === false ? { floats: { ...(ftz ? { flushed: true } : {}), ...(fmad === false ? { unfused: true } : {}) } } : {}),
    ...(loadCache === "cg" ? { loadCache } : {}),
  };
}
