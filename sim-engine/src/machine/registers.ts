/**
 * The order blocks are issued in and the registers a thread takes: the most that are live at once in that order, and what
 * allocation adds. An estimate: the compiler's own trade between registers and loads in flight is only known from the outside.
 */
import type { Block, Kernel } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { MachineBlock, RegisterEstimate } from "./machine.ts";
import { Pressure, type Scheduled } from "./pressure.ts";
import type { Target } from "./target.ts";

/** No kernel is reported to use fewer (from 7.0). */
const fewest = 16;
const largest = 255;
/** R1, the stack pointer, and two that every kernel is given. */
const overhead = 3;
/**
 * What allocation takes beyond what is live: pairs and quads are aligned, and while no warp is lost by it results do not reuse the
 * registers of operands still in flight. Fitted to kernels compiled by nvcc 13.0 for sm_90.
 */
const looseness = 1.25;
/** The same where the most are live at a call. */
const loosenessAtCalls = 1.12;

/** The blocks with their instructions in the order ptxas would give them, and the registers that takes. */
export function allocate(
  kernel: Kernel,
  blocks: ReadonlyMap<Block, MachineBlock>,
  target: Target,
  work: Work,
): { readonly blocks: Map<Block, MachineBlock>; readonly registers: RegisterEstimate } {
  const bound = registerBound(kernel);
  const { limit, words, atCalls, code } = fewestThatFit(new Pressure(kernel, blocks, work), target.registerSteps, bound);
  const packed = Math.max(words, atCalls) + overhead;
  const loose = Math.max(Math.round(words * looseness), Math.round(atCalls * loosenessAtCalls)) + overhead;
  const value = clamp(Math.min(loose, Math.max(limit, packed)), bound);
  const ordered = new Map(blocks);
  for (const [block, instructions] of code) ordered.set(block, { block, instructions });
  return {
    blocks: ordered,
    registers: { value, ...intervalAround(value, bound) },
  };
}

/**
 * Factors between which the registers ptxas took lay in 90 % of kernels, by what was estimated: the 5th and 95th percentiles of 446
 * kernels (HeCBench, Rodinia, PolyBench, cuda-samples, the launches measured) that nvcc 13.0 compiled for sm_90.
 */
const spreads: readonly { readonly upTo: number; readonly low: number; readonly high: number }[] = [
  { upTo: 16, low: 1, high: 1.56 },
  { upTo: 20, low: 0.84, high: 1.44 },
  { upTo: 24, low: 0.71, high: 1.39 },
  { upTo: 31, low: 0.69, high: 1.23 },
  { upTo: 32, low: 0.75, high: 1.25 },
  { upTo: 40, low: 0.8, high: 1.2 },
  { upTo: 64, low: 0.6, high: 1.14 },
  { upTo: largest, low: 0.4, high: 1.6 },
];

function intervalAround(value: number, bound: number): { readonly low: number; readonly high: number } {
  const { low, high } = spreads.find(({ upTo }) => value <= upTo) ?? { low: 0.4, high: 1.6 };
  return { low: clamp(Math.floor(value * low), bound), high: clamp(Math.ceil(value * high), bound) };
}

/** ptxas spends registers up to where another would cost a resident warp: the first such step that the code can be scheduled into. */
function fewestThatFit(pressure: Pressure, steps: readonly number[], bound: number): Scheduled & { readonly limit: number } {
  for (const step of steps) {
    if (step >= bound) break;
    const scheduled = pressure.fitting(step - overhead);
    if (scheduled && !scheduled.starved) return { ...scheduled, limit: step };
  }
  return { ...pressure.within(bound - overhead), limit: bound };
}

const clamp = (registers: number, bound: number): number => Math.max(fewest, Math.min(bound, registers));

/** The most the source allows: `__launch_bounds__` divides the SM's registers, in steps of eight. */
function registerBound(kernel: Kernel): number {
  const { launchBounds, maxRegisters } = kernel;
  let bound = maxRegisters ?? largest;
  if (launchBounds) {
    const threads = Math.ceil(launchBounds.maxThreads / 32) * 32 * (launchBounds.minBlocks ?? 1);
    bound = Math.min(bound, Math.floor(65536 / threads / 8) * 8);
  }
  return Math.max(fewest, Math.min(largest, bound));
}
