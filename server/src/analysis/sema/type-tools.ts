/** Making, naming and comparing types, and the conversions of arithmetic. */
import type { Expression, RecordDeclaration } from "../../syntax/ast.ts";
import { commonName, integerShape, isFloatName, promotedName } from "./arithmetic-types.ts";
import type { FloatName, IntegerName, RecordInstance, Substitution, TemplateValue, Type } from "./types.ts";

export const emptySubstitution: Substitution = { values: new Map() };

const memo = <K extends string>(make: (name: K) => Type): ((name: K) => Type) => {
  const known = new Map<K, Type>();
  return (name) => {
    let type = known.get(name);
    if (!type) known.set(name, (type = make(name)));
    return type;
  };
};

export const voidType: Type = { kind: "void" };
export const integerType: (name: IntegerName) => Type = memo((name) => ({ kind: "integer", name }));
export const floatType: (name: FloatName) => Type = memo((name) => ({ kind: "floating", name }));
export const boolType: Type = integerType("bool");
export const intType: Type = integerType("int");
export const sizeType: Type = integerType("ulong");
export const pointerTo = (to: Type): Type => ({ kind: "pointer", to });
export const referenceTo = (to: Type, rvalue = false): Type =>
  to.kind === "reference" ? (rvalue ? to : { kind: "reference", to: to.to, rvalue: false }) : { kind: "reference", to, rvalue };
export const arrayOf = (of: Type, size: number | undefined): Type => ({ kind: "array", of, size });
export const recordType = (record: RecordInstance): Type => ({ kind: "record", record });

/** The type without its own `const` and `volatile` (those of what it points to stay). */
export function unqualified(type: Type): Type {
  if (type.const === undefined && type.volatile === undefined) return type;
  const { const: _const, volatile: _volatile, ...rest } = type;
  return rest;
}

/** Adds qualifiers; on an array they hold for the elements. */
export function qualified(type: Type, add: { readonly const?: boolean | undefined; readonly volatile?: boolean | undefined }): Type {
  if (!add.const && !add.volatile) return type;
  if (type.kind === "array") return { ...type, of: qualified(type.of, add) };
  if (type.kind === "reference" || type.kind === "function") return type;
  return { ...type, ...(add.const ? { const: true } : {}), ...(add.volatile ? { volatile: true } : {}) };
}

export const referred = (type: Type): Type => (type.kind === "reference" ? type.to : type);

/** Array to pointer; qualifiers of a value dropped. */
export function decay(type: Type): Type {
  const plain = referred(type);
  return plain.kind === "array" ? pointerTo(plain.of) : unqualified(plain);
}

export const isInteger = (type: Type): type is Type & { kind: "integer" } => type.kind === "integer";
export const isFloating = (type: Type): type is Type & { kind: "floating" } => type.kind === "floating";
/** Integers, unscoped enumerations and floating types: what arithmetic takes without a user's operator. */
export const isArithmetic = (type: Type): boolean =>
  isInteger(type) || isFloating(type) || (type.kind === "enum" && !type.declaration.scoped);
export const isClass = (type: Type): boolean => type.kind === "record" || type.kind === "lambda";

/** An enumeration as the integer it is kept in. */
export const underlying = (type: Type): Type => (type.kind === "enum" ? integerType(type.underlying) : unqualified(type));

/** Integral promotion: what is narrower than `int` becomes `int`. */
export function promote(type: Type): Type {
  const plain = underlying(type);
  return isInteger(plain) ? integerType(promotedName(plain.name)) : plain;
}

/** The usual arithmetic conversions; undefined unless both are arithmetic. */
export function usualArithmetic(a: Type, b: Type): Type | undefined {
  if (!isArithmetic(a) || !isArithmetic(b)) return undefined;
  const [left, right] = [underlying(a), underlying(b)];
  if (!(isInteger(left) || isFloating(left)) || !(isInteger(right) || isFloating(right))) return undefined;
  const name = commonName(left.name, right.name);
  return isFloatName(name) ? floatType(name) : integerType(name);
}

const spelled: Readonly<Record<IntegerName, string>> = {
  bool: "bool",
  char: "char",
  schar: "signed char",
  uchar: "unsigned char",
  short: "short",
  ushort: "unsigned short",
  int: "int",
  uint: "unsigned int",
  long: "long",
  ulong: "unsigned long",
  longlong: "long long",
  ulonglong: "unsigned long long",
};
const spelledFloat: Readonly<Record<FloatName, string>> = { float: "float", double: "double", half: "__half", bfloat16: "__nv_bfloat16" };

