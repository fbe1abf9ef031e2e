/** How records lie in memory: the Itanium C++ ABI, which nvcc follows on both sides. */
import type { VariableDeclaration } from "../../syntax/ast.ts";
import { integerShape } from "./arithmetic-types.ts";
import type { Context } from "./context.ts";
import type { Field, Layout } from "./layouts.ts";
import { lastName } from "./scope.ts";
import { isInteger, recordType, underlying } from "./type-tools.ts";
import type { RecordInstance, Type } from "./types.ts";

const roundUp = (value: number, align: number): number => Math.ceil(value / align) * align;

const scalarSizes = { half: 2, bfloat16: 2, float: 4, double: 8 } as const;

/** Bytes an object of the type takes; undefined when not known (or `void`, a function, an array of unknown or impossible length). */
export function sizeOf(context: Context, type: Type): number | undefined {
  switch (type.kind) {
    case "integer":
      return Math.max(1, integerShape[type.name].bits / 8);
    case "enum": {
      const kept = underlying(type);
      return isInteger(kept) ? Math.max(1, integerShape[kept.name].bits / 8) : undefined;
    }
    case "floating":
      return scalarSizes[type.name];
    case "pointer":
      return 8;
    case "reference":
      return sizeOf(context, type.to);
    case "array": {
      const element = sizeOf(context, type.of);
      const bytes = element === undefined || type.size === undefined ? undefined : element * type.size;
      // Beyond that no compiler has a size either.
      return bytes !== undefined && bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined;
    }
    case "record":
      return context.layout(type.record)?.size;
    case "lambda":
      return context.captures(type.lambda, type.substitution)?.size;
    case "void":
    case "function":
      return undefined;
  }
}

export function alignOf(context: Context, type: Type): number | undefined {
  if (type.kind === "array") return alignOf(context, type.of);
  if (type.kind === "reference") return alignOf(context, type.to);
  if (type.kind === "record") return context.layout(type.record)?.align;
  if (type.kind === "lambda") return context.captures(type.lambda, type.substitution)?.align;
  return sizeOf(context, type);
}

