/** Arrays that a replayed loop reads and writes, as plain numbers. */
import { type Content, scalarBytes } from "@warplens/sim-engine";
import { exactPattern, overlaid, scalarType, upTo } from "../memory/content.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { read, write } from "../memory/read-write.ts";
import { memberAt, numberIn, type RecordNumber, type RecordShape } from "../memory/record-members.ts";
import type { Allocation, HostType, Value } from "../values/model.ts";
import { float, int, isFloat, isUnsigned, numberOf } from "../values/values.ts";
import { type Conversion, conversion, type Known, type NumberName } from "./arithmetic.ts";
import type { Elements } from "./compiled/arrays.ts";
import { known, unknown, untouched, written } from "./element-states.ts";
import { Formula } from "./formula.ts";
import { type List, mostElements } from "./lists.ts";
import { GivenUp } from "./machine.ts";
import { areOf, coverAll, type Stretch, stretchesOf } from "./stretches.ts";

/** Elements of a page: what a loop within another goes through is mostly one row of an array. */
const pageBits = 10;
const pageSize = 1 << pageBits;

/** Elements that are made one by one before it is tried to have them all at once. */
const manyComputed = 2048;

interface Shape {
  readonly type: HostType;
  readonly elementBytes: number;
  readonly count: number;
  readonly member?: { readonly number: RecordNumber; readonly shape: RecordShape };
}

interface Page {
  readonly values: Float64Array;
  readonly states: Uint8Array;
}

/** All elements, as compiled code has left them. */
interface Flat {
  readonly values: Exclude<Elements, BigInt64Array>;
  readonly states: Uint8Array;
}

export class Column implements List {
  readonly allocation: Allocation;
  readonly elementBytes: number;
  length: number;
  readonly type: HostType;
  readonly #host: Interpreter;
  /** Where the elements are records: the number of each that this is. */
  readonly #member: Shape["member"];
  /** Those that were looked at or stored to: an array costs what a loop does with it, however large it is. */
  readonly #pages: (Page | undefined)[] = [];
  #flat: Flat | undefined;
  #isComputed: boolean | undefined;
  /** Elements that were made one by one. */
  #computed = 0;
  /** Null where that was looked for in vain. */
  #before: ArrayLike<number> | null | undefined;
  stores = 0;
  readonly #initial: number;

  /** It goes by numbers that stand for the program's, too. */
  readonly #invents: boolean;

  private constructor(host: Interpreter, allocation: Allocation, { type, elementBytes, count, member }: Shape, invents: boolean) {
    this.#invents = invents;
    this.#member = member;
    this.#host = host;
    this.allocation = allocation;
    this.elementBytes = elementBytes;
    this.type = type;
    this.length = count;
    this.#initial = count;
  }

