/** Whether gates hold, by what a run says of the files. */
import type { GpuModel, LaunchReport } from "@warplens/sim-engine";
import type { Figure } from "../../lint/figures.ts";
import { type Bound, type Condition, matches } from "../../lint/gate.ts";
import type { ProjectGate } from "../../lint/project-file.ts";
import type { Diagnostic } from "../../lint.ts";
import { matching } from "../../rules/selection.ts";
import { severities } from "../../rules/severities.ts";
import { suggest } from "../../rules/suggest.ts";
import { formatAssumption } from "../../units.ts";
import type { Before } from "../before.ts";
import { failureText } from "../jobs/job.ts";
import { launchTitle, type SitedLaunch, sitedLaunches } from "../launches.ts";
import type { FileResult } from "../report.ts";

export interface Judgement {
  readonly gate: ProjectGate;
  readonly gpu: GpuModel;
  /** Absent when it cannot be judged: then there is a reason. */
  readonly holds?: boolean;
  readonly reason?: string;
  /** The launch that is nearest to breaking the gate, or breaks it most. */
  readonly worst?: JudgedLaunch;
  /** The findings that are counted, and their bound. */
  readonly findings?: readonly FoundIn[];
  /** Launches that a pattern stands for and that could not be judged. */
  readonly skipped: number;
}

export interface JudgedLaunch extends SitedLaunch {
  readonly value: number;
  /** What it was, for a bound in percent of that. */
  readonly before?: number;
  /** What the figure may rest on and is not known, a sentence each. */
  readonly assumptions: readonly string[];
}

export interface FoundIn {
  readonly name: string;
  readonly diagnostic: Diagnostic;
}

export function judge(gate: ProjectGate, gpu: GpuModel, files: readonly FileResult[], before: Before): Judgement {
  const { condition, file = "*" } = gate;
  const wanted = files.filter(({ input }) => matches(file, input.name));
  const known = kernelsOf(wanted);
  const judged = { gate, gpu, skipped: 0 };
  if (!known.some((kernel) => matches(gate.kernel, kernel)) && gate.kernel !== "*") return { ...judged, reason: noKernel(gate, known) };
  return {
    ...judged,
    ...(condition.kind === "figure" ? byFigure(gate, condition, wanted, before) : byFindings(gate, condition, wanted, before)),
  };
}

type Verdict = Pick<Judgement, "holds" | "reason" | "worst" | "findings"> & { readonly skipped?: number };

function byFigure(
  gate: ProjectGate,
  { figure, bound }: Condition & { readonly kind: "figure" },
  files: readonly FileResult[],
  before: Before,
): Verdict {
  if (bound.ofBase && !before.launch) return { reason: "there is nothing to compare with: say --base REVISION" };
  const launches: JudgedLaunch[] = [];
  const reasons: string[] = [];
  for (const launch of files.flatMap(sitedLaunches)) {
    if (!isOf(gate.kernel, launch)) continue;
    const was = bound.ofBase ? before.launch?.(launch.report) : undefined;
    const judged = judgedLaunch(launch, figure, bound, was);
    if (typeof judged === "string") reasons.push(`${launchTitle(launch.report)} at ${launch.name}:${launch.line}: ${judged}`);
    else launches.push(judged);
  }
  for (const { input, simulation } of files)
    for (const { kernel, line, reason } of simulation?.notSimulated ?? [])
      if (matches(gate.kernel, kernel)) reasons.push(`${kernel} at ${input.name}:${line} is not simulated: ${reason}`);
  const [worst] = launches.sort((a, b) => excess(measure(b, bound), bound) - excess(measure(a, bound), bound));
  if (worst && !holds(measure(worst, bound), bound)) return { holds: false, worst, skipped: reasons.length };
  const failed = files.find(({ simulation, failures }) => !simulation && failures.length > 0);
  if (failed) return { reason: failureIn(failed), skipped: reasons.length };
  // A name means every launch of the kernel; a pattern those that can be judged.
  if (!worst || (reasons.length > 0 && !gate.kernel.includes("*")))
    return { reason: reasons[0] ?? "no kernel is launched", skipped: reasons.length };
  return { holds: true, worst, skipped: reasons.length };
}

