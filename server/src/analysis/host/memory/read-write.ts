/** Reading and writing lvalues. */

import type { Content } from "@warplens/sim-engine";
import { convert } from "../values/convert.ts";
import { drawnReason } from "../values/inputs.ts";
import {
  Allocation,
  Cell,
  type ContainerName,
  type HostType,
  type Place,
  type PointerValue,
  type Reach,
  type Summary,
  type Value,
} from "../values/model.ts";
import { bitsOf, float, int, integerOf, numberOf, pointer, range, unknown } from "../values/values.ts";
import { contentInterval, contentOf, joinContents, valueAt } from "./content.ts";
import { blank } from "./host-types.ts";
import { type Interpreter, step } from "./interpreter.ts";
import { unknownContent } from "./journal.ts";
import { isLeftOpen, noteStore, spanned } from "./loop-trace.ts";
import { memberAt, ofMember, setNumbers } from "./record-members.ts";

/** Cells one allocation keeps; later elements are only summarised. */
const cellLimit = 1 << 16;
/** Cells that are gone through in the time of a step. */
const cellsAStep = 64;

export function read(host: Interpreter, place: Place): Value {
  if (place instanceof Cell) return place.value;
  const { allocation, offset, type } = place;
  if (type?.kind === "array") return pointer(allocation, type.of, offset);
  if (offset === undefined) {
    step(host, Math.floor(allocation.cells.size / cellsAStep));
    return orStored(host, allocation, anyElement(allocation, type));
  }
  if (host.loops.length > 0 && isLeftOpen(host, allocation)) return unknown("what a loop stores that is not run to its end", type);
  const cell = allocation.cells.get(offset);
  if (cell !== undefined)
    return cell.type !== type && isOfOtherSize(host, cell.type, type) ? unknown(ofOtherSize, type) : reinterpreted(cell.value, type);
  if (type?.kind === "record" || type?.kind === "container") return makeCell(host, allocation, offset, type).value;
  const bytes = sizeOf(host, type) ?? allocation.summary.elementBytes;
  if (allocation.summary.bytes !== undefined && offset >= allocation.summary.bytes)
    return unknown("memory beyond the end of an array", type);
  if (isSeenOtherwise(allocation, bytes)) return unknown(ofOtherSize, type);
  const own = allocation.summary.as ?? allocation.element;
  if (isOfOtherKind(own, type)) return reinterpreted(read(host, { allocation, offset, type: own }), type);
  const member = memberAt(allocation.summary.content, offset);
  if (member) return valueAt(ofMember(allocation.summary, member.content, type), member.index, type);
  return valueAt(allocation.summary, bytes === undefined ? undefined : offset / bytes, type);
}

const ofOtherSize = "memory that is seen otherwise";

/** Numbers of different sizes. */
export function isOfOtherSize(host: Interpreter, a: HostType | undefined, b: HostType | undefined): boolean {
  const isNumber = (type: HostType | undefined): boolean => type?.kind === "integer" || type?.kind === "floating";
  return isNumber(a) && isNumber(b) && sizeOf(host, a) !== sizeOf(host, b);
}

/** One of integers, the other of floating-point numbers. */
export const isOfOtherKind = (a: HostType | undefined, b: HostType | undefined): boolean =>
  (a?.kind === "integer" && b?.kind === "floating") || (a?.kind === "floating" && b?.kind === "integer");

/** Elements of other sizes than those it is told by. */
function isSeenOtherwise({ summary, cells }: Allocation, bytes: number | undefined): boolean {
  const { content, elementBytes } = summary;
  if (elementBytes === undefined || bytes === undefined || elementBytes === bytes) return false;
  return cells.size > 0 || !/^(zero|unknown|bytes|records|parts|written)$/.test(content.kind);
}

