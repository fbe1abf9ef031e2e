/** `check --fix`: applies proved fixes to what was asked for and to what it includes, until nothing more can be. */
import path from "node:path";
import { readBytes } from "../files.ts";
import { visible } from "../foreign-text.ts";
import type { Diagnostic } from "../lint.ts";
import { NotRead } from "../syntax/file-text.ts";
import { applyFixes } from "./fixes.ts";
import type { Input } from "./inputs.ts";
import type { Io } from "./io.ts";
import { patchOf } from "./patch.ts";
import type { FileResult } from "./report.ts";
import { writeWhole } from "./write-file.ts";

/** Rounds of fixing before giving up: a fix may uncover another finding. */
const mostRounds = 10;

/**
 * What is found after the fixes. Each file is written once a round, with the fixes of all sources that include it; of files that
 * nobody named only those in the working directory are changed.
 * @param inspect asked again after each round that changed something
 * @param unsafe applies fixes too that may change results
 */
export async function mended(
  inputs: readonly Input[],
  inspect: (inputs: readonly Input[]) => Promise<readonly FileResult[]>,
  unsafe: boolean,
  io: Pick<Io, "error">,
): Promise<readonly FileResult[]> {
  const named = new Set(inputs.map((input) => input.path));
  const applied = new Map<string, number>();
  const left = new Set<string>();
  /** Why files could not be written. */
  const unwritten = new Map<string, string>();
  let current = inputs;
  let results = await inspect(current);
  for (let round = 0; round < mostRounds; round++) {
    const texts = new Map<string, string>();
    for (const { input, diagnostics } of results) {
      const fixed = applyFixes(input.text, diagnostics, unsafe);
      if (fixed.applied === 0 || fixed.text === input.text) continue;
      const why = reasonToLeave(input, named);
      if (why !== undefined) {
        left.add(`${input.name} ${why}: it is not changed\n`);
        continue;
      }
      if (unwritten.has(input.path)) continue;
      try {
        replace(input, fixed.text);
      } catch (error) {
        unwritten.set(input.path, error instanceof Error ? error.message : String(error));
        continue;
      }
      texts.set(input.path, fixed.text);
      applied.set(input.name, (applied.get(input.name) ?? 0) + fixed.applied);
    }
    if (texts.size === 0) break;
    current = current.map((input) => ({ ...input, text: texts.get(input.path) ?? input.text }));
    results = await inspect(current);
  }
  for (const message of left) io.error(message);
  for (const [name, count] of applied) io.error(`${name}: fixed ${count}\n`);
  const failed = ({ input, failures, ...rest }: FileResult): FileResult => {
    const reason = unwritten.get(input.path);
    if (reason === undefined) return { input, failures, ...rest };
    io.error(`${visible(`${input.name} is not changed: ${reason}`)}\n`);
    return { input, ...rest, failures: [...failures, { stage: "fix", reason }] };
  };
  return withoutWithheld(results.map(failed), io);
}

/** Throws where the file is not what was read any more: whoever changed it since meant that to stay. */
function replace({ path: file, bom, text }: Input, fixed: string): void {
  const now = readBytes(file);
  if (now === undefined) throw new Error("it is not there any more");
  if (now instanceof NotRead) throw new Error(now.reason);
  // By another name, that of a link, it may have been mended already.
  if (now.equals(Buffer.from(bom + fixed))) return;
  if (!now.equals(Buffer.from(bom + text))) throw new Error("it has changed since it was read");
  writeWhole(file, bom + fixed);
}

/** `check --diff`: what the first round of `--fix` would change, as a patch. */
export function patches(results: readonly FileResult[], unsafe: boolean): string {
  return results
    .map(({ input: { name, text, bom, exact }, diagnostics }) => {
      if (!exact) return "";
      const edits = applyFixes(text, diagnostics, unsafe).edits.map((edit) => ({
        ...edit,
        start: edit.start + bom.length,
        end: edit.end + bom.length,
      }));
      return patchOf(name, bom + text, edits);
    })
    .join("");
}

/** The same without fixes that were tried and are not to be offered: of each is told why. */
export function withoutWithheld(results: readonly FileResult[], io: Pick<Io, "error">): readonly FileResult[] {
  const offered = (input: Input, { fixes, range, ruleId }: Diagnostic): Diagnostic["fixes"] =>
    fixes.filter(({ title, proof }) => {
      if (proof?.verdict !== "withheld" && proof?.verdict !== "unchecked") return true;
      io.error(`${visible(`${input.name}:${range.start.line + 1}: ${ruleId}: not applied: ${title}: ${proof.why}`)}\n`);
      return proof.verdict === "unchecked";
    });
  return results.map((result) => ({
    ...result,
    diagnostics: result.diagnostics.map((each) => ({ ...each, fixes: offered(result.input, each) })),
  }));
}

function reasonToLeave(input: Input, named: ReadonlySet<string>): string | undefined {
  if (!input.exact) return "is not UTF-8";
  // Names are relative in the working directory alone.
  return !named.has(input.path) && path.isAbsolute(input.name) ? "was not named and is outside of the working directory" : undefined;
}
