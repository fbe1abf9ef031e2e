/** Launches for people: a line each for an overview, or all of a report. */
import type { AccessReport, LaunchReport } from "@warplens/sim-engine";
import { visible, visibleName } from "../../foreign-text.ts";
import { faultOf, faultText } from "../../lint/soundness.ts";
import type { Diagnostic } from "../../lint.ts";
import { bestBlocksText, intervalText, nextStepText, resourceChanges, spillText } from "../../occupancy-text.ts";
import { groupBy } from "../../rules/support/group-by.ts";
import {
  formatAssumption,
  formatBandwidth,
  formatCapacity,
  formatCount,
  formatDim,
  formatEstimate,
  formatGiven,
  formatLimiters,
  formatPercent,
  formatRatio,
  formatTime,
  formatTraffic,
} from "../../units.ts";
import type { SimulatedSite } from "../jobs/job.ts";
import { launchTitle } from "../launches.ts";
import type { Style } from "../style.ts";

/** Characters of a line of source that are shown. */
const longestLine = 400;
/** More lines than these are not shown: the ones that move most come first. */
const mostLines = 8;

const titleOf = (report: LaunchReport): string => visibleName(launchTitle(report));
const occupancyOf = ({ occupancy: { theoreticalPct, limiters } }: LaunchReport): string =>
  `occupancy ${formatPercent(theoreticalPct)}${limiters.length > 0 ? ` (${formatLimiters(limiters)})` : ""}`;

/** The overview: `transposeNaive:58  occupancy 100 % (warps)  329 µs  1.63 TB/s, 33 % of peak  bound by latency`, in columns. */
export function launchRows(launches: readonly SimulatedSite[], style: Style, diagnostics: readonly Diagnostic[]): string[] {
  const rows = launches.map(({ line, report }) => {
    const { time } = report;
    const fault = faultOf(diagnostics, report.kernel);
    return [
      `${titleOf(report)}:${line}`,
      occupancyOf(report),
      time ? formatEstimate(time) : "",
      time ? `${formatBandwidth(time.dramGBs)}, ${formatPercent(time.dramPctOfPeak)} of peak` : "",
      time ? `bound by ${time.boundBy}` : "",
      fault ? `wrong: ${faultText(fault)}` : "",
    ];
  });
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const padded = column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
        return column === 0 ? style(padded, "bold") : padded;
      })
      .join("  ")
      .trimEnd(),
  );
}

/**
 * Everything a person wants of one launch.
 * @param fault what its kernel does wrong
 */