  get #isGrown(): boolean {
    return this.length !== this.#initial;
  }

  /** Undefined where its size is not known, or there are too many elements. */
  static of(
    host: Interpreter,
    allocation: Allocation,
    type: HostType,
    elementBytes: number,
    invents?: { readonly likely: number | undefined },
    most = mostElements,
  ): Column | undefined {
    const { bytes } = allocation.summary;
    const count = bytes === undefined ? invents?.likely : Math.floor(bytes / elementBytes);
    return count === undefined || count > most
      ? undefined
      : new Column(host, allocation, { type, elementBytes, count }, invents !== undefined);
  }

  /** A number of each of an array's records, of which there are so many. */
  static ofRecords(host: Interpreter, allocation: Allocation, number: RecordNumber, shape: RecordShape, count: number): Column {
    return new Column(host, allocation, { type: number.type, elementBytes: shape.bytes, count, member: { number, shape } }, true);
  }

  #page(index: number): Page {
    const number = index >> pageBits;
    const known = this.#pages[number];
    if (known) return known;
    const page = { values: new Float64Array(pageSize), states: new Uint8Array(pageSize) };
    this.#pages[number] = page;
    this.#fill(page, number * pageSize);
    return page;
  }

  /** What the array held before the loop, where that stands there number by number. */
  get #table(): { readonly of: ArrayLike<number>; readonly name: NumberName; readonly convert: Conversion } | undefined {
    const { summary } = this.allocation;
    if (summary.elementBytes !== this.elementBytes) return undefined;
    const content = this.#content;
    const of = this.#numbersOf(content);
    const name = this.type.kind === "integer" || this.type.kind === "floating" ? this.type.name : undefined;
    if (!of || !name || (content.kind === "values" && content.drawn && !this.#invents)) return undefined;
    return { of, name, convert: conversion(isFloat(name) ? "double" : "long", name) };
  }

  #numbersOf(content: Content): ArrayLike<number> | undefined {
    const { numbers } = this.allocation.summary;
    if (numbers?.of === content) return numbers.values;
    if (content.kind === "values") return content.values;
    return content.kind === "computed" && this.#computed >= manyComputed && content.by instanceof Formula ? content.by.all() : undefined;
  }

  /** What an element was before the loop, where that stands there number by number. */
  #told(index: number): Known {
    const { cells } = this.allocation;
    return cells.size > 0 && cells.has(index * this.elementBytes) ? undefined : this.#numbersBefore?.[index];
  }

  /** The same where they are all numbers of its type; undefined where they are not. */
  get #numbersBefore(): ArrayLike<number> | undefined {
    if (this.#before === undefined) {
      const table = this.#table;
      this.#before = table && areOf(table.of, table.name, table.convert) ? table.of : null;
    }
    return this.#before ?? undefined;
  }

  #fill({ values, states }: Page, from: number): void {
    const table = this.allocation.cells.size > 0 ? undefined : this.#table;
    if (!table) return;
    const { of, name, convert } = table;
    if (areOf(of, name, convert)) {
      const count = Math.max(0, Math.min(pageSize, of.length - from));
      for (let at = 0; at < count; at++) values[at] = of[from + at] ?? 0;
      states.fill(known, 0, count);
      return;
    }
    for (let at = 0, index = from; at < pageSize && index < of.length; at++, index++) {
      const value = of[index] ?? Number.NaN;
      const made = isFloat(name) || Number.isInteger(value) ? convert(value) : undefined;
      states[at] = made === undefined ? unknown : known;
      values[at] = made ?? 0;
    }
  }

  read(index: number): Known {
    // Who reads along a column of a matrix would have a page made for each element.
    const told = this.#flat || this.#pages[index >> pageBits] ? undefined : this.#told(index);
    if (told !== undefined) return told;
    const { values, states } = this.#flat ?? this.#page(index);
    const at = this.#flat ? index : index & (pageSize - 1);
    if (states[at] === untouched) {
      const value = this.#told(index) ?? this.before(index);
      states[at] = value === undefined ? unknown : known;
      values[at] = value ?? 0;
    }
    return ((states[at] ?? unknown) & known) === known ? values[at] : undefined;
  }

  /** What an element was before the loop. */
  before(index: number): Known {
    if (this.isComputed) {
      this.#host.replays.computed += 1;
      this.#computed += 1;
      // They are made all at once then, where that can be.
      if (this.#computed === manyComputed) this.#before = undefined;
    }
    const held = this.#held(index);
    const value = numberOf(held) ?? (held.kind === "unknown" && this.#goesByDrawn(index) ? held.likely : undefined);
    return value === undefined || !(Number.isSafeInteger(value) || !Number.isInteger(value)) ? undefined : value;
  }

  // ---- compiled code

  /** Each element is known before the loop, all of them at once. */
  get isKnownBefore(): boolean {
    // What is made all at once has to be before the memory is used that it is made in, whatever stands alone.
    const stretches = this.#stretches;
    return this.allocation.cells.size === 0 && coverAll(stretches, this.length);
  }

  /** What elements hold, but for those that stand alone. */
  get #stretches(): readonly Stretch[] {
    const { elementBytes, length, type } = this;
    const { summary } = this.allocation;
    // What is known of a record's number has an element a record.
    if (!this.#member && summary.content.kind !== "zero" && summary.elementBytes !== elementBytes) return [];
    if (!(type.kind === "integer" || type.kind === "floating")) return [];
    const content = this.#content;
    const numbers = summary.numbers?.of === content ? summary.numbers.values : undefined;
    const bytes = this.#member ? scalarBytes[scalarType(type) ?? "i8"] : elementBytes;
    return stretchesOf({ content, numbers, type: type.name, elementBytes: bytes, length, invents: this.#invents });
  }

  /** Lays out what is known of elements at once. @param states undefined where nobody asks for them */
  lay(values: Elements, states: Uint8Array | undefined): void {
    const stretches = this.#stretches;
    if (states) {
      if (!coverAll(stretches, this.length)) states.fill(untouched, 0, this.length);
      for (const { from, to } of stretches) states.fill(known, from, to);
    }
    for (const stretch of stretches) lay(values, stretch);
    if (states) for (const offset of this.allocation.cells.keys()) states[Math.floor(offset / this.elementBytes)] = untouched;
  }

  /** Takes what compiled code has left, as its own. @param room for more elements than there are */
  adopt(room: Elements, roomOfStates: Uint8Array, length: number): void {
    this.stores = 1;
    this.length = length;
    const [values, states] = [room.slice(0, length), roomOfStates.slice(0, length)];
    this.#flat = { values: values instanceof BigInt64Array ? this.#numbers(values, states) : values, states };
  }

  /** Integers that no double holds are not known. */
  #numbers(values: BigInt64Array, states: Uint8Array): Float64Array {
    const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    const numbers = new Float64Array(values.length);
    for (let k = 0; k < numbers.length; k++) {
      const number = (halves[2 * k + 1] ?? 0) * 2 ** 32 + ((halves[2 * k] ?? 0) >>> 0);
      numbers[k] = number;
      if (!Number.isSafeInteger(number) && states[k] !== untouched) states[k] = ((states[k] ?? 0) & written) | unknown;
    }
    return numbers;
  }

  /** What it held before the loop. */
  get #content(): Content {
    const { content } = this.allocation.summary;
    if (!this.#member) return content;
    const { number, shape } = this.#member;
    return memberAt(content, number.offset)?.content ?? (content.kind === "zero" && shape.isZeroed ? zeroContent : unknownContent);
  }

  #held(index: number): Value {
    const { allocation, elementBytes } = this;
    return this.#member
      ? numberIn(allocation, index, this.#member.shape, this.#member.number)
      : read(this.#host, { allocation, offset: index * elementBytes, type: this.type });
  }

  /** A number stands there for the program's, and may be gone by. */
  #goesByDrawn(index: number): boolean {
    return this.#invents && this.isInvented && !this.allocation.cells.has(index * this.elementBytes);
  }

  resize(length: number, fill: Known): void {
    if (!(length >= 0 && length <= mostElements)) throw new GivenUp();
    for (let k = this.length; k < length; k++) this.write(k, fill);
    this.length = length;
    this.stores += 1;
  }

  append(value: Known): void {
    if (this.length >= mostElements) throw new GivenUp();
    this.length += 1;
    this.write(this.length - 1, value);
  }

  write(index: number, value: Known): void {
    const { values, states } = this.#page(index);
    const at = index & (pageSize - 1);
    this.stores += 1;
    // An integer of 64 bits may be one that no double holds.
    const isHeld = typeof value === "number";
    states[at] = written | (isHeld ? known : unknown);
    values[at] = isHeld ? value : 0;
  }

  /** Whether each element that was stored is known. */
  get isKnown(): boolean {
    return this.#regions.every(({ states }) => !states.includes(written | unknown));
  }

  /** What it held before the loop is made element by element. */
  get isComputed(): boolean {
    this.#isComputed ??= isMade(this.#content);
    return this.#isComputed;
  }

  /** Nothing is known of any of its elements before the loop. */
  get isNeverKnown(): boolean {
    const { cells, summary } = this.allocation;
    return cells.size === 0 && summary.band === undefined && /^(unknown|written)$/.test(this.#content.kind);
  }

  /** Each element was stored to, or nearly. */
  get isFilled(): boolean {
    let count = 0;
    for (const { states } of this.#regions) for (let at = 0; at < states.length; at++) if ((states[at] ?? 0) & written) count++;
    return count >= this.length - 1;
  }

  /** Elements that the loop may have touched, by the first of each region. */
  get #regions(): readonly (Omit<Flat, "values"> & { readonly from: number; readonly values: ArrayLike<number> })[] {
    if (this.#flat) return [{ ...this.#flat, from: 0 }];
    return this.#pages.flatMap((page, number) => (page ? [{ ...page, from: number * pageSize }] : []));
  }

  /** What it held before the loop are numbers that stand for the program's. */
  get isInvented(): boolean {
    return isInvented(this.#content);
  }

  #state(index: number): number {
    if (this.#flat) return this.#flat.states[index] ?? untouched;
    return this.#pages[index >> pageBits]?.states[index & (pageSize - 1)] ?? untouched;
  }

  /**
   * Puts what was stored where the array is.
   * @param apart one by one
   * @param invented numbers are among it that stand for the program's
   */
  commit(apart: boolean, invented = false): void {
    const { allocation, elementBytes } = this;
    if (apart) {
      const stored = known | written;
      for (const { states, values, from } of this.#regions)
        for (let at = states.indexOf(stored); at >= 0; at = states.indexOf(stored, at + 1)) this.#put(from + at, values[at] ?? 0);
      return;
    }
    const { summary, cells } = allocation;
    const [first, end] = isMade(summary.content) ? this.#touched(cells.keys()) : [0, this.length];
    this.#host.work?.spend((end - first) >> 3);
    const { values, states } = this.#span(first, end);
    const stateOf = (k: number): number => states[k - first] ?? untouched;
    const isKnown = (k: number): boolean => (stateOf(k) & known) === known;
    // What stood alone in a cell has to stand in the content now.
    const isOwn = (k: number): boolean => isKnown(k) && ((stateOf(k) & written) === written || cells.has(k * elementBytes));
    let content: Content = summary.content;
    const bytes = this.#isGrown ? this.length * elementBytes : summary.bytes;
    for (let from = first; from < end; ) {
      if (!isOwn(from)) {
        from++;
        continue;
      }
      let to = from + 1;
      while (to < end && isKnown(to)) to++;
      const run = this.#run(values.subarray(from - first, to - first), invented);
      const whole = from === 0 && to === this.length;
      content = whole
        ? run
        : overlaid(content, { from: from * elementBytes, to: to * elementBytes, origin: from * elementBytes, content: run }, bytes);
      from = to;
    }
    const { band: _, reason: __, ...rest } = summary;
    const others = [...cells].filter(([offset]) => offset < (bytes ?? 0) && !isKnown(offset / elementBytes));
    this.#host.journal.summarise(allocation, { ...rest, bytes, elementBytes, content }, new Map(others));
  }

  /** The elements from one to another, each looked at. */
  #span(first: number, end: number): Page | Flat {
    const flat = this.#flat;
    if (flat) {
      for (let k = flat.states.indexOf(untouched, first); k >= 0 && k < end; k = flat.states.indexOf(untouched, k + 1)) this.read(k);
      return { values: flat.values.subarray(first, end), states: flat.states.subarray(first, end) };
    }
    const values = new Float64Array(end - first);
    const states = new Uint8Array(end - first);
    for (let from = first; from < end; ) {
      const page = this.#page(from);
      const at = from & (pageSize - 1);
      const count = Math.min(end - from, pageSize - at);
      for (let k = page.states.indexOf(untouched, at); k >= 0 && k < at + count; k = page.states.indexOf(untouched, k + 1))
        this.read(from - at + k);
      values.set(page.values.subarray(at, at + count), from - first);
      states.set(page.states.subarray(at, at + count), from - first);
      from += count;
    }
    return { values, states };
  }

  /** What it holds behind the loop; of records as far as their numbers are known. */
  contentOfMember(invented: boolean): Content {
    const { cells } = this.allocation;
    if (this.stores === 0 && cells.size === 0) return this.#content;
    this.#host.work?.spend(this.length >> 3);
    const values = new Float64Array(this.length);
    let end = 0;
    for (let k = 0; k < this.length; k++) {
      const value = this.read(k);
      if (value === undefined) continue;
      // Memory behind the last that was stored nobody may have to know.
      if (end < k) return unknownContent;
      values[k] = value;
      end = k + 1;
    }
    if (end === 0) return unknownContent;
    const known = this.#run(values.subarray(0, end), invented);
    return end === this.length ? known : upTo(known, end * scalarBytes[scalarType(this.type) ?? "i8"]);
  }

  /** The elements from the first to the last that the loop touched, by pages, or that stand alone in cells: `[first, end)`. */
  #touched(cells: Iterable<number>): readonly [number, number] {
    const isTouched = this.#flat
      ? Array.from({ length: Math.ceil(this.length / pageSize) }, (_, k) => this.#isTouchedIn(k))
      : this.#pages.map((page) => page !== undefined);
    let first = isTouched.indexOf(true);
    if (first < 0) return [0, 0];
    let end = isTouched.lastIndexOf(true) + 1;
    for (const offset of cells) {
      const page = Math.floor(offset / this.elementBytes) >> pageBits;
      first = Math.min(first, Math.max(0, page));
      end = Math.max(end, page + 1);
    }
    return [first * pageSize, Math.min(this.length, end * pageSize)];
  }

  /** Whether compiled code has touched an element of a page. */
  #isTouchedIn(page: number): boolean {
    return this.#flat?.states.subarray(page * pageSize, (page + 1) * pageSize).some((state) => state !== untouched) ?? false;
  }

  #put(index: number, value: number): void {
    const place = { allocation: this.allocation, offset: index * this.elementBytes, type: this.type };
    write(this.#host, place, this.type.kind === "floating" ? float(value) : int(value, "long"));
  }

  #run(values: Flat["values"], invented: boolean): Content {
    const pattern = invented ? undefined : this.#pattern(values);
    if (pattern) return pattern;
    const made: Content = { kind: "values", values: this.#compact(values) };
    return invented ? { ...made, drawn: true } : made;
  }

  /** The pattern that the first few say, where all follow it. */
  #pattern(values: Flat["values"]): Content | undefined {
    const { type } = this;
    const first = Array.from(values.subarray(0, fewValues));
    const single = type.kind === "floating" && type.name === "float";
    const integral = type.kind !== "floating";
    const pattern = exactPattern({ indices: first.map((_, k) => k), values: first, integral, single });
    if (!pattern) return undefined;
    const line = pattern.kind === "linear" ? pattern : undefined;
    const [constant = 0] = first;
    const round = single ? Math.fround : (value: number): number => value;
    for (let k = fewValues; k < values.length; k++) {
      const value = values[k] ?? 0;
      const told = line ? round(line.start + line.stride * k) : constant;
      if (integral ? value !== told : !Object.is(value, told)) return undefined;
    }
    return pattern;
  }

  /** Each element behind the loop; undefined where one is not known. */
  all(): ArrayLike<number> | undefined {
    const { values, states } = this.#span(0, this.length);
    return states.every((state) => (state & known) === known) ? this.#compact(values) : undefined;
  }

  /** Keeps the numbers beside a content that says how they are spread. */
  accompany(): void {
    const { summary } = this.allocation;
    const values = new Float64Array(this.length);
    for (const { values: some, from } of this.#regions)
      for (let at = 0; at < some.length && from + at < this.length; at++) values[from + at] = some[at] ?? 0;
    // What was not stored to, as a rule the first element or the last.
    for (let k = 0; k < this.length; k++) {
      if ((this.#state(k) & written) !== 0) continue;
      const value = this.read(k);
      if (value === undefined) return;
      values[k] = value;
    }
    const numbers = { of: summary.content, values: this.#compact(values) };
    this.#host.journal.summarise(this.allocation, { ...summary, numbers });
  }

  /** As small as numbers of the type can be kept. */
  #compact(values: Flat["values"]): ArrayLike<number> {
    // Compiled code has left it as its own type.
    if (!(values instanceof Float64Array)) return values;
    if (this.type.kind === "floating" && this.type.name === "float") return Float32Array.from(values);
    if (this.type.kind !== "integer" || this.elementBytes > 4) return values.slice();
    return isUnsigned(this.type.name) ? Uint32Array.from(values) : Int32Array.from(values);
  }
}

function lay(values: Elements, { from, to, numbers, first }: Stretch): void {
  if (values instanceof BigInt64Array) {
    const at = numberAt(numbers);
    for (let k = from; k < to; k++) values[k] = BigInt(at(first + k - from));
  } else if (typeof numbers === "number") values.fill(numbers, from, to);
  else if (typeof numbers === "function") for (let k = from; k < to; k++) values[k] = numbers(first + k - from);
  else if (ArrayBuffer.isView(numbers)) values.set((numbers as Float64Array).subarray(first, first + to - from), from);
  else for (let k = from; k < to; k++) values[k] = numbers[first + k - from] ?? 0;
}

function numberAt(numbers: Stretch["numbers"]): (index: number) => number {
  if (typeof numbers === "number") return () => numbers;
  return typeof numbers === "function" ? numbers : (index) => numbers[index] ?? 0;
}

/** Parts of a content up to which what a loop stores may stand beside them as more: beyond 16 a content is forgotten (`overlaid`). */
const fewParts = 4;

/** Whether its elements are made when they are asked for: those that the loop has not touched then stay as they are. */
const isMade = (content: Content): boolean =>
  content.kind === "computed" ||
  (content.kind === "parts" && content.parts.length <= fewParts && content.parts.some((part) => isMade(part.content)));

/** Numbers among it stand for the program's. */
const isInvented = (content: Content): boolean =>
  (content.kind === "values" && content.drawn === true) ||
  (content.kind === "parts" && content.parts.some((part) => isInvented(part.content)));

/** Values from which it mostly shows that they follow no pattern. */
const fewValues = 64;
