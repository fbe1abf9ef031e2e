/** What one request's lanes touch: 32-byte sectors of global memory, or banks of shared memory. */
import type { AccessReport } from "@warplens/server/protocol";

const sectorBytes = 32;
const banks = 32;
const bankBytes = 4;

/** A sector or a bank, and what is done there. */
export interface Slot {
  /** Sectors count from the lowest that is touched; banks are numbered. */
  readonly number: number;
  /** Of a sector the bytes that are asked for, of 32; of a bank the different words. */
  readonly used: number;
}

export interface WarpRequest {
  readonly slots: readonly Slot[];
  /** By active lane: which it is, its first byte from the lowest, and the slots that it touches, as indices. */
  readonly lanes: readonly { readonly lane: number; readonly byte: number; readonly slots: readonly number[] }[];
}

/** Lanes of a mask, from the lowest bit on. */
export const lanesIn = (mask: number): number[] => Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);

/**
 * Undefined where no request was kept to show.
 * @param mask the lanes that are active; of an example they are not known, and count from 0 on
 */
export function warpRequest(
  { space, example, exampleAt = 0, bytesPerLane }: Pick<AccessReport, "space" | "example" | "exampleAt" | "bytesPerLane">,
  mask?: number,
): WarpRequest | undefined {
  if (!example || example.length === 0 || (space !== "global" && space !== "shared")) return undefined;
  const active = mask === undefined ? [] : lanesIn(mask);
  const unit = space === "global" ? sectorBytes : bankBytes;
  // Sectors from the one that the lowest byte lies in; words of the row of banks that it lies in.
  const from = space === "global" ? exampleAt % sectorBytes : exampleAt % (banks * bankBytes);
  const unitsOf = (byte: number): number[] => {
    const [first, last] = [Math.floor((byte + from) / unit), Math.floor((byte + from + bytesPerLane - 1) / unit)];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  const slotOf = (each: number): number => (space === "global" ? each : each % banks);
  const touched = new Map<number, Set<number>>();
  for (const byte of example)
    for (const each of unitsOf(byte)) {
      const known = touched.get(slotOf(each)) ?? new Set<number>();
      touched.set(slotOf(each), known);
      if (space === "shared") known.add(each);
      else for (let at = 0; at < bytesPerLane; at++) if (Math.floor((byte + from + at) / unit) === each) known.add(byte + at);
    }
  const numbers = space === "shared" ? Array.from({ length: banks }, (_, bank) => bank) : [...touched.keys()].sort((a, b) => a - b);
  const indexOf = new Map(numbers.map((number, index) => [number, index]));
  return {
    slots: numbers.map((number) => ({ number, used: touched.get(number)?.size ?? 0 })),
    lanes: example.map((byte, index) => ({
      lane: active[index] ?? index,
      byte,
      slots: unitsOf(byte).map((each) => indexOf.get(slotOf(each)) ?? 0),
    })),
  };
}
