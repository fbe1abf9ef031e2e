/** Mutated sources, inspected as the command line inspects a file: read, simulated, linted. */
import { findGpu, gpus } from "@warplens/sim-engine";
import type { AnalysisSettings, FileHost } from "../../../server/src/analysis/settings.ts";
import { processorBudget } from "../../../server/src/cli/jobs/budget.ts";
import { inspectFile } from "../../../server/src/cli/jobs/inspect-file.ts";
import type { Job, Outcome } from "../../../server/src/cli/jobs/job.ts";
import { Fault, type Kind } from "../kind.ts";
import { mutated } from "../mutate.ts";
import { byLines, byTokens } from "../parts.ts";

export interface ProgramInput {
  readonly text: string;
  readonly gpu: string;
  /** Thousands of steps of simulation, after which it ends. */
  readonly steps: number;
  /** Of processor time that it may take, simulation and all; `usualSeconds` where it does not say. */
  readonly seconds?: number;
}

const usualSeconds = 4;
/** What goes beyond the budget by more is a failure. */
const tolerance = 1.2;

export const programs: Kind<ProgramInput> = {
  share: 40,

  make(random, corpus) {
    // Of two sources the shorter one: there are more inputs that way.
    const [a, b] = [random.pick(corpus.sources), random.pick(corpus.sources)];
    return {
      text: mutated(a.text.length < b.text.length ? a : b, random, corpus),
      gpu: random.once(2) ? "h200" : random.pick(gpus).id,
      steps: random.once(16) ? 400 : 10,
    };
  },

  async run(input) {
    const { seconds: most = usualSeconds } = input;
    const start = process.cpuUsage();
    const outcome = await inspect(input, most);
    const { user, system } = process.cpuUsage(start);
    check(input.text, outcome);
    const seconds = (user + system) / 1e6;
    if (seconds > tolerance * most) throw new Fault(`over its budget of ${most} s: ${seconds.toFixed(1)} s`);
    const said = outcome.failures[0]?.reason ?? outcome.simulation?.notSimulated[0]?.reason;
    return { seconds, ...(said === undefined ? {} : { said }) };
  },

  parts: (input) => [byLines, byTokens].map((by) => by(input.text, (text) => ({ ...input, text }))),
};

const path = "/project/program.cu";
const host: FileHost = { read: () => undefined, list: () => [] };

/** @param seconds of processor time after which the simulation ends */
function inspect({ text, gpu: id, steps }: ProgramInput, seconds: number): Promise<Outcome> {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(`no model of ${id}`);
  const analysis: AnalysisSettings = {
    computeCapability: 10 * Number(gpu.computeCapability),
    defines: [],
    includeDirs: [],
    launches: [],
    assume: [],
    argv: [],
  };
  const job: Job = { path, text, gpu, analysis, lint: {}, simulates: true, steps: 1000 * steps, registers: [] };
  return inspectFile(job, host, processorBudget(seconds));
}

/** Throws where anything failed but for time, or what is told cannot be true. */
function check(text: string, { failures, diagnostics, simulation }: Outcome): void {
  for (const { stage, reason } of failures) if (!reason.includes("it took longer than")) throw new Fault(`${stage} failed: ${reason}`);
  const lines = text.split("\n");
  for (const { ruleId, path: file, range, message, fixes } of diagnostics) {
    if (file !== path) continue;
    for (const { start, end } of [range, ...fixes.flatMap(({ edits }) => edits.map((edit) => edit.range))])
      for (const { line, character } of [start, end])
        if (!(line >= 0 && line < lines.length && character >= 0 && character <= (lines[line]?.length ?? 0)))
          throw new Fault(`${ruleId} points outside of the text: ${message}`);
    if (/\b(NaN|undefined|Infinity|\[object)\b/.test(message.replace(/`[^`]*`/g, ""))) throw new Fault(`${ruleId} says ${message}`);
  }
  for (const { report } of simulation?.launches ?? []) {
    const wrong = firstWrong(report, "report");
    if (wrong !== undefined) throw new Fault(wrong);
  }
}

/** The first figure of a report that is no number, or less than nothing where there is a count. */
function firstWrong(value: unknown, name: string): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${name.replaceAll(/\.\d+\b/g, "[]")} is ${value}`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const wrong = firstWrong(inner, `${name}.${key}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
