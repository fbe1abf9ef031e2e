/** Parameters as variables: references name what they are bound to, values get a copy. */
import type { Expression, FunctionDeclaration, ParameterDeclaration } from "../../syntax/ast.ts";
import { packElement } from "../sema/template-values.ts";
import { decay, isClass, isPack, pointerTo, typeName } from "../sema/type-tools.ts";
import type { Substitution, Type } from "../sema/types.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { boundTo } from "./emit/memory.ts";
import { asBase } from "./names.ts";

/** Parameters as variables: references name what they are bound to, values get a copy. */
export function bindParameters(
  lowering: Lowering,
  parameters: readonly ParameterDeclaration[],
  args: readonly Expression[],
  callee: { readonly substitution: Substitution },
  variables: Map<object, Place | readonly Place[]>,
  siblings: readonly FunctionDeclaration[],
): void {
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.pack) {
      const packs = [...callee.substitution.values].flatMap(([name, values]) =>
        isPack(values) ? [{ name, length: values.length, values }] : [],
      );
      variables.set(
        parameter,
        args.slice(index).map((argument, at) => bindOne(lowering, parameter, argument, packElement(packs, at, callee.substitution))),
      );
      return;
    }
    const argument = args[index];
    if (argument) variables.set(parameter, bindOne(lowering, parameter, argument, callee.substitution));
    else if (!(parameter.type.kind === "builtin" && parameter.type.name === "void")) {
      const value =
        parameter.default ??
        siblings.find((each) => each.parameters.length === parameters.length && each.parameters[index]?.default)?.parameters[index]
          ?.default;
      if (!value) continue;
      // A default argument is read where it was declared.
      const outer = lowering.frame;
      lowering.frame = { ...outer, substitution: callee.substitution, variables };
      variables.set(parameter, bindOne(lowering, parameter, value, callee.substitution));
      lowering.frame = outer;
    }
  }
}

function bindOne(lowering: Lowering, parameter: ParameterDeclaration, argument: Expression, substitution: Substitution): Place {
  const name = parameter.name ?? "argument";
  const type =
    lowering.context.declaredType(parameter, substitution) ?? lowering.failType(`the parameter ${name}`, parameter.type, parameter);
  return bindValue(lowering, type, name, argument);
}

function bindValue(lowering: Lowering, type: Type, name: string, argument: Expression): Place {
  if (type.kind === "reference") {
    const from = lowering.tryTypeOf(argument);
    const target = type.to;
    if (from?.kind === "function" || target.kind === "function") return lowering.temporary(pointerTo(target), name, argument);
    const rank = from && lowering.context.conversionRank({ type: from, lvalue: lowering.isLvalue(argument) }, type);
    const direct =
      from &&
      isClass(from) === isClass(target) &&
      rank !== undefined &&
      rank < 4 &&
      (isClass(target) || target.kind === "array" || sameScalar(from, target));
    if (direct) {
      const place = lowering.place(argument);
      return target.kind === "record"
        ? asBase(lowering, place, target.record)
        : boundTo(place, target.kind === "array" ? place.type : target);
    }
    const made = lowering.temporary(target, name, argument);
    lowering.initialise(made, argument);
    return made;
  }
  const place = lowering.temporary(type, name, argument);
  if (type.kind !== "function" && !(type.kind === "pointer" && type.to.kind === "function")) lowering.initialise(place, argument);
  return place;
}

const sameScalar = (a: Type, b: Type): boolean => typeName({ ...decay(a), const: false }) === typeName({ ...decay(b), const: false });
