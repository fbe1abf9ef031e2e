/**
 * Compares simulated launches with measured ones: by launch, by source line, and over a whole set.
 * Shares are 0 to 1; errors are relative, |simulated - measured| / measured, 1 where something was measured to be nothing.
 */
import { type Dim3, type ErrorClass, errorClass, type LaunchReport } from "@warplens/sim-engine";

/** Counters of one source line as the profiler gives them; absent means 0. */
interface MeasuredLine {
  readonly global_sectors?: number;
  readonly global_sectors_ideal?: number;
  readonly shared_wavefronts?: number;
  readonly shared_wavefronts_ideal?: number;
}

/** One launch as measured; the keys are explained in sim-engine/validation/h200/README.md. */
export interface MeasuredLaunch {
  readonly file: string;
  /** As the profiler prints it: `void scale<4>(float *, int)`. */
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamic_shared_bytes: number;
  readonly time_ns: number;
  readonly registers_per_thread: number;
  readonly theoretical_occupancy_pct: number;
  readonly achieved_occupancy_pct: number;
  readonly global_load_sectors: number;
  readonly global_store_sectors: number;
  readonly dram_read_bytes: number;
  readonly dram_write_bytes: number;
  readonly warp_instructions: number;
  readonly lines?: Readonly<Record<string, MeasuredLine>>;
}