export function launchText({ line, report }: SimulatedSite, style: Style, source: string, fault: Diagnostic | undefined): string {
  const { grid, block, dynamicSharedBytes, given, resources, occupancy, traffic, shared, instructions, time, assumptions, simulated } =
    report;
  const registers = resources.registersPerThread;
  const local = resources.compiled?.stackBytes ?? resources.localBytesPerThread;
  const spills = spillText(resources);
  const rows: [string, string][] = [
    [
      "launch",
      `${formatDim(grid)} blocks of ${formatDim(block)} threads${dynamicSharedBytes > 0 ? `, ${formatCapacity(dynamicSharedBytes)} dynamic shared` : ""}${formatGiven(given)}`,
    ],
    [
      "occupancy",
      [
        `${formatPercent(occupancy.theoreticalPct)} theoretical (${occupancy.limiters.length > 0 ? formatLimiters(occupancy.limiters) : "nothing limits it"})`,
        ...(occupancy.achievedPct === undefined ? [] : [`${formatPercent(occupancy.achievedPct)} achieved`]),
        `${occupancy.blocksPerSm} blocks/SM`,
        `${formatRatio(occupancy.wavesPerSm)} waves`,
      ].join(", "),
    ],
    [
      "resources",
      [
        `${registers.value} registers a thread (${registers.basis}${registers.interval ? `, ${registers.interval[0]} to ${registers.interval[1]}` : ""})`,
        ...(resources.staticSharedBytes > 0 ? [`${formatCapacity(resources.staticSharedBytes)} static shared`] : []),
        ...(local > 0 ? [`${local} bytes local a thread`] : []),
        ...(spills === undefined ? [] : [`spills ${spills}`]),
      ].join(", "),
    ],
  ];
  rows.push(...adviceRows(report));
  if (time) {
    rows.push(["time", `${formatEstimate(time)}, bound by ${time.boundBy}`]);
    rows.push([
      "bandwidth",
      `${formatBandwidth(time.dramGBs)} DRAM, ${formatPercent(time.dramPctOfPeak)} of peak; ${formatBandwidth(time.requestedGBs)} asked for`,
    ]);
  }
  const global = [
    ...side("load", traffic.globalLoadSectors, traffic.globalLoadRequests),
    ...side("store", traffic.globalStoreSectors, traffic.globalStoreRequests),
  ];
  if (global.length > 0) rows.push(["global", `sectors/request: ${global.join(", ")}`]);
  const caches = [
    ...(traffic.l1HitPct === undefined ? [] : [`L1 hits ${formatPercent(traffic.l1HitPct)}`]),
    ...(traffic.l2HitPct === undefined ? [] : [`L2 hits ${formatPercent(traffic.l2HitPct)}`]),
    ...(traffic.dramReadBytes === undefined ? [] : [`${formatTraffic(traffic.dramReadBytes)} read`]),
    ...(traffic.dramWriteBytes === undefined ? [] : [`${formatTraffic(traffic.dramWriteBytes)} written`]),
  ];
  if (traffic.hostReadBytes !== undefined)
    caches.push(`${formatTraffic(traffic.hostReadBytes)} from the host, ${formatTraffic(traffic.hostWriteBytes ?? 0)} to it`);
  if (caches.length > 0) rows.push(["caches", caches.join(", ")]);
  const banks = [
    ...side("load", shared.loadWavefronts, shared.loadInstructions),
    ...side("store", shared.storeWavefronts, shared.storeInstructions),
  ];
  if (banks.length > 0) rows.push(["shared", `wavefronts/access: ${banks.join(", ")}`]);
  rows.push([
    "instructions",
    `${formatCount(instructions.warp)} of warps, ${formatRatio(instructions.thread / Math.max(1, instructions.warp))} lanes each`,
  ]);
  const lines = [
    `  ${style(titleOf(report), "bold")} ${style(`line ${line}`, "dim")}`,
    ...(fault
      ? [`    ${style("wrong".padEnd(12), "red")}  ${faultText(fault)}: ${fault.message} The figures are those of the kernel as it is.`]
      : []),
    ...rows.map(([name, text]) => `    ${style(name.padEnd(12), "dim")}  ${text}`),
    ...lineRows(report, source, style),
    ...assumptions.map(
      ({ what, value, why }) => `    ${style("assumed".padEnd(12), "yellow")}  ${visible(`${formatAssumption(what, value)}: ${why}`)}`,
    ),
    `    ${style(`simulated ${formatCount(simulated.blocks)} of ${formatCount(simulated.of)} blocks in ${formatTime(simulated.ms * 1e6)}`, "dim")}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** What would change the occupancy, and what to do about it. */
function adviceRows(report: LaunchReport): [string, string][] {
  const { advice, theoreticalPct } = report.occupancy;
  if (!advice) return [];
  const changes = resourceChanges(report).flatMap(({ name, below, above }) => {
    const sides = [below, above].filter((text) => text !== undefined);
    return sides.length > 0 ? [`${name.toLowerCase()} ${sides.join(", ")}`] : [];
  });
  const rows: [string, string | undefined][] = [
    ["estimate", intervalText(advice)],
    ["changes at", changes.length > 0 ? changes.join("; ") : undefined],
    ["best blocks", bestBlocksText(advice, theoreticalPct)],
    ["next step", nextStepText(advice)],
  ];
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
}

const side = (name: string, transactions: number, requests: number): string[] =>
  requests > 0 ? [`${formatRatio(transactions / requests)} ${name}`] : [];

/** The lines that access memory, those that move most first: what each access of them moves. */
function lineRows({ accesses }: LaunchReport, source: string, style: Style): string[] {
  const texts = source.split("\n");
  const byLine = groupBy(
    accesses.filter(({ file, space, requests }) => file === 0 && requests > 0 && (space === "global" || space === "shared")),
    ({ line }) => line,
  );
  const weight = (group: readonly AccessReport[]): number => group.reduce((sum, { transactions }) => sum + transactions, 0);
  return [...byLine]
    .sort(([, a], [, b]) => weight(b) - weight(a))
    .slice(0, mostLines)
    .map(([line, group]) => {
      const parts = group.map((access) => {
        const { space, operation, requests, transactions, ideal } = access;
        const poor = transactions > 1.5 * ideal;
        const text =
          space === "global"
            ? `${operation} ${formatRatio(transactions / requests)} sectors/request${poor ? `, ideal ${formatRatio(ideal / requests)}` : ""}`
            : `shared ${operation} ${poor ? `${formatRatio(transactions / ideal)}-way conflict` : "without conflict"}`;
        return poor ? style(text, "yellow") : text;
      });
      return `    ${style(`line ${line}`.padEnd(12), "dim")}  ${[...new Set(parts)].join("; ")}  ${style(visible((texts[line - 1] ?? "").trim(), longestLine), "dim")}`;
    });
}
