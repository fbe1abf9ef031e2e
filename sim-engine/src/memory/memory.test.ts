import fc from "fast-check";
import { expect, test } from "vitest";
import { type Lane, sectors, wavefronts } from "../execute/testing/counters.ts";
import { popcount } from "./distinct.ts";
import { nearAddresses, originOf } from "./near.ts";
import { distinctSectors, farSectors, idealSectors, localSectors } from "./sectors.ts";
import { sharedWavefronts } from "./wavefronts.ts";

const widths = fc.constantFrom(1, 2, 4, 8, 16);
const masks = fc.oneof(fc.constant(-1), fc.integer());
/** Scattered, steady or repeated elements. */
const elements = fc.oneof(
  fc.array(fc.nat(100), { minLength: 32, maxLength: 32 }),
  fc
    .tuple(fc.integer({ min: -9, max: 40 }), fc.nat(999))
    .map(([stride, start]) => Array.from({ length: 32 }, (_, lane) => 400 + start + stride * lane)),
  fc.tuple(fc.nat(5), fc.nat(50)).map(([shift, start]) => Array.from({ length: 32 }, (_, lane) => start + (lane >> shift))),
);

const lanesOf = (addresses: Float64Array, mask: number): Lane[] =>
  [...addresses].flatMap((address, lane) => ((mask >>> lane) & 1 ? [{ lane, address }] : []));

function nearOf(addresses: Float64Array, mask: number): Int32Array {
  const near = new Int32Array(32);
  expect(nearAddresses(addresses, 0, mask, mask === 0 ? 0 : originOf(addresses, 0, mask), near)).toBe(true);
  return near;
}

test("sectors of local memory are those of each word's row", () => {
  fc.assert(
    fc.property(elements, widths, masks, (chosen, bytes, mask) => {
      const addresses = Float64Array.from(chosen, (element) => element * bytes);
      expect(localSectors(Int32Array.from(addresses), mask, bytes)).toBe(sectors(lanesOf(addresses, mask), bytes, true));
    }),
  );
  const offsets = new Int32Array(32);
  expect([4, 8, 16].map((bytes) => localSectors(offsets, -1, bytes))).toEqual([4, 8, 16]);
});

test("sectors are those a plain set of bytes' sectors has", () => {
  fc.assert(
    fc.property(elements, widths, masks, fc.nat(31), (chosen, bytes, mask, offset) => {
      const addresses = Float64Array.from(chosen, (element) => 2 ** 40 + element * bytes + offset);
      const count = distinctSectors(nearOf(addresses, mask), mask, bytes);
      expect(count).toBe(sectors(lanesOf(addresses, mask), bytes, false));
      expect(farSectors(addresses, 0, mask, bytes)).toBe(count);
      expect(idealSectors(count, popcount(mask), bytes)).toBeLessThanOrEqual(count);
    }),
  );
});

test("wavefronts are those the definition gives", () => {
  fc.assert(
    fc.property(elements, widths, masks, fc.boolean(), (chosen, bytes, mask, isLoad) => {
      const addresses = Float64Array.from(chosen, (element) => element * bytes);
      expect(sharedWavefronts(nearOf(addresses, mask), mask, bytes, isLoad)).toBe(wavefronts(lanesOf(addresses, mask), bytes, isLoad));
    }),
  );
});
