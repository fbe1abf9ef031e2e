/** Members in order: aggregates, default member initialisers, what a constructor does before its body. */
import type { Expression, FunctionDeclaration, Node } from "../../syntax/ast.ts";
import { constructorsOf } from "../sema/conversions.ts";
import type { Field } from "../sema/layouts.ts";
import { lastName } from "../sema/scope.ts";
import { isClass, pointerTo, recordType } from "../sema/type-tools.ts";
import type { RecordInstance } from "../sema/types.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { element, part, store } from "./emit/memory.ts";

/** Members in the order they are declared, bases first. */
export function aggregate(
  lowering: Lowering,
  place: Place,
  record: RecordInstance,
  given: readonly { readonly designator?: string; readonly value: Expression }[],
  node: Node,
): void {
  const layout = lowering.context.layout(record) ?? lowering.fail(`the layout of ${record.name} is not known`, node);
  const remaining = [...given];
  for (const base of layout.bases) {
    const first = remaining.shift();
    const at = part(lowering, place, base.offset, recordType(base.record), node);
    if (first) lowering.initialise(at, first.value);
    else lowering.defaultInitialise(at, node);
  }
  for (const field of layout.fields) {
    const named = remaining.findIndex((each) => each.designator === field.name);
    const designated = remaining.some((each) => each.designator !== undefined);
    const [value] = designated ? (named >= 0 ? remaining.splice(named, 1) : []) : fieldTakes(lowering, field, remaining);
    initialiseField(lowering, place, field, value?.value, node, true);
    if (layout.union) break;
  }
}

/** Braces may be left out around a member that is an array: it takes as many values as it has elements. */
function fieldTakes(
  lowering: Lowering,
  field: Field,
  remaining: { readonly designator?: string; readonly value: Expression }[],
): { readonly value: Expression }[] {
  const [first] = remaining;
  if (!first) return [];
  if (
    field.type.kind !== "array" ||
    first.value.kind === "list" ||
    first.value.kind === "string" ||
    lowering.tryTypeOf(first.value)?.kind === "array"
  )
    return remaining.splice(0, 1);
  const taken = remaining.splice(0, field.type.size ?? 1);
  return [{ value: { kind: "list", elements: taken, start: first.value.start, end: first.value.end } }];
}

function initialiseField(lowering: Lowering, object: Place, field: Field, value: Expression | undefined, node: Node, zero: boolean): void {
  if (field.type.kind === "reference") {
    if (value) store(lowering, part(lowering, object, field.offset, pointerTo(field.type.to), value), lowering.place(value).pointer);
    return;
  }
  const at: Place = { ...part(lowering, object, field.offset, field.type, value ?? node), ...(field.bits ? { bits: field.bits } : {}) };
  if (value) {
    lowering.initialise(at, value);
    return;
  }
  const init = field.declaration?.init;
  const owner = field.declaration && lowering.context.scopes.records.get(field.declaration);
  if (init && object.type.kind === "record") {
    // A default member initialiser is read where the member is declared.
    const outer = lowering.frame;
    const record = (owner && lowering.context.currentRecord(owner, object.type.record.substitution)) ?? object.type.record;
    lowering.frame = { ...outer, substitution: record.substitution, self: object };
    const [first] = init.values;
    if (init.style === "copy" && first) lowering.initialise(at, first);
    else lowering.construct(at, init.values, node);
    lowering.frame = outer;
    return;
  }
  if (zero) lowering.construct(at, [], node);
  else lowering.defaultInitialise(at, node);
}

/** Records hold the same records again and again. */
const defaults = new WeakMap<RecordInstance, boolean>();

export function hasDefaults(lowering: Lowering, record: RecordInstance): boolean {
  const known = defaults.get(record);
  if (known !== undefined) return known;
  const { context } = lowering;
  const isMade = (inner: RecordInstance): boolean => hasDefaults(lowering, inner) || constructorsOf(context, inner).entities.length > 0;
  const layout = context.layout(record);
  const has =
    layout !== undefined &&
    (layout.fields.some(({ declaration, type }) => declaration?.init !== undefined || (type.kind === "record" && isMade(type.record))) ||
      layout.bases.some((base) => isMade(base.record)));
  defaults.set(record, has);
  return has;
}

