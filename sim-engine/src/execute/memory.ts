/**
 * The memories of a launch. Every address is a number in one flat space: each of the small spaces has a window of its own,
 * as generic addressing has on the hardware, and buffers lie far above them.
 */
import { type Buffer, type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import { constantBase, globalBase, localBase, paramBase, sharedBase, windowBytes } from "../ir/windows.ts";
import { readScalar, type Scalar, writeScalar } from "./scalars.ts";
import type { Contents, MemorySource } from "./sources.ts";

export { constantBase, globalBase, localBase, paramBase, sharedBase };

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

/** Where each lane's bytes lie. */
export interface Places {
  readonly views: DataView[];
  readonly offsets: Int32Array;
}

/** A memory whose bytes lie in views, so that steps may read and write them without asking for each. */
export interface Window {
  /**
   * Finds for each lane k of `mask` the `bytes` bytes at `addresses[from + k] + above`, and returns the lanes found: the others'
   * are not in one view, or not there yet. With `making`, places that are not there yet are made. Local memory is each thread's own.
   */
  locate(addresses: Float64Array, from: number, mask: number, above: number, bytes: number, making: boolean, to: Places): number;
}

/** Shared memory, and the local memory of all threads frame by frame. */
export class FixedWindow implements Window {
  readonly #view: DataView;
  readonly #base: number;
  readonly #frame: number;

  constructor(view: DataView, base: number, frame: number) {
    this.#view = view;
    this.#base = base;
    this.#frame = frame;
  }

  locate(addresses: Float64Array, from: number, mask: number, above: number, bytes: number, _making: boolean, to: Places): number {
    const { views, offsets } = to;
    const view = this.#view;
    const last = view.byteLength - bytes;
    let found = 0;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const offset = addresses[from + lane]! + above - this.#base;
      const at = offset + (from + lane) * this.#frame;
      if (!(offset >= 0 && at <= last)) continue;
      views[lane] = view;
      offsets[lane] = at;
      found |= 1 << lane;
    }
    return found;
  }
}

/** Few enough that stores here and there, as in a table of hashes, make little that nobody asks for. */
const pageBytes = 256;
/** Pages that are allocated together, at the most: a small buffer costs as much as a large one. */
const pagesAtOnce = 256;
/** Pages found last, by the lower bits of their index. */
const recentPages = 256;

interface Page {
  readonly view: DataView;
  /** Bytes that were written, where the source cannot fill pages: the others are not there. */
  readonly written: Uint8Array | undefined;
  /** How many are not there. */
  missing: number;
}

/** Bytes that are made when they are first written, and until then are what their source says. */
export class LazyMemory {
  readonly #source: MemorySource;
  readonly #pages = new Map<number, Page>();
  readonly #recent: (Page | undefined)[] = new Array<Page | undefined>(recentPages).fill(undefined);
  readonly #recentIndices = new Float64Array(recentPages).fill(-1);
  readonly #scratch = new DataView(new ArrayBuffer(16));
  /** Bytes of pages to come, from `#used` on. */
  #spare = new ArrayBuffer(0);
  #used = 0;

  constructor(source: MemorySource) {
    this.#source = source;
  }

