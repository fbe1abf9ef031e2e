/** Objects in constant expressions: what constructors and lists make of a class's members. */
import type { Expression, VariableDeclaration } from "../../syntax/ast.ts";
import { bindArguments, execute } from "./constant-calls.ts";
import { type Cell, convertConstant, copied, notConstant, ObjectValue, type Run, spend, type Value } from "./constant-run.ts";
import type { Resolved } from "./context.ts";
import { constructorsOf } from "./conversions.ts";
import { argumentsOf } from "./expressions.ts";
import type { Field } from "./layouts.ts";
import { lastName } from "./scope.ts";
import { isFloating, isInteger, underlying } from "./type-tools.ts";
import type { RecordInstance, Type } from "./types.ts";

type Element = (Expression & { kind: "list" })["elements"][number];

/** Elements that are taken one after the other: braces may be left out around what takes several. */
interface Cursor {
  readonly elements: readonly Element[];
  at: number;
}

/** What a type makes of an initialiser: `= e`, `{...}` or `(...)`; without one, what it is by itself. */
export function initialised(run: Run, type: Type | undefined, init: VariableDeclaration["init"]): Value {
  const [first] = init?.values ?? [];
  const elements = (init?.values ?? []).map((value) => ({ value }));
  if (type?.kind === "record" && init?.style !== "copy") return made(run, type.record, elements, init?.style === "list");
  if (type?.kind === "array" && init?.style === "list") return filled(run, type, { elements, at: 0 });
  if (elements.length > 1) throw notConstant;
  return first ? valueAs(run, type, first) : zeroOf(run, type);
}

/** The value of an expression, which may be a list, as a type keeps it. */
export function valueAs(run: Run, type: Type | undefined, expression: Expression): Value {
  if (expression.kind === "list" && !expression.type) {
    if (type?.kind === "record") return made(run, type.record, expression.elements, true);
    if (type?.kind === "array") return filled(run, type, { elements: expression.elements, at: 0 });
    const [only, ...more] = expression.elements;
    if (more.length > 0) throw notConstant;
    return only ? valueAs(run, type, only.value) : zeroOf(run, type);
  }
  const value = copied(run.evaluate(run, expression));
  if (type?.kind === "record") return value instanceof ObjectValue ? value : made(run, type.record, [{ value: expression }], false);
  if (type?.kind === "array") return value;
  return convertConstant(value instanceof ObjectValue ? run.scalar(run, expression) : scalarIn(value), type);
}

function scalarIn(value: Value): bigint | number | boolean {
  if (value === undefined || typeof value === "object") throw notConstant;
  return value;
}

/** `T(a, b)` and `T{a, b}`: by a constructor, or member by member. */
export function made(run: Run, record: RecordInstance, elements: readonly Element[], isList: boolean): ObjectValue {
  spend(run);
  const { context } = run;
  const values = elements.map((each) => each.value);
  const found = constructorsOf(context, record);
  const own = found.entities.filter((each) => each.kind === "function" && !each.declaration.defaulted && !each.declaration.deleted);
  const [only] = values;
  if (only && values.length === 1 && isSame(run, record, only)) {
    const value = copied(run.evaluate(run, only));
    if (value instanceof ObjectValue) return value;
  }
  if (own.length === 0) return aggregate(run, record, { elements, at: 0 });
  const resolved = context.overload(
    { ...found, entities: own },
    undefined,
    argumentsOf(context, values, run.substitution),
    run.substitution,
  );
  if (resolved?.function.body)
    return constructed(
      run,
      resolved,
      record,
      values.map((each) => run.evaluate(run, each)),
    );
  if (isList || values.length > 0) throw notConstant;
  return aggregate(run, record, { elements: [], at: 0 });
}

function isSame(run: Run, record: RecordInstance, expression: Expression): boolean {
  const type = run.context.info(expression, run.substitution)?.type;
  return type?.kind === "record" && type.record === record;
}

/** Members in the order that they are declared in, and what is not given by their own initialisers. */
function aggregate(run: Run, record: RecordInstance, cursor: Cursor): ObjectValue {
  const object = new ObjectValue(record, new Map());
  const layout = run.context.layout(record);
  if (!layout || layout.union) throw notConstant;
  const named = new Map(cursor.elements.flatMap((each) => (each.designator === undefined ? [] : [[each.designator, each.value] as const])));
  for (const base of layout.bases) adopt(object, next(run, { kind: "record", record: base.record }, cursor));
  for (const field of layout.fields) {
    if (field.name === "") throw notConstant;
    const given = named.get(field.name);
    const value = given
      ? valueAs(run, field.type, given)
      : named.size === 0 && cursor.at < cursor.elements.length
        ? next(run, field.type, cursor)
        : byItself(run, object, field);
    object.members.set(field.name, { value });
  }
  return object;
}

