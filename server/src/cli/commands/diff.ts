import path from "node:path";
import { slashes } from "../../files.ts";
import { visible } from "../../foreign-text.ts";
import { compare } from "../compare/compare.ts";
import { comparisonMarkdown } from "../compare/markdown.ts";
import { comparisonReport } from "../compare/report.ts";
import { comparisonText } from "../compare/text.ts";
import { counted } from "../compare/words.ts";
import { LinkedPaths } from "../git/linked-paths.ts";
import { Repository } from "../git/repository.ts";
import { renaming, type Side, sidesNamed } from "../git/sides.ts";
import { listedInputs, withoutDoubtful } from "../inputs.ts";
import { inspectAll, inspectionOptions } from "../inspect.ts";
import { UsageError } from "../io.ts";
import { isIn } from "../names.ts";
import { Session } from "../session.ts";
import { styleOf } from "../style.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

/** Percent; simulations sample, and what they say moves a little when other things do. */
const defaultThreshold = "1";

export default {
  name: "diff",
  operands: "REV1 [REV2] [-- PATH...]",
  summary: "what changed per kernel from one revision to another, or to the working tree; REV1...REV2: from where they part",
  options: ["gpu", "format", "threshold", ...inspectionOptions],
  async run({ given, operands, behind }, io) {
    const format = formatNamed(given.format, ["text", "json", "markdown"]);
    const threshold = percent(given.threshold ?? defaultThreshold);
    const repository = Repository.of(io.cwd);
    const { before, after } = sidesNamed(operands.slice(0, operands.length - behind.length), repository);
    const sessions = { before: new Session(io, given, before.files), after: new Session(io, given, after.files) };
    const gpu = sessions.after.gpu(undefined);
    const asked = new LinkedPaths(
      repository.root,
      behind.map((given) => slashes(path.resolve(io.cwd, given))),
    ).places;
    const paths = behind.length > 0 ? asked : [repository.root];
    const shown = ({ name, commit }: Side): string | undefined => (commit === undefined ? undefined : name);
    const renamed = renaming(repository, before, after);
    const all = listedInputs(before.files, paths, io.cwd, shown(before));
    const listed = {
      before: all.filter(({ path: file }) => !after.sparse?.has(renamed(file))),
      after: listedInputs(after.files, paths, io.cwd, shown(after)).filter(({ path: file }) => !after.sparse?.has(file)),
    };
    const note = (message: string): void => io.error(`${visible(message)}\n`);
    const sparse = all.length - listed.before.length;
    if (sparse > 0)
      note(
        `the sparse checkout lacks ${counted(sparse, "file", "files")} of ${before.name}; ${sparse === 1 ? "it is" : "they are"} left out`,
      );
    const sources = {
      before: new Set(listed.before.flatMap(({ path: file, unread }) => (unread === undefined ? renamed(file) : []))),
      after: new Set(listed.after.flatMap(({ path: file, unread }) => (unread === undefined ? file : []))),
    };
    const inputs = {
      before: withoutDoubtful(listed.before, (file) => sources.after.has(renamed(file)), note),
      after: withoutDoubtful(listed.after, (file) => sources.before.has(file), note),
    };
    for (const [index, given] of behind.entries())
      if (![...inputs.before, ...inputs.after].some(({ path: found }) => isIn(asked[index] ?? given, found)))
        throw new UsageError(`neither revision has CUDA sources in ${given}`);
    if (inputs.before.length + inputs.after.length === 0) throw new UsageError(`neither revision has CUDA sources in ${repository.root}`);
    const inspect = (side: "before" | "after") =>
      inspectAll(sessions[side], inputs[side], gpu, io, (input) => sessions[side].simulates(input));
    // First what is likely to be known already: what is the same before need not be inspected again then.
    const now = await inspect("after");
    const were = await inspect("before");
    const isUnderstood = sessions.after.holdNames([...were, ...now]);
    const comparison = compare(were, now, renamed, threshold);
    const compared = { comparison, gpu, before: before.name, after: after.name, threshold };
    if (format === "json") io.out(`${JSON.stringify(comparisonReport(compared, version()), null, 2)}\n`);
    else if (format === "markdown") io.out(comparisonMarkdown(compared));
    else io.out(comparisonText(compared, styleOf(io, given)));
    return !isUnderstood || comparison.failures.length > 0 ? 2 : 0;
  },
} satisfies Command;

function percent(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError(`--threshold must be a percentage, such as 2.5: ${text}`);
  return value;
}