/** C++'s spelling, as a message shows it. */
export function typeName(type: Type): string {
  const words = `${type.const ? "const " : ""}${type.volatile ? "volatile " : ""}`;
  switch (type.kind) {
    case "void":
      return `${words}void`;
    case "integer":
      return words + spelled[type.name];
    case "floating":
      return words + spelledFloat[type.name];
    case "pointer":
      return `${typeName(type.to)}*${type.const ? " const" : ""}${type.restrict ? " __restrict__" : ""}`;
    case "reference":
      return `${typeName(type.to)}${type.rvalue ? "&&" : "&"}`;
    case "array":
      return `${typeName(type.of)}[${type.size ?? ""}]`;
    case "record":
      return words + type.record.name;
    case "enum":
      return words + (type.declaration.name?.parts.map((part) => part.text).join("::") ?? "enum");
    case "function":
      return type.declarations[0]?.name.parts.at(-1)?.text ?? "function";
    case "lambda":
      return "lambda";
  }
}

/** A template argument as it is told: `?` where it is not known. */
export const templateText = (value: TemplateValue | undefined): string => (value === undefined ? "?" : valueName(value));

/** A template argument as a message shows it. */
export function valueName(value: TemplateValue | readonly TemplateValue[]): string {
  if (isPack(value)) return value.map(valueName).join(", ");
  if (typeof value !== "object") return String(value);
  return isTypeValue(value) ? typeName(value) : (value.name?.parts.at(-1)?.text ?? "template");
}

export const isPack = (value: TemplateValue | readonly TemplateValue[]): value is readonly TemplateValue[] => Array.isArray(value);
/** `kind: "record"` is both a declaration's and a type's; only the type holds an instance. */
export const isTypeValue = (value: TemplateValue | readonly TemplateValue[]): value is Type =>
  typeof value === "object" && !isPack(value) && !("members" in value) && !("tag" in value);
export const isTemplateName = (value: TemplateValue | readonly TemplateValue[]): value is RecordDeclaration =>
  typeof value === "object" && !isPack(value) && "tag" in value;

const ids = new WeakMap<object, number>();
let nextId = 1;
/** A number of its own for each object: for keys. */
export function identity(object: object): number {
  let id = ids.get(object);
  if (id === undefined) ids.set(object, (id = nextId++));
  return id;
}

/** Equal for equal types and only for those: records and lambdas by identity. */
export function typeKey(type: Type): string {
  const words = `${type.const ? "c" : ""}${type.volatile ? "v" : ""}`;
  switch (type.kind) {
    case "void":
      return `${words}void`;
    case "integer":
    case "floating":
      return words + type.name;
    case "pointer":
      return `${words}*${typeKey(type.to)}`;
    case "reference":
      return `${type.rvalue ? "&&" : "&"}${typeKey(type.to)}`;
    case "array":
      return `[${type.size ?? ""}]${typeKey(type.of)}`;
    case "record":
      return `${words}#${identity(type.record)}`;
    case "enum":
      return `${words}#${identity(type.declaration)}`;
    case "function":
      return `f${type.declarations.map(identity).join(",")}${type.explicit ? `<${identity(type.explicit.arguments)}.${type.explicit.substitution ? identity(type.explicit.substitution) : 0}>` : ""}${type.record ? `.${identity(type.record)}` : ""}`;
    case "lambda":
      return `${words}l${identity(type.lambda)}.${identity(type.substitution)}`;
  }
}

export function valueKey(value: TemplateValue | readonly TemplateValue[]): string {
  if (isPack(value)) return `(${value.map(valueKey).join(",")})`;
  if (typeof value === "boolean") return value ? "1n" : "0n";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return String(value);
  return isTypeValue(value) ? typeKey(value) : `t${identity(value)}`;
}

export const sameType = (a: Type, b: Type): boolean => a === b || typeKey(a) === typeKey(b);
/** Same but for `const` and `volatile` on top. */
export const sameUnqualified = (a: Type, b: Type): boolean => sameType(unqualified(a), unqualified(b));

/** The value a template parameter has: the innermost of that name. */
export function substituted(name: string, substitution: Substitution | undefined): TemplateValue | readonly TemplateValue[] | undefined {
  for (let at = substitution; at; at = at.outer) {
    const value = at.values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The type of a literal without a suffix or with one: the first that holds the value. */
export function literalType(literal: Expression & { kind: "integer" }): Type {
  const { value, suffix, text } = literal;
  const unsigned = suffix.includes("u");
  const decimal = !text.startsWith("0") || text === "0";
  const long = suffix.replaceAll("u", "");
  const candidates: IntegerName[] =
    long === "" || long === "z"
      ? long === "z"
        ? ["long", "ulong"]
        : ["int", "uint", "long", "ulong"]
      : long === "l"
        ? ["long", "ulong"]
        : ["longlong", "ulonglong"];
  for (const name of candidates) {
    const { bits, signed } = integerShape[name];
    if (unsigned && signed) continue;
    if (!unsigned && !signed && decimal) continue;
    if (value < 1n << BigInt(signed ? bits - 1 : bits)) return integerType(name);
  }
  return integerType("ulonglong");
}
