/** What simulated launches could be without, one entry a cause, with the launch in which it comes to most. */
import type { AccessReport, CostKind, CostReport } from "@warplens/sim-engine";
import type { Place } from "../../syntax/reading.ts";
import { formatAssumption, formatDim, formatRatio, formatTime } from "../../units.ts";
import type { Finding, Gain, Related, RuleContext, SimulatedLaunch } from "../rule.ts";
import { groupBy } from "./group-by.ts";

export interface Cost {
  readonly report: CostReport;
  readonly gain: Gain;
  /** Where it comes to most, and the other places of the same cause. */
  readonly place: Place;
  readonly besides: readonly Place[];
  /** The access at `place`, where it is one. */
  readonly access: AccessReport | undefined;
  readonly launch: SimulatedLaunch;
  /** The other launches that have it. */
  readonly others: readonly SimulatedLaunch[];
}

/** The costs of some kinds that do not rest on what is assumed alone. */
export function costsOf({ program: { reading }, launches }: RuleContext, ...kinds: readonly CostKind[]): Cost[] {
  const found = toldLaunches(launches).flatMap((launch) => {
    const { report, kernel } = launch;
    const { time } = report;
    return (report.costs ?? []).flatMap((cost): Cost[] => {
      if (!kinds.includes(cost.kind) || cost.decided || !time) return [];
      const places = cost.at.flatMap(({ file, start, end }) => {
        const index = reading.files.indexOf(kernel.files[file] ?? "");
        return index < 0 ? [] : [{ file: index, start, end }];
      });
      // What a launch costs by its size stands where it is launched, and is told of the file that launches it.
      if (cost.at.length === 0 && isOfAnotherFile(launch)) return [];
      const [place, ...besides] = cost.at.length === 0 ? [launch.fact.at] : places;
      const [at] = cost.at;
      const access = report.accesses
        .filter((each) => each.file === at?.file && each.start === at.start && each.end === at.end && spaces[cost.kind] === each.space)
        .sort((a, b) => b.transactions - b.ideal - (a.transactions - a.ideal))[0];
      return place ? [{ report: cost, gain: { ns: time.ns, without: cost.ns }, place, besides, access, launch, others: [] }] : [];
    });
  });
  const gained = ({ gain }: Cost): number => gain.ns - gain.without;
  return [...groupBy(found, nameOf).values()].flatMap((group) => {
    const [most, ...rest] = group.sort((a, b) => gained(b) - gained(a));
    if (!most) return [];
    const ofProgram = group.reduce((sum, cost) => sum + gained(cost) * timesOf(cost.launch), 0);
    const elsewhere = rest.map(({ place }) => place).filter(({ file, start }) => file !== most.place.file || start !== most.place.start);
    const besides = [...new Map([...most.besides, ...elsewhere].map((at) => [`${at.file}:${at.start}-${at.end}`, at])).values()];
    const gain = { ...most.gain, ofProgram };
    return [{ ...most, gain, besides, others: [...new Set(rest.map(({ launch }) => launch))].filter((each) => each !== most.launch) }];
  });
}

/** How often a launch is made; one that the program does not make as it is followed counts as if it did, once. */
const timesOf = ({ fact: { executions = 1 } }: SimulatedLaunch): number => Math.max(1, executions);

/**
 * The same for what one change would mend: of a kernel's resources, arrays and ways to hand out its work there is one, however it is
 * launched.
 */
function nameOf({ place, report: { kind, object, change }, launch }: Cost): string {
  const ofKernel = kind === "local array" ? object : kind.startsWith("idle lanes") ? "threads" : change?.resource;
  return ofKernel === undefined ? `${kind} ${place.file}:${place.start}-${place.end}` : `${kind} ${launch.report.kernel} ${ofKernel}`;
}

const spaces: Readonly<Partial<Record<CostKind, AccessReport["space"]>>> = {
  sectors: "global",
  rows: "global",
  wavefronts: "shared",
  addresses: "constant",
};

/** Nobody says how it is launched, or not all of it. */
const isAssumedLaunch = ({ fact: { configuration } }: SimulatedLaunch): boolean => configuration.length > 0;

