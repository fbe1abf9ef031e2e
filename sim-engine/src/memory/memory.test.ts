import fc from "fast-check";
import { expect, test } from "vitest";
import { type Lane, sectors, wavefronts } from "../execute/testing/counters.ts";
import { popcount } from "./distinct.ts";
import { distinctSectors, idealSectors } from "./sectors.ts";
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

test("sectors are those a plain set of bytes' sectors has", () => {
  const out = new Float64Array(64);
  fc.assert(
    fc.property(elements, widths, masks, fc.nat(31), (chosen, bytes, mask, offset) => {
      const addresses = Float64Array.from(chosen, (element) => 2 ** 40 + element * bytes + offset);
      const count = distinctSectors(addresses, 0, mask, bytes, out);
      expect(count).toBe(sectors(lanesOf(addresses, mask), bytes, false));
      expect(new Set(out.subarray(0, count)).size).toBe(count);
      expect(idealSectors(count, popcount(mask), bytes)).toBeLessThanOrEqual(count);
    }),
  );
});

test("wavefronts are those the definition gives", () => {
  fc.assert(
    fc.property(elements, widths, masks, fc.boolean(), (chosen, bytes, mask, isLoad) => {
      const addresses = Float64Array.from(chosen, (element) => element * bytes);
      expect(sharedWavefronts(addresses, 0, mask, bytes, isLoad)).toBe(wavefronts(lanesOf(addresses, mask), bytes, isLoad));
    }),
  );
});