/** Where a launch's warps were found when the profiler looked: by line, or `elsewhere`, samples by stall reason. */
export interface SampledLaunch {
  readonly file: string;
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly samples: number;
  readonly lines: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Whether a line was found to transfer, or serialise, far more than it need. */
export type Verdict = "hit" | "missed" | "false alarm" | "clean";

export interface LineComparison {
  readonly line: number;
  readonly counter: "global sectors" | "shared wavefronts";
  readonly measured: number;
  readonly simulated: number;
  readonly error: number;
  /** Absent where neither side says what is ideal. */
  readonly verdict?: Verdict;
}

export interface LaunchComparison {
  readonly file: string;
  readonly kernel: string;
  /** Grid, block and dynamic shared memory are those measured. */
  readonly configurationRight: boolean;
  readonly lines: readonly LineComparison[];
  /** Relative errors. */
  readonly sectors: number;
  readonly instructions: number;
  readonly registers: number;
  /** Simulated over measured; absent where no time is given. */
  readonly time?: number;
  readonly timeClass?: ErrorClass;
  /** Within the report's range. */
  readonly timeHeld?: boolean;
  /** Of what is read from and written to memory; absent where it is not given, or little was measured. */
  readonly dram?: number;
  /** What the time by line has in common with the samples; absent where there are none, or too many in lines of headers. */
  readonly spent?: SpentComparison;
  /** Percentage points between them. */
  readonly occupancy: number;
  readonly achieved?: number;
}

export interface SpentComparison {
  /** Share of the samples that are where they are said to be: the sum over lines of the lesser of the two shares. */
  readonly inCommon: number;
  /** The line with most samples is the one that is said to have most, or has hardly less. */
  readonly hottest: boolean;
}

/** A line counts as exact within this relative error. */
const exact = 0.01;
/** A line counts as uncoalesced or conflicting where it is this many times the ideal. */
const wasteful = 1.5;
/** Above this share of samples in lines of headers, which the report has at the lines that use them, lines are not compared. */
const muchElsewhere = 0.1;
/** Lines that are said to take shares of the time nearer to each other than this are as hot. */
const asHot = 0.05;
/** Below this many bytes what reaches memory depends on what other work left in the caches. */
const muchMemory = 4 * 2 ** 20;

/**
 * `void scale<(int)4, (bool)1>(float *, int)` is `scale<4, true>`, as a report has it: without the namespaces it is in, `opt::scale` or
 * `<unnamed>::scale`.
 */
export function signatureName(kernel: string): string {
  const plain = kernel
    .replace(/^void /, "")
    .replaceAll("<unnamed>::", "")
    .replace(/\(bool\)([01])/g, (_, value) => (value === "1" ? "true" : "false"))
    .replace(/\([a-z ]+\)(?=-?\d)/g, "");
  const [name = ""] = plain.split("(", 1);
  return name.replace(/^[^<]*::/, "").trim();
}

/** What tells one launch of a file from another. */
export type LaunchIdentity = Pick<LaunchReport, "kernel" | "templateArguments" | "grid" | "block" | "dynamicSharedBytes">;

/** The launch that is the measured one: the same name, of these the same configuration, of these the first left. It is taken out. */
export function takeMatch<Launch extends LaunchIdentity>(measured: MeasuredLaunch, launches: Set<Launch>): Launch | undefined {
  const name = signatureName(measured.kernel);
  const [base] = name.split("<");
  const candidates = [...launches].filter(({ kernel }) => kernel === base);
  const score = (launch: Launch): number => (hasConfiguration(launch, measured) ? 2 : 0) + (instanceName(launch) === name ? 1 : 0);
  const [best] = candidates.toSorted((a, b) => score(b) - score(a));
  if (best !== undefined) launches.delete(best);
  return best;
}

/**
 * The launch that is the measured one, where the host makes it several times and fewer than that were measured so far: it is told once, and
 * stands for all of them.
 * @param times how many measured launches each may still stand for
 */
export function takeRepeated<Launch extends LaunchIdentity>(measured: MeasuredLaunch, times: Map<Launch, number>): Launch | undefined {
  const found = [...times].find(
    ([launch, left]) => left > 0 && instanceName(launch) === signatureName(measured.kernel) && hasConfiguration(launch, measured),
  );
  if (found) times.set(found[0], found[1] - 1);
  return found?.[0];
}

function instanceName({ kernel, templateArguments }: LaunchIdentity): string {
  return templateArguments.length > 0 ? `${kernel}<${templateArguments.join(", ")}>` : kernel;
}

function hasConfiguration({ grid, block, dynamicSharedBytes }: LaunchIdentity, measured: MeasuredLaunch): boolean {
  return `${grid} ${block} ${dynamicSharedBytes}` === `${measured.grid} ${measured.block} ${measured.dynamic_shared_bytes}`;
}

function relativeError(simulated: number, measured: number): number {
  if (measured === 0) return simulated === 0 ? 0 : 1;
  return Math.abs(simulated - measured) / measured;
}

/**
 * Compares where the time is spent; undefined where it cannot be. Who waits at a barrier is found at what comes behind it, and is said to
 * be at the barrier: what is waited there is compared as a line of its own.
 */
export function compareSpent({ samples, lines }: SampledLaunch, report: LaunchReport): SpentComparison | undefined {
  const measured = new Map<string, number>();
  const said = new Map<string, number>();
  const add = (to: Map<string, number>, line: string, share: number): Map<string, number> => to.set(line, (to.get(line) ?? 0) + share);
  for (const [line, reasons] of Object.entries(lines))
    for (const [reason, count] of Object.entries(reasons)) add(measured, reason === "barrier" ? reason : line, count / samples);
  for (const [line, { timeShare = 0, waits: { barrier = 0 } = {} }] of Object.entries(report.lines))
    add(add(said, "barrier", barrier), line, timeShare - barrier);
  if (report.time === undefined || (measured.get("elsewhere") ?? 0) > muchElsewhere) return undefined;
  const [hottest = ""] = [...measured].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return {
    inCommon: [...measured].reduce((sum, [line, share]) => sum + Math.min(share, said.get(line) ?? 0), 0),
    hottest: (said.get(hottest) ?? 0) >= Math.max(...said.values()) - asHot,
  };
}

export function compareLaunch(measured: MeasuredLaunch, report: LaunchReport, sampled?: SampledLaunch): LaunchComparison {
  const { traffic, occupancy } = report;
  const dram = measured.dram_read_bytes + measured.dram_write_bytes;
  const { dramReadBytes, dramWriteBytes } = traffic;
  const spent = sampled && compareSpent(sampled, report);
  const knowsDram = dram > muchMemory && dramReadBytes !== undefined && dramWriteBytes !== undefined;
  return {
    file: measured.file,
    kernel: signatureName(measured.kernel),
    configurationRight: hasConfiguration(report, measured),
    lines: compareLines(measured, report),
    sectors: relativeError(
      traffic.globalLoadSectors + traffic.globalStoreSectors,
      measured.global_load_sectors + measured.global_store_sectors,
    ),
    instructions: relativeError(report.instructions.warp, measured.warp_instructions),
    registers: relativeError(report.resources.registersPerThread.value, measured.registers_per_thread),
    occupancy: Math.abs(occupancy.theoreticalPct - measured.theoretical_occupancy_pct),
    ...(report.time === undefined ? {} : comparedTime(measured.time_ns, report.time)),
    ...(spent ? { spent } : {}),
    ...(knowsDram ? { dram: relativeError(dramReadBytes + dramWriteBytes, dram) } : {}),
    ...(occupancy.achievedPct === undefined ? {} : { achieved: Math.abs(occupancy.achievedPct - measured.achieved_occupancy_pct) }),
  };
}

function comparedTime(measured: number, { ns, boundBy, range: [lo, hi] }: NonNullable<LaunchReport["time"]>) {
  return { time: ns / measured, timeClass: errorClass(boundBy), timeHeld: lo <= measured && measured <= hi };
}

function compareLines(measured: MeasuredLaunch, report: LaunchReport): LineComparison[] {
  if (measured.lines === undefined) return [];
  const numbers = new Set([...Object.keys(measured.lines), ...Object.keys(report.lines)].map(Number));
  return [...numbers]
    .sort((a, b) => a - b)
    .flatMap((line) => {
      const want = measured.lines?.[line] ?? {};
      const got = report.lines[line];
      return [
        compareCounter(line, "global sectors", want.global_sectors, want.global_sectors_ideal, got?.globalSectors, got?.globalSectorsIdeal),
        compareCounter(
          line,
          "shared wavefronts",
          want.shared_wavefronts,
          want.shared_wavefronts_ideal,
          got?.sharedWavefronts,
          got?.sharedWavefrontsIdeal,
        ),
      ].filter((comparison) => comparison !== undefined);
    });
}

function compareCounter(
  line: number,
  counter: LineComparison["counter"],
  measured = 0,
  measuredIdeal = 0,
  simulated = 0,
  simulatedIdeal = 0,
): LineComparison | undefined {
  if (measured === 0 && simulated === 0) return undefined;
  const comparison = { line, counter, measured, simulated, error: relativeError(simulated, measured) };
  if (measuredIdeal === 0 && simulatedIdeal === 0) return comparison;
  const is = measured > wasteful * (measuredIdeal || Number.POSITIVE_INFINITY);
  const said = simulated > wasteful * (simulatedIdeal || Number.POSITIVE_INFINITY);
  return { ...comparison, verdict: is ? (said ? "hit" : "missed") : said ? "false alarm" : "clean" };
}

export const isExact = ({ error }: LineComparison): boolean => error <= exact;

/** Figures of a whole set; absent where there is nothing to take them from. */
export interface Summary {
  readonly launches: number;
  readonly simulated: number;
  readonly configurationsRight: number;
  readonly globalLinesExact: number;
  readonly sharedLinesExact: number;
  readonly uncoalescedRecall: number;
  readonly uncoalescedPrecision: number;
  readonly bankConflictRecall: number;
  readonly bankConflictPrecision: number;
  /** Medians of relative errors. */
  readonly sectors: number;
  readonly instructions: number;
  readonly registers: number;
  /** Share of launches whose theoretical occupancy is within one point. */
  readonly occupancyRight: number;
  readonly achievedPoints?: number;
  readonly timeMean?: number;
  readonly timeMedian?: number;
  /** Share of the times, of launches with the right configuration, that lie within their error bars. */
  readonly timeHeld: number;
  readonly dramMedian?: number;
  /** Of the launches that were sampled: what their times by line have in common with the samples, and whose hottest line is right. */
  readonly spentMedian?: number;
  readonly hottestLines?: number;
}

/** `launches`: how many were measured; those missing from `comparisons` were not simulated and count as wrong in `timeMean`. */
export function summarise(comparisons: readonly LaunchComparison[], launches: number): Summary {
  const lines = (counter: LineComparison["counter"]) => comparisons.flatMap((c) => c.lines.filter((line) => line.counter === counter));
  const global = lines("global sectors");
  const shared = lines("shared wavefronts");
  const times = comparisons.flatMap(({ time }) => (time === undefined ? [] : [Math.abs(time - 1)]));
  const achieved = comparisons.flatMap(({ achieved: points }) => (points === undefined ? [] : [points]));
  const dram = comparisons.flatMap(({ dram: error }) => (error === undefined ? [] : [error]));
  const spent = comparisons.flatMap((comparison) => (comparison.spent === undefined ? [] : [comparison.spent]));
  const missing = launches - times.length;
  return {
    launches,
    simulated: comparisons.length,
    configurationsRight: comparisons.filter((c) => c.configurationRight).length,
    globalLinesExact: share(global, isExact),
    sharedLinesExact: share(shared, isExact),
    uncoalescedRecall: recall(global),
    uncoalescedPrecision: precision(global),
    bankConflictRecall: recall(shared),
    bankConflictPrecision: precision(shared),
    sectors: median(comparisons.map((c) => c.sectors)),
    instructions: median(comparisons.map((c) => c.instructions)),
    registers: median(comparisons.map((c) => c.registers)),
    occupancyRight: share(comparisons, (c) => c.occupancy <= 1),
    timeHeld: share(
      comparisons.filter((c) => c.configurationRight && c.timeHeld !== undefined),
      (c) => c.timeHeld === true,
    ),
    ...(achieved.length > 0 ? { achievedPoints: median(achieved) } : {}),
    ...(times.length > 0
      ? { timeMean: (times.reduce((sum, error) => sum + Math.min(1, error), 0) + missing) / launches, timeMedian: median(times) }
      : {}),
    ...(dram.length > 0 ? { dramMedian: median(dram) } : {}),
    ...(spent.length > 0
      ? { spentMedian: median(spent.map(({ inCommon }) => inCommon)), hottestLines: share(spent, ({ hottest }) => hottest) }
      : {}),
  };
}

function share<T>(all: readonly T[], holds: (one: T) => boolean): number {
  return all.length === 0 ? 1 : all.filter(holds).length / all.length;
}

const recall = (lines: readonly LineComparison[]): number =>
  share(
    lines.filter(({ verdict }) => verdict === "hit" || verdict === "missed"),
    ({ verdict }) => verdict === "hit",
  );

const precision = (lines: readonly LineComparison[]): number =>
  share(
    lines.filter(({ verdict }) => verdict === "hit" || verdict === "false alarm"),
    ({ verdict }) => verdict === "hit",
  );

/** The upper of the two middle values where there are two; NaN of nothing. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
