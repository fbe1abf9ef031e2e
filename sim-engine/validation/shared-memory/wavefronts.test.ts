/** Wavefronts as Nsight Compute counts them on an H200. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { idealWavefronts, sharedWavefronts } from "../../src/memory/wavefronts.ts";

interface Measured {
  readonly pattern: string;
  readonly operation: "load" | "store";
  readonly bytes: number;
  readonly mask: number;
  /** Each lane's index, in elements of `bytes`. */
  readonly elements: readonly number[];
  readonly wavefronts: number;
  readonly ideal: number;
}

const measured = JSON.parse(readFileSync(new URL("./wavefronts.json", import.meta.url), "utf8")) as readonly Measured[];
const kinds = [...new Set(measured.map(({ operation, bytes }) => `${operation} ${bytes}`))];

test.each(kinds)("%s bytes", (kind) => {
  for (const { pattern, operation, bytes, mask, elements, wavefronts, ideal } of measured) {
    if (kind !== `${operation} ${bytes}`) continue;
    const addresses = Int32Array.from(elements, (element) => element * bytes);
    const ours = sharedWavefronts(addresses, mask | 0, bytes, operation === "load");
    expect([ours, idealWavefronts(ours, mask | 0, bytes)], pattern).toEqual([wavefronts, ideal]);
  }
});
