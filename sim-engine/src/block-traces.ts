/** The blocks that stand for a launch's in its replay: those that were watched, weighed so that they issue and move as much as all. */
import { type AccessCounter, isOfLanes } from "./execute/accesses.ts";
import { warpSize } from "./execute/program.ts";
import type { WarpRecord } from "./execute/record.ts";
import type { Executed } from "./executed.ts";
import { issuedBy, type RecordedKernel, tracesOf } from "./observe/observer.ts";
import { calibrated } from "./sampling/calibrate.ts";
import type { Sample, SampledBlock } from "./sampling/sample.ts";
import type { BlockTrace, LongestTrace, TimedCode, WarpTrace } from "./timing/index.ts";
import type { Work } from "./work.ts";
import type { Rest } from "./worth/without.ts";

/** What lanes carry out, by site. */
export function lanesOf({ program, sites }: Executed): Map<number, AccessCounter> {
  const found = new Map<number, AccessCounter>();
  for (const [op, number] of sites.numbers) {
    const [counter] = program.counters.get(op) ?? [];
    if (counter && isOfLanes(counter.operation)) found.set(number, counter);
  }
  return found;
}

interface ObservedWeight {
  readonly index: number;
  readonly weight: number;
  readonly records: readonly WarpRecord[];
}

/** The blocks that were watched, with the weight of all: of those that were drawn, and of those that were not. */
export const observedBlocks = ({ blocks }: Sample): ObservedWeight[] => [
  ...observedOf(blocks.filter(({ drawn }) => drawn)),
  ...observedOf(blocks.filter(({ drawn }) => !drawn)),
];

function observedOf(sampled: readonly SampledBlock[]): ObservedWeight[] {
  const watched = sampled.flatMap(({ index, weight, observed }) => (observed ? [{ index, weight, records: observed.records }] : []));
  const sum = (of: readonly { readonly weight: number }[]): number => of.reduce((total, { weight }) => total + weight, 0);
  const factor = sum(sampled) / sum(watched);
  return watched.map((each) => ({ ...each, weight: each.weight * factor }));
}

/** What lanes move: sectors of global and local memory, and wavefronts of shared memory. */
class Moved {
  /** By site, which of the two it moves; of others none. */
  readonly #kinds: readonly (number | undefined)[];
  /** In the launch. */
  readonly ofLaunch: readonly [sectors: number, wavefronts: number];

  constructor(run: Executed) {
    const { counts, totals } = run.sample;
    const kinds: (number | undefined)[] = [];
    const ofLaunch: [number, number] = [0, 0];
    for (const [site, counter] of lanesOf(run)) {
      if (counter.operation === "copy" || counter.space === "constant" || counter.space === "texture") continue;
      const kind = counter.space === "shared" ? 1 : 0;
      kinds[site] = kind;
      ofLaunch[kind] += counts.access(totals, counter).transactions;
    }
    this.#kinds = kinds;
    this.ofLaunch = ofLaunch;
  }

  /** By what was recorded of a block's warps. */
  by(records: readonly WarpRecord[]): readonly [sectors: number, wavefronts: number] {
    const found: [number, number] = [0, 0];
    for (const { requests, starts, weights } of records)
      for (const [entry, start] of starts.entries())
        for (let r = start; r < (starts[entry + 1] ?? requests.length); r += 3) {
          const kind = this.#kinds[requests[r]!];
          if (kind !== undefined) found[kind]! += requests[r + (kind === 1 ? 1 : 2)]! * weights[entry]!;
        }
    return found;
  }
}

/** So many blocks made up of warps that were watched each by itself show how blocks differ: assumed (DEVIATIONS.md). */
const enoughBlocks = 8;

/**
 * Observed blocks that stand for the grid, with weights that sum to it; warps that were watched each by itself make up blocks. Where
 * they are part of a larger sample, weights are calibrated so that they issue and move as much in all as the whole sample says.
 */
export function blockTraces(
  run: Executed,
  code: TimedCode,
  instructions: number,
  blocks: number,
  residentBlocks: number,
  rest: Rest | undefined,
  work: Work,
): BlockTrace[] {
  const { program, sample } = run;
  const { block } = program.launch;
  const warps = Math.ceil((block[0] * block[1] * block[2]) / warpSize);
  const loose = Math.floor(sample.warps.length / warps);
  const issued = (record: WarpRecord): number => {
    work.ask(record.blocks.length / 4);
    return issuedBy(record, program.blocks, code, rest);
  };
  // Warps of a block lie side by side and do about as much as each other.
  const records = sample.warps
    .map((record) => ({ record, instructions: issued(record) }))
    .sort((a, b) => a.instructions - b.instructions)
    .map(({ record }) => record);
  // Of few that would make up fewer blocks still, each stands for a block of its like: how blocks differ must be seen.
  const made =
    loose >= enoughBlocks
      ? Array.from({ length: loose }, (_, k) => records.slice(k * warps, (k + 1) * warps))
      : records.map((record) => new Array<WarpRecord>(warps).fill(record));
  const chosen = [
    ...observedBlocks(sample),
    ...made.map((of) => ({ index: blocks, weight: sample.warpBlocks / made.length, records: of })),
  ];
  const tracesOfBlock = (of: readonly WarpRecord[]): readonly WarpTrace[] => {
    for (const record of of) work.ask(record.blocks.length / 4 + record.requests.length / 32);
    return tracesOf(of, recorded(run), code, residentBlocks * warps, rest);
  };
  if (chosen.length === 0) chosen.push(...sample.watched.map(({ log, records }) => ({ index: log.block, weight: 1, records })));
  // What is asked of the memory differs from block to block otherwise than instructions do, where lanes are masked.
  const moved = chosen.some(({ records: of }) => of.some(({ full }) => full)) ? undefined : new Moved(run);
  const traces = chosen.map(({ index, weight, records }) => ({
    index,
    weight,
    warps: tracesOfBlock(records),
    amounts: [records.reduce((sum, record) => sum + issued(record), 0), ...(moved?.by(records) ?? [])],
  }));
  // What was recorded is of the blocks that were run, whatever they are imagined without.
  const [columns, rows, layers] = program.launch.grid;
  const perBlock = moved?.ofLaunch.map((amount) => amount / (columns * rows * layers)) ?? [];
  const weights = calibrated(traces, [instructions / blocks, ...perBlock]);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return traces.map(({ index, warps: of }, k) => ({ index, warps: of, weight: ((weights[k] ?? 0) * blocks) / sum }));
}

const recorded = ({ program, sites }: Executed): RecordedKernel => ({ blocks: program.blocks, sites: sites.sites });

/** What is known of the block that does most, as the timing replays it by itself. */
export function longestTrace(run: Executed, code: TimedCode, rest: Rest | undefined): LongestTrace | undefined {
  const { longest } = run;
  if (!longest) return undefined;
  const { block: index, records, isCertain } = longest;
  return { index, weight: 1, isCertain, warps: tracesOf(records, recorded(run), code, records.length, rest) };
}