/** The layout of an instance; undefined while a member's type is not known. */
export function layoutOf(context: Context, record: RecordInstance): Layout | undefined {
  const { declaration, substitution } = record;
  if (!declaration.members) return undefined;
  const union = declaration.tag === "union";
  const fields: Field[] = [];
  const bases: { record: RecordInstance; offset: number }[] = [];
  let size = 0;
  let align = 1;
  /** The end of the last bit-field, in bits from the start; undefined after anything else. */
  let bitEnd: number | undefined;
  const polymorphic = isPolymorphic(context, record);
  for (const base of declaration.bases) {
    const type = context.typeFrom(base.type, substitution);
    const layout = type?.kind === "record" ? context.layout(type.record) : undefined;
    if (type?.kind !== "record" || !layout) return undefined;
    const empty = layout.fields.length === 0 && layout.bases.length === 0 && !layout.polymorphic;
    const offset = empty ? 0 : roundUp(size, layout.align);
    bases.push({ record: type.record, offset });
    if (!empty) size = offset + layout.size;
    align = Math.max(align, layout.align);
  }
  if (polymorphic && !bases.some((base) => context.layout(base.record)?.polymorphic)) {
    for (const base of bases) base.offset += 8;
    size = size === 0 ? 8 : size + 8;
    align = Math.max(align, 8);
  }
  const place = (name: string, type: Type, extra: number, variable?: VariableDeclaration): boolean => {
    const bytes = type.kind === "reference" ? 8 : type.kind === "array" && type.size === undefined ? 0 : context.sizeOf(type);
    const natural = type.kind === "reference" ? 8 : context.alignOf(type);
    if (bytes === undefined || natural === undefined) return false;
    const fieldAlign = Math.max(natural, extra);
    const offset = union ? 0 : roundUp(size, fieldAlign);
    fields.push(variable ? { name, type, offset, declaration: variable } : { name, type, offset });
    size = union ? Math.max(size, bytes) : offset + bytes;
    align = Math.max(align, fieldAlign);
    bitEnd = undefined;
    return true;
  };
  const placeBits = (variable: VariableDeclaration, type: Type, width: number): boolean => {
    const unit = context.sizeOf(type);
    if (unit === undefined) return false;
    const start = bitEnd ?? size * 8;
    if (width === 0) {
      size = roundUp(Math.ceil(start / 8), unit);
      bitEnd = undefined;
      return true;
    }
    let bit = union ? 0 : start;
    if (Math.floor(bit / (unit * 8)) !== Math.floor((bit + width - 1) / (unit * 8))) bit = roundUp(bit, unit * 8);
    const offset = Math.floor(bit / (unit * 8)) * unit;
    fields.push({ name: lastName(variable.name), type, offset, bits: { bit: bit - offset * 8, width }, declaration: variable });
    bitEnd = union ? undefined : bit + width;
    size = Math.max(size, Math.ceil((bit + width) / 8));
    align = Math.max(align, unit);
    return true;
  };
  for (const member of declaration.members) {
    if (member.kind === "record" && !member.name && member.members && !isNamedBy(declaration.members, member)) {
      const inner = context.instantiate(member, [], substitution);
      if (!inner || !place("", recordType(inner), 1)) return undefined;
    } else if (member.kind === "variable" && !member.specifiers.static && !member.specifiers.typedef && !member.templateParameters) {
      const type = context.typeFrom(member.type, substitution);
      if (!type) return undefined;
      const width = member.bitWidth && context.constant(member.bitWidth, substitution);
      const extra = member.specifiers.align ? Number(context.constant(member.specifiers.align, substitution) ?? 1) : 1;
      if (!(width === undefined ? place(lastName(member.name), type, extra, member) : placeBits(member, type, Number(width))))
        return undefined;
    }
  }
  const asked = declaration.specifiers.align && context.constant(declaration.specifiers.align, substitution);
  if (asked !== undefined) align = Math.max(align, Number(asked));
  return { size: Math.max(1, roundUp(size, align)), align, bases, fields, union, polymorphic };
}

/** Whether an unnamed record is the type of a named member beside it: `struct {...} position;`. */
function isNamedBy(members: readonly { readonly kind: string }[], record: object): boolean {
  return members.some(
    (each) =>
      each.kind === "variable" &&
      (each as VariableDeclaration).type.kind === "inline" &&
      (each as VariableDeclaration & { type: { declaration: object } }).type.declaration === record,
  );
}

function isPolymorphic(context: Context, record: RecordInstance): boolean {
  if (record.declaration.members?.some((each) => each.kind === "function" && each.specifiers.virtual)) return true;
  return record.declaration.bases.some((base) => {
    const type = context.typeFrom(base.type, record.substitution);
    return type?.kind === "record" && type.record !== record && (context.layout(type.record)?.polymorphic ?? false);
  });
}

/** A named field, looked for in bases and anonymous members too; its offset from the record's start. */
export function findField(context: Context, record: RecordInstance, name: string): Field | undefined {
  const layout = context.layout(record);
  if (!layout || name === "") return undefined;
  for (const field of layout.fields) {
    if (field.name === name) return field;
    if (field.name === "" && field.type.kind === "record") {
      const inner = findField(context, field.type.record, name);
      if (inner) return { ...inner, offset: field.offset + inner.offset };
    }
  }
  for (const base of layout.bases) {
    const inner = findField(context, base.record, name);
    if (inner) return { ...inner, offset: base.offset + inner.offset };
  }
  return undefined;
}

/** Where a base lies in a record, in bytes; undefined when it is none. The record itself lies at 0. */
export function baseOffset(context: Context, record: RecordInstance, base: RecordInstance): number | undefined {
  if (record === base) return 0;
  for (const each of context.layout(record)?.bases ?? []) {
    const inner = baseOffset(context, each.record, base);
    if (inner !== undefined) return each.offset + inner;
  }
  return undefined;
}
