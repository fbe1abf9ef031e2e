/**
 * The memories of a launch. Every address is a number in one flat space: each of the small spaces has a window of its own,
 * as generic addressing has on the hardware, and buffers lie far above them.
 */
import type { Buffer, Content, ScalarType, Space } from "../kernel.ts";
import { scalarBytes } from "../kernel.ts";
import { type ElementSource, elements } from "./content.ts";
import { bf16FromBits, bf16ToBits, f16FromBits, f16ToBits } from "./half.ts";

const windowBytes = 2 ** 32;
/** First addresses of the windows. */
export const sharedBase = 1 * windowBytes;
export const localBase = 2 * windowBytes;
export const constantBase = 3 * windowBytes;
export const paramBase = 4 * windowBytes;
export const globalBase = 0x7f * windowBytes;

/** The space an address is in; undefined for one that no memory has. */
export function spaceOf(address: number): Exclude<Space, "generic"> | undefined {
  if (address >= globalBase) return "global";
  switch (Math.floor(address / windowBytes)) {
    case 1:
      return "shared";
    case 2:
      return "local";
    case 3:
      return "constant";
    case 4:
      return "param";
    default:
      return undefined;
  }
}

/** One value of memory: i64 as a sign-extended bigint, all else a number (integers sign-extended, i1 0 or 1). */
export type Scalar = number | bigint;

export function readScalar(view: DataView, offset: number, type: ScalarType): Scalar {
  switch (type) {
    case "i1":
      return view.getUint8(offset) === 0 ? 0 : 1;
    case "i8":
      return view.getInt8(offset);
    case "i16":
      return view.getInt16(offset, true);
    case "i32":
      return view.getInt32(offset, true);
    case "i64":
      return view.getBigInt64(offset, true);
    case "f16":
      return f16FromBits(view.getUint16(offset, true));
    case "bf16":
      return bf16FromBits(view.getUint16(offset, true));
    case "f32":
      return view.getFloat32(offset, true);
    case "f64":
      return view.getFloat64(offset, true);
    case "ptr":
      return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * windowBytes;
  }
}

export function writeScalar(view: DataView, offset: number, type: ScalarType, value: Scalar): void {
  switch (type) {
    case "i1":
    case "i8":
      view.setInt8(offset, Number(value));
      return;
    case "i16":
      view.setInt16(offset, Number(value), true);
      return;
    case "i32":
      view.setInt32(offset, Number(value), true);
      return;
    case "i64":
      view.setBigInt64(offset, BigInt(value), true);
      return;
    case "f16":
      view.setUint16(offset, f16ToBits(Number(value)), true);
      return;
    case "bf16":
      view.setUint16(offset, bf16ToBits(Number(value)), true);
      return;
    case "f32":
      view.setFloat32(offset, Number(value), true);
      return;
    case "f64":
      view.setFloat64(offset, Number(value), true);
      return;
    case "ptr":
      view.setUint32(offset, Number(value) % windowBytes, true);
      view.setUint32(offset + 4, Math.floor(Number(value) / windowBytes), true);
      return;
  }
}

const pageBytes = 1024;

/** Bytes that are made when they are first written, and until then are what `Content` says. Reading past the end gives zero. */
export class LazyMemory {
  readonly #content: Content;
  readonly #element: ScalarType;
  readonly #source: ElementSource;
  readonly #pages = new Map<number, DataView>();
  readonly #scratch = new DataView(new ArrayBuffer(32));

  constructor(content: Content, element: ScalarType, seed: number) {
    this.#content = content;
    this.#element = content.kind === "bytes" ? "i8" : element;
    this.#source = elements(content, element.includes("f"), seed);
  }

