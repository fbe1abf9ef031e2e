/** Implicit conversions: whether one type becomes another, and at what rank. */
import type { FunctionDeclaration } from "../../syntax/ast.ts";
import type { Context, Found, Info, Resolved } from "./context.ts";
import { deduceType } from "./deduce.ts";
import { baseOffset } from "./layout.ts";
import { lastName } from "./scope.ts";
import { decay, isArithmetic, isFloating, isInteger, promote, referred, sameType, sameUnqualified, unqualified } from "./type-tools.ts";
import type { RecordInstance, Substitution, TemplateValue, Type } from "./types.ts";

/** Exact 0, a qualification or a `const&` binding below 1, a promotion 1, a conversion 2, to a base 3, a user's 4; undefined: none. */
export function conversionRank(context: Context, from: Info, to: Type, nullConstant = false, user = true): number | undefined {
  if (to.kind === "reference") return referenceRank(context, from, to, user);
  return valueRank(context, decay(from.type), unqualified(to), nullConstant, user);
}

function referenceRank(context: Context, from: Info, to: Type & { kind: "reference" }, user: boolean): number | undefined {
  const target = to.to;
  const direct = bindRank(context, from.type, target);
  if (to.rvalue) {
    if (from.lvalue && from.type.kind !== "function")
      return direct === undefined && !sameUnqualified(from.type, target)
        ? valueRank(context, decay(from.type), unqualified(target), false, user)
        : undefined;
    return direct ?? valueRank(context, decay(from.type), unqualified(target), false, user);
  }
  if (!target.const) {
    if (!from.lvalue || (from.type.const && !target.const)) return undefined;
    return direct;
  }
  if (direct !== undefined) return direct + (from.type.const && from.lvalue ? 0 : 0.1);
  const converted = valueRank(context, decay(from.type), unqualified(target), false, user);
  return converted === undefined ? undefined : converted + 0.1;
}

/** Binding without a conversion: the same type, or a base of it. */
function bindRank(context: Context, from: Type, to: Type): number | undefined {
  if (sameUnqualified(from, to)) return 0;
  if (from.kind === "array" && to.kind === "array" && (to.size === undefined || to.size === from.size))
    return bindRank(context, from.of, to.of);
  if (from.kind === "record" && to.kind === "record" && baseOffset(context, from.record, to.record) !== undefined) return 3;
  return undefined;
}

function valueRank(context: Context, from: Type, to: Type, nullConstant: boolean, user: boolean): number | undefined {
  if (sameType(from, to)) return 0;
  if (isArithmetic(from) || from.kind === "enum") {
    if (isArithmetic(to)) {
      if (to.kind === "enum" || (from.kind === "enum" && from.declaration.scoped)) return undefined;
      if (sameType(promote(from), to) || (isFloating(from) && isFloating(to) && from.name === "float" && to.name === "double")) return 1;
      // Between integers rather than to floating, where both would do.
      return isInteger(from) && isFloating(to) ? 2.1 : 2;
    }
    if (to.kind === "pointer") return nullConstant ? 2 : undefined;
  }
  if (from.kind === "pointer") {
    if (to.kind === "integer") return to.name === "bool" ? 2.5 : undefined;
    if (to.kind === "pointer") return nullConstant ? 2 : pointerRank(context, from.to, to.to);
  }
  if (from.kind === "function") return to.kind === "pointer" || to.kind === "function" ? 0 : undefined;
  if (from.kind === "lambda") return to.kind === "lambda" && to.lambda === from.lambda ? 0 : to.kind === "pointer" ? 2 : undefined;
  if (from.kind === "record" && to.kind === "record" && baseOffset(context, from.record, to.record) !== undefined)
    return from.record === to.record ? 0 : 3;
  if (!user) return undefined;
  if (to.kind === "record" && constructsFrom(context, from, to.record)) return 4;
  if (from.kind === "record" && conversionFunction(context, from.record, to)) return 4;
  return undefined;
}

