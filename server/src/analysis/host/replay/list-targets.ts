/** Lists that expressions name: of the replayed code's own, and containers of the host. */

import type { Expression } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { exactNumber } from "../memory/content.ts";
import { sizeOf } from "../memory/read-write.ts";
import { numbersOf as recordNumbers } from "../memory/record-members.ts";
import { isFelt } from "../resolve/felt.ts";
import { placeOf } from "../resolve/places.ts";
import { type Allocation, Cell, type ContainerType, type ContainerValue, type HostType } from "../values/model.ts";
import { integerOf } from "../values/values.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import { lengthOf } from "./lists.ts";
import {
  type AnyList,
  asDecision,
  GivenUp,
  type Machine,
  type NumberList,
  type NumberSet,
  type RecordList,
  type Run,
  type Target,
  Unsupported,
  unsupported,
} from "./machine.ts";
import { columnFor, declared, numberType } from "./numbers.ts";
import { RecordColumns } from "./record-columns.ts";
import { Rows } from "./rows.ts";
import { isWide } from "./wide.ts";

/**
 * The list that an expression names; undefined where it names none.
 * @param columns containers of the host that hold numbers, too, which are arrays as well
 */
export function listOf(machine: Machine, written: Expression, columns: boolean): AnyList | undefined {
  const e = withoutParentheses(written);
  if (e.kind === "name" && e.name.parts.length === 1) {
    const own = declared(machine, lastName(e.name));
    if (own) return asList(own);
  }
  if (e.kind === "subscript" || e.kind === "call") {
    const outer = listOf(machine, e.kind === "subscript" ? e.base : e.callee.kind === "member" ? e.callee.base : e.callee, false);
    const at = outer?.kind === "lists" ? indexOf(machine, outer, e) : undefined;
    return outer && at ? asList(itemOf(outer, at)) : undefined;
  }
  if (e.kind === "unary" && e.op === "*") return undefined;
  if (!isPath(e) || isOwn(machine, e)) return undefined;
  const place = placeOf(machine.host, e);
  return place instanceof Cell ? listIn(machine, place, columns) : undefined;
}

/** The list that a variable of the host is. */
export function listIn(machine: Machine, cell: Cell, columns = true): AnyList | undefined {
  return cell.value.kind === "container" ? ofHost(machine, cell, cell.value, columns) : undefined;
}

/** The index that `list[index]`, `list.at(index)`, `list.back()` stands for; undefined for other calls. */
export function indexOf(machine: Machine, list: AnyList, e: Expression): Run | undefined {
  const method = e.kind === "call" && e.callee.kind === "member" ? lastName(e.callee.name) : "";
  const [index, more] = e.kind === "subscript" ? e.indices : e.kind === "call" && method === "at" ? e.arguments : [];
  if (more) throw new Unsupported();
  if (index) return asDecision(machine, () => machine.code(index)).run;
  if (method === "front") return () => 0;
  return method === "back" ? () => lengthOf(list) - 1 : undefined;
}

/** An element of a list. @throws Unsupported */
export function itemOf(list: AnyList, at: Run): Target {
  switch (list.kind) {
    case "numbers":
      return { ...list, kind: "item", at };
    case "records":
      return {
        kind: "record",
        type: list.type,
        members: new Map([...list.fields].map(([name, field]) => [name, { ...field, kind: "item", at }] as const)),
      };
    case "lists": {
      const { rows, type, source } = list;
      return { kind: "numbers", list: () => rows().row(at()), type, source };
    }
    default:
      throw new Unsupported();
  }
}

const asList = (target: Target): AnyList | undefined =>
  target.kind === "numbers" || target.kind === "records" || target.kind === "lists" || target.kind === "set" ? target : undefined;

function isPath(e: Expression): boolean {
  if (e.kind === "member") return isPath(withoutParentheses(e.base));
  return e.kind === "name" || e.kind === "this";
}

function isOwn(machine: Machine, e: Expression): boolean {
  if (e.kind === "member") return isOwn(machine, withoutParentheses(e.base));
  return e.kind === "name" && e.name.parts.length === 1 && declared(machine, lastName(e.name)) !== undefined;
}

/** @throws Unsupported */
function ofHost(machine: Machine, cell: Cell, value: ContainerValue, columns: boolean): AnyList | undefined {
  const { random } = machine;
  const { element } = value.type;
  if (!random || !element || value.type.name === "device_vector") return undefined;
  const isOfNumbers = numberType(element) !== undefined;
  if (isOfNumbers && !columns && !/set$/.test(value.type.name)) return undefined;
  const known = random.lists.get(cell);
  if (known) return known;
  const size = integerOf(value.size) ?? (value.size.kind === "unknown" ? value.size.likely : undefined);
  if (size === undefined) throw new Unsupported();
  const made = /set$/.test(value.type.name)
    ? hostSet(machine, value, size)
    : isOfNumbers
      ? numbersOf(machine, value, element, size)
      : element.kind === "container"
        ? rowsOf(machine, value, element, size)
        : recordsOf(machine, value, element, size);
  random.lists.set(cell, made);
  return made;
}

