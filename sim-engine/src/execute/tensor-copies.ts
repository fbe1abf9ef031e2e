/** What copies by a tensor map move. */
import type { ScalarType } from "../ir/kernel.ts";
import type { Environment } from "./environment.ts";
import { boxRows, swizzled, type TensorMap } from "./tensor-maps.ts";

/** Where rows lie in global memory, as far as they are in the tensor: address and bytes, one after the other. */
export function reached(map: TensorMap, coordinates: readonly number[]): number[] {
  const ranges: number[] = [];
  for (const { from, to, address } of boxRows(map, coordinates)) if (to > from) ranges.push(address, to - from);
  return ranges;
}

const words: Readonly<Record<number, ScalarType>> = { 1: "i8", 2: "i16", 4: "i32" };

/** Moves a box between global memory and shared memory from `shared` on. What lies beyond the tensor is filled, and is not written. */
export function moveBox(
  environment: Environment,
  map: TensorMap,
  coordinates: readonly number[],
  shared: number,
  to: "shared" | "global",
): void {
  const width = Math.min(4, map.elementBytes);
  const type = words[width] ?? "i32";
  for (const row of boxRows(map, coordinates)) {
    for (let k = 0; k < row.bytes; k += width) {
      const inside = k >= row.from && k < row.to;
      const here = swizzled(shared + row.offset + k, map.swizzle);
      const there = row.address + k - row.from;
      if (to === "shared") environment.write(here, type, inside ? environment.read(there, type, 0) : map.fill, 0);
      else if (inside) environment.write(there, type, environment.read(here, type, 0), 0);
    }
  }
}
