/** Moving lanes' values between registers and memory: straight through the views they lie in, or, in rare places, by `Environment`. */
import { type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import type { Environment } from "./environment.ts";
import type { Places } from "./memory.ts";
import { type Doubles, longToBigInt, type Slot, writeLong } from "./registers.ts";
import { readScalar, type Scalar, writeScalar } from "./scalars.ts";

/** Moves one scalar of each lane of `mask`: that `above` bytes above the lane's address. */
export type Transfer = (at: Doubles, o: number, mask: number, above: number) => void;

const places: Places = { views: new Array<DataView>(32).fill(new DataView(new ArrayBuffer(0))), offsets: new Int32Array(32) };

export const scalarReader = (slot: Slot): ((i: number) => Scalar) => {
  if (slot.kind === "long") {
    const { lo, hi } = slot.data;
    return (i) => longToBigInt(lo[i]!, hi[i]!);
  }
  const { data } = slot;
  return (i) => data[i]!;
};

export const scalarWriter = (slot: Slot): ((i: number, value: Scalar) => void) => {
  if (slot.kind === "long") {
    const { data } = slot;
    return (i, value) => writeLong(data, i, BigInt(value));
  }
  const { data } = slot;
  return (i, value) => {
    data[i] = Number(value);
  };
};

/** From memory into registers. */
export function loadTransfer(to: Slot, type: ScalarType, space: Space, environment: Environment): Transfer {
  const write = scalarWriter(to);
  const rarely = (at: Doubles, o: number, mask: number, above: number): void => {
    for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1) write(i, environment.read(at[i]! + above, type, i));
  };
  const window = environment.window(space);
  if (!window) return rarely;
  const bytes = scalarBytes[type];
  const move = loader(to, type);
  return (at, o, mask, above) => {
    const found = window.locate(at, o, mask, above, bytes, false, places);
    if (found !== 0) move(o, found);
    if (found !== mask) rarely(at, o, mask & ~found, above);
  };
}

/** Reads the lanes of a mask from `places`. */
function loader(to: Slot, type: ScalarType): (o: number, mask: number) => void {
  const { views, offsets } = places;
  if (to.kind === "long") {
    const { lo, hi } = to.data;
    return (o, mask) => {
      for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        lo[o + lane] = views[lane]!.getInt32(offsets[lane]!, true);
        hi[o + lane] = views[lane]!.getInt32(offsets[lane]! + 4, true);
      }
    };
  }
  const { data } = to;
  switch (type) {
    case "i32":
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) data[o + lane] = views[lane]!.getInt32(offsets[lane]!, true);
      };
    case "f32":
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) data[o + lane] = views[lane]!.getFloat32(offsets[lane]!, true);
      };
    default:
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) data[o + lane] = readScalar(views[lane]!, offsets[lane]!, type) as number;
      };
  }
}

/** From registers into memory. */
export function storeTransfer(from: Slot, type: ScalarType, space: Space, environment: Environment): Transfer {
  const read = scalarReader(from);
  const rarely = (at: Doubles, o: number, mask: number, above: number): void => {
    for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1) environment.write(at[i]! + above, type, read(i), i);
  };
  const window = environment.window(space);
  if (!window) return rarely;
  const bytes = scalarBytes[type];
  const move = storer(from, type);
  return (at, o, mask, above) => {
    const found = window.locate(at, o, mask, above, bytes, true, places);
    if (found !== 0) move(o, found);
    if (found !== mask) rarely(at, o, mask & ~found, above);
  };
}

/** Writes the lanes of a mask to `places`, the lowest first. */
function storer(from: Slot, type: ScalarType): (o: number, mask: number) => void {
  const { views, offsets } = places;
  if (from.kind === "long") {
    const { lo, hi } = from.data;
    return (o, mask) => {
      for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        views[lane]!.setInt32(offsets[lane]!, lo[o + lane]!, true);
        views[lane]!.setInt32(offsets[lane]! + 4, hi[o + lane]!, true);
      }
    };
  }
  const { data } = from;
  switch (type) {
    case "i32":
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) views[lane]!.setInt32(offsets[lane]!, data[o + lane]!, true);
      };
    case "f32":
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) views[lane]!.setFloat32(offsets[lane]!, data[o + lane]!, true);
      };
    default:
      return (o, mask) => {
        for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
          if (bits & 1) writeScalar(views[lane]!, offsets[lane]!, type, data[o + lane]!);
      };
  }
}