  read(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    const page = this.#pages.get(Math.floor(offset / pageBytes));
    if (page && (offset % pageBytes) + size <= pageBytes) return readScalar(page, offset % pageBytes, type);
    if (type === this.#element && offset % size === 0) {
      const value = this.#source(offset / size);
      return type === "i64" ? BigInt.asIntN(64, BigInt(Math.floor(value))) : this.#normal(value, type);
    }
    return readScalar(this.#bytes(offset, size), 0, type);
  }

  /** What storing the value and reading it back gives. */
  #normal(value: number, type: ScalarType): number {
    switch (type) {
      case "f64":
      case "ptr":
        return value;
      case "f32":
        return Math.fround(value);
      case "i32":
        return value | 0;
      default:
        writeScalar(this.#scratch, 24, type, value);
        return Number(readScalar(this.#scratch, 24, type));
    }
  }

  /** Up to 8 bytes at any alignment, put together from pages and unwritten elements. */
  #bytes(offset: number, size: number): DataView {
    for (let k = 0; k < size; k++) this.#scratch.setUint8(k, this.#byte(offset + k));
    return this.#scratch;
  }

  #byte(offset: number): number {
    const page = this.#pages.get(Math.floor(offset / pageBytes));
    if (page) return page.getUint8(offset % pageBytes);
    const size = scalarBytes[this.#element];
    this.#element satisfies ScalarType;
    const value = this.#source(Math.floor(offset / size));
    writeScalar(this.#scratch, 16, this.#element, this.#element === "i64" ? BigInt.asIntN(64, BigInt(Math.floor(value))) : value);
    return this.#scratch.getUint8(16 + (offset % size));
  }

  write(offset: number, type: ScalarType, value: Scalar): void {
    const size = scalarBytes[type];
    if ((offset % pageBytes) + size <= pageBytes) {
      writeScalar(this.#page(Math.floor(offset / pageBytes)), offset % pageBytes, type, value);
      return;
    }
    writeScalar(this.#scratch, 8, type, value);
    for (let k = 0; k < size; k++) {
      const at = offset + k;
      this.#page(Math.floor(at / pageBytes)).setUint8(at % pageBytes, this.#scratch.getUint8(8 + k));
    }
  }

  #page(index: number): DataView {
    const known = this.#pages.get(index);
    if (known) return known;
    const page = new DataView(new ArrayBuffer(pageBytes));
    if (this.#content.kind !== "zero" && this.#content.kind !== "unknown") {
      const size = scalarBytes[this.#element];
      for (let at = 0; at < pageBytes; at += size) {
        const value = this.#source((index * pageBytes + at) / size);
        writeScalar(page, at, this.#element, this.#element === "i64" ? BigInt.asIntN(64, BigInt(Math.floor(value))) : value);
      }
    }
    this.#pages.set(index, page);
    return page;
  }
}

/** Buffers and device variables at their addresses. */
export class GlobalMemory {
  readonly #starts: number[] = [];
  readonly #memories: LazyMemory[] = [];
  #next = globalBase;

  /** Places another buffer at the next free multiple of 512 bytes, with a gap so that small overruns stay its own. */
  add(bytes: number, content: Content, element: ScalarType): number {
    const start = this.#next;
    this.#starts.push(start);
    this.#memories.push(new LazyMemory(content, element, this.#starts.length));
    this.#next += Math.ceil((bytes + 4096) / 512) * 512;
    return start;
  }

  /** Index of the buffer an address falls into (that with the nearest start below); -1 below the first. */
  indexOf(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  read(address: number, type: ScalarType): Scalar {
    const index = this.indexOf(address);
    return index < 0 ? (type === "i64" ? 0n : 0) : this.#memories[index]!.read(address - this.#starts[index]!, type);
  }

  write(address: number, type: ScalarType, value: Scalar): void {
    const index = this.indexOf(address);
    if (index >= 0) this.#memories[index]!.write(address - this.#starts[index]!, type, value);
  }
}

/** Bytes a buffer of unknown size is given in the address space. */
const unknownBytes = 2 ** 32;

/** Where each of a launch's buffers starts, in one memory. */
export function placeBuffers(memory: GlobalMemory, buffers: readonly Buffer[]): number[] {
  return buffers.map((buffer) => memory.add(buffer.bytes ?? unknownBytes, buffer.content, buffer.element ?? "i32"));
}
