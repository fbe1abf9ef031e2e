/** Runs every thread of a launch and computes every value: to check what a kernel does, not what it costs. */

import { compile } from "./execute/compile.ts";
import { Runner } from "./execute/run.ts";
import { wholeKernel } from "./execute/slice.ts";
import { cloneKernel } from "./ir/builder.ts";
import { type Kernel, type Launch, type ScalarType, scalarBytes } from "./ir/kernel.ts";
import { optimise } from "./passes/index.ts";
import { Work } from "./work.ts";

export interface WholeRun {
  /** Element `index` of a buffer after the launch, read as `type`. */
  read(buffer: number, index: number, type: ScalarType): number | bigint;
}

const stepLimit = 50_000_000;

/**
 * Executes all blocks, one after the other.
 * @param options `optimised`: after the passes; else exactly what the kernel says
 * @throws Error when the kernel cannot be executed or takes too many steps
 */
export function runWhole(kernel: Kernel, launch: Launch, options: { readonly optimised: boolean }): WholeRun {
  const own = cloneKernel(kernel);
  if (options.optimised) optimise(own);
  const program = compile(own, launch, { slice: wholeKernel, allLanes: true });
  const runner = new Runner(program, new Work(stepLimit));
  const [columns, rows, layers] = launch.grid;
  for (let z = 0; z < layers; z++) for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) runner.runBlock([x, y, z]);
  const { environment } = program;
  return { read: (buffer, index, type) => environment.read((environment.bufferStarts[buffer] ?? 0) + index * scalarBytes[type], type, 0) };
}
