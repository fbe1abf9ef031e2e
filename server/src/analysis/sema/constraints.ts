/** What templates ask of their arguments: `requires` and concepts in the place of `class`. */
import type { Expression, TemplateArgument, TemplateParameter } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import type { Substitution } from "./types.ts";

/** Whether it holds; where that is not known, too. */
export const isSatisfied = (
  context: Context,
  parameters: readonly TemplateParameter[],
  constraint: Expression | undefined,
  bound: Substitution,
): boolean =>
  !(constraint && context.constant(constraint, bound) === false) &&
  parameters.every((each) => {
    const asked = conceptOf(context, each);
    return asked === undefined || context.constant(asked, bound) !== false;
  });

/** Of `template <Number T>`, which is read as a value of a type `Number`: `Number<T>`. */
export function conceptOf(context: Context, parameter: TemplateParameter): Expression | undefined {
  if (parameter.kind !== "value" || parameter.type.kind !== "named" || !parameter.name || parameter.pack) return undefined;
  const { name } = parameter.type;
  if (context.namedType(name, undefined)) return undefined;
  const [entity] = context.find(name, undefined).entities;
  if (entity && !(entity.kind === "variable" && entity.declaration.templateParameters)) return undefined;
  const at = { start: parameter.start, end: parameter.end };
  const own = { ...at, global: false, parts: [{ text: parameter.name }] };
  const argument: TemplateArgument = {
    ...at,
    kind: "type",
    type: { ...at, kind: "named", name: own },
    expression: { ...at, kind: "name", name: own },
  };
  const parts = name.parts.map((part, index) =>
    index === name.parts.length - 1 ? { ...part, templateArguments: [argument, ...(part.templateArguments ?? [])] } : part,
  );
  return { ...at, kind: "name", name: { ...name, parts } };
}
