import { expect, test } from "vitest";
import type { Op } from "../ir/kernel.ts";
import { parseKernel } from "../ir/text.ts";
import { Work } from "../work.ts";
import { LiveValues } from "./live-values.ts";
import { Shape } from "./shape.ts";

const all = (count: number, line: (k: number) => string): string => Array.from({ length: count }, (_, k) => line(k)).join("");

/** As many values as blocks, each live up to the block that stores to it. */
const passingThrough = (count: number) =>
  `kernel @k(%out: ptr i32, %n: i32) {
b0:
  %out: ptr = param 0
  %n: i32 = param 1
${all(count, (k) => `  %k${k}: i32 = const ${k}\n  %p${k}: ptr = gep %out, %k${k}, scale 4\n`)}  jump s0
${all(count, (k) => `s${k}:\n  store.global %p${k}, %n, align 4\n  jump s${k + 1}\n`)}s${count}:
  return
}
`;

function live(count: number): { readonly interfere: readonly boolean[]; readonly steps: number } {
  const kernel = parseKernel(passingThrough(count));
  const shape = new Shape(kernel, new Work());
  const before = shape.work.taken;
  const addresses = (kernel.blocks[0]?.ops ?? []).filter(({ action }) => action.kind === "gep");
  const [first, second, last] = [addresses[0], addresses[1], addresses.at(-1)] as [Op, Op, Op];
  const values = new LiveValues(shape, new Set([first, second, last]));
  return {
    interfere: [values.interfere(first, second), values.interfere(first, last)],
    steps: shape.work.taken - before,
  };
}

test("values that are asked about take as many steps as there are blocks, however many others pass these", () => {
  expect(live(10).interfere).toEqual([true, true]);
  expect(live(800).steps / live(400).steps).toBeLessThan(2.5);
});
