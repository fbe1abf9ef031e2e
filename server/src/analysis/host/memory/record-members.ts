/** Records as the numbers that they are made of: members, members of members, elements of arrays that are members. */
import { type Content, type RecordMember, scalarBytes } from "@warplens/sim-engine";
import type { RecordInstance, Type } from "../../sema/types.ts";
import { Allocation, Cell, type HostType, type RecordValue, type Summary, type Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";
import { exactNumber, scalarType, valueAt, wholeContent } from "./content.ts";
import type { Interpreter } from "./interpreter.ts";
import { unknownContent, zeroContent } from "./journal.ts";
import { beginsWithZeros, isCopiedByMembers } from "./record-kinds.ts";

/** A number in a record. */
export interface RecordNumber {
  /** Names from the record on inwards; of an array's element its index. */
  readonly path: readonly string[];
  /** In bytes from the record's beginning. */
  readonly offset: number;
  readonly type: Type;
}

/** Numbers of a record: of more it is not one of many that are gone through. */
const mostNumbers = 64;

/** All numbers of a record, in order; undefined where it has something else, or is not laid out as its members stand there. */
export function numbersOf(host: Interpreter, type: HostType | undefined): readonly RecordNumber[] | undefined {
  if (type?.kind !== "record") return undefined;
  const found: RecordNumber[] = [];
  const isWhole = addRecord(host, type.record, [], 0, found);
  // Members of two bases may have one name.
  const isClear = new Set(found.map(({ path }) => path.join("."))).size === found.length;
  return isWhole && isClear && found.length > 0 ? found : undefined;
}

function addRecord(host: Interpreter, record: RecordInstance, path: readonly string[], from: number, found: RecordNumber[]): boolean {
  const layout = host.semantics.context.layout(record);
  if (!layout || layout.union || layout.polymorphic || !isCopiedByMembers(record)) return false;
  return (
    layout.bases.every((base) => addRecord(host, base.record, path, from + base.offset, found)) &&
    layout.fields.every(
      ({ name, type, offset, bits }) => name !== "" && bits === undefined && add(host, type, [...path, name], from + offset, found),
    )
  );
}

function add(host: Interpreter, type: Type, path: readonly string[], offset: number, found: RecordNumber[]): boolean {
  if (found.length >= mostNumbers) return false;
  if (type.kind === "record") return addRecord(host, type.record, path, offset, found);
  if (type.kind === "array") {
    const bytes = host.semantics.sizeOf(type.of);
    if (bytes === undefined || type.size === undefined || type.size > mostNumbers) return false;
    for (let k = 0; k < type.size; k++) if (!add(host, type.of, [...path, String(k)], offset + k * bytes, found)) return false;
    return true;
  }
  if (type.kind !== "integer" && type.kind !== "floating" && type.kind !== "enum") return false;
  found.push({ path, offset, type });
  return true;
}

/** Whether arrays are among the members: who leaves braces out around one, where records are written one by one, fills it otherwise than it looks. */
export const holdArrays = (numbers: readonly RecordNumber[]): boolean => numbers.some(({ path }) => path.some((name) => /^\d/.test(name)));

/** The variable that a number of a record stands in; undefined where it has none of its own. */
function cellOf(record: RecordValue, { path, type }: RecordNumber): Cell | undefined {
  let at: Value = record;
  let cell: Cell | undefined;
  for (const name of path) {
    cell = at.kind === "record" ? at.members.get(name) : at.kind === "pointer" ? elementOf(at, Number(name)) : undefined;
    if (!cell) return undefined;
    at = cell.value;
  }
  return cell && scalarType(cell.type) === scalarType(type) ? cell : undefined;
}

/** An element of an array that is a member. */
function elementOf({ target, to, offset }: Value & { readonly kind: "pointer" }, index: number): Cell | undefined {
  if (!(target instanceof Allocation)) return undefined;
  const { cells, summary } = target;
  if (summary.elementBytes === undefined) return undefined;
  const at = (offset ?? 0) + index * summary.elementBytes;
  const known = cells.get(at) ?? new Cell(valueAt(summary, index, to), to, undefined, true);
  cells.set(at, known);
  return known;
}

/** Records of one class, one behind the other. */
export interface RecordShape {
  /** Of a record. */
  readonly bytes: number;
  /** One of which nothing is said is all zeros. */
  readonly isZeroed: boolean;
}

/** Undefined where the class is not known to the end. */
export function shapeOf(host: Interpreter, type: HostType): RecordShape | undefined {
  const bytes = type.kind === "record" ? host.semantics.sizeOf(type) : undefined;
  return type.kind === "record" && bytes !== undefined ? { bytes, isZeroed: beginsWithZeros(host, type.record) } : undefined;
}

/** A number of one of an array's records. */
export function numberIn(allocation: Allocation, index: number, { bytes, isZeroed }: RecordShape, number: RecordNumber): Value {
  const held = allocation.cells.get(index * bytes)?.value;
  if (held?.kind === "record") return cellOf(held, number)?.value ?? unknown("a member that is not known", number.type);
  const { summary } = allocation;
  const member = memberAt(summary.content, index * bytes + number.offset);
  if (member) return valueAt(ofMember(summary, member.content, number.type), member.index, number.type);
  const isAlike = (summary.content.kind === "zero" && isZeroed) || summary.content.kind === "bytes";
  return isAlike ? valueAt(summary, undefined, number.type) : unknown(summary.reason ?? "a member that is not known", number.type);
}

/** What an array would say of one number of its records alone. */
export function ofMember(summary: Summary, content: Content, type: HostType | undefined): Summary {
  const element = scalarType(type);
  return { ...summary, content, ...(element ? { elementBytes: scalarBytes[element] } : {}) };
}

/** What records that begin at a byte hold in a member, and which of them it is. */
export function memberAt(content: Content, offset: number): { readonly content: Content; readonly index: number } | undefined {
  if (content.kind === "parts") {
    const part = content.parts.find(({ from, to }) => offset >= from && offset < to);
    return part && memberAt(part.content, offset - part.origin);
  }
  if (content.kind !== "records") return undefined;
  const index = Math.floor(offset / content.bytes);
  const member = content.members.find((each) => each.offset === offset - index * content.bytes);
  return member && { content: member.content, index };
}

/** Puts into a record what an array of such holds at a byte offset. */
export function setNumbers(host: Interpreter, made: RecordValue, summary: Summary, offset: number): void {
  for (const number of numbersOf(host, made.type) ?? []) {
    const member = memberAt(summary.content, offset + number.offset);
    const cell = member && cellOf(made, number);
    if (cell) cell.value = valueAt(ofMember(summary, member.content, number.type), member.index, number.type);
  }
}

/**
 * What an array of records holds as a whole, with those that stand in cells by themselves; undefined where none do, or they are not of
 * numbers.
 */
function wholeRecords(host: Interpreter, allocation: Allocation, type: HostType | undefined): Content | undefined {
  const { cells, summary } = allocation;
  const numbers = cells.size > 0 ? numbersOf(host, type) : undefined;
  const shape = type && shapeOf(host, type);
  if (!numbers || !shape || holdArrays(numbers)) return undefined;
  const { bytes } = shape;
  const places = [...cells.keys()].map((offset) => offset / bytes);
  const known = summary.content.kind === "records" ? summary.content.members : [];
  const end = Math.max(...places.map((place) => place + 1), ...known.map(({ content }) => lengthOf(content)));
  if (end > mostRecords || !places.every(Number.isInteger)) return undefined;
  return recordsOf(bytes, numbers, (number) => {
    const values = new Float64Array(end);
    for (let k = 0; k < end; k++) values[k] = exactNumber(numberIn(allocation, k, shape, number)) ?? Number.NaN;
    return values.some(Number.isNaN) ? unknownContent : { kind: "values", values };
  });
}

/** Records that are put together one by one at the most. */
const mostRecords = 1 << 16;

const lengthOf = (content: Content): number => (content.kind === "values" ? content.values.length : 0);

/** Records of which each number is known by itself. */
export function recordsOf(
  bytes: number,
  numbers: readonly RecordNumber[],
  contentOf: (number: RecordNumber, index: number) => Content,
): Content {
  const members = numbers.flatMap((number, k): RecordMember[] => {
    const element = scalarType(number.type);
    return element ? [{ offset: number.offset, element, content: contentOf(number, k) }] : [];
  });
  if (members.every(({ content }) => content.kind === "unknown")) return unknownContent;
  return members.every(({ content }) => content.kind === "zero") ? zeroContent : { kind: "records", bytes, members };
}

/** What an allocation holds as a whole. @param pointee what it is seen as */
export function contentIn(
  host: Interpreter,
  allocation: Allocation,
  elementBytes: number | undefined,
  pointee: HostType | undefined,
): Content {
  const type = pointee?.kind === "record" ? pointee : allocation.element;
  // Who has the address of one member may have stored to others.
  if (host.holdsMembers && type?.kind === "record") return unknownContent;
  return (
    wholeRecords(host, allocation, type) ??
    (elementBytes === undefined ? allocation.summary.content : wholeContent(allocation, elementBytes))
  );
}
