/** Template arguments as values, packs expanded. */
import type { Name, RecordDeclaration, TemplateArgument, TemplateParameter } from "../../syntax/ast.ts";
import { conceptOf } from "./constraints.ts";
import type { Context, TemplateValues } from "./context.ts";
import { functionValue } from "./function-values.ts";
import { lastName } from "./scope.ts";
import { emptySubstitution, isPack, isTemplateName, substituted } from "./type-tools.ts";
import type { Substitution, TemplateValue } from "./types.ts";

/** Parameters with their values, defaults filled in; undefined when one has none. */
export function bindParameters(
  context: Context,
  parameters: readonly TemplateParameter[],
  given: readonly TemplateValues[],
  outer: Substitution | undefined,
): Substitution | undefined {
  const values = new Map<string, TemplateValues>();
  const bound: Substitution = outer ? { values, outer } : { values };
  let next = 0;
  for (const parameter of parameters) {
    const name = parameter.name ?? `#${next}`;
    if (parameter.pack) {
      const rest: TemplateValue[] = given.slice(next).flatMap((each) => (isPack(each) ? each : [each as TemplateValue]));
      next = given.length;
      values.set(name, rest);
      continue;
    }
    const value = given[next++] ?? defaultOf(context, parameter, bound);
    if (value === undefined) return undefined;
    values.set(name, parameter.kind === "value" ? convertedValue(context, parameter, value, bound) : value);
  }
  return bound;
}

/** A value argument takes its parameter's type: `template <unsigned N>` with -1. */
function convertedValue(
  context: Context,
  parameter: TemplateParameter & { kind: "value" },
  value: TemplateValues,
  substitution: Substitution,
): TemplateValues {
  if (typeof value !== "bigint" && typeof value !== "boolean") return value;
  const type = context.typeFrom(parameter.type, substitution);
  if (type?.kind !== "integer") return value;
  if (type.name === "bool") return BigInt(value) !== 0n;
  return BigInt(value);
}

export function defaultOf(
  context: Context,
  parameter: TemplateParameter,
  substitution: Substitution | undefined,
): TemplateValue | undefined {
  if (parameter.kind === "type") return parameter.default && context.typeFrom(parameter.default, substitution);
  if (parameter.kind === "value") return parameter.default && context.constant(parameter.default, substitution);
  return undefined;
}

/** Written arguments as values, packs expanded; undefined when one is not known. */
export function templateValues(
  context: Context,
  given: readonly TemplateArgument[],
  parameters: readonly TemplateParameter[] | undefined,
  substitution: Substitution | undefined,
): TemplateValues[] | undefined {
  const values: TemplateValues[] = [];
  for (const [index, argument] of given.entries()) {
    const wanted = parameters?.[Math.min(index, parameters.length - 1)];
    if (argument.pack) {
      const expanded = expandPack(context, argument, wanted, substitution);
      if (!expanded) return undefined;
      values.push(...expanded);
      continue;
    }
    const value = templateValue(context, argument, wanted, substitution);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

export function templateValue(
  context: Context,
  argument: TemplateArgument,
  wanted: TemplateParameter | undefined,
  substitution: Substitution | undefined,
): TemplateValue | undefined {
  if (argument.kind === "type") {
    if (wanted?.kind === "template" || (argument.type.kind === "named" && !argument.expression)) {
      const template = argument.type.kind === "named" ? templateNamed(context, argument.type.name, substitution) : undefined;
      if (wanted?.kind === "template") return template;
    }
    if (wanted?.kind !== "value" || conceptOf(context, wanted)) {
      const type = context.typeFrom(argument.type, substitution);
      if (type) return type;
    }
    if (argument.expression) return expressionValue(context, argument.expression, substitution);
    return argument.type.kind === "named"
      ? expressionValue(context, { ...argument, kind: "name", name: argument.type.name }, substitution)
      : undefined;
  }
  const { expression } = argument;
  if (wanted?.kind === "type" && expression.kind === "name") {
    const type = context.namedType(expression.name, substitution);
    if (type) return type;
  }
  return expressionValue(context, expression, substitution);
}

function expressionValue(
  context: Context,
  expression: Parameters<Context["constant"]>[0],
  substitution: Substitution | undefined,
): TemplateValue | undefined {
  const value = context.constant(expression, substitution);
  if (value !== undefined) return value;
  const type = context.info(expression, substitution)?.type;
  // `&f`, too, is the function.
  const pointed = type?.kind === "pointer" && type.to.kind === "function" ? functionValue(context, expression, substitution) : type;
  return pointed?.kind === "function" ? pointed : undefined;
}

/** The class template a name names. */
export function templateNamed(context: Context, name: Name, substitution: Substitution | undefined): RecordDeclaration | undefined {
  for (const entity of context.find(name, substitution).entities) {
    if (entity.kind === "record" && entity.declaration.templateParameters) return entity.declaration;
    if (entity.kind === "template-parameter") {
      const value = substituted(lastName(name), substitution);
      return value !== undefined && isTemplateName(value) ? value : undefined;
    }
  }
  return undefined;
}

function expandPack(
  context: Context,
  argument: TemplateArgument,
  wanted: TemplateParameter | undefined,
  substitution: Substitution | undefined,
): TemplateValue[] | undefined {
  const packs = packNames(argument, substitution);
  const length = packs[0]?.length;
  if (length === undefined) return undefined;
  const { pack: _pack, ...single } = argument;
  const values: TemplateValue[] = [];
  for (let index = 0; index < length; index++) {
    const value = templateValue(context, single as TemplateArgument, wanted, packElement(packs, index, substitution));
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

interface PackUse {
  readonly name: string;
  readonly length: number;
  readonly values: readonly TemplateValue[];
}

/** The packs of the substitution that a node mentions. */
export function packNames(node: object, substitution: Substitution | undefined): PackUse[] {
  const found: PackUse[] = [];
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) collect(each);
      return;
    }
    if ("text" in value && typeof value.text === "string") names.add(value.text);
    for (const each of Object.values(value)) collect(each);
  };
  collect(node);
  for (const name of names) {
    const value = substituted(name, substitution);
    if (value !== undefined && isPack(value)) found.push({ name, length: value.length, values: value });
  }
  return found;
}

/** A substitution in which each pack stands for its element `index`. */
export function packElement(packs: readonly PackUse[], index: number, substitution: Substitution | undefined): Substitution {
  const values = new Map<string, TemplateValues>([["#", BigInt(index)]]);
  for (const { name, values: all } of packs) {
    const value = all[index];
    if (value !== undefined) values.set(name, value);
  }
  return { values, outer: substitution ?? emptySubstitution };
}
