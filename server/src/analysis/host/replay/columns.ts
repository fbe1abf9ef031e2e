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

const untouched = 0;
const known = 1;
const unknown = 2;

export class Column {
  readonly allocation: Allocation;
  readonly elementBytes: number;
  readonly #host: Interpreter;
  readonly #type: HostType;
  readonly #values: Float64Array;
  readonly #states: Uint8Array;
  readonly #written: Uint8Array;
  stores = 0;

  private constructor(host: Interpreter, allocation: Allocation, type: HostType, elementBytes: number, count: number) {
    this.#host = host;
    this.allocation = allocation;
    this.elementBytes = elementBytes;
    this.#type = type;
    this.#values = new Float64Array(count);
    this.#states = new Uint8Array(count);
    this.#written = new Uint8Array(count);
  }

  /** Undefined where its size is not known, or there are too many elements. */
  static of(host: Interpreter, allocation: Allocation, type: HostType, elementBytes: number): Column | undefined {
    const { bytes } = allocation.summary;
    const count = bytes === undefined ? undefined : Math.floor(bytes / elementBytes);
    return count === undefined || count > mostElements ? undefined : new Column(host, allocation, type, elementBytes, count);
  }

  get length(): number {
    return this.#values.length;
  }

  read(index: number): Known {
    if (this.#states[index] === untouched) {
      const value = numberOf(read(this.#host, { allocation: this.allocation, offset: index * this.elementBytes, type: this.#type }));
      this.#states[index] = value === undefined || !(Number.isSafeInteger(value) || !Number.isInteger(value)) ? unknown : known;
      this.#values[index] = value ?? 0;
    }
    return this.#states[index] === known ? this.#values[index] : undefined;
  }

  write(index: number, value: Known): void {
    this.stores += 1;
    this.#written[index] = 1;
    this.#states[index] = value === undefined ? unknown : known;
    this.#values[index] = value ?? 0;
  }

  /** Whether each element that was stored is known. */
  get isKnown(): boolean {
    for (let k = 0; k < this.length; k++) if (this.#written[k] && this.#states[k] === unknown) return false;
    return true;
  }

  /**
   * Puts what was stored where the array is.
   * @param apart one by one
   */
  commit(apart: boolean): void {
    const { allocation, elementBytes } = this;
    if (apart) {
      for (let k = 0; k < this.length; k++) if (this.#written[k]) this.#put(k);
      return;
    }
    const { summary, cells } = allocation;
    for (let k = 0; k < this.length; k++) this.read(k);
    let content: Content = summary.content;
    for (let from = 0; from < this.length; ) {
      // What stood alone in a cell has to stand in the content now.
      const isOwn = (k: number): boolean => this.#states[k] === known && (this.#written[k] === 1 || cells.has(k * elementBytes));
      if (!isOwn(from)) {
        from++;
        continue;
      }
      let to = from + 1;
      while (to < this.length && this.#states[to] === known) to++;
      const run = this.#run(from, to);
      const whole = from === 0 && to === this.length;
      content = whole
        ? run
        : overlaid(content, { from: from * elementBytes, to: to * elementBytes, origin: from * elementBytes, content: run }, summary.bytes);
      from = to;
    }
    const { band: _, reason: __, ...rest } = summary;
    const others = [...cells].filter(([offset]) => this.#states[offset / elementBytes] !== known);
    this.#host.journal.summarise(allocation, { ...rest, elementBytes, content }, new Map(others));
  }

  #put(index: number): void {
    const place = { allocation: this.allocation, offset: index * this.elementBytes, type: this.#type };
    const value = this.#values[index] ?? 0;
    write(this.#host, place, this.#type.kind === "floating" ? float(value) : int(value, "long"));
  }

  #run(from: number, to: number): Content {
    const values = this.#values.subarray(from, to);
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

/** Values from which it mostly shows that they follow no pattern. */
const fewValues = 64;

function patternOf(values: Float64Array): Content | undefined {
  return exactPattern({ indices: Array.from(values, (_, k) => k), values: Array.from(values), integral: true });
}
