/** What changed between two revisions, for scripts. */
import { figures } from "../../lint/figures.ts";
import type { SitedLaunch } from "../launches.ts";
import type { FindingAt, LaunchChange } from "./compare.ts";
import { type Compared, type Kind, kindOf } from "./words.ts";

/** For scripts, version 1. */
export function comparisonReport({ comparison, gpu, before, after, threshold }: Compared, version: string): object {
  const { changed, unchanged, newFindings, goneFindings, failures } = comparison;
  return {
    version: 1,
    tool: { name: "warplens", version },
    gpu: { id: gpu.id, name: gpu.name, computeCapability: gpu.computeCapability },
    before,
    after,
    thresholdPct: threshold,
    launches: [
      ...changed.map((change) => launchReport(change, kindOf(change))),
      ...unchanged.map((change) => launchReport(change, "unchanged")),
    ],
    findings: { new: newFindings.map(findingReport), gone: goneFindings.map(findingReport) },
    ...(failures.length > 0 ? { failures } : {}),
  };
}

function launchReport(change: LaunchChange, status: Kind | "unchanged"): object {
  const { shown, before, after, changes, notSimulated, newFindings, goneFindings } = change;
  const { kernel, templateArguments } = shown.report;
  return {
    kernel,
    templateArguments,
    status,
    ...(before ? { before: sideReport(before) } : {}),
    ...(after ? { after: sideReport(after) } : {}),
    changed: changes.map(({ figure }) => figure.key),
    newFindings,
    goneFindings,
    ...(notSimulated === undefined ? {} : { notSimulated }),
  };
}

const sideReport = ({ name, line, report }: SitedLaunch): object => ({
  path: name,
  line,
  ...Object.fromEntries(
    figures.flatMap((figure) => {
      const value = figure.of(report);
      return value === undefined ? [] : [[figure.key, value]];
    }),
  ),
  assumptions: report.assumptions,
});

const findingReport = ({ name, diagnostic: { ruleId, severity, message, range, kernel } }: FindingAt): object => ({
  path: name,
  ruleId,
  severity,
  message,
  range,
  ...(kernel === undefined ? {} : { kernel }),
});
