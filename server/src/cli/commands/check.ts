import { writeFileSync } from "node:fs";
import type { GpuModel } from "@warplens/sim-engine";
import { type Diagnostic, lint } from "../../lint.ts";
import type { Severity } from "../../rules/rule.ts";
import { severities } from "../../rules/selection.ts";
import { withoutBaseline } from "../baseline.ts";
import { applyFixes, mostRounds } from "../fixes.ts";
import { github } from "../formats/github.ts";
import { sarif } from "../formats/sarif.ts";
import { checkText } from "../formats/text.ts";
import { collectInputs, type Input } from "../inputs.ts";
import { type Io, UsageError } from "../io.ts";
import { nameOfPath } from "../names.ts";
import type { Given } from "../options.ts";
import { type FileResult, type Result, reportOf } from "../report.ts";
import { Session } from "../session.ts";
import { styleOf } from "../style.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

export default {
  name: "check",
  operands: "PATH...",
  summary: "lint and simulate files, or folders with CUDA sources; exit code 1 when something is found",
  options: [
    "gpu",
    "format",
    "fix",
    "unsafe-fixes",
    "select",
    "ignore",
    "baseline",
    "fail-level",
    "no-simulate",
    "launch",
    "assume",
    "argv",
    "define",
    "include",
    "registers",
    "nvcc",
  ],
  async run({ given, operands }, io) {
    if (operands.length === 0) throw new UsageError("check needs a file or folder: warplens check PATH...");
    const format = formatNamed(given.format, ["text", "json", "sarif", "github"]);
    const failLevel = failLevelOf(given);
    if (given["unsafe-fixes"] && !given.fix) throw new UsageError("--unsafe-fixes says which fixes --fix applies: give both");
    const session = await Session.open(io, given);
    const inputs = collectInputs(operands, io.cwd, (message) => io.error(`${message}\n`));
    const [gpu, ...others] = session.gpus(inputs[0]);
    if (!gpu || others.length > 0) throw new UsageError("check takes one GPU; compare several with `warplens simulate --gpu a,b`");
    const nameOf = nameOfPath(io.cwd);
    const files: FileResult[] = [];
    for (const input of inputs) files.push(await checkFile(session, input, gpu, given, io));
    const result = { gpu, files: known({ gpu, files: distributed(files) }, given, nameOf, io) };
    if (format === "json") io.out(`${JSON.stringify(reportOf(result, version(), nameOf), null, 2)}\n`);
    else if (format === "sarif") io.out(sarif(result, version(), io.cwd, nameOf));
    else if (format === "github") io.out(github(result, nameOf));
    else io.out(checkText(result, styleOf(io, given), nameOf));
    const limit = severities.indexOf(failLevel);
    return result.files.some(({ diagnostics }) => diagnostics.some(({ severity }) => severities.indexOf(severity) <= limit)) ? 1 : 0;
  },
} satisfies Command;

function failLevelOf(given: Given): Severity {
  const name = given["fail-level"] ?? "hint";
  const level = severities.find((severity) => severity === name);
  if (!level) throw new UsageError(`--fail-level: there is no severity \`${name}\`; there are ${severities.join(", ")}`);
  return level;
}

/** Checks one file, and with --fix mends it until nothing more can be. */
async function checkFile(session: Session, original: Input, gpu: GpuModel, given: Given, io: Io): Promise<FileResult> {
  let result = await inspect(session, original, gpu, io);
  if (!given.fix) return result;
  let applied = 0;
  for (let round = 0; round < mostRounds; round++) {
    const fixed = applyFixes(
      result.input.text,
      result.diagnostics.filter(({ path }) => path === original.path),
      given["unsafe-fixes"] ?? false,
    );
    if (fixed.applied === 0 || fixed.text === result.input.text) break;
    applied += fixed.applied;
    result = await inspect(session, { ...original, text: fixed.text }, gpu, io);
  }
  if (applied === 0) return result;
  if (!original.exact) {
    io.error(`${original.name} is not UTF-8: it is not changed\n`);
    return inspect(session, original, gpu, io);
  }
  writeFileSync(original.path, original.bom + result.input.text);
  io.error(`${original.name}: fixed ${applied}\n`);
  return result;
}

async function inspect(session: Session, input: Input, gpu: GpuModel, io: Io): Promise<FileResult> {
  const program = await session.analyse(input, gpu);
  const simulation = session.simulates(input) ? await session.simulate(input, program, gpu) : undefined;
  const diagnostics = lint(program, simulation?.launches, session.lintSettings(input), (message) => io.error(`${message}\n`));
  return { input, diagnostics, ...(simulation ? { simulation } : {}) };
}

/** A header's findings that come from several files that include it, once, and with the header where it is checked itself. */
function distributed(files: readonly FileResult[]): FileResult[] {
  const seen = new Set<string>();
  const once = files.map((file) => ({
    ...file,
    diagnostics: file.diagnostics.filter(({ path, ruleId, range, message }) => {
      const key = JSON.stringify([path, ruleId, range, message]);
      return !seen.has(key) && seen.add(key);
    }),
  }));
  const own = new Set(files.map(({ input }) => input.path));
  const away = once.flatMap(({ input, diagnostics }) => diagnostics.filter(({ path }) => path !== input.path && own.has(path)));
  return once.map((file) => ({
    ...file,
    diagnostics: [
      ...file.diagnostics.filter(({ path }) => path === file.input.path || !own.has(path)),
      ...away.filter(({ path }) => path === file.input.path),
    ],
  }));
}

function known({ files }: Result, given: Given, nameOf: (path: string) => string, io: Io): readonly FileResult[] {
  if (given.baseline === undefined) return files;
  const findings = files.flatMap(({ input, diagnostics }) =>
    diagnostics.map((diagnostic) => ({
      diagnostic,
      name: nameOf(diagnostic.path),
      line: diagnostic.path === input.path ? (input.text.split("\n")[diagnostic.range.start.line] ?? "") : "",
    })),
  );
  const left = new Set<Diagnostic>(withoutBaseline(given.baseline, findings, io).map(({ diagnostic }) => diagnostic));
  return files.map((file) => ({ ...file, diagnostics: file.diagnostics.filter((diagnostic) => left.has(diagnostic)) }));
}
