/**
 * The order blocks are issued in and the registers a thread takes: the most that are live at once in that order, and what
 * allocation adds. An estimate: the compiler's own trade between registers and loads in flight is only known from the outside.
 */
import { nvcc } from "../compilers/compiler.ts";
import type { Block, Kernel } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { groupWords } from "./group-registers.ts";
import type { MachineBlock, RegisterEstimate } from "./machine.ts";
import { Pressure, type Scheduled } from "./pressure.ts";
import { hasCalls } from "./select-call.ts";
import { type Target, warpSize } from "./target.ts";

/**
 * The blocks with their instructions in the order ptxas would give them, and the registers that takes.
 * @param given registers that there are, where they are not to be looked for
 */
export function allocate(
  kernel: Kernel,
  blocks: ReadonlyMap<Block, MachineBlock>,
  target: Target,
  work: Work,
  given?: number,
): { readonly blocks: Map<Block, MachineBlock>; readonly registers: RegisterEstimate } {
  const bound = registerBound(kernel, target.limits);
  const reallocated = reallocatedBy(kernel);
  const room = Math.max(bound, reallocated ?? 0);
  const inProducts = groupWords(blocks, work);
  const fewest = hasCalls(kernel) ? nvcc.fewestRegistersOfCallers : nvcc.fewestRegisters;
  const least = inProducts > 0 ? inProducts + nvcc.groupRegisters : fewest;
  const steps = given === undefined ? registerSteps(kernel, target).filter((step) => step >= least) : [];
  const { limit, words, atCalls, code } = fewestThatFit(
    new Pressure(kernel, blocks, work),
    steps,
    given ?? room,
    given === undefined && bound === target.limits.maxRegistersPerThread && kernel.launchBounds?.minBlocks === undefined,
  );

  const packed = Math.max(words, atCalls) + nvcc.reservedRegisters;
  // What stands in one piece wants no slack.
  const slack = (all: number, ratio: number): number => inProducts + Math.round(Math.max(0, all - inProducts) * ratio);
  const loose = Math.max(slack(words, nvcc.registerSlack), slack(atCalls, nvcc.registerSlackAtCalls)) + nvcc.reservedRegisters;
  // However many blocks the source asks for, no warp is lost by slack.
  const upTo =
    kernel.launchBounds?.minBlocks === undefined ? limit : Math.min(limit, target.registerSteps.find((step) => step >= packed) ?? limit);
  const value = clamp(Math.max(least, Math.min(loose, Math.max(upTo, packed))), bound);
  const held = reallocated === undefined ? undefined : Math.min(bound, reallocated);
  const ordered = new Map(blocks);
  for (const [block, instructions] of code) ordered.set(block, { block, instructions });
  const doesNotFit = intervalAround(packed, target.limits.maxRegistersPerThread).low > room;
  return {
    blocks: ordered,
    registers: held
      ? { value: held, low: held, high: held }
      : { value, ...intervalAround(value, bound), ...(doesNotFit ? { wanted: packed } : {}) },
  };
}

/**
 * The most registers a warp is given in a kernel whose warps hand them on, and which says how many it begins with: it begins with all
 * of those, however few its code takes (else nvcc 13.0 ignores `setmaxnreg`: validation/compiler/reallocations.json).
 */
function reallocatedBy({ reallocatedRegisters, launchBounds, maxRegisters }: Kernel): number | undefined {
  return launchBounds?.minBlocks === undefined && maxRegisters === undefined ? undefined : reallocatedRegisters;
}

/** Where the registers ptxas takes lie in 90 of 100 kernels for which this many are estimated. */
function intervalAround(value: number, bound: number): { readonly low: number; readonly high: number } {
  const { registerIntervals, registerIntervalLow, registerIntervalHigh } = nvcc;
  const found = registerIntervals.findIndex((upTo) => value <= upTo);
  const at = found < 0 ? registerIntervals.length - 1 : found;
  const [low, high] = [registerIntervalLow[at] ?? 1, registerIntervalHigh[at] ?? 1];
  return { low: clamp(Math.floor(value * low), bound), high: clamp(Math.ceil(value * high), bound) };
}

/**
 * The registers up to which another costs nothing: those that keep a warp more resident, or, where the source says how many threads a
 * block has, a block more of that many (seen over 60 kernels: validation/DEVIATIONS.md). Where it says how many blocks an SM is to hold as
 * well, ptxas aims at no more than these: nothing below the most they leave is worth a load later (validation/compiler/boundedBlocks.json).
 */
function registerSteps({ launchBounds }: Kernel, { registerSteps: steps, limits }: Target): readonly number[] {
  if (launchBounds === undefined) return steps;
  if (launchBounds.minBlocks !== undefined) return [];
  const warps = Math.ceil(launchBounds.maxThreads / warpSize);
  const blocks = (registers: number): number => Math.floor(limits.registersPerSm / (warps * warpSize * registers));
  return steps.filter((step, at) => blocks(step) !== blocks(steps[at + 1] ?? limits.maxRegistersPerThread));
}

/**
 * ptxas spends registers up to where another would cost a resident warp: the first such step that the code can be scheduled into.
 * @param isFree nothing but the GPU bounds them
 */
function fewestThatFit(
  pressure: Pressure,
  steps: readonly number[],
  bound: number,
  isFree: boolean,
): Scheduled & { readonly limit: number } {
  for (const step of steps) {
    if (step >= bound) break;
    const lost = step >= nvcc.registersLostFrom && step <= nvcc.registersLostUpTo ? nvcc.registersLost : 0;
    const words = step - lost - nvcc.reservedRegisters;
    const scheduled = pressure.fitting(words);
    if (scheduled && step >= scheduled.starvedBelow) return { ...(pressure.stepwise(words) ?? scheduled), limit: step };
  }
  if (!isFree) return { ...pressure.within(bound - nvcc.reservedRegisters), limit: bound };
  // Beyond the last step it takes little more than it has to, though more would cost nothing either.
  const enough = Math.min(bound - nvcc.reservedRegisters, Math.round(pressure.fewest() * nvcc.registersBeyondNeed));
  const scheduled = pressure.within(enough);
  return { ...scheduled, limit: Math.min(bound, Math.max(enough, scheduled.words) + nvcc.reservedRegisters) };
}

const clamp = (registers: number, bound: number): number => Math.max(nvcc.fewestRegisters, Math.min(bound, registers));

/** The most the source allows: `__launch_bounds__` divides the SM's registers, in the steps they are allocated in. */
function registerBound({ launchBounds, maxRegisters }: Kernel, limits: Target["limits"]): number {
  const most = limits.maxRegistersPerThread;
  let bound = maxRegisters ?? most;
  if (launchBounds) {
    const step = limits.registerUnitPerWarp / warpSize;
    const threads = Math.ceil(launchBounds.maxThreads / warpSize) * warpSize * (launchBounds.minBlocks ?? 1);
    bound = Math.min(bound, Math.floor(limits.registersPerSm / threads / step) * step);
  }
  return clamp(bound, most);
}