/** What the next element gives, or the next ones where braces are left out. */
function next(run: Run, type: Type, cursor: Cursor): Value {
  const element = cursor.elements[cursor.at];
  if (!element) return zeroOf(run, type);
  const { value } = element;
  if (value.kind !== "list" && type.kind === "array" && value.kind !== "string") return filled(run, type, cursor);
  if (value.kind !== "list" && type.kind === "record" && !isSame(run, type.record, value) && isPlain(run, type.record))
    return aggregate(run, type.record, cursor);
  cursor.at++;
  return valueAs(run, type, value);
}

const isPlain = (run: Run, record: RecordInstance): boolean => constructorsOf(run.context, record).entities.length === 0;

function filled(run: Run, type: Type & { kind: "array" }, cursor: Cursor): Value[] {
  const values: Value[] = [];
  const size = type.size ?? cursor.elements.length;
  if (size > mostElements) throw notConstant;
  while (values.length < size) values.push(next(run, type.of, cursor));
  return values;
}

const mostElements = 4096;

/** What constructors do: bases and members by its initialisers or their own, then its body. */
function constructed(run: Run, resolved: Resolved, record: RecordInstance, args: readonly Value[]): ObjectValue {
  const { context } = run;
  const object = new ObjectValue(record, new Map());
  const inner: Run = { ...run, substitution: resolved.substitution, locals: new Map(), self: object };
  bindArguments(inner, resolved.function.parameters, args);
  const layout = context.layout(record);
  if (!layout || layout.union) throw notConstant;
  const given = new Map((resolved.function.initialisers ?? []).map((each) => [lastName(each.name), each]));
  const delegated = given.get(lastName(record.declaration.name));
  const initialiser = (name: string): VariableDeclaration["init"] => {
    const each = given.get(name);
    return each && { style: each.braced ? "list" : "direct", values: each.values };
  };
  if (delegated) adopt(object, initialised(inner, { kind: "record", record }, initialiser(lastName(record.declaration.name))));
  for (const base of delegated ? [] : layout.bases)
    adopt(object, initialised(inner, { kind: "record", record: base.record }, initialiser(lastName(base.record.template.name))));
  for (const field of delegated ? [] : layout.fields) {
    const init = initialiser(field.name);
    object.members.set(field.name, { value: init ? initialised(inner, field.type, init) : byItself(inner, object, field) });
  }
  if (resolved.function.body) execute(inner, resolved.function.body);
  return object;
}

/** A base's members are the object's own. */
function adopt(object: ObjectValue, base: Value): void {
  if (!(base instanceof ObjectValue)) throw notConstant;
  for (const [name, cell] of base.members) object.members.set(name, cell);
}

/** A member that nothing is said of: by the initialiser it is declared with, which may name members before it. */
function byItself(run: Run, object: ObjectValue, { type, declaration }: Field): Value {
  if (!declaration?.init) return zeroOf(run, type);
  return initialised({ ...run, substitution: object.record.substitution, locals: new Map(), self: object }, type, declaration.init);
}

function zeroOf(run: Run, type: Type | undefined): Value {
  if (type?.kind === "record") return made(run, type.record, [], false);
  if (type?.kind === "array") {
    if ((type.size ?? 0) > mostElements) throw notConstant;
    return Array.from({ length: type.size ?? 0 }, () => zeroOf(run, type.of));
  }
  if (type && !isInteger(underlying(type)) && !isFloating(type)) throw notConstant;
  return convertConstant(0n, type);
}

/** The object that a member is asked of, as far as it is known. */
export function objectAt(run: Run, expression: Expression): ObjectValue | undefined {
  const written = run.context.clarify(expression);
  if (written.kind === "this") return run.self;
  const value = run.evaluate(run, written);
  return value instanceof ObjectValue ? value : undefined;
}

export function memberCell(run: Run, expression: Expression & { kind: "member" }): Cell | undefined {
  return objectAt(run, expression.base)?.members.get(lastName(expression.name));
}
