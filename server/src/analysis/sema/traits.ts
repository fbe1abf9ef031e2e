/** The standard library's type traits and `numeric_limits`, which headers that are not at hand would declare. */
import type { Name, TemplateArgument } from "../../syntax/ast.ts";
import { integerShape } from "./arithmetic-types.ts";
import type { Constant, Context } from "./context.ts";
import {
  boolType,
  decay,
  integerType,
  intType,
  isFloating,
  isInteger,
  isTypeValue,
  pointerTo,
  qualified,
  recordType,
  referenceTo,
  referred,
  sameType,
  unqualified,
  usualArithmetic,
} from "./type-tools.ts";
import type { FloatName, IntegerName, Substitution, Type } from "./types.ts";

interface TraitUse {
  readonly trait: string;
  readonly arguments: readonly TemplateArgument[];
  /** `type`, `value`, `max`...; "" when the name ends with the trait. */
  readonly member: string;
}

/** `std::is_same<A, B>::value` taken apart; undefined when the name has no such shape. */
function traitUse(name: Name): TraitUse | undefined {
  const parts = [...name.parts];
  while (parts.length > 1 && (parts[0]?.text === "std" || parts[0]?.text === "cuda")) parts.shift();
  const [first, second] = parts;
  if (!first || parts.length > 2) return undefined;
  return { trait: first.text, arguments: first.templateArguments ?? [], member: second?.text ?? "" };
}

const transforms: Readonly<Record<string, (type: Type) => Type | undefined>> = {
  remove_const: (type) => withoutConst(type),
  remove_volatile: (type) => type,
  remove_cv: unqualified,
  remove_reference: referred,
  remove_cvref: (type) => unqualified(referred(type)),
  remove_pointer: (type) => (type.kind === "pointer" ? type.to : type),
  remove_extent: (type) => (type.kind === "array" ? type.of : type),
  decay,
  add_const: (type) => qualified(type, { const: true }),
  add_pointer: (type) => pointerTo(referred(type)),
  add_lvalue_reference: (type) => referenceTo(type),
  add_rvalue_reference: (type) => referenceTo(type, true),
  type_identity: (type) => type,
  make_unsigned: (type) => signedness(type, false),
  make_signed: (type) => signedness(type, true),
  underlying_type: (type) => (type.kind === "enum" ? integerType(type.underlying) : undefined),
};

function withoutConst(type: Type): Type {
  const { const: _const, ...rest } = type;
  return rest;
}

const pairs: readonly (readonly [IntegerName, IntegerName])[] = [
  ["schar", "uchar"],
  ["short", "ushort"],
  ["int", "uint"],
  ["long", "ulong"],
  ["longlong", "ulonglong"],
];

function signedness(type: Type, signed: boolean): Type | undefined {
  const name =
    type.kind === "integer"
      ? type.name === "char"
        ? signed
          ? "schar"
          : "uchar"
        : type.name
      : type.kind === "enum"
        ? type.underlying
        : undefined;
  const pair = pairs.find((each) => name !== undefined && each.includes(name));
  return pair && integerType(pair[signed ? 0 : 1]);
}

/** The type a trait names: `std::conditional_t<...>`, `typename std::remove_const<T>::type`. */
export function traitType(context: Context, name: Name, substitution: Substitution | undefined): Type | undefined {
  const use = traitUse(name);
  if (!use || use.arguments.length === 0) return undefined;
  const short = use.trait.endsWith("_t") && use.member === "" ? use.trait.slice(0, -2) : use.member === "type" ? use.trait : undefined;
  if (short !== undefined) {
    const transform = transforms[short];
    if (transform) {
      const type = typeArgument(context, use.arguments[0], substitution);
      return type && transform(type);
    }
    if (short === "conditional") {
      const condition = constantArgument(context, use.arguments[0], substitution);
      return condition === undefined ? undefined : typeArgument(context, use.arguments[Number(condition) ? 1 : 2], substitution);
    }
    if (short === "enable_if") {
      const condition = constantArgument(context, use.arguments[0], substitution);
      if (condition === undefined || !Number(condition)) return undefined;
      return use.arguments[1] ? typeArgument(context, use.arguments[1], substitution) : { kind: "void" };
    }
    if (short === "common_type") {
      const types = use.arguments.map((each) => typeArgument(context, each, substitution));
      return types.reduce((all, each) => all && each && (sameType(all, each) ? all : usualArithmetic(all, each)));
    }
  }
  if (use.trait === "iterator_traits") {
    const type = typeArgument(context, use.arguments[0], substitution);
    if (type?.kind !== "pointer") return undefined;
    return { value_type: unqualified(type.to), reference: referenceTo(type.to), pointer: type, difference_type: integerType("long") }[
      use.member
    ];
  }
  // A trait as a type of its own, for tag dispatch: `std::is_same<A, B>{}`.
  const value = use.member === "" || use.member === "type" ? booleanTrait(context, use.trait, use.arguments, substitution) : undefined;
  if (value === undefined) return undefined;
  const tag = context.scopes.own(context.scopes.builtIn, "integral_constant").find((each) => each.kind === "record");
  const record = tag?.kind === "record" ? context.instantiate(tag.declaration, [boolType, value], undefined) : undefined;
  return record && recordType(record);
}

