/** What expressions name: variables, arrays, elements of arrays. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { sizeOf } from "../memory/read-write.ts";
import { memberClass } from "../memory/record-kinds.ts";
import { placeOf } from "../resolve/places.ts";
import { Allocation, Cell, type Place, type Value } from "../values/model.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { numberOf } from "../values/values.ts";
import { behindOperator } from "./accessors.ts";
import { conversion, type Known, type NumberName } from "./arithmetic.ts";
import { writeLoad, writeStore } from "./compiled/elements.ts";
import { writeConversion } from "./compiled/numbers.ts";
import { constantLine, type Line, lineAs, scaled, sum } from "./lines.ts";
import { indexOf, itemOf, listOf, recordColumns } from "./list-targets.ts";
import type { List } from "./lists.ts";
import {
  asDecision,
  type Code,
  type Compilable,
  compilable,
  type Elements,
  GivenUp,
  type Item,
  type Machine,
  type NumberList,
  newSlot,
  type Run,
  type Slot,
  spend,
  type Target,
  type Thing,
  Unsupported,
} from "./machine.ts";
import type { Nest } from "./nest.ts";
import { columnFor, declared, indexWithin, numberType } from "./numbers.ts";
import { snapshotOf } from "./snapshot.ts";
import { isWide, narrowed, reduced } from "./wide.ts";

export type { Code } from "./machine.ts";

/** What an expression designates. @throws Unsupported */
export function targetOf(machine: Machine, written: Expression, code: (e: Expression) => Code): Target {
  const found = designated(machine, withoutParentheses(written), code);
  return found.kind === "elements" && found.type.kind === "record" && machine.random ? recordAt(machine, found) : found;
}

function designated(machine: Machine, e: Expression, code: (e: Expression) => Code): Target {
  if (e.kind === "name" && e.name.parts.length === 1) {
    const own = declared(machine, lastName(e.name));
    if (own) return own;
  }
  const behind = behindOperator(machine, e);
  if (behind) return targetOf(machine, behind, code);
  if (e.kind === "subscript") {
    const [index] = e.indices;
    if (!index || e.indices.length > 1) throw new Unsupported();
    return elementOfAny(machine, e.base, index, code);
  }
  if (e.kind === "call" && e.callee.kind === "member") {
    const { base } = e.callee;
    const [index] = e.arguments;
    const name = lastName(e.callee.name);
    if (name === "at" && index) return elementOfAny(machine, base, index, code);
    if ((name === "back" || name === "front") && machine.random && !index) return endOf(machine, e);
  }
  if (e.kind === "member" && machine.random) {
    const member = memberOf(machine, e, code);
    if (member) return member;
  }
  if (e.kind === "unary" && e.op === "*") return arrayOf(machine, e.operand, code);
  const place = hostPlace(machine, e);
  if (place instanceof Cell) return place.value.kind === "record" ? recordIn(machine, place) : cellSlot(machine, place);
  if (place.offset === undefined || place.type === undefined) throw new Unsupported();
  const { allocation, offset, type } = place;
  return { kind: "elements", allocation, offset: fixed(offset), line: constantLine(offset), type };
}

/** `base[index]` */
function elementOfAny(machine: Machine, base: Expression, index: Expression, code: (e: Expression) => Code): Target {
  const list = machine.random && (listOf(machine, base, false) ?? arrayIn(machine, base, code));
  const at = asDecision(machine, () => code(index));
  return list ? itemOf(list, indexRun(at)) : elementAt(machine, arrayOf(machine, base, code), at);
}

/** An array that is a member of a record. */
function arrayIn(machine: Machine, written: Expression, code: (e: Expression) => Code): NumberList | undefined {
  const e = withoutParentheses(written);
  const array = e.kind === "member" ? memberOf(machine, e, code) : undefined;
  if (array?.kind !== "record") return undefined;
  const items = [...array.members].flatMap(([path, member]) => (member.kind === "item" && /^\d+$/.test(path) ? [member] : []));
  const [first] = items;
  if (!first || items.length !== array.members.size) throw new Unsupported();
  const { type, source } = first;
  const item = (index: number): Item => items[index] ?? first;
  const view: List = {
    length: items.length,
    read: (index) =>
      item(index)
        .list()
        .read(indexWithin(item(index).list(), item(index).at())),
    write: (index, value) =>
      item(index)
        .list()
        .write(indexWithin(item(index).list(), item(index).at()), value),
    resize: () => undefined,
    append: () => undefined,
  };
  return { kind: "numbers", list: () => view, type, source };
}

