/** The parameters of an instance of a function, a pack's elements one by one. */
import type { FunctionDeclaration, ParameterDeclaration } from "../../syntax/ast.ts";
import { packElement, packNames } from "./template-values.ts";
import { isPack } from "./type-tools.ts";
import type { Substitution } from "./types.ts";

export interface ExpandedParameter {
  readonly parameter: ParameterDeclaration;
  /** Absent where it has none; of an element with its number. */
  readonly name: string | undefined;
  /** What its type is read under. */
  readonly substitution: Substitution | undefined;
}

/** Undefined where it is not known how many elements a pack has. */
export function expandedParameters(
  declaration: FunctionDeclaration,
  substitution: Substitution | undefined,
): ExpandedParameter[] | undefined {
  const expanded: ExpandedParameter[] = [];
  for (const parameter of declaration.parameters) {
    if (parameter.type.kind === "builtin" && parameter.type.name === "void") continue;
    if (!parameter.pack) {
      expanded.push({ parameter, name: parameter.name, substitution });
      continue;
    }
    const length = packNames(parameter.type, substitution)[0]?.length;
    if (length === undefined || !substitution) return undefined;
    const packs = [...substitution.values].flatMap(([name, values]) => (isPack(values) ? [{ name, length: values.length, values }] : []));
    for (let k = 0; k < length; k++) {
      const name = parameter.name === undefined ? undefined : `${parameter.name}${k}`;
      expanded.push({ parameter, name, substitution: packElement(packs, k, substitution) });
    }
  }
  return expanded;
}
