/** Template arguments for a kernel nothing instantiates: its defaults, else ones that are assumed and said to be. */
import type { Assumption } from "@warplens/sim-engine";
import type { FunctionDeclaration, TemplateParameter } from "../../syntax/ast.ts";
import type { Semantics } from "./index.ts";
import { floatType, valueName } from "./type-tools.ts";
import type { Substitution, TemplateValue } from "./types.ts";

export interface AssumedTemplate {
  readonly substitution: Substitution | undefined;
  readonly values: readonly TemplateValue[];
  readonly assumptions: readonly Assumption[];
}

const why = "nothing here instantiates the template";
const notKnown = "which template argument the launch gives is not known";

/** `known`: arguments that a launch gives, undefined where it is not known which. */
export function assumedTemplateArguments(
  kernel: FunctionDeclaration,
  semantics: Semantics,
  known: readonly (TemplateValue | undefined)[] = [],
): AssumedTemplate {
  const parameters = kernel.templateParameters ?? [];
  if (parameters.length === 0) return { substitution: undefined, values: [], assumptions: [] };
  const values: TemplateValue[] = [];
  const assumptions: Assumption[] = [];
  for (const [index, parameter] of parameters.entries()) {
    const given = known[index];
    if (given !== undefined) {
      values.push(given);
      continue;
    }
    if (parameter.pack || parameter.kind === "template") break;
    const substitution = semantics.substitutionFor(kernel, values);
    const written = defaultOf(parameter, semantics, substitution);
    const value = written ?? likely(parameter, semantics);
    values.push(value);
    if (written === undefined)
      assumptions.push({ what: parameter.name ?? "a template parameter", value: valueName(value), why: known.length > 0 ? notKnown : why });
  }
  return { substitution: semantics.substitutionFor(kernel, values), values, assumptions };
}

function defaultOf(parameter: TemplateParameter, semantics: Semantics, substitution: Substitution | undefined): TemplateValue | undefined {
  if (parameter.kind === "type") return parameter.default === undefined ? undefined : semantics.typeFrom(parameter.default, substitution);
  return parameter.kind === "value" && parameter.default !== undefined ? semantics.constant(parameter.default, substitution) : undefined;
}

/** float for a type; for a number what its name suggests. */
function likely(parameter: TemplateParameter, semantics: Semantics): TemplateValue {
  if (parameter.kind !== "value") return floatType("float");
  const type = semantics.typeFrom(parameter.type);
  if (type?.kind === "integer" && type.name === "bool") return false;
  const name = parameter.name ?? "";
  if (/thread|block/i.test(name)) return 256n;
  if (/tile|dim|size/i.test(name)) return 16n;
  return 4n;
}