/** A value that was stored as another type. */
export function reinterpreted(value: Value, type: HostType | undefined): Value {
  if (type?.kind === "integer" && value.kind === "float") {
    const bits = value.type === "float" ? bitsOfFloat(value.value) : undefined;
    return bits === undefined ? unknown("the bits of a floating-point value", type) : convert(int(bits, "uint"), type);
  }
  if (type?.kind === "floating" && value.kind === "int") {
    if (!value.value) return convert(value, type);
    return type.name === "float" ? float(floatOfBits(Number(value.value)), "float") : unknown("an integer read as floating point", type);
  }
  return value;
}

const four = new DataView(new ArrayBuffer(4));

function bitsOfFloat(value: number): number {
  four.setFloat32(0, value);
  return four.getUint32(0);
}

function floatOfBits(bits: number): number {
  four.setInt32(0, bits);
  return four.getFloat32(0);
}

function anyElement(allocation: Allocation, type: HostType | undefined): Value {
  const { summary, cells } = allocation;
  const elements = summary.bytes === undefined || !summary.elementBytes ? undefined : summary.bytes / summary.elementBytes;
  const integral = type?.kind !== "floating";
  const covered = elements !== undefined && cells.size >= elements;
  const interval = covered ? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] : contentInterval(summary.content, integral, elements);
  if (interval === undefined) return unknown(summary.reason ?? "an element at an index that is not known", type);
  let [lo = Number.POSITIVE_INFINITY, hi = Number.NEGATIVE_INFINITY] = interval;
  for (const { value } of cells.values()) {
    const number = numberOf(value);
    const low = value.kind === "range" ? value.lo : number;
    const high = value.kind === "range" ? value.hi : number;
    if (low === undefined || high === undefined) return unknown("an element at an index that is not known", type);
    lo = Math.min(lo, low);
    hi = Math.max(hi, high);
  }
  const name = type?.kind === "integer" || type?.kind === "floating" ? type.name : "long";
  return lo > hi ? unknown("an element at an index that is not known", type) : range(lo, hi, name);
}

/** In a turn that stands for all that are left, whose stores are noted only: the element, or what the turn has stored by now. */
function orStored({ loops }: Interpreter, allocation: Allocation, element: Value): Value {
  if (!loops.some(({ abstract }) => abstract)) return element;
  return loops.reduce((value, { stores }) => {
    const trace = stores.get(allocation);
    if (trace === undefined) return value;
    trace.reread = true;
    return trace.abstract === undefined ? value : spanned(value, trace.abstract);
  }, element);
}

/** The cell of an element, made from what the allocation holds there. */
function makeCell(host: Interpreter, allocation: Allocation, offset: number, type: HostType | undefined): Cell {
  const found = allocation.cells.get(offset);
  if (found !== undefined) return found;
  const { content, reason } = allocation.summary;
  const value =
    type?.kind === "record" || type?.kind === "container"
      ? (objectAt(host, allocation.summary, offset, type) ??
        anyObject(
          host,
          blank(host, type, content.kind === "zero", reason ?? "memory of which the content is not known"),
          content.kind === "zero",
        ))
      : read(host, { allocation, offset, type });
  const cell = new Cell(value, type, undefined, true);
  if (allocation.cells.size < cellLimit) allocation.cells.set(offset, cell);
  return cell;
}

/** Texts and lists in an object of which nothing is known, which an object that is made begins without. */
function anyObject(host: Interpreter, value: Value, isMade: boolean): Value {
  if (isMade) return value;
  if (value.kind === "string") return unknown("a text that is not known");
  if (value.kind === "record" && !value.open)
    for (const cell of value.members.values())
      cell.value = cell.value.kind === "container" ? (ofAnySize(host, cell.value.type) ?? cell.value) : anyObject(host, cell.value, false);
  return value;
}

/** A container of which nobody knows how much it holds. */
function ofAnySize(host: Interpreter, type: HostType): Value | undefined {
  if (type.kind !== "container" || type.name !== "vector") return undefined;
  const made = blank(host, type, false, "");
  if (made.kind !== "container") return made;
  made.storage.summary = { ...made.storage.summary, bytes: undefined, content: unknownContent };
  return { ...made, size: unknown("the size of one of several containers") };
}

