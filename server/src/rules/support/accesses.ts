/** Global memory accesses as simulated, one for each access in the source, worst launch first. */
import type { AccessReport } from "@warplens/sim-engine";
import type { Place } from "../../syntax/reading.ts";
import { formatAssumption, formatDim, formatRatio } from "../../units.ts";
import type { Related, RuleContext, SimulatedLaunch } from "../rule.ts";
import { groupBy } from "./group-by.ts";

/** Sectors over ideal sectors from which an access is worth a word. */
const threshold = 1.5;
/** Below these an access is not what holds a kernel back: requests of the launch, and its share of the launch's sectors. */
const fewRequests = 32;
const smallShare = 0.01;

export interface PoorAccess {
  readonly place: Place;
  readonly access: AccessReport;
  readonly launch: SimulatedLaunch;
  /** The other launches in which it is poor too. */
  readonly others: readonly SimulatedLaunch[];
}

/** Every global access that moves more than `threshold` times the sectors it needs, in at least one launch. */
export function poorAccesses({ program: { reading }, launches }: RuleContext): PoorAccess[] {
  const found: { place: Place; access: AccessReport; launch: SimulatedLaunch }[] = [];
  for (const launch of launches) {
    const { report, kernel } = launch;
    const all = report.accesses.filter(({ space }) => space === "global");
    const sectors = all.reduce((sum, { transactions }) => sum + transactions, 0);
    for (const access of all) {
      if (!(access.transactions > threshold * access.ideal) || isDivergence(access)) continue;
      if (access.requests < fewRequests && access.transactions < smallShare * sectors) continue;
      const file = reading.files.indexOf(kernel.files[access.file] ?? "");
      if (file >= 0) found.push({ place: { file, start: access.start, end: access.end }, access, launch });
    }
  }
  const excess = ({ access }: { access: AccessReport }): number => access.transactions - access.ideal;
  return [...groupBy(found, ({ place }) => `${place.file}:${place.start}-${place.end}`).values()].flatMap((group) => {
    const [worst, ...others] = group.sort((a, b) => excess(b) - excess(a));
    return worst
      ? [{ ...worst, others: [...new Set(others.map(({ launch }) => launch))].filter((launch) => launch !== worst.launch) }]
      : [];
  });
}

/**
 * Whether only inactive lanes make the access poor: it touches no more sectors than a full warp would, side by side. That is
 * for rules about divergence to say.
 */
const isDivergence = ({ transactions, requests, lanes, bytesPerLane }: AccessReport): boolean =>
  lanes < 32 * requests && transactions <= bytesPerLane * requests;

/** A constant distance between neighbouring lanes, in bytes, and the index that makes it. */
export interface LaneStride {
  readonly bytes: number;
  readonly source: string | undefined;
}

/**
 * How far apart neighbouring lanes are, when that is the same for nearly all. Where the rows of a block are shorter than a
 * warp, within each row.
 */
export function laneStrideOf({ access: { laneStride, strideSource, example }, launch }: PoorAccess): LaneStride | undefined {
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

/** The launches that make it so. */
export function launchesOf({ launch, others }: PoorAccess): Related[] {
  return [launch, ...others].slice(0, 4).map(({ fact, report }) => ({
    at: fact.at,
    message: `${fact.expression ? "in this launch" : "in an assumed launch"} of \`${report.kernel}\`: grid ${formatDim(report.grid)}, block ${formatDim(report.block)}`,
  }));
}

/**
 * What the figures rest on that nobody said: values that take part in the address, and what index arrays hold.
 * @param address the source of what decides the addresses
 * @param contents of which arrays: those `address` names, or all, as an index may come from any
 */
export function assumptionsOf({ launch: { report } }: PoorAccess, address: string, contents: "named" | "all"): string {
  const words = new Set(address.replace(/(\.|->)\s*\w+/g, "").match(/\w+/g));
  const relevant = report.assumptions.filter(({ what, value }) => {
    const name = what.replace(/^contents of /, "");
    return name === what ? typeof value === "number" && words.has(name) : contents === "all" || words.has(name);
  });
  const texts = [...new Set(relevant.map(({ what, value }) => formatAssumption(what.replace(/(?<!\w)\w+$/, "`$&`"), value)))];
  return texts.length === 0 ? "" : ` Assumes ${texts.slice(0, 3).join(", ")}.`;
}
