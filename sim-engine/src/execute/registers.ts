/**
 * Where values live while a kernel runs: for each operation an array with a place for every lane of every warp, lane k of
 * the warp at `o` being element `o + k`. Values that are the same in all lanes of a warp use the first place only.
 */
import type { Op, ValueType } from "../ir/kernel.ts";

/** i64: two's complement in two halves. */
export interface Long {
  readonly lo: Int32Array;
  readonly hi: Int32Array;
}

/** Integers to i32 (sign-extended; i1 is 0 or 1). */
export type Ints = Int32Array;
/** Floats of every width, rounded to their type, and addresses. */
export type Doubles = Float64Array;

export type Slot =
  | { readonly kind: "int"; readonly data: Ints }
  | { readonly kind: "long"; readonly data: Long }
  | { readonly kind: "double"; readonly data: Doubles };

/** Does something for the warp whose registers begin at `o`; `mask` has a bit for every active lane. */
export type Step = (o: number, mask: number) => void;

export const slotKind = (type: ValueType): Slot["kind"] => (type === "i64" ? "long" : /^i/.test(type) ? "int" : "double");

export class Registers {
  readonly size: number;
  readonly #slots = new Map<Op, Slot[]>();

  /** @param size places of each array: 32 for every warp that runs at once */
  constructor(size: number) {
    this.size = size;
  }

  create(kind: Slot["kind"]): Slot {
    switch (kind) {
      case "int":
        return { kind, data: new Int32Array(this.size) };
      case "long":
        return { kind, data: { lo: new Int32Array(this.size), hi: new Int32Array(this.size) } };
      case "double":
        return { kind, data: new Float64Array(this.size) };
    }
  }

  /** The array of an operation, or of one component of a vector; made when first asked for. */
  slot(op: Op, component = 0): Slot {
    let slots = this.#slots.get(op);
    if (!slots) this.#slots.set(op, (slots = []));
    return (slots[component] ??= this.create(slotKind(op.type)));
  }

  /** Puts another array in an operation's place. */
  redirect(op: Op, component: number, slot: Slot): void {
    this.slot(op, component);
    const slots = this.#slots.get(op);
    if (slots) slots[component] = slot;
  }

  ints(op: Op): Ints {
    const slot = this.slot(op);
    if (slot.kind !== "int") throw new Error(`%${op.id} is ${op.type}, not an integer of up to 32 bits`);
    return slot.data;
  }

  long(op: Op): Long {
    const slot = this.slot(op);
    if (slot.kind !== "long") throw new Error(`%${op.id} is ${op.type}, not i64`);
    return slot.data;
  }

  doubles(op: Op): Doubles {
    const slot = this.slot(op);
    if (slot.kind !== "double") throw new Error(`%${op.id} is ${op.type}, neither a float nor a ptr`);
    return slot.data;
  }
}

/** An i64 as a number: exact up to 2^53, else the nearest. */
export const longToNumber = (lo: number, hi: number): number => hi * 0x1_0000_0000 + (lo >>> 0);

export const longToBigInt = (lo: number, hi: number): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

/** Writes the low 64 bits of a bigint. */
export function writeLong({ lo, hi }: Long, at: number, value: bigint): void {
  lo[at] = Number(BigInt.asIntN(32, value));
  hi[at] = Number(BigInt.asIntN(32, value >> 32n));
}

/** Writes an integral number of at most 2^63 in magnitude; what is not finite becomes 0. */
export function writeLongNumber({ lo, hi }: Long, at: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  lo[at] = value - high * 0x1_0000_0000;
  hi[at] = high;
}

/** Copies the lanes of `mask` from one slot to another of the same kind; `lanes` 1 copies the warp's one value. */
export function copyStep(to: Slot, from: Slot, lanes: number): Step {
  if (to.kind === "int" && from.kind === "int") return copyLanes(to.data, from.data, lanes);
  if (to.kind === "double" && from.kind === "double") return copyLanes(to.data, from.data, lanes);
  if (to.kind === "long" && from.kind === "long") {
    const low = copyLanes(to.data.lo, from.data.lo, lanes);
    const high = copyLanes(to.data.hi, from.data.hi, lanes);
    return (o, mask) => {
      low(o, mask);
      high(o, mask);
    };
  }
  throw new Error(`cannot copy ${from.kind} to ${to.kind}`);
}

function copyLanes(to: Int32Array | Float64Array, from: Int32Array | Float64Array, lanes: number): Step {
  if (lanes === 1) {
    return (o) => {
      to[o] = from[o]!;
    };
  }
  return (o, mask) => {
    if (mask === -1) {
      for (let i = o; i < o + 32; i++) to[i] = from[i]!;
    } else {
      for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1) to[i] = from[i]!;
    }
  };
}

/** Gives all lanes of a warp what the first lane has, plus what each is above it. */
export function spreadStep(slot: Slot, pattern: Float64Array | undefined): Step {
  const above = pattern ?? new Float64Array(32);
  if (slot.kind === "long") {
    const { data } = slot;
    return (o) => {
      const first = longToBigInt(data.lo[o]!, data.hi[o]!);
      const plain = longToNumber(data.lo[o]!, data.hi[o]!);
      const safe = Math.abs(plain) < 2 ** 52;
      for (let lane = 1; lane < 32; lane++) {
        if (safe) writeLongNumber(data, o + lane, plain + above[lane]!);
        else writeLong(data, o + lane, first + BigInt(above[lane]!));
      }
    };
  }
  const { data } = slot;
  if (!pattern) {
    return (o) => {
      const value = data[o]!;
      for (let i = o + 1; i < o + 32; i++) data[i] = value;
    };
  }
  return (o) => {
    const value = data[o]!;
    for (let lane = 1; lane < 32; lane++) data[o + lane] = value + above[lane]!;
  };
}