/** An element that is a list or a record, where that is known. */
function objectAt(
  host: Interpreter,
  summary: Summary,
  offset: number,
  type: HostType & { readonly kind: "record" | "container" },
): Value | undefined {
  const { content, objects } = summary;
  const bytes = sizeOf(host, type);
  if (type.kind === "record" && (content.kind === "records" || content.kind === "parts")) {
    const made = blank(host, type, false, summary.reason ?? "a member that is not known");
    if (made.kind === "record") setNumbers(host, made, summary, offset);
    return made;
  }
  if (objects?.of !== content || bytes === undefined) return content.kind === "zero" ? undefined : ofAnySize(host, type);
  const made = blank(host, type, false, objects.drawn ? drawnReason : "a member that is not known");
  const row = objects.rows?.at(offset / bytes);
  if (made.kind !== "container" || row === undefined) return made;
  const { storage } = made;
  const values: Content = { kind: "values", values: row, ...(objects.drawn ? { drawn: true } : {}) };
  const { elementBytes } = storage.summary;
  storage.summary = { ...storage.summary, content: values, bytes: elementBytes === undefined ? undefined : row.length * elementBytes };
  return { ...made, size: objects.drawn ? { ...unknown(drawnReason), likely: row.length } : int(row.length, "ulong") };
}

export function write(host: Interpreter, place: Place, value: Value): void {
  if (place instanceof Cell) {
    host.journal.set(place, named(host, place, convert(copied(value), place.type)));
    return;
  }
  const { allocation, offset, type } = place;
  const stored = convert(copied(value), type);
  noteStore(host, allocation, offset, stored, place.reach);
  if (host.loops.some((loop) => loop.abstract)) return;
  if (offset === undefined) {
    weaken(host, allocation, stored, type);
    return;
  }
  const bytes = sizeOf(host, type);
  if (bytes !== undefined && allocation.summary.elementBytes !== bytes) {
    const isMixed = isSeenOtherwise(allocation, bytes);
    const forgotten = { content: unknownContent, reason: ofOtherSize };
    const summary = { ...allocation.summary, elementBytes: bytes, ...(isMixed ? forgotten : {}) };
    host.journal.summarise(allocation, summary, isMixed ? new Map() : allocation.cells);
  }
  const cell = makeCell(host, allocation, offset, type);
  host.journal.set(cell, isOfOtherKind(allocation.element, type) ? reinterpreted(stored, allocation.element) : stored);
}

/** Unknowns take the name of the variable that holds them: the user can give it a value. */
function named(host: Interpreter, cell: Cell, value: Value): Value {
  if (value.kind === "pointer" && value.target instanceof Allocation && value.target.name === "" && cell.name !== undefined)
    value.target.name = cell.name;
  return value.kind === "unknown" && cell.name !== undefined ? host.inputs.held(value, cell.name, cell.type) : value;
}

/** A store to an element nobody knows: every element may hold the value now. */
function weaken(host: Interpreter, allocation: Allocation, value: Value, type: HostType | undefined): void {
  const { summary, cells } = allocation;
  const integral = type?.kind !== "floating";
  const bytes = sizeOf(host, type) ?? summary.elementBytes;
  let content = joinContents(
    summary.content,
    contentOf(value),
    integral,
    summary.bytes === undefined || !bytes ? undefined : summary.bytes / bytes,
  );
  for (const cell of cells.values()) {
    if (content.kind === "unknown") break;
    content = joinContents(content, contentOf(cell.value), integral, undefined);
  }
  const reason = content === unknownContent ? { reason: "elements at indices that are not known were stored" } : {};
  host.journal.summarise(allocation, { ...summary, content, ...reason }, new Map());
}

