/** Runs as much of a launch as tells the rest. */
import { blocksOf, blocksToLog, planLogs, type Rounds } from "./cache/index.ts";
import { isInGlobal } from "./execute/accesses.ts";
import { BudgetExceeded } from "./execute/budget.ts";
import { compile } from "./execute/compile.ts";
import { launchConstants } from "./execute/constants.ts";
import { WrapsAround } from "./execute/patterns.ts";
import type { Program } from "./execute/program.ts";
import type { WarpRecord } from "./execute/record.ts";
import { Runner } from "./execute/run.ts";
import { mostSought } from "./execute/searches.ts";
import type { Contents } from "./execute/sources.ts";
import type { GpuModel } from "./gpus/model.ts";
import type { Block, Kernel, Launch, Op } from "./ir/kernel.ts";
import { loadsUnderWay, type MachineKernel, placesIn, storeRuns, withSpins } from "./machine/index.ts";
import type { AtomicRegions, Resident } from "./observe/atomic-regions.ts";
import { numberSites, type ObservedBlock, Observer, type Sites } from "./observe/observer.ts";
import { carveoutFor } from "./occupancy/carveout.ts";
import { type Occupancy, type OccupancyInput, occupancy } from "./occupancy/occupancy.ts";
import type { Basis, LaunchReport } from "./report/launch-report.ts";
import { atomicPlaces } from "./sampling/atomic-places.ts";
import { markComparisons } from "./sampling/comparisons.ts";
import { drivenByData } from "./sampling/data-driven.ts";
import { coarse, fine, markEstimates } from "./sampling/estimates.ts";
import { glimpse } from "./sampling/glimpse.ts";
import { type Longest, longestOf } from "./sampling/longest.ts";
import { markSkips } from "./sampling/loops.ts";
import { type Sample, Sampler } from "./sampling/sample.ts";
import { againOf, countedAgain, goesAgain, turnsOf } from "./sampling/tried-again.ts";
import { blockVariation, Subject } from "./sampling/variation.ts";
import type { Work } from "./work.ts";

/** A launch that was executed as far as needed. */
export interface Executed {
  readonly program: Program;
  readonly machine: MachineKernel;
  readonly registers: LaunchReport["resources"]["registersPerThread"];
  readonly use: OccupancyInput;
  readonly resident: Occupancy;
  readonly l1Bytes: number;
  readonly sample: Sample;
  readonly sites: Sites;
  /** Blocks after which what a block does may begin anew, by direction of the grid. */
  readonly rounds: Rounds;
  /** How blocks begin that tell what is shared, and were not run whole. */
  readonly glimpses: readonly ObservedBlock[];
  /** Where data decides how much warps do: the one that does most, as far as that is known. */
  readonly longest: Longest | undefined;
  readonly atomics: AtomicRegions;
  /** Of atomics that go where data says: where those of warps from all over the grid do. */
  readonly scatteredAtomics: AtomicRegions | undefined;
  readonly steps: number;
  /** No loop's counts were estimated. */
  readonly exactLoops: boolean;
  /** Of long loops only some turns were run. */
  readonly estimatesLoops: boolean;
  /** A barrier was reached by part of a warp. */
  readonly divergentBarriers: boolean;
}

/** A launch of which all is known that is to be. */
export interface Prepared {
  readonly kernel: Kernel;
  readonly launch: Launch;
  readonly contents: Contents;
  /** Contents that decide something differ from one part of them to the next. */
  readonly uneven: boolean;
}

/** How a launch is run. */
interface Limits {
  /** Into how many slices the turns of long loops are cut (see `markEstimates`); absent: all of them are run. */
  readonly slices?: readonly number[];
  /** Steps that may be executed in all; of one block; and on sampling blocks where a few do not tell all. */
  readonly steps: number;
  readonly blockSteps: number;
  readonly samplingSteps: number;
}

const running: Limits = { steps: 1_500_000, blockSteps: 300_000, samplingSteps: 300_000 };
/** What is more work than that is estimated; what is more even so, is given up. */
const estimating: Limits = { slices: coarse, steps: 600_000, blockSteps: 600_000, samplingSteps: 300_000 };
const estimatingFinely: Limits = { ...estimating, slices: fine };
/** Where a block is so much that even so it is not run to its end: the fewest turns, of one block. */
const estimatingLeast: Limits = { slices: [1], steps: 1_500_000, blockSteps: 1_500_000, samplingSteps: 0 };
/** Relative standard error of the work of all blocks up to which those that were drawn tell it. */
const telling = 0.05;
/** Blocks, or warps, that are run rather than estimated, however they differ. */
const enoughDrawn = 24;
/** Of the steps that there are, the share that a coarse estimate may have taken for a fine one to be tried. */
const littleSpent = 1 / 8;

/** Steps that may be spent on finding the warp that does most, and on finding where atomics meet. */
const surveySteps = 200_000;

type KnownRegisters = { readonly value: number; readonly basis: Basis } | undefined;

