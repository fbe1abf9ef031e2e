/** Arrays that a replayed loop reads and writes, as plain numbers. */
import { type Content, scalarBytes } from "@warplens/sim-engine";
import { exactPattern, overlaid, scalarType, upTo } from "../memory/content.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { read, write } from "../memory/read-write.ts";
import { memberAt, numberIn, type RecordNumber, type RecordShape } from "../memory/record-members.ts";
import type { Allocation, HostType, Value } from "../values/model.ts";
import { float, int, isFloat, isUnsigned, numberOf } from "../values/values.ts";
import { conversion, type Known } from "./arithmetic.ts";
import { type List, mostElements } from "./lists.ts";
import { GivenUp } from "./machine.ts";

/** Elements of a page: what a loop within another goes through is mostly one row of an array. */
const pageBits = 10;
const pageSize = 1 << pageBits;

/** What is known of an element, and whether the loop stored it. */
const untouched = 0;
const known = 1;
const unknown = 2;
const written = 4;

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
  ): Column | undefined {
    const { bytes } = allocation.summary;
    const count = bytes === undefined ? invents?.likely : Math.floor(bytes / elementBytes);
    return count === undefined || count > mostElements
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

  /** With what the array holds, where that stands there number by number. */
  #fill({ values, states }: Page, from: number): void {
    const { cells, summary } = this.allocation;
    const { numbers } = summary;
    const content = this.#content;
    if (cells.size > 0 || summary.elementBytes !== this.elementBytes) return;
    const of = numbers?.of === content ? numbers.values : content.kind === "values" ? content.values : undefined;
    const name = this.type.kind === "integer" || this.type.kind === "floating" ? this.type.name : undefined;
    if (!of || !name || (content.kind === "values" && content.drawn && !this.#invents)) return;
    const convert = conversion(isFloat(name) ? "double" : "long", name);
    for (let at = 0, index = from; at < pageSize && index < of.length; at++, index++) {
      const value = of[index] ?? Number.NaN;
      const made = isFloat(name) || Number.isInteger(value) ? convert(value) : undefined;
      states[at] = made === undefined ? unknown : known;
      values[at] = made ?? 0;
    }
  }

  read(index: number): Known {
    const { values, states } = this.#page(index);
    const at = index & (pageSize - 1);
    if (states[at] === untouched) {
      const held = this.#held(index);
      const value = numberOf(held) ?? (held.kind === "unknown" && this.#goesByDrawn(index) ? held.likely : undefined);
      states[at] = value === undefined || !(Number.isSafeInteger(value) || !Number.isInteger(value)) ? unknown : known;
      values[at] = value ?? 0;
    }
    return ((states[at] ?? unknown) & known) === known ? values[at] : undefined;
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
    return this.#pages.every((page) => !page?.states.includes(written | unknown));
  }

  /** Each element was stored to, or nearly. */
  get isFilled(): boolean {
    let count = 0;
    for (const page of this.#pages) for (let at = 0; page && at < pageSize; at++) if ((page.states[at] ?? 0) & written) count++;
    return count >= this.length - 1;
  }

  /** What it held before the loop are numbers that stand for the program's. */
  get isInvented(): boolean {
    return isInvented(this.#content);
  }

  #state(index: number): number {
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
      this.#pages.forEach((page, number) => {
        page?.states.forEach((state, at) => {
          if (state & written) this.#put(number * pageSize + at, page.values[at] ?? 0);
        });
      });
      return;
    }
    const { summary, cells } = allocation;
    const [first, end] = isMade(summary.content) ? this.#touched(cells.keys()) : [0, this.length];
    this.#host.work?.spend((end - first) >> 3);
    const values = new Float64Array(end - first);
    const states = new Uint8Array(end - first);
    for (let k = first; k < end; k++) {
      values[k - first] = this.read(k) ?? 0;
      states[k - first] = this.#state(k);
    }
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
    let first = this.#pages.findIndex((page) => page !== undefined);
    if (first < 0) return [0, 0];
    let end = this.#pages.length;
    for (const offset of cells) {
      const page = Math.floor(offset / this.elementBytes) >> pageBits;
      first = Math.min(first, Math.max(0, page));
      end = Math.max(end, page + 1);
    }
    return [first * pageSize, Math.min(this.length, end * pageSize)];
  }

  #put(index: number, value: number): void {
    const place = { allocation: this.allocation, offset: index * this.elementBytes, type: this.type };
    write(this.#host, place, this.type.kind === "floating" ? float(value) : int(value, "long"));
  }

  #run(values: Float64Array, invented: boolean): Content {
    const isPattern = !invented && this.#pattern(values.subarray(0, fewValues)) !== undefined;
    const made: Content = { kind: "values", values: this.#compact(values) };
    return (isPattern ? this.#pattern(values) : undefined) ?? (invented ? { ...made, drawn: true } : made);
  }

  #pattern(values: Float64Array): Content | undefined {
    const { type } = this;
    const indices = Array.from(values, (_, k) => k);
    const single = type.kind === "floating" && type.name === "float";
    return exactPattern({ indices, values: Array.from(values), integral: type.kind !== "floating", single });
  }

  /** Keeps the numbers beside a content that says how they are spread. */
  accompany(): void {
    const { summary } = this.allocation;
    const values = new Float64Array(this.length);
    this.#pages.forEach((page, number) => {
      const from = number * pageSize;
      if (page) values.set(page.values.subarray(0, Math.min(pageSize, this.length - from)), from);
    });
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
  #compact(values: Float64Array): ArrayLike<number> {
    if (this.type.kind === "floating" && this.type.name === "float") return Float32Array.from(values);
    if (this.type.kind !== "integer" || this.elementBytes > 4) return values.slice();
    return isUnsigned(this.type.name) ? Uint32Array.from(values) : Int32Array.from(values);
  }
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
