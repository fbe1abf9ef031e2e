/** Accesses outside of what their pointer points into, and at addresses that are no multiple of their width. */
import { type Extent, nearestOf } from "./objects.ts";
import type { Site } from "./sites.ts";
import { spotOf, type Witnesses } from "./witnesses.ts";

export class BoundsCheck {
  readonly #witnesses: Witnesses;

  constructor(witnesses: Witnesses) {
    this.#witnesses = witnesses;
  }

  /** Lane k of `mask` accesses `addresses[from + k]`. */
  check(site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const { extents, counter } = site;
    const { bytes } = counter;
    const isPower = (bytes & (bytes - 1)) === 0;
    if (!extents) return;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      if (!within(extents, address, bytes)) this.#tell("out-of-bounds", site, extents, address, warp, lane);
      else if (isPower && (address & (bytes - 1)) !== 0 && !isWhereArrayLies(extents, address, bytes))
        this.#tell("misaligned", site, extents, address, warp, lane);
    }
  }

  #tell(
    kind: "out-of-bounds" | "misaligned",
    { op, operation, counter }: Site,
    extents: readonly Extent[],
    address: number,
    warp: number,
    lane: number,
  ): void {
    this.#witnesses.keep(`${kind} ${spotOf(op.span)}`, () => {
      const { object, start } = nearestOf(extents, address);
      const by = this.#witnesses.actor(op, operation, warp, lane);
      return { kind, by, object, offset: address - start, width: counter.bytes };
    });
  }
}

const within = (extents: readonly Extent[], address: number, bytes: number): boolean => {
  for (const { start, end } of extents) if (address >= start && address + bytes <= end) return true;
  return false;
};

/** An array of a thread lies where the compiler puts it: only within it is an access where it should not be. */
function isWhereArrayLies(extents: readonly Extent[], address: number, bytes: number): boolean {
  const { object, start } = nearestOf(extents, address);
  return object.kind === "local" && (address - start) % bytes === 0;
}
