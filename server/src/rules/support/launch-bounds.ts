/** The most threads of a block that a kernel is launched with, said to the compiler. */
import type { KernelFact } from "../../analysis/facts.ts";
import type { Fix, SimulatedLaunch } from "../rule.ts";
import { isKnown } from "./violations.ts";

export const boundsOf = (threads: number): string => `__launch_bounds__(${threads})`;

/** Kernels without bounds, each with the threads of the largest block that a known launch gives it. */
export function largestBlocks(launches: readonly SimulatedLaunch[]): { readonly kernel: KernelFact; readonly threads: number }[] {
  const most = new Map<string, { readonly kernel: KernelFact; readonly threads: number }>();
  for (const launch of launches) {
    const { kernel, kernelName } = launch.fact;
    const [x, y, z] = launch.report.block;
    if (!kernel || kernel.declaration.specifiers.launchBounds || !isKnown(launch)) continue;
    if (x * y * z > (most.get(kernelName)?.threads ?? 0)) most.set(kernelName, { kernel, threads: x * y * z });
  }
  return [...most.values()];
}

/** Unsafe: a launch with more threads fails then. */
export const withLaunchBounds = ({ nameAt, name }: KernelFact, threads: number): Fix => ({
  title: `Write \`${boundsOf(threads)}\``,
  safe: false,
  edits: [{ span: nameAt, newText: `${boundsOf(threads)} ${name}` }],
});