/** One of an array's records. @throws Unsupported */
function recordAt(machine: Machine, { allocation, offset, type }: Elements): Target {
  const list = recordColumns(machine, allocation, type);
  const bytes = sizeOf(machine.host, type) ?? Number.NaN;
  return itemOf(
    list,
    compilable(
      () => {
        const at = offset();
        return at === undefined ? undefined : at / bytes;
      },
      (w) => {
        // An offset within a record the closures are to tell of.
        const from = w.local("i64");
        w.write(offset);
        w.tee(from);
        w.i64(BigInt(bytes));
        w.op("i64.rem_u");
        w.op("i64.eqz");
        w.op("i32.eqz");
        w.refuseIf();
        w.get(from);
        w.i64(BigInt(bytes));
        w.op("i64.div_u");
      },
    ),
  );
}

/** A record that is a variable of the host. @throws Unsupported */
function recordIn(machine: Machine, { value }: Cell): Thing {
  if (value.kind !== "record" || !machine.random) throw new Unsupported();
  const members = [...value.members].flatMap(([name, cell]): (readonly [string, Slot | Item])[] => {
    if (cell.value.kind !== "record") return [[name, cellSlot(machine, cell)]];
    return [...recordIn(machine, cell).members].map(([path, member]) => [`${name}.${path}`, member]);
  });
  return { kind: "record", type: value.type, members: new Map(members) };
}

/** `v.back()`, `v.front()` */
function endOf(machine: Machine, e: Expression & { readonly kind: "call" }): Target {
  const list = e.callee.kind === "member" ? listOf(machine, e.callee.base, true) : undefined;
  const at = list && indexOf(machine, list, e);
  if (!list || !at) throw new Unsupported();
  return itemOf(list, at);
}

/** `s.insert(x).second`: whether it was not there. */
function insertResult(machine: Machine, e: Expression & { readonly kind: "call" }): Item | undefined {
  const list = e.callee.kind === "member" ? listOf(machine, e.callee.base, true) : undefined;
  if (list?.kind !== "set") return undefined;
  const { set, source } = list;
  const insert = machine.code(e).run;
  machine.random?.flow.readsList(source);
  const added: List = {
    length: 1,
    read: () => {
      const before = set().size;
      insert();
      return set().size - before;
    },
    write: () => undefined,
    resize: () => undefined,
    append: () => undefined,
  };
  return { kind: "item", list: () => added, at: () => 0, type: "bool", source };
}

/** `x.member` of a record that is the replayed code's own, or stands in a list. */
function memberOf(machine: Machine, e: Expression & { readonly kind: "member" }, code: (e: Expression) => Code): Target | undefined {
  const base = withoutParentheses(e.base);
  const name = lastName(e.name);
  if (base.kind === "call" && name === "second" && base.callee.kind === "member" && lastName(base.callee.name) === "insert")
    return insertResult(machine, base);
  const object = e.arrow ? pointedAt(machine, base, code) : isRecord(machine, base) ? targetOf(machine, base, code) : undefined;
  if (!object) return undefined;
  if (object.kind !== "record") throw new Unsupported();
  const member = namedIn(object, name);
  if (member.kind !== "record" || object.type?.kind !== "record") return member;
  return { ...member, type: memberClass(machine.host, object.type.record, name) };
}