/** It is known from another file of the program. */
export const isOfAnotherFile = ({ fact }: SimulatedLaunch): boolean => fact.expression === undefined && fact.configuration.length === 0;

/** Those that say something of a kernel: assumed ones only where no other is known. */
function toldLaunches(launches: readonly SimulatedLaunch[]): SimulatedLaunch[] {
  const known = new Set(launches.filter((launch) => !isAssumedLaunch(launch)).map(({ fact }) => fact.kernelName));
  return launches.filter((launch) => !isAssumedLaunch(launch) || !known.has(launch.fact.kernelName));
}

/** What a launch rests on that nobody says, in words: its configuration, sizes and contents that decide where it goes. */
function assumedOf({ fact, report }: SimulatedLaunch): string[] {
  const names = new Set([...(report.assumed ?? []), ...fact.configuration.map(({ what }) => what)]);
  const relevant = [...names].flatMap((name) => report.assumptions.filter(({ what }) => what === name));
  return [...new Map(relevant.map(({ what, value }) => [what, formatAssumption(what.replace(/(?<!\w)\w+$/, "`$&`"), value)])).values()];
}

/** A finding of a cost: what is said of it, then what it costs and what that rests on. What rests on assumptions is information at most. */
export function findingOf({ gain, place, besides, launch, others, report }: Cost, message: string): Finding {
  const assumed = assumedOf(launch);
  const [first = "", second] = formatTime(gain.without).split(" ");
  const [now = "", unit] = formatTime(gain.ns).split(" ");
  const times = `${now} ${unit}, ${second === unit ? first : `${first} ${second}`} ${isChange(report) ? "then" : "without it"}`;
  const rests =
    assumed.length === 0 ? "" : ` Assumes ${assumed.slice(0, 3).join(", ")}${assumed.length > 3 ? ` and ${assumed.length - 3} more` : ""}.`;
  return {
    span: place,
    message: `${message} ${times}.${rests}`,
    kernel: launch.report.kernel,
    gain,
    ...(assumed.length === 0 ? {} : { atMost: "information" as const, assumed }),
    related: [...besides.slice(0, 8).map((at) => ({ at, message: "for the same cause" })), ...launchesOf(launch, others)],
  };
}

/** What was timed is the launch with something else in the place of what is found. */
const isChange = ({ launch, change, kind }: CostReport): boolean =>
  launch !== undefined ||
  change !== undefined ||
  /^factors/.test(kind) ||
  /^(barriers of a reduction|narrow accesses|rows|loop of one thread)$/.test(kind);

/** The launches that make it so. */
function launchesOf(launch: SimulatedLaunch, others: readonly SimulatedLaunch[]): Related[] {
  return [launch, ...others].slice(0, 4).map(({ fact, report }) => ({
    at: fact.at,
    message: `${fact.expression ? "in this launch" : fact.configuration.length > 0 ? "in an assumed launch" : "in a launch"} of \`${report.kernel}\`: grid ${formatDim(report.grid)}, block ${formatDim(report.block)}`,
  }));
}

/** A constant distance between neighbouring lanes, in bytes, and the index that makes it. */
export interface LaneStride {
  readonly bytes: number;
  readonly source: string | undefined;
}

/**
 * How far apart neighbouring lanes are, when that is the same for nearly all. Where the rows of a block are shorter than a
 * warp, within each row.
 */
export function laneStrideOf({ laneStride, strideSource, example }: AccessReport, launch: SimulatedLaunch): LaneStride | undefined {
  if (laneStride !== undefined) return { bytes: laneStride, source: strideSource };
  const [width] = launch.report.block;
  if (example?.length !== 32 || width < 2 || 32 % width !== 0) return undefined;
  const steps = example.flatMap((address, lane) => (lane % width === 0 ? [] : [address - (example[lane - 1] ?? 0)]));
  const [first] = steps;
  return first !== undefined && steps.every((step) => step === first) ? { bytes: first, source: "threadIdx.x" } : undefined;
}

/** "32 sectors/request, ideal 4": in Nsight Compute's words. */
export const sectorsPerRequest = ({ transactions, ideal, requests }: AccessReport): string =>
  `${formatRatio(transactions / requests)} sectors/request, ideal ${formatRatio(ideal / requests)}`;