function pointerRank(context: Context, from: Type, to: Type): number | undefined {
  if (from.const && !to.const) return undefined;
  if (sameType(from, to)) return 0;
  if (sameUnqualified(from, to)) return 0.5;
  if (to.kind === "void") return 2;
  if (from.kind === "array" && to.kind === "array" && (to.size === undefined || to.size === from.size))
    return pointerRank(context, from.of, to.of);
  if (from.kind === "pointer" && to.kind === "pointer") return pointerRank(context, from.to, to.to);
  if (from.kind === "record" && to.kind === "record" && baseOffset(context, from.record, to.record) !== undefined) return 2;
  return undefined;
}

/** A record's constructors, for overload resolution. */
export function constructorsOf(context: Context, record: RecordInstance): Found {
  const scope = context.scopes.scopeOf.get(record.declaration);
  const entities = scope
    ? context.scopes
        .own(scope, lastName(record.declaration.name))
        .filter((each) => each.kind === "function" && each.declaration.role === "constructor")
    : [];
  return { entities, record };
}

function constructsFrom(context: Context, from: Type, record: RecordInstance): boolean {
  return constructorsOf(context, record).entities.some((each) => {
    if (each.kind !== "function" || each.declaration.specifiers.explicit || each.declaration.deleted) return false;
    const [first, ...rest] = each.declaration.parameters;
    if (!first || rest.some((parameter) => !parameter.default)) return false;
    if (each.declaration.templateParameters) return true;
    const type = context.typeFrom(first.type, record.substitution);
    return type !== undefined && conversionRank(context, { type: from, lvalue: false }, type, false, false) !== undefined;
  });
}

/** A conversion function of a record, and what it gives. */
export interface ConversionFunction {
  readonly resolved: Resolved;
  /** Never a reference. */
  readonly type: Type;
}

/** The conversion function that gives a type, or what converts to it; `undefined` for `to`: any arithmetic type. Bases' too. */
export function conversionFunction(context: Context, record: RecordInstance, to: Type | undefined): ConversionFunction | undefined {
  const scope = context.scopes.scopeOf.get(record.declaration);
  let best: { found: ConversionFunction; rank: number } | undefined;
  for (const entities of scope?.names.values() ?? []) {
    for (const entity of entities) {
      if (entity.kind !== "function" || entity.declaration.role !== "conversion") continue;
      const substitution = conversionSubstitution(context, entity.declaration, record, to);
      const result = substitution && context.resultType(entity.declaration, substitution);
      if (!result || !substitution) continue;
      const type = referred(result);
      const rank = to
        ? conversionRank(context, { type, lvalue: result.kind === "reference" }, to, false, false)
        : isArithmetic(type)
          ? 0
          : undefined;
      if (rank === undefined || (best && rank >= best.rank)) continue;
      best = { found: { resolved: { function: entity.declaration, substitution, record }, type }, rank };
    }
  }
  if (best) return best.found;
  for (const base of record.declaration.bases) {
    const type = context.typeFrom(base.type, record.substitution);
    const found = type?.kind === "record" && type.record !== record ? conversionFunction(context, type.record, to) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** `template <class U> operator U() const`: U is what is wanted. */
function conversionSubstitution(
  context: Context,
  declaration: FunctionDeclaration,
  record: RecordInstance,
  to: Type | undefined,
): Substitution | undefined {
  const parameters = declaration.templateParameters;
  if (!parameters) return record.substitution;
  if (!to) return undefined;
  const bound = new Map<string, TemplateValue | readonly TemplateValue[]>();
  const names = new Set(parameters.flatMap((each) => (each.name ? [each.name] : [])));
  if (
    !deduceType({ context, names, bound, outer: record.substitution }, declaration.result, unqualified(referred(to))) ||
    bound.size < names.size
  )
    return undefined;
  return { values: bound, outer: record.substitution };
}
