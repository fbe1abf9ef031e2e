/** Where the bytes of a buffer come from before a launch stores to it. */
import { type Content, type ContentPart, type RecordMember, type ScalarType, scalarBytes } from "../ir/kernel.ts";
import { type ElementSource, elements } from "./content.ts";
import { readScalar, type Scalar, writeScalar } from "./scalars.ts";

export interface MemorySource {
  /** What stands at a byte offset. */
  read(offset: number, type: ScalarType): Scalar;
  /** Whether it is certain that nobody has written to a byte since it was allocated. */
  isFresh?(offset: number): boolean;
  /** Sets all bytes of a page that begins at an offset; absent where that would cost more than the bytes asked for. */
  fill?(page: DataView, start: number): void;
}

/** Gives the bytes of contents. */
export interface Contents {
  /** @param seed tells contents of the same description apart */
  source(content: Content, element: ScalarType, seed: number): MemorySource;
}

/** Contents that do not depend on earlier launches; what those stored is zero here. */
export const plainContents: Contents = { source: (content, element, seed) => sourceOf(content, element, seed, plainContents) };

/** @param contents gives the sources of the contents that this one is made of */
export function sourceOf(content: Content, element: ScalarType, seed: number, contents: Contents): MemorySource {
  switch (content.kind) {
    case "parts":
      return new Parts(content.parts, (part) => contents.source(part, element, seed));
    case "records":
      return new Records(content, (member, k) => contents.source(member.content, member.element, seed + k));
    default:
      return new Elements(content, element, seed);
  }
}

/** A buffer described element by element. */
class Elements implements MemorySource {
  readonly #isZero: boolean;
  readonly #isFresh: boolean;
  readonly #element: ScalarType;
  readonly #at: ElementSource;
  readonly #scratch = new DataView(new ArrayBuffer(32));

  constructor(content: Content, element: ScalarType, seed: number) {
    this.#isZero = content.kind === "zero" || content.kind === "unknown";
    this.#isFresh = content.kind === "unknown" && content.fresh === true;
    this.#element = content.kind === "bytes" ? "i8" : element;
    this.#at = elements(content, element.includes("f"), seed);
  }

  read(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    if (type === this.#element && offset % size === 0) {
      const value = this.#at(offset / size);
      return type === "i64" ? BigInt.asIntN(64, BigInt(Math.floor(value))) : this.#normal(value, type);
    }
    if (this.#isZero) return type === "i64" ? 0n : 0;
    const own = scalarBytes[this.#element];
    // An element may take long to make: each is made once, not once a byte.
    const begin = offset % own;
    if (begin >= 0 && begin + size <= own) {
      this.#write(this.#scratch, 16, this.#at(Math.floor(offset / own)));
      return readScalar(this.#scratch, 16 + begin, type);
    }
    if (begin === 0 && size % own === 0) {
      for (let k = 0; k < size; k += own) this.#write(this.#scratch, k, this.#at((offset + k) / own));
      return readScalar(this.#scratch, 0, type);
    }
    for (let k = 0; k < size; k++) this.#scratch.setUint8(k, this.#byte(offset + k));
    return readScalar(this.#scratch, 0, type);
  }

  isFresh(): boolean {
    return this.#isFresh;
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

  #byte(offset: number): number {
    const size = scalarBytes[this.#element];
    this.#write(this.#scratch, 16, this.#at(Math.floor(offset / size)));
    return this.#scratch.getUint8(16 + (offset % size));
  }

  #write(view: DataView, at: number, value: number): void {
    writeScalar(view, at, this.#element, this.#element === "i64" ? BigInt.asIntN(64, BigInt(Math.floor(value))) : value);
  }

  fill(page: DataView, start: number): void {
    if (this.#isZero) return;
    const size = scalarBytes[this.#element];
    for (let at = 0; at < page.byteLength; at += size) this.#write(page, at, this.#at((start + at) / size));
  }
}

/** A buffer whose parts hold different things; zero between them. */
class Parts implements MemorySource {
  readonly #parts: readonly (ContentPart & { readonly source: MemorySource })[];
  readonly #scratch = new DataView(new ArrayBuffer(8));

  constructor(parts: readonly ContentPart[], of: (content: Content) => MemorySource) {
    this.#parts = parts.map((part) => ({ ...part, source: of(part.content) }));
  }

  read(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    const part = this.#partAt(offset);
    if (part && offset + size <= part.to) return part.source.read(offset - part.origin, type);
    for (let k = 0; k < size; k++) {
      const own = this.#partAt(offset + k);
      this.#scratch.setInt8(k, own ? Number(own.source.read(offset + k - own.origin, "i8")) : 0);
    }
    return readScalar(this.#scratch, 0, type);
  }

  isFresh(offset: number): boolean {
    const part = this.#partAt(offset);
    return part?.source.isFresh?.(offset - part.origin) === true;
  }

  #partAt(offset: number) {
    return this.#parts.find(({ from, to }) => offset >= from && offset < to);
  }
}

/** Records of numbers; zero between those. */
class Records implements MemorySource {
  readonly #bytes: number;
  readonly #members: readonly (RecordMember & { readonly source: MemorySource })[];
  readonly #scratch = new DataView(new ArrayBuffer(8));

  constructor({ bytes, members }: Content & { readonly kind: "records" }, of: (member: RecordMember, index: number) => MemorySource) {
    this.#bytes = bytes;
    this.#members = members.map((member, k) => ({ ...member, source: of(member, k) }));
  }

  read(offset: number, type: ScalarType): Scalar {
    const size = scalarBytes[type];
    const found = this.#memberAt(offset);
    if (found && found.within + size <= scalarBytes[found.member.element]) return found.member.source.read(found.at, type);
    for (let k = 0; k < size; k++) {
      const own = this.#memberAt(offset + k);
      this.#scratch.setInt8(k, own ? Number(own.member.source.read(own.at, "i8")) : 0);
    }
    return readScalar(this.#scratch, 0, type);
  }

  isFresh(offset: number): boolean {
    const found = this.#memberAt(offset);
    return found?.member.source.isFresh?.(found.at) === true;
  }

  /** The member that a byte belongs to, how far it stands within that, and where in the member's own content. */
  #memberAt(offset: number) {
    const record = Math.floor(offset / this.#bytes);
    const rest = offset - record * this.#bytes;
    const member = this.#members.find((each) => rest >= each.offset && rest < each.offset + scalarBytes[each.element]);
    if (!member) return undefined;
    const within = rest - member.offset;
    return { member, within, at: record * scalarBytes[member.element] + within };
  }
}
