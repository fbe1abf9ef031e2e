/** What `check` and `simulate` print for people. */
import { visible, visibleName } from "../../foreign-text.ts";
import { faultOf } from "../../lint/soundness.ts";
import type { Diagnostic } from "../../lint.ts";
import type { Measured } from "../measured.ts";
import type { Result } from "../report.ts";
import type { Style } from "../style.ts";
import { countText, findingText } from "./findings-text.ts";
import { launchRows, launchText } from "./launches-text.ts";
import { measuredRows, unmatchedText } from "./measured-text.ts";
import { timelineText } from "./timeline-text.ts";

/** Those of performance behind the others, what comes to most first. */
function byGain(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const gained = ({ gain }: Diagnostic): number => (gain ? gain.fromNs - gain.toNs : Number.POSITIVE_INFINITY);
  return [...diagnostics].sort((a, b) => (gained(a) === gained(b) ? 0 : gained(b) - gained(a)));
}

export function checkText({ gpu, files }: Result, style: Style, nameOf: (path: string) => string): string {
  const parts: string[] = [];
  for (const file of files)
    for (const diagnostic of byGain(file.diagnostics)) parts.push(findingText(diagnostic, style, nameOf, file.input.text));
  const launches = files.flatMap(({ simulation }) => simulation?.launches ?? []);
  if (launches.length > 0) {
    const overview = files.flatMap(({ input, simulation, diagnostics }) => {
      const rows = launchRows(simulation?.launches ?? [], style, diagnostics);
      return rows.length > 0 ? [`  ${style(visible(input.name), "dim")}`, ...rows.map((row) => `    ${row}`)] : [];
    });
    parts.push(`${style(gpu.name, "bold")}\n${overview.join("\n")}\n`);
  }
  const missing = files.flatMap(({ input, simulation }) =>
    (simulation?.notSimulated ?? []).map(
      ({ kernel, line, reason }) => `${visible(input.name)}:${line}  ${visibleName(kernel)} not simulated: ${visible(reason)}`,
    ),
  );
  if (missing.length > 0) parts.push(`${missing.map((text) => style(text, "dim")).join("\n")}\n`);
  const all: readonly Diagnostic[] = files.flatMap(({ diagnostics }) => diagnostics);
  const scope = `${files.length} file${files.length === 1 ? "" : "s"}${launches.length > 0 ? `, ${launches.length} launch${launches.length === 1 ? "" : "es"} simulated` : ""}`;
  const failed = files.filter(({ failures }) => failures.length > 0).length;
  const rest = failed > 0 ? `; ${failed} of them failed` : "";
  return `${[...parts, `${style(countText(all), "bold")} in ${scope}${rest}\n`].join("\n")}`;
}

/** @param measured a report to hold it against */
export function simulateText({ gpu, files }: Result, style: Style, measured?: Measured): string {
  const parts = [`${style(gpu.name, "bold")}, compute capability ${gpu.computeCapability}\n`];
  for (const { input, simulation, diagnostics } of files) {
    if (!simulation) continue;
    parts.push(`${style(visible(input.name), "bold")}\n`);
    for (const launch of simulation.launches) {
      const site = measured?.of.get(launch.report);
      const beside = site ? `${measuredRows(site, launch.report, style).join("\n")}\n` : "";
      parts.push(`${launchText(launch, style, input.text, faultOf(diagnostics, launch.report.kernel))}${beside}`);
    }
    for (const { kernel, line, reason } of simulation.notSimulated)
      parts.push(`  ${style(visibleName(kernel), "bold")} ${style(`line ${line}`, "dim")}\n    not simulated: ${visible(reason)}\n`);
    if (simulation.launches.length + simulation.notSimulated.length === 0) parts.push("  no kernels\n");
    if (simulation.program) parts.push(timelineText(simulation.program, style));
  }
  const rest = measured ? unmatchedText(measured, gpu.name, style) : "";
  if (rest !== "") parts.push(rest);
  return parts.join("\n");
}