/** Throws `Cancelled`, and an Error with a reason where the launch cannot be run. */
export function executed(prepared: Prepared, machine: MachineKernel, gpu: GpuModel, registers: KnownRegisters, work: Work): Executed {
  const { kernel, launch, contents } = prepared;
  const before = work.spent;
  const endless = new Set<Block>();
  let program: Program | undefined;
  const run = (allLanes: boolean, limits: Limits): Executed => {
    program = compile(kernel, launch, { contents, allLanes, endless, work, gpu: gpu.values });
    return execute(program, limits, prepared, machine, gpu, registers, work);
  };
  const within = (limits: Limits): Executed | undefined => {
    try {
      return run(false, limits);
    } catch (error) {
      if (error instanceof BudgetExceeded) return undefined;
      if (!(error instanceof WrapsAround)) throw error;
    }
    try {
      return run(true, limits);
    } catch (error) {
      if (error instanceof BudgetExceeded) return undefined;
      throw error;
    }
  };
  for (let more = true; more; ) {
    const found = within(running);
    if (found && hidesAccesses(found)) return watchedElsewhere(found, within);
    if (found) return (isTelling(found) ? undefined : moreTelling(found, within)) ?? found;
    const seen = [...endlessIn(program)];
    if (!seen.some(({ longest }) => longest >= farBeyondEnd)) {
      const made = estimated(within);
      if (made) return made;
      seen.push(...endlessIn(program));
    }
    for (const { block } of seen) endless.add(block);
    more = seen.length > 0;
  }
  throw new Error(`gave up after ${work.spent - before} steps: the kernel may never end, or waits for another block`);
}

/** Turns of one warp after which a loop that data ends is not estimated: it waits, or looks for what is not there. Assumed (DEVIATIONS.md). */
const farBeyondEnd = 4096;

/** Loops in which all steps were spent: what ends them does not come about here. */
const endlessIn = (program: Program | undefined): readonly { readonly block: Block; readonly longest: number }[] =>
  (program?.blocks ?? []).flatMap(({ block, search }) =>
    search && !search.isEndless && search.longest >= mostSought ? [{ block, longest: search.longest }] : [],
  );

/** Whether the blocks that were run tell what the others do. Where data decides, that is known of many only, and estimates do not tell more. */
const isTelling = ({ sample }: Executed): boolean => sample.error <= telling || sample.drawn >= enoughDrawn;

/** Of a launch of which too few blocks can be run to the end to tell what all do: an estimate of many, where that tells it better. */
function moreTelling({ sample }: Executed, within: (limits: Limits) => Executed | undefined): Executed | undefined {
  const rough = within(estimating);
  return rough && rough.sample.error <= sample.error / 2 ? rough : undefined;
}

/** Sectors that each site of global or local memory asks for in the launch, once where it tries again; 0 of others. */
export function sectorsBySite({ program, sample, sites }: Pick<Executed, "program" | "sample" | "sites">): Float64Array {
  const sectors = new Float64Array(sites.sites.length);
  for (const [op, number] of sites.numbers) {
    const [counter] = program.counters.get(op) ?? [];
    if (counter && (isInGlobal(counter.space) || counter.space === "local"))
      sectors[number] = sample.counts.access(sample.totals, counter).transactions / (sample.again.get(op) ?? 1);
  }
  return sectors;
}

/** Whether blocks ran for so long that what came last is in none of their logs: nothing is known of how it goes through the caches. */
function hidesAccesses(run: Executed): boolean {
  const { watched } = run.sample;
  if (!watched.some(({ log }) => log.dropped > 0)) return false;
  const logged = new Set(watched.flatMap(({ log }) => [...new Set(log.site.subarray(0, log.requests))]));
  return sectorsBySite(run).some((sectors, site) => sectors > 0 && !logged.has(site));
}

/** The same counts, with what is watched of an estimate, which passes by all accesses in a few turns. */
function watchedElsewhere(found: Executed, within: (limits: Limits) => Executed | undefined): Executed {
  const rough = estimated(within);
  if (!rough || hidesAccesses(rough)) return found;
  const { totals, counts, exact, again } = found.sample;
  return {
    ...found,
    sample: { ...rough.sample, totals, counts, exact, again },
    glimpses: rough.glimpses,
    longest: rough.longest,
    atomics: rough.atomics,
    scatteredAtomics: rough.scatteredAtomics,
  };
}

function estimated(within: (limits: Limits) => Executed | undefined): Executed | undefined {
  const rough = within(estimating);
  if (!rough) return within(estimatingLeast);
  return rough.steps <= estimating.steps * littleSpent ? (within(estimatingFinely) ?? rough) : rough;
}