/** The launch with its value, or why it has none. */
function judgedLaunch(launch: SitedLaunch, figure: Figure, { ofBase }: Bound, was: LaunchReport | undefined): JudgedLaunch | string {
  const value = figure.of(launch.report);
  if (value === undefined) return `no ${figure.name} of it is known`;
  const assumptions = assumedIn(launch.report, figure);
  if (!ofBase) return { ...launch, value, assumptions };
  const before = was && figure.of(was);
  if (before === undefined) return `the base has no ${figure.name} of it`;
  return { ...launch, value, before, assumptions };
}

function assumedIn({ assumptions, resources: { registersPerThread } }: LaunchReport, { name, ofKernel }: Figure): string[] {
  const { value, basis, interval } = registersPerThread;
  const isEstimate = basis === "estimated" && /registers|occupancy/.test(name);
  return [
    ...(isEstimate ? [`${value} registers are an estimate${interval ? `, ${interval[0]} to ${interval[1]}` : ""}`] : []),
    ...(ofKernel ? [] : assumptions.map(({ what, value, why }) => `${formatAssumption(what, value)} is assumed: ${why}`)),
  ];
}

/** What the bound is about: the value, or what percent it is of what it was. */
export const measure = ({ value, before }: JudgedLaunch, { ofBase }: Bound): number =>
  !ofBase || before === undefined ? value : before === 0 ? (value === 0 ? 100 : Number.POSITIVE_INFINITY) : (100 * value) / before;

function holds(value: number, { comparison, limit }: Bound): boolean {
  switch (comparison) {
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
    case "=":
      return value === limit;
  }
}

/** How far a value is towards breaking a bound, and beyond. */
const excess = (value: number, { comparison, limit }: Bound): number =>
  comparison === "=" ? Math.abs(value - limit) : comparison.startsWith("<") ? value - limit : limit - value;

function byFindings(
  gate: ProjectGate,
  condition: Condition & { readonly kind: "findings" },
  files: readonly FileResult[],
  before: Before,
): Verdict {
  const { isNew, of, bound } = condition;
  if (isNew && !before.newFindings)
    return { reason: "what is known is not said: `baseline` in warplens.json, --baseline FILE or --base REVISION" };
  const wanted = wantedBy(of);
  const told = (isNew ? before.newFindings?.(files) : undefined) ?? files;
  const findings = told.flatMap(({ input: { name }, diagnostics }) =>
    diagnostics
      .filter(
        (diagnostic) =>
          wanted(diagnostic) && (gate.kernel === "*" || (diagnostic.kernel !== undefined && matches(gate.kernel, diagnostic.kernel))),
      )
      .map((diagnostic) => ({ name, diagnostic })),
  );
  const failed = told.find(({ failures }) => failures.length > 0);
  const isGood = holds(findings.length, bound);
  // What failed could only have found more.
  if (failed && (isGood || !bound.comparison.startsWith("<"))) return { reason: failureIn(failed), findings };
  return { holds: isGood, findings };
}

function wantedBy(of: string | undefined): (diagnostic: Diagnostic) => boolean {
  if (of === undefined) return () => true;
  const named = severities.find((severity) => severity === of);
  if (named) return ({ severity }) => severities.indexOf(severity) <= severities.indexOf(named);
  const ids = new Set(matching(of).map(({ id }) => id));
  return ({ ruleId }) => ids.has(ruleId);
}

const isOf = (pattern: string, { report }: SitedLaunch): boolean =>
  matches(pattern, report.kernel) || matches(pattern, launchTitle(report));

const kernelsOf = (files: readonly FileResult[]): string[] => [
  ...new Set(
    files.flatMap((file) => [
      ...sitedLaunches(file).flatMap(({ report }) => [report.kernel, launchTitle(report)]),
      ...(file.simulation?.notSimulated ?? []).map(({ kernel }) => kernel),
      ...file.diagnostics.flatMap(({ kernel }) => (kernel === undefined ? [] : [kernel])),
    ]),
  ),
];

function noKernel({ kernel, file }: ProjectGate, known: readonly string[]): string {
  const near = suggest(kernel, known);
  const shown = known.slice(0, 5).map((name) => `\`${name}\``);
  const others =
    near !== undefined
      ? `; did you mean \`${near}\`?`
      : shown.length > 0
        ? `; there are ${shown.join(", ")}${known.length > 5 ? ", …" : ""}`
        : "";
  return `there is no kernel \`${kernel}\`${file === undefined ? "" : ` in ${file}`}${others}`;
}

const failureIn = ({ input, failures: [first] }: FileResult): string => `${input.name}: ${first ? failureText(first) : "failed"}`;