/** The value a trait's name is worth: `std::is_same<A, B>::value`, `std::is_same_v<A, B>`. */
export function traitConstant(
  context: Context,
  name: Name,
  substitution: Substitution | undefined,
): { readonly value: Constant; readonly type: Type } | undefined {
  const use = traitUse(name);
  if (!use || use.arguments.length === 0) return undefined;
  if (use.trait === "numeric_limits") return limitOf(typeArgument(context, use.arguments[0], substitution), use.member);
  const trait = use.trait.endsWith("_v") && use.member === "" ? use.trait.slice(0, -2) : use.member === "value" ? use.trait : undefined;
  if (trait === undefined) return undefined;
  if (trait === "extent" || trait === "rank") {
    const type = typeArgument(context, use.arguments[0], substitution);
    if (!type) return undefined;
    let rank = 0n;
    for (let at = type; at.kind === "array"; at = at.of) rank++;
    return { value: trait === "rank" ? rank : BigInt(type.kind === "array" ? (type.size ?? 0) : 0), type: integerType("ulong") };
  }
  const value = booleanTrait(context, trait, use.arguments, substitution);
  return value === undefined ? undefined : { value, type: boolType };
}

const predicates: Readonly<Record<string, (type: Type) => boolean>> = {
  is_integral: isInteger,
  is_floating_point: (type) => isFloating(type) && (type.name === "float" || type.name === "double"),
  is_arithmetic: (type) => isInteger(type) || (isFloating(type) && (type.name === "float" || type.name === "double")),
  is_scalar: (type) => ["integer", "floating", "enum", "pointer"].includes(type.kind),
  is_signed: (type) => (isInteger(type) ? integerShape[type.name].signed : isFloating(type)),
  is_unsigned: (type) => isInteger(type) && !integerShape[type.name].signed,
  is_pointer: (type) => type.kind === "pointer",
  is_reference: (type) => type.kind === "reference",
  is_lvalue_reference: (type) => type.kind === "reference" && !type.rvalue,
  is_rvalue_reference: (type) => type.kind === "reference" && type.rvalue,
  is_const: (type) => type.const === true,
  is_void: (type) => type.kind === "void",
  is_array: (type) => type.kind === "array",
  is_enum: (type) => type.kind === "enum",
  is_class: (type) => type.kind === "lambda" || (type.kind === "record" && type.record.declaration.tag !== "union"),
  is_union: (type) => type.kind === "record" && type.record.declaration.tag === "union",
  is_trivially_copyable: (type) => type.kind !== "reference",
  is_trivial: (type) => type.kind !== "reference",
  is_empty: (type) => type.kind === "record" && !type.record.declaration.members?.some((each) => each.kind === "variable"),
};

function booleanTrait(
  context: Context,
  trait: string,
  args: readonly TemplateArgument[],
  substitution: Substitution | undefined,
): boolean | undefined {
  const types = (): (Type | undefined)[] => args.map((each) => typeArgument(context, each, substitution));
  const predicate = predicates[trait];
  if (predicate) {
    const [type] = types();
    return type && predicate(type);
  }
  switch (trait) {
    case "is_same": {
      const [a, b] = types();
      return a && b && sameType(a, b);
    }
    case "is_base_of": {
      const [base, derived] = types();
      if (base?.kind !== "record" || derived?.kind !== "record") return false;
      return context.conversionRank({ type: pointerTo(derived), lvalue: false }, pointerTo(base)) !== undefined;
    }
    case "is_convertible": {
      const [from, to] = types();
      return from && to && context.conversionRank({ type: referred(from), lvalue: from.kind === "reference" }, to) !== undefined;
    }
    case "bool_constant":
      return bool(constantArgument(context, args[0], substitution));
    case "negation": {
      const [value] = args.map((each) => memberValue(context, each, substitution));
      return value === undefined ? undefined : !value;
    }
    case "conjunction":
    case "disjunction": {
      const values = args.map((each) => memberValue(context, each, substitution));
      if (values.includes(undefined)) return undefined;
      return trait === "conjunction" ? values.every(Boolean) : values.some(Boolean);
    }
    default:
      return undefined;
  }
}