/** Whether it is a record of the replayed code's own, an element, or a member of such. */
function isRecord(machine: Machine, written: Expression): boolean {
  const e = withoutParentheses(written);
  if (e.kind === "member") return e.arrow ? !isThis(e.base) : isRecord(machine, e.base);
  const isOwn = e.kind === "name" && e.name.parts.length === 1 && declared(machine, lastName(e.name)) !== undefined;
  return isOwn || e.kind === "subscript" || e.kind === "call" || (e.kind === "unary" && e.op === "*" && !isThis(e.operand));
}

const isThis = (e: Expression): boolean => withoutParentheses(e).kind === "this";

/** `p->`; undefined where the host's code names the place by itself. */
function pointedAt(machine: Machine, base: Expression, code: (e: Expression) => Code): Target | undefined {
  const own = isThis(base) ? declared(machine, thisName) : undefined;
  if (own || isThis(base)) return own;
  try {
    const array = arrayOf(machine, base, code);
    return array.type.kind === "record" ? recordAt(machine, array) : undefined;
  } catch (error) {
    // A pointer to a variable.
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** The object that a constructor makes, among the names that replayed code declares. */
export const thisName = "this";

/** A member of a record: a number, or a record or array in it. @throws Unsupported */
export function namedIn({ members }: Thing, name: string): Slot | Item | Thing {
  const own = members.get(name);
  if (own) return own;
  const within = [...members].flatMap(([path, member]) =>
    path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), member] as const] : [],
  );
  if (within.length === 0) throw new Unsupported();
  return { kind: "record", type: undefined, members: new Map(within) };
}

/** A place that the host's code designates by names alone. */
function hostPlace(machine: Machine, e: Expression): Place {
  let root = e;
  while (root.kind === "member") root = withoutParentheses(root.base);
  if (root.kind !== "name" && root.kind !== "this") throw new Unsupported();
  if (root.kind === "name" && root.name.parts.length === 1 && declared(machine, lastName(root.name))) throw new Unsupported();
  const place = placeOf(machine.host, e);
  if (!place) throw new Unsupported();
  return place;
}

export function cellSlot(machine: Machine, cell: Cell): Slot {
  const known = machine.cells.get(cell);
  if (known) return known;
  const type = numberType(cell.type) ?? numberType(typeOfValue(cell.value));
  if (!type) throw new Unsupported();
  const slot = newSlot(machine, type);
  const value = numberOf(cell.value);
  machine.slots[slot.index] = value !== undefined && Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
  if (!machine.nest && cell.value.kind === "int" && typeof cell.value.value === "bigint")
    machine.slots[slot.index] = reduced(cell.value.value);
  machine.cells.set(cell, slot);
  const { nest } = machine;
  const held = machine.slots[slot.index];
  if (nest && held !== undefined) nest.lines.set(slot.index, constantLine(held));
  nest?.constants.push(held ?? "open");
  return slot;
}

/** The elements that a pointer leads to, or that an array or container has. @throws Unsupported */
export function arrayOf(machine: Machine, written: Expression, code: (e: Expression) => Code): Elements {
  const e = withoutParentheses(written);
  if (e.kind === "binary" && e.op === "+") return elementAt(machine, arrayOf(machine, e.left, code), code(e.right));
  if (e.kind === "call" && e.callee.kind === "member" && /^(data|begin)$/.test(lastName(e.callee.name)) && e.arguments.length === 0)
    return arrayOf(machine, e.callee.base, code);
  if (e.kind === "name" && e.name.parts.length === 1) {
    const own = declared(machine, lastName(e.name));
    if (own?.kind === "elements") return arrayWithin(own);
    if (own) throw new Unsupported();
  }
  if (e.kind === "subscript") {
    const target = targetOf(machine, e, code);
    if (target.kind === "elements") return arrayWithin(target);
    throw new Unsupported();
  }
  const place = hostPlace(machine, e);
  if (!(place instanceof Cell)) throw new Unsupported();
  return elementsOf(place.value);
}

/** An array that is an element, by its own elements. */
function arrayWithin(target: Elements): Elements {
  return target.type.kind === "array" ? { ...target, type: target.type.of } : target;
}

