/** What type nodes and names of types mean. */
import type { BuiltinTypeName, EnumDeclaration, Name, TemplateArgument, TypeNode } from "../../syntax/ast.ts";
import type { Context, Info } from "./context.ts";
import type { AliasDeclaration } from "./scope.ts";
import { bindParameters } from "./template-values.ts";
import { traitType } from "./traits.ts";
import {
  arrayOf,
  decay,
  floatType,
  integerType,
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
import type { IntegerName, Substitution, Type } from "./types.ts";

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
      const size = Number(context.constant(node.size, substitution) ?? Number.NaN);
      // A number with a fraction is no size, nor one below zero.
      return arrayOf(of, Number.isInteger(size) && size >= 0 ? size : undefined);
    }
    case "function": {
      const result = typeFrom(context, node.result, substitution);
      return { kind: "function", declarations: [], ...(result && { result }) };
    }
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
  if (type.kind === "function") return { type, lvalue: true };
  if (type.kind !== "pointer") return undefined;
  return { type: to.const ? unqualified(type.to) : type.to, lvalue: true };
}

export function enumType(
  context: Context,
  declaration: (Type & { kind: "enum" })["declaration"],
  substitution: Substitution | undefined,
): Type {
  const kept = declaration.underlying && context.typeFrom(declaration.underlying, substitution);
  return { kind: "enum", declaration, underlying: kept?.kind === "integer" ? kept.name : widthOf(context, declaration, substitution) };
}

/** Types that an enumeration is kept in whose declaration names none: the first that holds all of its values. */
const widths: readonly { readonly name: IntegerName; readonly least: bigint; readonly most: bigint }[] = [
  { name: "int", least: -(2n ** 31n), most: 2n ** 31n - 1n },
  { name: "uint", least: 0n, most: 2n ** 32n - 1n },
  { name: "long", least: -(2n ** 63n), most: 2n ** 63n - 1n },
  { name: "ulong", least: 0n, most: 2n ** 64n - 1n },
];

/** Enumerations whose width is being found, and the type of the last value that was written: until all are known, enumerators have that. */
const underway = new Map<EnumDeclaration, IntegerName>();

function widthOf(context: Context, declaration: EnumDeclaration, substitution: Substitution | undefined): IntegerName {
  if (declaration.scoped) return "int";
  const soFar = underway.get(declaration);
  if (soFar) return soFar;
  underway.set(declaration, "int");
  try {
    let [value, least, most] = [-1n, 0n, 0n];
    for (const { value: written } of declaration.enumerators) {
      const given = written && context.constant(written, substitution);
      if (written && (given === undefined || typeof given === "number")) return "int";
      value = given === undefined ? value + 1n : BigInt(given);
      if (value < least) least = value;
      if (value > most) most = value;
      const type = written && context.info(written, substitution)?.type;
      if (type?.kind === "integer") underway.set(declaration, type.name);
    }
    return widths.find((type) => least >= type.least && most <= type.most)?.name ?? "int";
  } finally {
    underway.delete(declaration);
  }
}

/** The type a name names: a record with its arguments, an alias, an enumeration, a template parameter's, a trait's. */
export function namedType(context: Context, name: Name, substitution: Substitution | undefined): Type | undefined {
  const last = name.parts.at(-1);
  if (!last) return undefined;
  if (last.decltype && name.parts.length === 1) {
    const info = context.info(last.decltype, substitution);
    return info && unqualified(info.type);
  }
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
