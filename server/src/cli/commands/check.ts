import type { Diagnostic } from "../../lint.ts";
import type { Severity } from "../../rules/rule.ts";
import { severities } from "../../rules/selection.ts";
import { withoutBaseline } from "../baseline.ts";
import { github } from "../formats/github.ts";
import { sarif } from "../formats/sarif.ts";
import { checkText } from "../formats/text.ts";
import { collectInputs, type Input } from "../inputs.ts";
import { inspectAll } from "../inspect.ts";
import { type Io, UsageError } from "../io.ts";
import { mended } from "../mend.ts";
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
    const inspect = (wanted: readonly Input[]): Promise<FileResult[]> =>
      inspectAll(session, wanted, gpu, io, (input) => session.simulates(input));
    const files = given.fix ? await mended(session, inputs, inspect, given["unsafe-fixes"] ?? false, io) : await inspect(inputs);
    const result = { gpu, files: known({ gpu, files }, given, io) };
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

function known({ files }: Result, given: Given, io: Io): readonly FileResult[] {
  if (given.baseline === undefined) return files;
  const findings = files.flatMap(({ input, diagnostics }) =>
    diagnostics.map((diagnostic) => ({
      diagnostic,
      name: input.name,
      line: input.text.split("\n")[diagnostic.range.start.line] ?? "",
    })),
  );
  const left = new Set<Diagnostic>(withoutBaseline(given.baseline, findings, io).map(({ diagnostic }) => diagnostic));
  return files.map((file) => ({ ...file, diagnostics: file.diagnostics.filter((diagnostic) => left.has(diagnostic)) }));
}
