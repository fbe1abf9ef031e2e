/** What a run says of files: findings and reports, each with the file in which it stands. */
import type { GpuModel } from "@warplens/sim-engine";
import { visible } from "../foreign-text.ts";
import type { Diagnostic, DiagnosticFix } from "../lint.ts";
import { severities } from "../rules/severities.ts";
import { groupBy } from "../rules/support/group-by.ts";
import type { Files } from "./files.ts";
import { type Input, readIncluded } from "./inputs.ts";
import { type Io, UsageError } from "./io.ts";
import { type Failure, failureText, type Job } from "./jobs/job.ts";
import { runJobs } from "./jobs/run-jobs.ts";
import { nameOfPath } from "./names.ts";
import type { OptionName } from "./options.ts";
import type { FileResult } from "./report.ts";
import type { Session } from "./session.ts";

/** The options of commands that inspect files. */
export const inspectionOptions = [
  "jobs",
  "steps",
  "timeout",
  "cache",
  "no-cache",
  "launch",
  "assume",
  "argv",
  "nvcc-options",
  "define",
  "include",
  "registers",
  "nvcc",
] as const satisfies readonly OptionName[];

/**
 * Lints each file and simulates those that `simulates` says. Findings in included files stand with those files: see `byFile`. A file
 * that cannot be read, or whose `warplens.json` cannot, loses only itself. What failed is told on the way, in the order of the files.
 */
export async function inspectAll(
  session: Session,
  inputs: readonly Input[],
  gpu: GpuModel,
  io: Io,
  simulates: (input: Input) => boolean,
): Promise<FileResult[]> {
  const planned = inputs.map((input) => planOf(input, () => session.job(input, gpu, simulates(input))));
  const jobs = planned.flatMap((plan) => ("stage" in plan ? [] : plan));
  let done = 0;
  const inspected = await runJobs(jobs, session.runSettings(inputs), io.startInspector, ({ path }) =>
    io.progress?.(`${++done} of ${jobs.length} files  ${visible(nameOfPath(io.cwd)(path))}`),
  );
  io.progress?.("");
  tellUninspected(planned, inputs, session, io);
  const outcomes = new Map(jobs.map((job, index) => [job, inspected[index]]));
  /** Many files have the same to be said of them. */
  const said = new Set<string>();
  const results = planned.map((plan, index): FileResult => {
    const input = inputs[index] as Input;
    const outcome = "stage" in plan ? undefined : outcomes.get(plan);
    if (!outcome) return { input, diagnostics: [], failures: "stage" in plan ? [plan] : [] };
    const { notes, ...rest } = outcome;
    const say = (text: string): void => io.error(`${visible(`${input.name}: ${text}`)}\n`);
    for (const note of notes) if (!said.has(note) && said.add(note)) say(note);
    for (const failure of rest.failures) say(failureText(failure));
    return { input, ...rest };
  });
  return byFile(results, io.cwd, session.files);
}

/** What is to be done of a file, or why nothing can be. */
function planOf({ unread }: Input, job: () => Job): Job | Failure {
  if (unread !== undefined) return { stage: "read", reason: unread };
  try {
    return job();
  } catch (error) {
    if (error instanceof UsageError) return { stage: "settings", reason: error.message };
    throw error;
  }
}

/** Each reason once, with how many files it costs. */
function tellUninspected(planned: readonly (Job | Failure)[], inputs: readonly Input[], session: Session, io: Pick<Io, "error">): void {
  const failed = planned.flatMap((plan, index) => ("stage" in plan ? [{ ...plan, name: inputs[index]?.name ?? "" }] : []));
  for (const [reason, [first, ...others]] of groupBy(failed, ({ reason }) => reason)) {
    session.tell(reason);
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    if (first?.stage === "settings") io.error(`${visible(first.name)}${more}: not inspected\n`);
  }
}

/**
 * The same results with every finding under the file in which it stands, once, whichever sources include that file. Files that
 * are only included follow those that were asked for, in the order of their first finding.
 */
export function byFile(results: readonly FileResult[], cwd: string, files: Pick<Files, "bytes">): FileResult[] {
  const found = groupBy(
    results.flatMap(({ diagnostics }) => diagnostics),
    ({ path }) => path,
  );
  const tellers = tellersOf(results);
  const own = results.map((result) => ({
    ...result,
    ...tellers(result.input.path),
    diagnostics: once(found.get(result.input.path) ?? []),
  }));
  const asked = new Set(results.map(({ input }) => input.path));
  const included = [...found].flatMap(([path, diagnostics]) => {
    const input = asked.has(path) ? undefined : readIncluded(path, cwd, files);
    return input ? [{ input, ...tellers(path), diagnostics: once(diagnostics), failures: [] }] : [];
  });
  return [...own, ...included];
}

/** By a file the others whose inspection found what stands in it. */
function tellersOf(results: readonly FileResult[]): (path: string) => Pick<FileResult, "toldBy"> {
  const tellers = new Map<string, Set<string>>();
  for (const { input, diagnostics } of results)
    for (const { path } of diagnostics) if (path !== input.path) tellers.set(path, (tellers.get(path) ?? new Set()).add(input.path));
  return (path) => {
    const toldBy = tellers.get(path);
    return toldBy ? { toldBy } : {};
  };
}

/** One finding a rule and place: the most severe, and of its fixes those that all agree on. */
function once(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = groupBy(diagnostics, ({ ruleId, range }) => JSON.stringify([ruleId, range]));
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (!first) return [];
      const worst = others.reduce((a, b) => (severities.indexOf(b.severity) < severities.indexOf(a.severity) ? b : a), first);
      const fixes = worst.fixes.flatMap((fix) => {
        const same = [first, ...others].flatMap((other) => other.fixes.filter((each) => isSameFix(each, fix)));
        // What one of them has not proved is not proved for all.
        const unproved = same.find(({ proof }) => proof?.verdict !== "proved");
        return same.length === others.length + 1 ? [unproved ?? fix] : [];
      });
      return [{ ...worst, fixes }];
    })
    .sort(inSourceOrder);
}

function isSameFix({ proof: _, ...fix }: DiagnosticFix, { proof: __, ...other }: DiagnosticFix): boolean {
  return JSON.stringify(fix) === JSON.stringify(other);
}

function inSourceOrder({ range: a, ruleId }: Diagnostic, { range: b, ruleId: other }: Diagnostic): number {
  return (
    a.start.line - b.start.line ||
    a.start.character - b.start.character ||
    a.end.line - b.end.line ||
    a.end.character - b.end.character ||
    ruleId.localeCompare(other)
  );
}
