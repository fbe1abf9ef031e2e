import path from "node:path";
import { baseAt } from "../base.ts";
import { type Before, knownFindings } from "../before.ts";
import { type Judgement, judge } from "../gates/judge.ts";
import { gatesGithub, gatesMarkdown, gatesReport, gatesText, verdictOf } from "../gates/print.ts";
import { collectInputs } from "../inputs.ts";
import { inspectAll, inspectionOptions } from "../inspect.ts";
import { UsageError } from "../io.ts";
import { annotatedName, repositoryRoot } from "../names.ts";
import type { FileResult } from "../report.ts";
import { Session } from "../session.ts";
import { styleOf } from "../style.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

export default {
  name: "gate",
  operands: "[PATH...]",
  summary: "whether the gates of warplens.json hold: exit code 1 when one is broken, 2 when one cannot be judged",
  options: ["gpu", "format", "baseline", "base", ...inspectionOptions],
  async run({ given, operands }, io) {
    const format = formatNamed(given.format, ["text", "json", "markdown", "github"]);
    const session = new Session(io, given);
    const project = session.project;
    const { gates = [] } = project.file;
    const file = path.join(project.root, "warplens.json");
    if (gates.length === 0) throw new UsageError(`there are no gates: \`"gates": ["kernel: time < 200 us"]\` in warplens.json says them`);
    const paths = operands.length > 0 ? operands : [path.relative(io.cwd, project.root) || "."];
    const known = knownFindings(given, session, io);
    const base = given.base === undefined ? undefined : baseAt(given.base, given, paths, io);
    const inputs = collectInputs(paths, io.cwd, (message) => io.error(`${message}\n`), base?.compared);
    const results = new Map<string, { readonly files: readonly FileResult[]; readonly before: Before }>();
    const judgements: Judgement[] = [];
    let isUnderstood = true;
    for (const gate of gates) {
      const gpu = session.gpu(gate.gpu);
      if (!results.has(gpu.id)) {
        const files = await inspectAll(session, inputs, gpu, io, () => true);
        isUnderstood = session.holdNames(files) && isUnderstood;
        results.set(gpu.id, { files, before: { ...(await base?.before(gpu, files, () => true)), ...known } });
      }
      const { files = [], before = {} } = results.get(gpu.id) ?? {};
      if (before.hasFailed) isUnderstood = false;
      judgements.push(judge(gate, gpu, files, before));
    }
    const root = repositoryRoot(io);
    if (format === "json") io.out(`${JSON.stringify(gatesReport(judgements, version()), null, 2)}\n`);
    else if (format === "markdown") io.out(gatesMarkdown(judgements));
    else if (format === "github") io.out(gatesGithub(judgements, file, annotatedName(root, io)));
    else io.out(gatesText(judgements, styleOf(io, given)));
    const verdicts = judgements.map(verdictOf);
    if (!isUnderstood || verdicts.includes("unknown")) return 2;
    return verdicts.includes("broken") ? 1 : 0;
  },
} satisfies Command;
