import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { compile } from "./compile.ts";
import { launchConstants } from "./constants.ts";

/** `%n` plus 1, so many times. */
const chain = (length: number) =>
  parseKernel(`kernel @chain(%n: i32) {
entry:
  %v0: i32 = param 0
  %one: i32 = const 1
${Array.from({ length }, (_, k) => `  %v${k + 1}: i32 = add %v${k}, %one`).join("\n")}
  return
}`);

test.each([3, 50_000])("a chain of %d operations on a parameter", (length) => {
  const kernel = chain(length);
  const { environment } = compile(kernel, {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [{ kind: "scalar", value: 7 }],
    buffers: [],
  });
  expect(launchConstants(environment)(kernel.blocks[0]!.ops.at(-1)!)).toBe(7 + length);
});