function elementsOf(value: Value): Elements {
  if (value.kind === "container" && value.type.element)
    return { kind: "elements", allocation: value.storage, offset: fixed(0), line: constantLine(0), type: value.type.element };
  if (value.kind !== "pointer" || !(value.target instanceof Allocation) || value.offset === undefined) throw new Unsupported();
  const { target, offset } = value;
  const type = value.to ?? target.element;
  if (!type || type.kind === "container") throw new Unsupported();
  return { kind: "elements", allocation: target, offset: fixed(offset), line: constantLine(offset), type };
}

function elementAt({ host }: Machine, base: Elements, index: Code): Elements {
  const bytes = sizeOf(host, base.type);
  if (bytes === undefined) throw new Unsupported();
  const { offset } = base;
  const run = indexRun(index);
  const at = lineAs(index.line, "long");
  return {
    ...base,
    line: base.line && at && sum(base.line, at, bytes),
    offset: compilable(
      () => {
        const from = offset();
        const at = run();
        return from === undefined || at === undefined ? undefined : from + at * bytes;
      },
      (w) => {
        w.write(offset);
        w.write(run);
        w.i64(BigInt(bytes));
        w.op("i64.mul");
        w.op("i64.add");
      },
    ),
  };
}

const fixed = (offset: number): Run =>
  compilable(
    () => offset,
    (w) => w.i64(BigInt(offset)),
  );

/** A number that counts or indexes elements: of 64 bits in instructions. */
function indexRun({ type, run }: Code): Run {
  const narrow = isWide(type) ? narrowed(run) : () => run();
  return compilable(narrow, (w) => {
    w.write(run);
    writeConversion(w, type, "long");
  });
}

// ---------------------------------------------------------------- reading and writing

/** @throws Unsupported */
export function loadOf(machine: Machine, target: Target): Code {
  if (target.kind === "slot") {
    const { slots, nest } = machine;
    const { index, type } = target;
    nest?.loads(index);
    machine.random?.flow.reads(index);
    const run = compilable(
      () => slots[index],
      (w) => w.load(target),
    );
    return { type, run, line: nest?.lineOf(index) };
  }
  if (target.kind === "item") return loadOfItem(machine, target);
  if (target.kind !== "elements") throw new Unsupported();
  if (machine.nest) return elementOf(machine, machine.nest, target);
  const { type, column, indexOf } = columnOf(machine, target);
  machine.random?.flow.readsList(column);
  return {
    type,
    run: compilable(
      () => {
        spend(machine);
        return column.read(indexOf());
      },
      (w) => {
        w.write(target.offset);
        writeLoad(w, column, true);
      },
    ),
  };
}

/** Its instructions take the value from the stack, and leave it there as what it has become. */
export interface Store extends Compilable {
  (value: Known): Known;
}

/** What puts a number there. @param isAdded it is not known where what stood there is not @throws Unsupported */
export function storeTo(machine: Machine, target: Target, { type: from, line }: Pick<Code, "type" | "line">, isAdded = false): Store {
  machine.effects += 1;
  if (target.kind === "slot") {
    const { slots, stored } = machine;
    const { index } = target;
    const convert = conversion(from, target.type);
    stored.add(index);
    machine.followed += 1;
    if (!isAdded) machine.renewed.add(index);
    machine.nest?.storesTo(index);
    machine.random?.flow.stores(index);
    return compilable(
      (value: Known) => {
        slots[index] = value === undefined ? undefined : convert(value);
        return slots[index];
      },
      (w) => {
        writeConversion(w, from, target.type);
        w.store(target);
      },
    );
  }
  if (target.kind === "item") return storeToItem(machine, target, from);
  if (target.kind !== "elements") throw new Unsupported();
  if (machine.nest) return storeOf(machine, machine.nest, target, { type: from, line });
  const { type, column, indexOf } = columnOf(machine, target);
  machine.random?.flow.stores(column);
  machine.followed += 1;
  machine.storedColumns.add(column);
  if (!isAdded) machine.renewed.add(column);
  const convert = conversion(from, type);
  return compilable(
    (value: Known) => {
      spend(machine);
      const converted = value === undefined ? undefined : convert(value);
      column.write(indexOf(), converted);
      return converted;
    },
    (w) => writeStore(w, column, from, () => w.write(target.offset), true),
  );
}

