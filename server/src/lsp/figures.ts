/** A report's figures in words, the same in lens, hover and hints. */
import type { AccessReport, LaunchReport } from "@warplens/sim-engine";
import { boundMeaning } from "../bound-text.ts";
import { code, prose, row } from "../foreign-text.ts";
import { bestBlocksText, intervalText, resourceChanges, spillText } from "../occupancy-text.ts";
import {
  formatAssumption,
  formatBandwidth,
  formatBound,
  formatCapacity,
  formatCount,
  formatDim,
  formatEstimate,
  formatGiven,
  formatLimiters,
  formatPercent,
  formatRatio,
  formatTraffic,
  unbroken,
} from "../units.ts";

/** `occupancy 100 % (warps)` */
export function occupancyText({ theoreticalPct, limiters }: LaunchReport["occupancy"]): string {
  return `occupancy ${formatPercent(theoreticalPct)}${limiters.length > 0 ? ` (${formatLimiters(limiters)})` : ""}`;
}

/** `<float, 16>`, or nothing. */
export const templateText = (templateArguments: readonly string[]): string =>
  templateArguments.length > 0 ? `<${templateArguments.join(", ")}>` : "";

/** `(65536) × (16, 16)`: grid and block; `(4096) × (256), stride = 8` where others of the same are given other numbers */
export const shapeText = ({ grid, block, given }: LaunchReport): string =>
  `(${formatDim(grid)}) × (${formatDim(block)})${formatGiven(given)}`;

/** `262144 × 256 threads` */
const configurationText = ({ grid, block, dynamicSharedBytes, given }: LaunchReport): string =>
  `${formatDim(grid)} blocks of ${formatDim(block)} threads${dynamicSharedBytes > 0 ? `, ${formatCapacity(dynamicSharedBytes)} dynamic shared` : ""}${formatGiven(given)}`;

/** Transactions a request, and how many would do. */
export function perRequest(access: AccessReport): { readonly actual: number; readonly ideal: number } {
  return { actual: access.transactions / access.requests, ideal: access.ideal / access.requests };
}

/** How many times the wavefronts a conflict-free access would take. */
export const conflictWays = (access: AccessReport): number => (access.ideal > 0 ? access.transactions / access.ideal : 1);

/** The table of a launch, as Markdown: figure, value, where it comes from. */
export function launchTable(report: LaunchReport): string {
  const { resources, occupancy, time, traffic } = report;
  const registers = resources.registersPerThread;
  const rows = [
    row("Launch", configurationText(report), ""),
    row(
      "Occupancy",
      `**${formatPercent(occupancy.theoreticalPct)}**${occupancy.achievedPct === undefined ? "" : `, achieved ${formatPercent(occupancy.achievedPct)}`}`,
      `${occupancy.blocksPerSm} blocks an SM, limited by ${formatLimiters(occupancy.limiters)}`,
    ),
    row(
      "Registers",
      `${registers.value} a thread`,
      registers.interval ? `${registers.basis}, ${registers.interval[0]} to ${registers.interval[1]}` : registers.basis,
    ),
  ];
  const { advice } = occupancy;
  const interval = advice && intervalText(advice);
  if (advice?.nextStep !== undefined) rows.splice(2, 0, row("Next step", prose(unbroken(advice.nextStep)), interval ?? ""));
  else if (advice?.withheld !== undefined)
    rows.splice(2, 0, row("Next step", "none", prose(unbroken(`more would not help: ${advice.withheld}`))));
  else if (interval !== undefined) rows.splice(2, 0, row("", "", interval));
  if (resources.staticSharedBytes + report.dynamicSharedBytes > 0)
    rows.push(row("Shared memory", `${formatCapacity(resources.staticSharedBytes + report.dynamicSharedBytes)} a block`, "exact"));
  const local = resources.compiled?.stackBytes ?? resources.localBytesPerThread;
  if (local > 0) rows.push(row("Local memory", `${local} bytes a thread`, resources.compiled ? "compiled" : "estimated"));
  const spills = spillText(resources);
  if (spills !== undefined) rows.push(row("Spills", spills, "compiled, a thread"));
  if (time) {
    const meaning = boundMeaning(time.boundBy);
    const bound = `bound by ${formatBound(time.boundBy)}${meaning === undefined ? "" : ` (${meaning})`}`;
    rows.push(row("Time", `**${formatEstimate(time)}**`, `simulated, ${bound}`));
    rows.push(row("DRAM", `${formatBandwidth(time.dramGBs)}`, `${formatPercent(time.dramPctOfPeak)} of peak`));
  }
  const sectors = traffic.globalLoadSectors + traffic.globalStoreSectors;
  const requests = traffic.globalLoadRequests + traffic.globalStoreRequests;
  if (requests > 0)
    rows.push(
      row(
        "Global memory",
        `${formatCount(sectors)} sectors`,
        `${formatRatio(sectors / requests)} a request, ${formatTraffic(sectors * 32)}`,
      ),
    );
  if (traffic.l1HitPct !== undefined && traffic.l2HitPct !== undefined)
    rows.push(row("Hit rate", `L1 ${formatPercent(traffic.l1HitPct)}, L2 ${formatPercent(traffic.l2HitPct)}`, "simulated"));
  return [row("", "", ""), "| --- | --- | --- |", ...rows].join("\n");
}

/** Where occupancy changes on either side of what a launch uses, as a Markdown table; empty where nothing changes it. */
export function changesTable(report: LaunchReport): string {
  const rows = resourceChanges(report).filter(({ below, above }) => below !== undefined || above !== undefined);
  if (rows.length === 0) return "";
  const best = report.occupancy.advice && bestBlocksText(report.occupancy.advice, report.occupancy.theoreticalPct);
  return [
    row("Occupancy changes", "with less", "now", "with more"),
    "| --- | --- | :-: | --- |",
    ...rows.map(({ name, now, below, above }) => row(name, below ?? "", now, above ?? "")),
    ...(best === undefined ? [] : [row("Best blocks", best, "", "")]),
  ].join("\n");
}

/** The assumptions of a launch as a Markdown list, or nothing. */
export function assumptionsText(report: LaunchReport): string {
  if (report.assumptions.length === 0) return "";
  return [
    "**Assumed**",
    "",
    ...report.assumptions.map(({ what, value, why }) => `- ${code(what)} ${prose(`${formatAssumption("", value).trim()}: ${why}`)}`),
  ].join("\n");
}