const bool = (value: Constant | undefined): boolean | undefined => (value === undefined ? undefined : Boolean(Number(value)));

/** `T::value` of a type argument. */
function memberValue(context: Context, argument: TemplateArgument, substitution: Substitution | undefined): boolean | undefined {
  const type = typeArgument(context, argument, substitution);
  if (type?.kind !== "record") return undefined;
  const value = context.member(type.record, "value").entities.find((each) => each.kind === "variable");
  const init = value?.kind === "variable" ? value.declaration.init?.values[0] : undefined;
  return init && bool(context.constant(init, type.record.substitution));
}

function typeArgument(context: Context, argument: TemplateArgument | undefined, substitution: Substitution | undefined): Type | undefined {
  if (!argument) return undefined;
  if (argument.kind === "type") return context.typeFrom(argument.type, substitution);
  return argument.expression.kind === "name" ? context.namedType(argument.expression.name, substitution) : undefined;
}

function constantArgument(
  context: Context,
  argument: TemplateArgument | undefined,
  substitution: Substitution | undefined,
): Constant | undefined {
  const values = argument && context.templateValues([argument], undefined, substitution);
  const [value] = values ?? [];
  return typeof value === "object" && isTypeValue(value) ? undefined : typeof value === "object" ? undefined : value;
}

const floats: Readonly<
  Record<
    FloatName,
    { readonly max: number; readonly min: number; readonly epsilon: number; readonly digits: number; readonly denormal: number }
  >
> = {
  half: { max: 65504, min: 2 ** -14, epsilon: 2 ** -10, digits: 11, denormal: 2 ** -24 },
  bfloat16: { max: (2 - 2 ** -7) * 2 ** 127, min: 2 ** -126, epsilon: 2 ** -7, digits: 8, denormal: 2 ** -133 },
  float: { max: (2 - 2 ** -23) * 2 ** 127, min: 2 ** -126, epsilon: 2 ** -23, digits: 24, denormal: 2 ** -149 },
  double: { max: Number.MAX_VALUE, min: 2 ** -1022, epsilon: Number.EPSILON, digits: 53, denormal: Number.MIN_VALUE },
};

/** `std::numeric_limits<T>::member`, called or not. */
function limitOf(type: Type | undefined, member: string): { readonly value: Constant; readonly type: Type } | undefined {
  if (!type) return undefined;
  const of = unqualified(type);
  if (isFloating(of)) {
    const { max, min, epsilon, digits, denormal } = floats[of.name];
    const values: Readonly<Record<string, number>> = {
      max,
      min,
      lowest: -max,
      epsilon,
      denorm_min: denormal,
      infinity: Number.POSITIVE_INFINITY,
      quiet_NaN: Number.NaN,
      signaling_NaN: Number.NaN,
    };
    const value = values[member];
    if (value !== undefined) return { value, type: of };
    if (member === "digits") return { value: BigInt(digits), type: intType };
    return flag(member, { is_signed: true, is_integer: false, has_infinity: true, is_specialized: true });
  }
  if (!isInteger(of)) return undefined;
  const { bits, signed } = integerShape[of.name];
  const max = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
  const min = signed ? -max - 1n : 0n;
  if (member === "max") return { value: max, type: of };
  if (member === "min" || member === "lowest") return { value: min, type: of };
  if (member === "digits") return { value: BigInt(signed ? bits - 1 : bits), type: intType };
  return flag(member, { is_signed: signed, is_integer: true, has_infinity: false, is_specialized: true });
}

function flag(member: string, flags: Readonly<Record<string, boolean>>): { readonly value: Constant; readonly type: Type } | undefined {
  const value = flags[member];
  return value === undefined ? undefined : { value, type: boolType };
}