/** @throws Unsupported */
export function setOf(machine: Machine, { name, element }: ContainerType, set: () => Set<number>): NumberSet {
  const type = numberType(element);
  const isOrdered = name === "set";
  if (type) return { kind: "set", set, type, source: {}, isOrdered };
  const pair = [...(memberTypes(machine, element) ?? [])];
  if (pair.length !== 2 || pair.some(([, member]) => isFloatName(member) || isWide(member))) throw new Unsupported();
  return { kind: "set", set, type: "long", source: {}, isOrdered, pair };
}

function hostSet(machine: Machine, { type, storage, size: count }: ContainerValue, size: number): NumberSet {
  const { summary, cells } = storage;
  const objects = summary.objects?.of === summary.content ? summary.objects : undefined;
  const numbers = objects?.numbers;
  if (cells.size > 0 || (size > 0 && numbers?.length !== size)) throw new Unsupported();
  const now = new Set(Array.from(numbers ?? []));
  const made = setOf(machine, type, () => now);
  if (objects?.drawn || count.kind === "unknown") machine.random?.flow.isInvented(made.source, true);
  return made;
}

function numbersOf(machine: Machine, { storage, size: known }: ContainerValue, element: HostType, size: number): NumberList {
  const type = numberType(element);
  const column = columnFor(machine, storage, element, known.kind === "unknown" ? size : undefined);
  if (type === undefined || column.length !== size) throw new Unsupported();
  return { kind: "numbers", list: () => column, column, type, source: column };
}

function rowsOf(
  machine: Machine,
  { storage, size: known }: ContainerValue,
  element: HostType & { readonly kind: "container" },
  size: number,
): AnyList {
  const type = numberType(element.element);
  const { summary, cells } = storage;
  const objects = summary.objects?.of === summary.content ? summary.objects : undefined;
  const held = objects?.rows;
  if (type === undefined || element.name !== "vector" || (!held && summary.content.kind !== "zero")) throw new Unsupported();
  const initial = (index: number): ArrayLike<Known> => {
    const cell = cells.get(index * vectorBytes);
    if (cell) return cell.value.kind === "container" ? elementsOf(cell.value) : giveUp();
    return held?.at(index) ?? [];
  };
  const rows = new Rows(size, initial);
  if (machine.random) machine.random.flow.isSpecial = true;
  if (objects?.drawn || known.kind === "unknown") machine.random?.flow.isInvented(rows, true);
  return { kind: "lists", rows: () => rows, type, source: rows };
}

const vectorBytes = 24;

function giveUp(): never {
  throw new GivenUp();
}

/** Of a container that is short. @throws GivenUp */
function elementsOf({ size, storage }: ContainerValue): Known[] {
  const count = integerOf(size);
  const { summary, cells } = storage;
  if (count === 0) return [];
  const { content, elementBytes } = summary;
  if (count === undefined || elementBytes === undefined) giveUp();
  return Array.from({ length: count }, (_, k): Known => {
    const cell = cells.get(k * elementBytes);
    if (cell) return exactNumber(cell.value);
    if (content.kind === "zero") return 0;
    if (content.kind === "constant") return content.value;
    return content.kind === "values" && !content.drawn ? content.values[k] : undefined;
  });
}

/** The numbers of a record, by their paths; undefined where it has something else. */
export function memberTypes({ host }: Machine, type: HostType | undefined): ReadonlyMap<string, NumberName> | undefined {
  const numbers = recordNumbers(host, type);
  // Each one that ends would be seen.
  if (numbers && type?.kind === "record" && isFelt(host, type.record)) throw new Unsupported();
  return numbers && new Map(numbers.flatMap(({ path, type: of }) => [[path.join("."), numberType(of) ?? unsupported()] as const]));
}

/** @throws Unsupported */
function recordsOf(machine: Machine, { storage, size: count }: ContainerValue, element: HostType, size: number): RecordList {
  return recordColumns(machine, storage, element, { size, isInvented: count.kind === "unknown" });
}

/** An array of records, number by number. @param given how many there are, where they are a container's @throws Unsupported */
export function recordColumns(
  machine: Machine,
  allocation: Allocation,
  type: HostType,
  given?: { readonly size: number; readonly isInvented: boolean },
): RecordList {
  const { host, random, columns, records } = machine;
  const known = records.get(allocation);
  const made = known ?? RecordColumns.of(host, allocation, type, given?.size);
  if (!made || !random || columns.has(allocation) || made.bytes !== sizeOf(host, type)) throw new Unsupported();
  records.set(allocation, made);
  const fields = [...made.members].map(([path, column]): readonly [string, NumberList] => {
    const source = made.sourceOf(path);
    if (!known && (column.isInvented || given?.isInvented)) random.flow.isInvented(source, given?.isInvented === true);
    return [path, { kind: "numbers", list: () => column, column, type: numberType(column.type) ?? unsupported(), source }];
  });
  return { kind: "records", type, fields: new Map(fields) };
}