/** `T x;`: constructors run, default member initialisers apply, all else stays as it is. */
export function defaultInitialise(lowering: Lowering, place: Place, node: Node): void {
  const { type } = place;
  if (type.kind === "array" && isClass(type.of)) {
    if (type.of.kind === "record" && !needsConstruction(lowering, type.of.record)) return;
    for (let index = 0; index < (type.size ?? 0); index++) defaultInitialise(lowering, element(lowering, place, index, type.of), node);
    return;
  }
  if (type.kind !== "record" || !needsConstruction(lowering, type.record)) return;
  const { context, frame } = lowering;
  const constructors = constructorsOf(context, type.record);
  const own = constructors.entities.filter((each) => each.kind === "function" && !each.declaration.defaulted && !each.declaration.deleted);
  const resolved = own.length > 0 ? context.overload({ entities: own, record: type.record }, undefined, [], frame.substitution) : undefined;
  if (resolved) {
    if (resolved.function.body) lowering.invoke(resolved, [], place, node);
    return;
  }
  for (const base of context.layout(type.record)?.bases ?? [])
    defaultInitialise(lowering, part(lowering, place, base.offset, recordType(base.record), node), node);
  for (const field of context.layout(type.record)?.fields ?? []) initialiseField(lowering, place, field, undefined, node, false);
}

function needsConstruction(lowering: Lowering, record: RecordInstance): boolean {
  return (
    hasDefaults(lowering, record) ||
    constructorsOf(lowering.context, record).entities.some((each) => each.kind === "function" && each.declaration.body)
  );
}

/** What a constructor does before its body: bases, then members, by its initialisers or their defaults. */
export function runInitialisers(lowering: Lowering, declaration: FunctionDeclaration, object: Place): void {
  const { context, frame } = lowering;
  if (object.type.kind !== "record") return;
  const { record } = object.type;
  const layout = context.layout(record) ?? lowering.fail(`the layout of ${record.name} is not known`, declaration);
  const initialisers = declaration.initialisers ?? [];
  const delegated = initialisers.find((each) => lastName(each.name) === lastName(record.declaration.name));
  if (delegated) {
    lowering.construct(object, delegated.values, delegated.name);
    return;
  }
  for (const base of layout.bases) {
    const given = initialisers.find((each) => {
      const named = context.namedType(each.name, frame.substitution);
      return named?.kind === "record" && named.record === base.record;
    });
    const at = part(lowering, object, base.offset, recordType(base.record), given?.name ?? declaration.nameSpan);
    if (given) lowering.construct(at, given.values, given.name);
    else defaultInitialise(lowering, at, declaration.nameSpan);
  }
  for (const field of layout.fields) {
    const given = initialisers.find((each) => lastName(each.name) === field.name && field.name !== "");
    if (!given) {
      initialiseField(lowering, object, field, undefined, declaration.nameSpan, false);
      continue;
    }
    if (field.type.kind === "reference") {
      const [value] = given.values;
      if (value) initialiseField(lowering, object, field, value, given.name, false);
      continue;
    }
    const at: Place = { ...part(lowering, object, field.offset, field.type, given.name), ...(field.bits ? { bits: field.bits } : {}) };
    lowering.construct(at, given.values, given.name);
  }
  for (const each of initialisers) {
    // A member of an anonymous union.
    if (
      layout.fields.some((field) => field.name === lastName(each.name)) ||
      layout.bases.some((base) => lastName(base.record.declaration.name) === lastName(each.name))
    )
      continue;
    for (const field of layout.fields) {
      if (field.name !== "" || field.type.kind !== "record") continue;
      const inner = context.layout(field.type.record)?.fields.find((member) => member.name === lastName(each.name));
      if (inner) lowering.construct(part(lowering, object, field.offset + inner.offset, inner.type, each.name), each.values, each.name);
    }
  }
}