/** Records are copied member by member; containers take their storage along. */
export function copied(value: Value): Value {
  if (value.kind === "record") {
    const { refers } = value;
    const members = new Map(
      [...value.members].map(([name, cell]) => [name, refers?.has(name) ? cell : new Cell(copiedMember(cell), cell.type, name)] as const),
    );
    return { ...value, members };
  }
  if (value.kind === "container") return { ...value, storage: copyOf(value.storage) };
  // What a lambda has taken along by value is its own.
  if (value.kind === "lambda" && value.captured.size > 0) {
    const captured = [...value.captured].map(([name, place]): readonly [string, Place] => [
      name,
      place instanceof Cell ? new Cell(copied(place.value), place.type, name) : place,
    ]);
    return { ...value, captured: new Map(captured) };
  }
  return value;
}

export function copiedMember(cell: Cell): Value {
  const { value } = cell;
  if (cell.type?.kind === "array" && value.kind === "pointer" && value.target instanceof Allocation)
    return { ...value, target: copyOf(value.target) };
  return copied(value);
}

export function copyOf(allocation: Allocation): Allocation {
  const copy = new Allocation(allocation.name, allocation.residence, allocation.element, allocation.summary);
  copy.cells = new Map([...allocation.cells].map(([offset, cell]) => [offset, new Cell(copied(cell.value), cell.type, undefined, true)]));
  return copy;
}

/** `*p` at `index` elements on. */
export function elementAt(host: Interpreter, base: PointerValue, index: Value): Place | undefined {
  const place = elementOf(host, base, integerOf(index));
  if (place === undefined || place instanceof Cell || place.offset !== undefined) return place;
  return { ...place, reach: reachFrom(base, index, sizeOf(host, place.type) ?? place.allocation.summary.elementBytes) };
}

/** Where a place lies that is some elements behind another; undefined where nothing is known of that. */
export function reachFrom({ offset, reach }: PointerValue, index: Value, bytes: number | undefined, sign = 1): Reach | undefined {
  const number = integerOf(index);
  const [lo, hi] = index.kind === "range" ? [index.lo, index.hi] : [number, number];
  const from = offset === undefined ? reach : ([offset, offset] as const);
  if (from === undefined || bytes === undefined || !Number.isInteger(lo) || !Number.isInteger(hi)) return undefined;
  const ends = [sign * bytes * (lo ?? 0), sign * bytes * (hi ?? 0)];
  return [from[0] + Math.min(...ends), from[1] + Math.max(...ends)];
}

/** The same at an index that is known, or not at all. */
export function elementOf(host: Interpreter, base: PointerValue, index: number | undefined): Place | undefined {
  const { target, to } = base;
  if (target === undefined) return undefined;
  if (target instanceof Cell) return index === 0 || index === undefined ? target : undefined;
  const bytes = sizeOf(host, to) ?? (to === undefined ? target.summary.elementBytes : undefined);
  const offset =
    index === 0
      ? base.offset
      : base.offset === undefined || index === undefined || bytes === undefined
        ? undefined
        : base.offset + index * bytes;
  const element = { allocation: target, offset, type: to ?? target.element };
  return base.reach === undefined || offset !== undefined || index === undefined
    ? element
    : { ...element, reach: reachFrom(base, int(index, "long"), bytes) };
}

/** Of libstdc++; their value only has to tell elements apart. */
const containerBytes: Partial<Record<ContainerName, number>> = {
  vector: 24,
  device_vector: 32,
  string: 32,
  unique_ptr: 8,
  function: 32,
  set: 48,
  unordered_set: 56,
  variant: 32,
};

export function sizeOf(host: Interpreter, type: HostType | undefined): number | undefined {
  if (type === undefined) return undefined;
  switch (type.kind) {
    case "integer":
      return bitsOf(type.name) / 8;
    case "pointer":
      return 8;
    case "container": {
      const each = type.name === "array" ? sizeOf(host, type.element) : undefined;
      return each === undefined || type.count === undefined ? containerBytes[type.name] : each * type.count;
    }
    default:
      return host.semantics.sizeOf(type);
  }
}
