import type { Severity } from "../../rules/rule.ts";
import { severities } from "../../rules/severities.ts";
import { baseAt } from "../base.ts";
import { type Baseline, noBaseline, projectBaseline, readBaseline, recordBaseline, recordedAnew, withoutKnown } from "../baseline.ts";
import { github } from "../formats/github.ts";
import { sarif } from "../formats/sarif.ts";
import { checkText } from "../formats/text.ts";
import { collectInputs, type Input } from "../inputs.ts";
import { inspectAll, inspectionOptions } from "../inspect.ts";
import { type Io, UsageError } from "../io.ts";
import { mended, patches, withoutWithheld } from "../mend.ts";
import { annotatedName, nameOfPath, repositoryRoot } from "../names.ts";
import type { Given } from "../options.ts";
import { type FileResult, type Result, reportText } from "../report.ts";
import { Session } from "../session.ts";
import { shardNamed } from "../shard.ts";
import { styleOf } from "../style.ts";
import { withoutAssumedTwins } from "../told-launches.ts";
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
    "diff",
    "prove",
    "unsafe-fixes",
    "select",
    "ignore",
    "baseline",
    "base",
    "write-baseline",
    "fail-on",
    "fail-level",
    "shard",
    ...inspectionOptions,
    "no-simulate",
  ],
  async run({ given, operands }, io) {
    if (operands.length === 0) throw new UsageError("check needs a file or folder: warplens check PATH...");
    const format = formatNamed(given.format, ["text", "json", "sarif", "github"]);
    const failOn = failLevelOf(given);
    const { fix = false, diff = false, prove = false, "unsafe-fixes": unsafe = false } = given;
    if (unsafe && !fix && !diff) throw new UsageError("--unsafe-fixes says which fixes --fix applies: give both");
    if (prove && (fix || diff))
      throw new UsageError("--fix and --diff try fixes one on top of the other, --prove each by itself: give one");
    if (prove && format !== "json") throw new UsageError("--prove says what comes of fixes in --format json: give both");
    if (fix && diff) throw new UsageError("--fix changes files, --diff only says what it would change: give one");
    const isOfShard = shardNamed(given.shard);
    const session = new Session(io, given);
    const base = given.base === undefined ? undefined : baseAt(given.base, given, operands, io, isOfShard);
    const notes: string[] = [];
    const found = collectInputs(operands, io.cwd, (message) => void notes.push(message), base?.compared);
    for (const note of notes) io.error(`${note}\n`);
    const gpu = session.gpu(undefined, found);
    const baseline = baselineOf(given, session, io);
    let isUnderstood = baseline !== "unknown";
    const inputs = found.filter(isOfShard);
    const inspect = async (wanted: readonly Input[]): Promise<FileResult[]> => {
      const results = await inspectAll(session, wanted, gpu, io, (input) => session.simulates(input));
      // A part of the files need not have what the options name.
      if (inputs.length === found.length && !session.holdNames(results)) isUnderstood = false;
      return withoutAssumedTwins(results);
    };
    const files = fix ? await mended(inputs, inspect, unsafe, io) : await inspect(inputs);
    if (diff) {
      const patch = patches(withoutWithheld(files, io), unsafe);
      io.out(patch);
      if (!isUnderstood || hasFailures(files)) return 2;
      return patch === "" ? 0 : 1;
    }
    const before = await base?.before(gpu, files, (of, input) => of.simulates(input));
    if (before?.hasFailed) isUnderstood = false;
    const result = { gpu, files: unknown(before?.newFindings(files) ?? files, baseline, io) };
    const exitCode = isUnderstood ? exitCodeOf(result, failOn) : 2;
    const root = repositoryRoot(io);
    if (format === "json") for (const text of reportText(result, version(), nameOfPath(io.cwd))) io.out(text);
    else if (format === "sarif") io.out(sarif({ result, version: version(), root, nameOf: nameOfPath(root), exitCode, notes }));
    else if (format === "github") io.out(github(result, annotatedName(root, io)));
    else io.out(checkText(result, styleOf(io, given), nameOfPath(io.cwd)));
    return exitCode;
  },
} satisfies Command;

/** 2 where something failed inside, 1 where something is found at or above the level. */
function exitCodeOf({ files }: Result, failOn: FailLevel): number {
  if (hasFailures(files)) return 2;
  const limit = failOn === "never" ? -1 : severities.indexOf(failOn);
  return files.some(({ diagnostics }) => diagnostics.some(({ severity }) => severities.indexOf(severity) <= limit)) ? 1 : 0;
}

const hasFailures = (files: readonly FileResult[]): boolean => files.some(({ failures }) => failures.length > 0);

type FailLevel = Severity | "never";
const failLevels: readonly FailLevel[] = [...severities, "never"];

function failLevelOf(given: Given): FailLevel {
  const option = given["fail-level"] === undefined ? "fail-on" : "fail-level";
  if (given["fail-on"] !== undefined && option === "fail-level")
    throw new UsageError("--fail-level is the older name of --fail-on: give one");
  const name = given[option] ?? "hint";
  const level = failLevels.find((each) => each === name);
  if (!level) throw new UsageError(`--${option}: there is no severity \`${name}\`; there are ${failLevels.join(", ")}`);
  return level;
}

/**
 * The baseline to leave findings out by: the option's, else the project's. One is made up only where a person names a file that is
 * not there: in CI, or in `warplens.json`, a wrong path would pass unseen. Unknown where the working directory's `warplens.json`, which
 * may name it, cannot be read: files that are not its own lose nothing by that.
 */
function baselineOf(given: Given, session: Session, io: Io): Baseline | "unknown" | undefined {
  const { baseline: named, "write-baseline": write } = given;
  let file = named;
  try {
    file ??= projectBaseline(session.project);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    session.tell(error.message);
    return "unknown";
  }
  if (file === undefined) {
    if (write) throw new UsageError("--write-baseline needs the file: --baseline FILE");
    return undefined;
  }
  if (write && given.shard !== undefined) throw new UsageError(partlyRecorded);
  if (write) return recordedAnew(file, io);
  const baseline = readBaseline(file, io);
  if (!baseline.entries && given.shard !== undefined) throw new UsageError(partlyRecorded);
  if (!baseline.entries && (named === undefined || (io.env.CI ?? "") !== "")) throw new UsageError(noBaseline(file));
  return baseline;
}

const partlyRecorded = "a baseline is of all files: record it without --shard";

/** What the baseline does not know. Where it is none yet all is recorded in it, and known from now on. */
function unknown(files: readonly FileResult[], baseline: Baseline | "unknown" | undefined, io: Io): readonly FileResult[] {
  if (!baseline || baseline === "unknown") return files;
  if (baseline.entries) return withoutKnown(files, baseline, io);
  if (hasFailures(files)) {
    io.error(`${baseline.file} is not written: what failed may have findings, which would be missing in it\n`);
    return files;
  }
  recordBaseline(files, baseline.file, io);
  return files.map((file) => ({ ...file, diagnostics: [] }));
}