  /** The page a byte is in, if it has been made; the byte is `offset % pageBytes` of it. */
  #pageOf(offset: number): Page | undefined {
    if (this.#pages.size === 0) return undefined;
    const index = Math.floor(offset / pageBytes);
    const slot = index & (recentPages - 1);
    if (this.#recentIndices[slot] === index) return this.#recent[slot];
    const page = this.#pages.get(index);
    this.#recentIndices[slot] = index;
    this.#recent[slot] = page;
    return page;
  }

  /** The page that bytes are in, from `offset % pageBytes` of it on, where they are all there. */
  pageWith(offset: number, bytes: number): DataView | undefined {
    const page = this.#pageOf(offset);
    return page !== undefined && present(page, offset, bytes) === bytes ? page.view : undefined;
  }

  /** The same, made if need be: bytes that are about to be written. */
  pageFor(offset: number, bytes: number): DataView {
    const page = this.#pageOf(offset) ?? this.#makePage(Math.floor(offset / pageBytes));
    const { view, written } = page;
    if (written === undefined || page.missing === 0) return view;
    page.missing -= bytes - present(page, offset, bytes);
    for (let k = offset % pageBytes, end = k + bytes; k < end; k++) written[k] = 1;
    return view;
  }

  #makePage(index: number): Page {
    const { fill } = this.#source;
    const bytes = fill ? pageBytes : 2 * pageBytes;
    if (this.#used === this.#spare.byteLength) {
      this.#spare = new ArrayBuffer(bytes * Math.min(pagesAtOnce, this.#pages.size + 1));
      this.#used = 0;
    }
    const view = new DataView(this.#spare, this.#used, pageBytes);
    const page: Page = fill
      ? { view, written: undefined, missing: 0 }
      : { view, written: new Uint8Array(this.#spare, this.#used + pageBytes, pageBytes), missing: pageBytes };
    this.#used += bytes;
    this.#source.fill?.(view, index * pageBytes);
    this.#pages.set(index, page);
    const slot = index & (recentPages - 1);
    this.#recentIndices[slot] = index;
    this.#recent[slot] = page;
    return page;
  }

  read(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    const at = offset % pageBytes;
    if (at + size > pageBytes) return this.#pieced(offset, type);
    const page = this.#pageOf(offset);
    if (page === undefined) return this.#source.read(offset, type);
    const count = present(page, offset, size);
    if (count === size) return readScalar(page.view, at, type);
    return count === 0 ? this.#source.read(offset, type) : this.#pieced(offset, type);
  }

  /** Byte by byte: across pages, or partly written. */
  #pieced(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    const made = Array.from({ length: size }, (_, k) => {
      const page = this.pageWith(offset + k, 1);
      return page ? page.getInt8((offset + k) % pageBytes) : Number(this.#source.read(offset + k, "i8"));
    });
    for (const [k, byte] of made.entries()) this.#scratch.setInt8(k, byte);
    return readScalar(this.#scratch, 0, type);
  }

  write(offset: number, type: ScalarType, value: Scalar): void {
    const size = scalarBytes[type];
    if ((offset % pageBytes) + size <= pageBytes) {
      writeScalar(this.pageFor(offset, size), offset % pageBytes, type, value);
      return;
    }
    writeScalar(this.#scratch, 8, type, value);
    for (let k = 0; k < size; k++) {
      const at = offset + k;
      this.pageFor(at, 1).setUint8(at % pageBytes, this.#scratch.getUint8(8 + k));
    }
  }

  /** Whether a byte was written; for memories whose source cannot fill pages. */
  isWritten(offset: number): boolean {
    const page = this.#pageOf(offset);
    return page !== undefined && present(page, offset, 1) === 1;
  }

  /** Offsets at multiples of `size` bytes where something was written, in order; likewise. */
  *written(size: number): Generator<number> {
    for (const [index, { written }] of [...this.#pages].sort(([a], [b]) => a - b))
      for (let at = 0; at < pageBytes; at += size) if (written?.[at]) yield index * pageBytes + at;
  }
}

/** How many of these bytes of a page are there. */
function present({ written, missing }: Page, offset: number, bytes: number): number {
  if (written === undefined || missing === 0) return bytes;
  let count = 0;
  for (let k = offset % pageBytes, end = k + bytes; k < end; k++) count += written[k]!;
  return count;
}

/** Buffers and device variables at their addresses. */
export class GlobalMemory implements Window {
  readonly #starts: number[] = [];
  readonly #memories: LazyMemory[] = [];
  #next = globalBase;
  /** The buffer used last, and the addresses that are its. */
  #memory: LazyMemory | undefined;
  #low = 0;
  #high = 0;

  /** The seed of the next buffer's content: its place in the order. */
  get seed(): number {
    return this.#starts.length + 1;
  }

  /** Places another buffer at the next free multiple of 512 bytes, with a gap so that small overruns stay its own. */
  add(bytes: number, source: MemorySource): number {
    const start = this.#next;
    this.#starts.push(start);
    this.#memories.push(new LazyMemory(source));
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

  /** Goes to the buffer an address falls into; undefined where there is none. */
  #enter(address: number): LazyMemory | undefined {
    if (address >= this.#low && address < this.#high) return this.#memory;
    const index = this.indexOf(address);
    const memory = this.#memories[index];
    if (!memory) return undefined;
    this.#memory = memory;
    this.#low = this.#starts[index]!;
    this.#high = this.#starts[index + 1] ?? Number.POSITIVE_INFINITY;
    return memory;
  }

  memoryAt(address: number): LazyMemory | undefined {
    return this.#memories[this.indexOf(address)];
  }

  locate(addresses: Float64Array, from: number, mask: number, above: number, bytes: number, making: boolean, to: Places): number {
    const { views, offsets } = to;
    let found = 0;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]! + above;
      const memory = this.#enter(address);
      if (!memory) continue;
      const offset = address - this.#low;
      const at = offset % pageBytes;
      if (at + bytes > pageBytes) continue;
      const page = making ? memory.pageFor(offset, bytes) : memory.pageWith(offset, bytes);
      if (!page) continue;
      views[lane] = page;
      offsets[lane] = at;
      found |= 1 << lane;
    }
    return found;
  }

  read(address: number, type: ScalarType): Scalar {
    const memory = this.#enter(address);
    return memory ? memory.read(address - this.#low, type) : type === "i64" ? 0n : 0;
  }

  write(address: number, type: ScalarType, value: Scalar): void {
    this.#enter(address)?.write(address - this.#low, type, value);
  }
}

/** Bytes a buffer of unknown size is given in the address space. */
const unknownBytes = 2 ** 32;

/** Where each of a launch's buffers starts, in one memory. */
export function placeBuffers(memory: GlobalMemory, buffers: readonly Buffer[], contents: Contents): number[] {
  return buffers.map(({ bytes = unknownBytes, content, element = "i32" }) =>
    memory.add(bytes, contents.source(content, element, memory.seed)),
  );
}
