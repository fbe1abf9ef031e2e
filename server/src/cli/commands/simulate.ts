import { simulateText } from "../formats/text.ts";
import { collectInputs } from "../inputs.ts";
import { inspectAll, inspectionOptions } from "../inspect.ts";
import { UsageError } from "../io.ts";
import { measuredBeside, readMeasured } from "../measured.ts";
import { nameOfPath } from "../names.ts";
import { type Result, reportOf } from "../report.ts";
import { Session } from "../session.ts";
import { shardNamed } from "../shard.ts";
import { styleOf } from "../style.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

/** Steps that one file may take: whoever asks for its launches waits for all of them, half a minute if need be. */
const usualSteps = 40_000_000;

export default {
  name: "simulate",
  operands: "FILE...",
  summary: "the report of every launch; with several GPUs (--gpu a,b) one report each",
  options: ["gpu", "kernel", "format", "measured", "ncu", "shard", ...inspectionOptions],
  async run({ given, operands }, io) {
    if (operands.length === 0) throw new UsageError("simulate needs a file: warplens simulate FILE...");
    const format = formatNamed(given.format, ["text", "json"]);
    const isOfShard = shardNamed(given.shard);
    const session = new Session(io, given, undefined, usualSteps);
    const report = given.measured && (await readMeasured(given.measured, given.ncu ?? "off", io));
    const found = collectInputs(operands, io.cwd, (message) => io.error(`${message}\n`));
    const inputs = found.filter(isOfShard);
    const nameOf = nameOfPath(io.cwd);
    const results: Result[] = [];
    for (const gpu of session.gpus(found)) results.push({ gpu, files: await inspectAll(session, inputs, gpu, io, () => true) });
    // A part of the files need not have what the options name.
    const isUnderstood = inputs.length < found.length || session.holdNames(results.flatMap(({ files }) => files));
    if (format === "json") {
      const reports = results.map((result) => reportOf(result, version(), nameOf, report && measuredBeside(report, result)));
      io.out(`${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`);
    } else for (const result of results) io.out(simulateText(result, styleOf(io, given), report && measuredBeside(report, result)));
    if (!isUnderstood || results.some(({ files }) => files.some(({ failures }) => failures.length > 0))) return 2;
    return 0;
  },
} satisfies Command;
