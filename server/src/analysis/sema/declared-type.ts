/** The types variables and parameters are declared with: `auto`, array bounds from initialisers, parameters' adjustments. */
import type { ParameterDeclaration, TypeNode, VariableDeclaration } from "../../syntax/ast.ts";
import { autoKey } from "./bind-function.ts";
import { declaresFunction } from "./clarify.ts";
import { deducedClass } from "./class-arguments.ts";
import type { Context } from "./context.ts";
import { elementOf } from "./ranges.ts";
import { arrayOf, isPack, isTypeValue, pointerTo, qualified, referred, substituted } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

export function declaredType(
  context: Context,
  declaration: VariableDeclaration | ParameterDeclaration,
  substitution: Substitution | undefined,
): Type | undefined {
  return "kind" in declaration ? variableType(context, declaration, substitution) : parameterType(context, declaration, substitution);
}

function parameterType(context: Context, parameter: ParameterDeclaration, substitution: Substitution | undefined): Type | undefined {
  // Of an expanded pack the substitution holds the elements' types by the parameter's name.
  const element = parameter.pack && parameter.name ? substituted(parameter.name, substitution) : undefined;
  if (element !== undefined && isTypeValue(element)) return element.kind === "array" ? pointerTo(element.of) : element;
  const given = mentionsAuto(parameter.type) ? substituted(autoKey(parameter), substitution) : undefined;
  const argument = given !== undefined && isPack(given) ? elementAt(given, substitution) : given;
  const auto =
    argument !== undefined && isTypeValue(argument) ? { type: referred(argument), lvalue: argument.kind === "reference" } : undefined;
  const type = context.typeFrom(parameter.type, substitution, auto);
  if (type?.kind === "array") return pointerTo(type.of);
  const pointed = type?.kind === "pointer" ? type.to : type;
  if (pointed?.kind !== "function") return type;
  // Which function it points to may be known.
  const value = substituted(autoKey(parameter), substitution);
  if (value === undefined || !isTypeValue(value)) return pointerTo(pointed);
  return value.kind === "lambda" ? value : pointerTo(value);
}

function elementAt(pack: readonly unknown[], substitution: Substitution | undefined): Type | undefined {
  const index = substituted("#", substitution);
  return typeof index === "bigint" ? (pack[Number(index)] as Type | undefined) : undefined;
}

const mentionsAuto = (node: TypeNode): boolean =>
  node.kind === "auto" ||
  ((node.kind === "pointer" || node.kind === "reference") && mentionsAuto(node.to)) ||
  (node.kind === "array" && mentionsAuto(node.of));

function variableType(context: Context, declaration: VariableDeclaration, substitution: Substitution | undefined): Type | undefined {
  const asFunction = declaresFunction(context, declaration);
  if (asFunction) return { kind: "function", declarations: [asFunction] };
  const { specifiers, init } = declaration;
  const [first] = init?.values ?? [];
  let type: Type | undefined;
  if (mentionsAuto(declaration.type)) {
    const source = first?.kind === "list" && !first.type && first.elements.length === 1 ? first.elements[0]?.value : first;
    const range = context.scopes.ranges.get(declaration);
    const element = range && elementOf(context, range, substitution);
    const auto = element ? { type: element, lvalue: true } : source && context.info(source, substitution);
    type = auto && context.typeFrom(declaration.type, substitution, auto);
  } else
    type = context.typeFrom(declaration.type, substitution) ?? deducedClass(context, declaration.type, init?.values ?? [], substitution);
  if (type?.kind === "array" && type.size === undefined && first) {
    const inferred =
      first.kind === "list"
        ? context.expandPacks(
            first.elements.map((each) => each.value),
            substitution,
          ).length
        : first.kind === "string"
          ? first.value.length + 1
          : init?.style === "list"
            ? context.expandPacks(init.values, substitution).length
            : undefined;
    if (inferred !== undefined) type = arrayOf(type.of, inferred);
  }
  return type && qualified(type, { const: specifiers.constexpr });
}
