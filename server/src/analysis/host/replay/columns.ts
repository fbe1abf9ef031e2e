/** Arrays that a replayed loop reads and writes, as plain numbers. */
import type { Content } from "@warplens/sim-engine";
import { exactPattern, overlaid } from "../memory/content.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { read, write } from "../memory/read-write.ts";
import type { Allocation, HostType } from "../values/model.ts";
import { float, int, isUnsigned, numberOf } from "../values/values.ts";
import type { Known } from "./arithmetic.ts";

/** Elements of an array that is gone through one by one. */
const mostElements = 1 << 22;

/** Elements of a page: what a loop within another goes through is mostly one row of an array. */
const pageBits = 10;
const pageSize = 1 << pageBits;

/** What is known of an element, and whether the loop stored it. */
const untouched = 0;
const known = 1;
const unknown = 2;
const written = 4;

interface Page {
  readonly values: Float64Array;
  readonly states: Uint8Array;
}

export class Column {
  readonly allocation: Allocation;
  readonly elementBytes: number;
  readonly length: number;
  readonly #host: Interpreter;
  readonly #type: HostType;
  /** Those that were looked at or stored to: an array costs what a loop does with it, however large it is. */
  readonly #pages: (Page | undefined)[] = [];
  stores = 0;

  private constructor(host: Interpreter, allocation: Allocation, type: HostType, elementBytes: number, count: number) {
    this.#host = host;
    this.allocation = allocation;
    this.elementBytes = elementBytes;
    this.#type = type;
    this.length = count;
  }

  /** Undefined where its size is not known, or there are too many elements. */
  static of(host: Interpreter, allocation: Allocation, type: HostType, elementBytes: number): Column | undefined {
    const { bytes } = allocation.summary;
    const count = bytes === undefined ? undefined : Math.floor(bytes / elementBytes);
    return count === undefined || count > mostElements ? undefined : new Column(host, allocation, type, elementBytes, count);
  }

  #page(index: number): Page {
    const number = index >> pageBits;
    const page = this.#pages[number] ?? { values: new Float64Array(pageSize), states: new Uint8Array(pageSize) };
    this.#pages[number] = page;
    return page;
  }

  read(index: number): Known {
    const { values, states } = this.#page(index);
    const at = index & (pageSize - 1);
    if (states[at] === untouched) {
      const value = numberOf(read(this.#host, { allocation: this.allocation, offset: index * this.elementBytes, type: this.#type }));
      states[at] = value === undefined || !(Number.isSafeInteger(value) || !Number.isInteger(value)) ? unknown : known;
      values[at] = value ?? 0;
    }
    return ((states[at] ?? unknown) & known) === known ? values[at] : undefined;
  }

  write(index: number, value: Known): void {
    const { values, states } = this.#page(index);
    const at = index & (pageSize - 1);
    this.stores += 1;
    states[at] = written | (value === undefined ? unknown : known);
    values[at] = value ?? 0;
  }

  /** Whether each element that was stored is known. */
  get isKnown(): boolean {
    return this.#pages.every((page) => !page?.states.includes(written | unknown));
  }

  #state(index: number): number {
    return this.#pages[index >> pageBits]?.states[index & (pageSize - 1)] ?? untouched;
  }

  /**
   * Puts what was stored where the array is.
   * @param apart one by one
   */
  commit(apart: boolean): void {
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
    for (let from = first; from < end; ) {
      if (!isOwn(from)) {
        from++;
        continue;
      }
      let to = from + 1;
      while (to < end && isKnown(to)) to++;
      const run = this.#run(values.subarray(from - first, to - first));
      const whole = from === 0 && to === this.length;
      content = whole
        ? run
        : overlaid(content, { from: from * elementBytes, to: to * elementBytes, origin: from * elementBytes, content: run }, summary.bytes);
      from = to;
    }
    const { band: _, reason: __, ...rest } = summary;
    const others = [...cells].filter(([offset]) => !isKnown(offset / elementBytes));
    this.#host.journal.summarise(allocation, { ...rest, elementBytes, content }, new Map(others));
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
    const place = { allocation: this.allocation, offset: index * this.elementBytes, type: this.#type };
    write(this.#host, place, this.#type.kind === "floating" ? float(value) : int(value, "long"));
  }

  #run(values: Float64Array): Content {
    const isPattern = patternOf(values.subarray(0, fewValues)) !== undefined;
    return (isPattern ? patternOf(values) : undefined) ?? { kind: "values", values: this.#compact(values) };
  }

  /** As small as numbers of the type can be kept. */
  #compact(values: Float64Array): ArrayLike<number> {
    if (this.#type.kind === "floating" && this.#type.name === "float") return Float32Array.from(values);
    if (this.#type.kind !== "integer" || this.elementBytes > 4) return values.slice();
    return isUnsigned(this.#type.name) ? Uint32Array.from(values) : Int32Array.from(values);
  }
}

/** Parts of a content up to which what a loop stores may stand beside them as more: beyond 16 a content is forgotten (`overlaid`). */
const fewParts = 4;

/** Whether its elements are made when they are asked for: those that the loop has not touched then stay as they are. */
const isMade = (content: Content): boolean =>
  content.kind === "computed" ||
  (content.kind === "parts" && content.parts.length <= fewParts && content.parts.some((part) => isMade(part.content)));

/** Values from which it mostly shows that they follow no pattern. */
const fewValues = 64;

function patternOf(values: Float64Array): Content | undefined {
  return exactPattern({ indices: Array.from(values, (_, k) => k), values: Array.from(values), integral: true });
}
