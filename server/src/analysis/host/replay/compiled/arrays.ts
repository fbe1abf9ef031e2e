/** Arrays in the memory of compiled code: the elements of each as their own type has them, and a byte for each that says what is known of it. */

import { scalarBytes } from "@warplens/sim-engine";
import type { FloatName, IntegerName } from "../../../sema/types.ts";
import { scalarType } from "../../memory/content.ts";
import { bitsOf, isFloat, isUnsigned } from "../../values/values.ts";
import type { NumberName } from "../arithmetic.ts";
import type { Column } from "../columns.ts";
import { mostElements } from "../lists.ts";
import { numberType } from "../numbers.ts";
import { NotCompiled } from "./not-compiled.ts";
import { isHalf } from "./numbers.ts";

/** Of all arrays of a loop together. */
const mostBytes = 192 << 20;

export type Elements =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

export interface Placed {
  readonly column: Column;
  readonly number: number;
  readonly type: NumberName;
  /** Of an element, in the program and here. */
  readonly bytes: number;
  readonly heldBytes: number;
  /** Elements that there is room for. */
  readonly capacity: number;
  /** The local that holds how many there are, of 64 bits. */
  readonly length: number;
  /** The code adds elements to it, or takes some away. */
  readonly isGrown: boolean;
  /** Addresses of the first. */
  readonly values: number;
  readonly states: number;
  /** Each is known before the loop. */
  readonly isKnown: boolean;
  isStored: boolean;
}

export class Arrays {
  readonly #newLocal: () => number;
  readonly #isGrown: (column: Column) => boolean;
  readonly placed: Placed[] = [];
  /** Bytes that are taken. */
  end = 0;

  constructor(newLocal: () => number, isGrown: (column: Column) => boolean) {
    this.#newLocal = newLocal;
    this.#isGrown = isGrown;
  }

  /** @throws NotCompiled */
  place(column: Column): Placed {
    const known = this.placed.find((each) => each.column === column);
    if (known) return known;
    const type = numberType(column.type);
    const scalar = scalarType(column.type);
    if (type === undefined || scalar === undefined) throw new NotCompiled();
    const isGrown = this.#isGrown(column);
    const capacity = isGrown ? Math.max(column.length, mostElements) : column.length;
    const bytes = scalarBytes[scalar];
    const heldBytes = isHalf(type) ? scalarBytes.f32 : bytes;
    const values = this.take(capacity * heldBytes);
    const states = this.take(capacity);
    const made = {
      column,
      number: this.placed.length,
      type,
      bytes,
      heldBytes,
      capacity,
      length: this.#newLocal(),
      isGrown,
      values,
      states,
      isKnown: column.isKnownBefore,
      isStored: false,
    };
    this.placed.push(made);
    return made;
  }

  /** @returns the address. @throws NotCompiled */
  take(bytes: number): number {
    const from = this.end;
    this.end += Math.ceil(bytes / 8) * 8;
    if (this.end > mostBytes) throw new NotCompiled();
    return from;
  }
}

/** The elements of an array as the memory has them. @throws NotCompiled */
export function elementsIn(memory: ArrayBuffer, { type, values, capacity }: Placed): Elements {
  return new (elementsOf(type))(memory, values, capacity);
}

function elementsOf(type: NumberName) {
  if (isFloat(type)) return ofFloats(type);
  const [signed, unsigned] = ofIntegers[bitsOf(type)] ?? [];
  return (isUnsigned(type) ? unsigned : signed) ?? BigInt64Array;
}

const ofIntegers: Readonly<Record<number, readonly [Signed, Unsigned]>> = {
  8: [Int8Array, Uint8Array],
  16: [Int16Array, Uint16Array],
  32: [Int32Array, Uint32Array],
};
type Signed = typeof Int8Array | typeof Int16Array | typeof Int32Array;
type Unsigned = typeof Uint8Array | typeof Uint16Array | typeof Uint32Array;

function ofFloats(type: FloatName) {
  return type === "double" ? Float64Array : Float32Array;
}

/** The instructions that read and store an element. */
export function accessOf(type: NumberName): { readonly load: string; readonly store: string } {
  if (isFloat(type)) return type === "double" ? { load: "f64.load", store: "f64.store" } : { load: "f32.load", store: "f32.store" };
  return accessOfInteger(type);
}

function accessOfInteger(type: IntegerName): { readonly load: string; readonly store: string } {
  const bits = bitsOf(type);
  if (bits >= 32) return { load: `i${bits}.load`, store: `i${bits}.store` };
  return { load: `i32.load${bits}_${isUnsigned(type) ? "u" : "s"}`, store: `i32.store${bits}` };
}