/** Throws `BudgetExceeded`. */
function execute(
  program: Program,
  { slices, steps, blockSteps, samplingSteps }: Limits,
  { contents, uneven }: Prepared,
  machine: MachineKernel,
  gpu: GpuModel,
  known: KnownRegisters,
  whole: Work,
): Executed {
  const { launch, environment } = program;
  const work = whole.share(steps);
  const registers = known ?? {
    value: machine.registers.value,
    basis: "estimated" as const,
    interval: [machine.registers.low, machine.registers.high] as const,
  };
  const use: OccupancyInput = {
    registers: registers.value,
    staticShared: environment.staticSharedBytes,
    dynamicShared: launch.dynamicSharedBytes,
    blockSize: launch.block[0] * launch.block[1] * launch.block[2],
  };
  const resident = occupancy(gpu.values, use);

  const subject = new Subject(program, launchConstants(environment), work);
  const irregular = markSkips(subject, work);
  if (slices && !markEstimates(program, slices, work)) throw new BudgetExceeded("there is no loop to estimate");
  const variations = [blockVariation(subject, "x", work), blockVariation(subject, "y", work), blockVariation(subject, "z", work)] as const;
  markComparisons(program, variations);
  const runner = new Runner(program, work);
  const anywhere = drivenByData(program.kernel, new Set(variations.flatMap((each) => [...each.irregularAddresses])), work);
  const sites = numberSites(program, anywhere, {
    places: placesIn(machine),
    runs: storeRuns(machine),
    underWay: loadsUnderWay(machine),
  });
  const observerOf = (of: Runner): Observer => new Observer(of, sites, gpu.values);
  const observer = observerOf(runner);
  const watch = blocksToLog(launch.grid, Math.max(1, resident.blocksPerSm), gpu.values.smCount);
  const sampler = new Sampler(runner, { variations, steps: samplingSteps, blockSteps, observer, watch, uneven });
  const sampled = sampler.sample();
  const taken = work.spent;
  // Blocks that stand side by side within sectors share them, up to where the next sectors begin.
  const [x, y, z] = variations.map((of) => [...of.rounds, of.period]);
  const rounds: Rounds = [x!, y!, z!];
  const { steps: sharing } = planLogs(launch.grid, Math.max(1, resident.blocksPerSm), gpu.values.smCount, rounds);
  const seen = new Set(sampled.watched.map(({ log }) => log.block));
  const unseen = blocksOf(sharing).filter((index) => !seen.has(index));
  const lengthOf = (block: Block): number => machine.blocks.get(block)?.instructions.length ?? 0;
  const longest = variations.some(({ irregularFlow }, k) => irregularFlow && launch.grid[k]! > 1)
    ? longestOf(program, { contents, lengthOf, steps: surveySteps, observerOf, blockSteps }, whole)
    : undefined;
  const scattered = new Set([...anywhere].filter(({ action }) => action.kind === "atomic" && action.space === "global"));
  const glimpses = glimpse(program, unseen, observerOf, whole);
  const sample = withTries(sampled, program, observer.atomics.tries(residentAtOnce(launch, resident, gpu)), [
    ...glimpses.flatMap(({ records }) => records),
    ...(longest?.records ?? []),
  ]);
  return {
    program,
    machine: withSpins(machine, turnsIn(program)),
    registers,
    use,
    resident,
    l1Bytes: carveoutFor(gpu.values, use, resident).l1Bytes,
    sample,
    sites,
    rounds,
    glimpses,
    longest,
    atomics: observer.atomics,
    scatteredAtomics: atomicPlaces(program, scattered, { contents, steps: surveySteps, observerOf }, whole),
    steps: taken,
    exactLoops: irregular.length === 0 && slices === undefined,
    estimatesLoops: slices !== undefined,
    divergentBarriers: runner.divergentBarriers > 0,
  };
}

/** How the resident blocks of a launch are spread over the GPU. */
export function residentAtOnce({ grid, block }: Launch, { blocksPerSm }: Pick<Occupancy, "blocksPerSm">, { values }: GpuModel): Resident {
  const blocks = grid[0] * grid[1] * grid[2];
  return { blocks, row: grid[0], atOnce: Math.min(blocks, blocksPerSm * values.smCount), threads: block[0] * block[1] * block[2] };
}

/**
 * A sample in which what is tried again, because others want the same word, is counted and goes round as often as that.
 * @param others records of blocks that were watched beside it, which are made to go round as well
 */
function withTries(sample: Sample, program: Program, tries: ReadonlyMap<Op, number>, others: readonly WarpRecord[]): Sample {
  const turns = turnsOf(program, tries);
  if (turns.size === 0) return sample;
  const { blocks, watched, warps, totals, counts, places } = sample;
  const observed = [...watched, ...blocks.flatMap((block) => block.observed ?? [])].flatMap(({ records }) => records);
  for (const record of new Set([...observed, ...warps, ...others])) goesAgain(record, program, turns);
  const countAgain = (vector: Float64Array): Float64Array => countedAgain(vector, counts, program, turns);
  return {
    ...sample,
    totals: countAgain(totals),
    places: places.map((place) => ({ ...place, vector: countAgain(place.vector) })),
    exact: false,
    again: againOf(turns),
  };
}

/** How many turns sums take that take turns, on average of those that were run. */
const turnsIn = ({ counters }: Program): ReadonlyMap<Op, number> =>
  new Map(
    [...counters].flatMap(([op, [counter]]) => {
      const { requests, turns } = counter?.spins ?? { requests: 0, turns: 0 };
      return requests > 0 ? [[op, turns / requests] as const] : [];
    }),
  );