function loadOfItem(machine: Machine, { list, at, type, source, column }: Item): Code {
  machine.random?.flow.readsList(source);
  const run = (): Known => {
    spend(machine);
    const found = list();
    return found.read(indexWithin(found, at()));
  };
  if (!column) return { type, run };
  return {
    type,
    run: compilable(run, (w) => {
      w.write(at);
      writeLoad(w, column, false);
    }),
  };
}

function storeToItem(machine: Machine, { list, at, type, source, column }: Item, from: NumberName): Store {
  const convert = conversion(from, type);
  machine.random?.flow.stores(source);
  const store = (value: Known): Known => {
    spend(machine);
    const found = list();
    const converted = value === undefined ? undefined : convert(value);
    found.write(indexWithin(found, at()), converted);
    return converted;
  };
  return column ? compilable(store, (w) => writeStore(w, column, from, () => w.write(at), false)) : store;
}

function columnOf(machine: Machine, { allocation, offset, type }: Elements) {
  const name = numberType(type);
  const column = columnFor(machine, allocation, type);
  const bytes = column.elementBytes;
  if (name === undefined) throw new Unsupported();
  const indexOf = (): number => {
    const at = offset();
    const index = at === undefined ? Number.NaN : at / bytes;
    if (!(Number.isInteger(index) && index >= 0 && index < column.length)) throw new GivenUp();
    return index;
  };
  return { type: name, column, indexOf };
}

// ---------------------------------------------------------------- turns that are run one by one

/** The number of a line in a type, as one that is known to be a line of another. */
export const lineTo = (line: Line | undefined, from: NumberName, to: NumberName): Line | undefined =>
  isFloatName(from) && !isFloatName(to) ? undefined : lineAs(line, to);

/** The index of an element, as a line where it is one. */
function indexIn(machine: Machine, { offset, line, type }: Elements) {
  const name = numberType(type);
  const bytes = sizeOf(machine.host, type);
  if (name === undefined || bytes === undefined) throw new Unsupported();
  machine.nest?.constants.push(name);
  const divided = line && scaled(line, 1 / bytes);
  const isWhole = divided && [divided.constant, ...divided.terms.values()].every(Number.isInteger);
  return { name, bytes, line: isWhole ? divided : undefined, at: (): number => (offset() ?? Number.NaN) / bytes };
}

/** An element as it was before the loop, or as the turn under way has left it. */
function elementOf(machine: Machine, nest: Nest, target: Elements): Code {
  const { allocation, type } = target;
  const { name, bytes, line, at } = indexIn(machine, target);
  if (nest.isOwn(allocation, line)) {
    const own = nest.own.get(allocation) ?? new Map<number, Known>();
    nest.own.set(allocation, own);
    return {
      type: name,
      run: () => {
        spend(machine);
        return own.get(at());
      },
    };
  }
  const snapshot = nest.snapshots.get(allocation) ?? snapshotOf(allocation, type, bytes);
  if (!snapshot || numberType(snapshot.type) !== name) throw new Unsupported();
  nest.snapshots.set(allocation, snapshot);
  nest.reads.push({ allocation, bytes, line });
  return {
    type: name,
    run: () => {
      spend(machine);
      return snapshot.at(at());
    },
  };
}

function storeOf(machine: Machine, nest: Nest, target: Elements, from: Pick<Code, "type" | "line">): Store {
  const { allocation, type } = target;
  const { name, bytes, line, at } = indexIn(machine, target);
  const convert = conversion(from.type, name);
  nest.store({ allocation, type, elementBytes: bytes, line, value: lineTo(from.line, from.type, name) });
  return (value) => {
    spend(machine);
    const converted = value === undefined ? undefined : convert(value);
    const index = at();
    nest.own.get(allocation)?.set(index, converted);
    if (allocation === nest.wanted && index === nest.wantedIndex) {
      nest.found = true;
      nest.value = converted;
    }
    return converted;
  };
}
