/** What type nodes and names of types mean. */
import type { BuiltinTypeName, Name, TemplateArgument, TemplateParameter, TypeNode } from "../../syntax/ast.ts";
import type { Context, Info, TemplateValues } from "./context.ts";
import { type AliasDeclaration, lastName } from "./scope.ts";
import { traitType } from "./traits.ts";
import {
  arrayOf,
  decay,
  emptySubstitution,
  floatType,
  integerType,
  isPack,
  isTemplateName,
  isTypeValue,
  pointerTo,
  qualified,
  recordType,
  referenceTo,
  substituted,
  unqualified,
  voidType,
} from "./type-tools.ts";
import type { Substitution, TemplateValue, Type } from "./types.ts";

const builtIn: Readonly<Record<BuiltinTypeName, Type | undefined>> = {
  void: voidType,
  bool: integerType("bool"),
  char: integerType("char"),
  "signed char": integerType("schar"),
  "unsigned char": integerType("uchar"),
  wchar_t: integerType("int"),
  char8_t: integerType("uchar"),
  char16_t: integerType("ushort"),
  char32_t: integerType("uint"),
  short: integerType("short"),
  "unsigned short": integerType("ushort"),
  int: integerType("int"),
  "unsigned int": integerType("uint"),
  long: integerType("long"),
  "unsigned long": integerType("ulong"),
  "long long": integerType("longlong"),
  "unsigned long long": integerType("ulonglong"),
  float: floatType("float"),
  double: floatType("double"),
  // In device code `long double` is `double`.
  "long double": floatType("double"),
  __int128: undefined,
  "unsigned __int128": undefined,
};

export function typeFrom(context: Context, node: TypeNode, substitution: Substitution | undefined, auto?: Info): Type | undefined {
  const type = plainType(context, node, substitution, auto);
  return type && qualified(type, node);
}

function plainType(context: Context, node: TypeNode, substitution: Substitution | undefined, auto: Info | undefined): Type | undefined {
  switch (node.kind) {
    case "builtin":
      return builtIn[node.name];
    case "named":
      return context.guard(() => context.namedType(node.name, substitution));
    case "pointer": {
      const inner = typeFrom(context, node.to, substitution, auto && innerAuto(auto, node.to));
      if (!inner) return undefined;
      const pointer = pointerTo(inner.kind === "reference" ? inner.to : inner);
      return node.restrict ? { ...pointer, kind: "pointer", to: inner, restrict: true } : pointer;
    }
    case "reference": {
      if (auto && node.rvalue && isPlainAuto(node.to)) return referenceTo(auto.type, !auto.lvalue);
      const inner = typeFrom(context, node.to, substitution, auto);
      if (!inner || inner.kind === "void") return undefined;
      // `const auto&` binds what is there, without decay.
      return referenceTo(auto && isPlainAuto(node.to) ? qualified(auto.type, node.to) : inner, node.rvalue);
    }
    case "array": {
      const of = typeFrom(context, node.of, substitution, auto);
      if (!of) return undefined;
      if (!node.size) return arrayOf(of, undefined);
      const size = context.constant(node.size, substitution);
      return arrayOf(of, size === undefined ? undefined : Number(size));
    }
    case "function":
      return { kind: "function", declarations: [] };
    case "auto":
      return auto && decay(auto.type);
    case "decltype": {
      const info = context.info(node.expression, substitution);
      if (!info) return undefined;
      return node.expression.kind === "parenthesized" && info.lvalue ? referenceTo(info.type) : info.type;
    }
    case "inline": {
      const { declaration } = node;
      if (declaration.kind === "enum") return enumType(context, declaration, substitution);
      const record = context.currentRecord(declaration, substitution) ?? context.instantiate(declaration, [], substitution);
      return record && recordType(record);
    }
    case "unknown":
      return undefined;
  }
}

const isPlainAuto = (node: TypeNode): boolean => node.kind === "auto";

/** For `auto*`: what the pointer points to. */
function innerAuto(auto: Info, to: TypeNode): Info | undefined {
  const type = decay(auto.type);
  if (type.kind !== "pointer") return undefined;
  return { type: to.const ? unqualified(type.to) : type.to, lvalue: true };
}

export function enumType(
  context: Context,
  declaration: (Type & { kind: "enum" })["declaration"],
  substitution: Substitution | undefined,
): Type {
  const kept = declaration.underlying && context.typeFrom(declaration.underlying, substitution);
  return { kind: "enum", declaration, underlying: kept?.kind === "integer" ? kept.name : "int" };
}

/** The type a name names: a record with its arguments, an alias, an enumeration, a template parameter's, a trait's. */
export function namedType(context: Context, name: Name, substitution: Substitution | undefined): Type | undefined {
  const last = name.parts.at(-1);
  if (!last) return undefined;
  const found = context.find(name, substitution);
  for (const entity of found.entities) {
    switch (entity.kind) {
      case "built-in type":
        return entity.type;
      case "record": {
        const owner = context.scopes.records.get(entity.declaration);
        // Named from inside itself, without arguments, a template is the instance at hand.
        const current = last.templateArguments
          ? undefined
          : context.currentRecord(entity.declaration, found.record?.substitution ?? substitution);
        if (current) return recordType(current);
        const outer = owner ? found.record?.substitution : substitution;
        const values = last.templateArguments
          ? context.templateValues(last.templateArguments, entity.declaration.templateParameters, substitution)
          : [];
        const record = values && context.instantiate(entity.declaration, values, outer);
        return record && recordType(record);
      }
      case "enum":
        return enumType(context, entity.declaration, found.record?.substitution ?? substitution);
      case "alias":
        return aliasedType(context, entity.declaration, last.templateArguments, found.record?.substitution, substitution);
      case "template-parameter": {
        const value = substituted(last.text, substitution);
        if (value === undefined) return undefined;
        if (isTypeValue(value)) return value;
        if (isTemplateName(value) && last.templateArguments) {
          const values = context.templateValues(last.templateArguments, value.templateParameters, substitution);
          const record = values && context.instantiate(value, values, substitution);
          return record && recordType(record);
        }
        return undefined;
      }
      case "variable":
        // Some parsers keep `typedef` as a specifier of a variable.
        if (entity.declaration.specifiers.typedef) return context.typeFrom(entity.declaration.type, substitution);
        break;
      default:
        break;
    }
  }
  if (found.entities.length > 0) return undefined;
  const trait = traitType(context, name, substitution);
  if (trait) return trait;
  // The library's own templates name their parameters without a scope.
  const value = name.start < 0 && name.parts.length === 1 ? substituted(last.text, substitution) : undefined;
  return value !== undefined && isTypeValue(value) ? value : undefined;
}

function aliasedType(
  context: Context,
  alias: AliasDeclaration,
  given: readonly TemplateArgument[] | undefined,
  owner: Substitution | undefined,
  substitution: Substitution | undefined,
): Type | undefined {
  const outer = owner ?? substitution;
  if (!alias.templateParameters) return context.guard(() => context.typeFrom(alias.type, outer));
  const values = given && context.templateValues(given, alias.templateParameters, substitution);
  const bound = values && bindParameters(context, alias.templateParameters, values, outer);
  return bound && context.guard(() => context.typeFrom(alias.type, bound));
}

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
    if (wanted?.kind !== "value") {
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
  return type?.kind === "function" ? type : undefined;
}

function templateNamed(context: Context, name: Name, substitution: Substitution | undefined): TemplateValue | undefined {
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
