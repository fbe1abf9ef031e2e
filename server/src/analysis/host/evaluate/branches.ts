/** Conditions that are not known: both ways are run, and what differs afterwards is unknown. */
import type { Statement } from "../../../syntax/ast.ts";
import type { Completion, Interpreter } from "../memory/interpreter.ts";
import type { Mark, Outcome } from "../memory/journal.ts";
import type { Leaves } from "../memory/loop-trace.ts";
import { Allocation, type Value } from "../values/model.ts";
import { inputsOf } from "../values/values.ts";

type Way = () => Completion;

/** Runs both ways from the same state. A way that leaves (exit, return, break) is not the one followed, if the other goes on. */
export function eitherWay(host: Interpreter, condition: Value, then: Way, otherwise: Way): Completion {
  const [first, afterFirst, firstThrows] = tryOut(host, then);
  const [second, afterSecond, secondThrows] = tryOut(host, otherwise);
  const reason = "it depends on a condition that is not known";
  if ((first === undefined) === (second === undefined)) {
    host.journal.join(afterFirst, afterSecond, reason, inputsOf(condition));
    if (first === undefined || second === undefined) return undefined;
    if (first.kind === "return" && second.kind === "return") {
      host.frame.otherResults.push(first.value);
      return second;
    }
    return first.kind === "exit" ? second : first;
  }
  const left = first ?? second;
  if (left?.kind === "return") host.frame.otherResults.push(left.value);
  const [gone, stayed] = first === undefined ? [afterSecond, afterFirst] : [afterFirst, afterSecond];
  if (left?.kind === "exit") host.mayThrow ||= first === undefined ? secondThrows : firstThrows;
  else if (left?.kind === "return" || left?.kind === "goto")
    for (const loop of host.loops) if (loop.frame === host.frame.depth) loop.mayEnd = true;
  const leaves = leavesOf(host, left);
  if (leaves !== undefined && host.uncertainty === leaves.uncertainty) {
    host.journal.redo(stayed);
    leaves.of.ways.push({ mark: host.journal.hold(), outcome: gone });
    return undefined;
  }
  if (leaves !== undefined) leaves.of.others = true;
  // What was done on the way out of a turn or a loop is seen behind it: `found = true; break;`.
  if (left?.kind === "continue" || left?.kind === "break") host.journal.join(gone, stayed, reason, inputsOf(condition));
  else host.journal.redo(stayed);
  return undefined;
}

/** What a way leaves that need not be taken; undefined where that is the program, or a function with all that follows. */
function leavesOf({ loops, frame }: Interpreter, left: Completion): { readonly of: Leaves; readonly uncertainty: number } | undefined {
  const loop = loops.at(-1);
  switch (left?.kind) {
    case "continue":
      return loop && { of: loop.skips, uncertainty: loop.uncertainty };
    case "break":
      if (frame.cases) return { of: frame.cases, uncertainty: loop?.frame === frame.depth ? loop.uncertainty : frame.uncertainty };
      if (loop) loop.mayEnd = true;
      // What a turn that stands for others does is undone behind it.
      return loop && { of: loop.breaks, uncertainty: loop.abstract ? Number.NaN : loop.uncertainty };
    case "return":
      return frame.depth > 0 ? { of: frame.returns, uncertainty: frame.uncertainty } : undefined;
    default:
      return undefined;
  }
}

const leftReason = "whether it is come to is not known";

/**
 * What was left is behind: what was done since may be so or not.
 * @param since where it began
 */
export function settle(host: Interpreter, leaves: Leaves, since?: Mark): void {
  for (const { mark, outcome } of leaves.ways.toReversed()) either(host, mark, outcome);
  leaves.ways.length = 0;
  if (leaves.others && since !== undefined) {
    host.journal.hold();
    either(host, since, { cells: new Map(), allocations: new Map() });
  }
  leaves.others = false;
}

/** What was done since the mark, or what another way from there had done. */
function either(host: Interpreter, mark: Mark, other: Outcome): void {
  const { journal } = host;
  const done = journal.undo(mark);
  const before = new Map([...done.cells.keys()].map((cell) => [cell, cell.value] as const));
  journal.join(done, other, leftReason, []);
  // Of buffers of the device, and of what kernels store to them, the last turn stands for all.
  for (const [cell, value] of done.cells)
    if (isOfDevice(value) && isOfDevice(other.cells.get(cell) ?? before.get(cell) ?? value)) journal.set(cell, value);
  for (const [allocation, { summary, cells }] of done.allocations)
    if (summary.content.kind === "written") journal.summarise(allocation, summary, cells);
}

/** A pointer to memory of the device. */
export const isOfDevice = (value: Value): boolean =>
  value.kind === "pointer" && value.target instanceof Allocation && value.target.residence !== "host";

/** Runs, notes where it led, and undoes it. */
export function tryOut(host: Interpreter, way: Way): readonly [completion: Completion, outcome: Outcome, throws: boolean] {
  const mark = host.journal.hold();
  const { exited, thrown, final } = host;
  host.final = false;
  host.uncertainty += 1;
  const completion = way();
  host.uncertainty -= 1;
  host.final = final;
  const throws = host.thrown !== undefined && host.thrown !== thrown;
  const left: Completion = host.exited && !exited ? { kind: "exit" } : completion;
  host.exited = exited;
  host.thrown = thrown;
  return [left, host.journal.undo(mark), throws];
}

/** Conditions known to be false that code may stand behind: options of a program within a mode within a test. */
const mostRemote = 6;

/** Visits code the program does not reach, for the launches in it. Nothing of it remains. */
export function speculate(host: Interpreter, statement: Statement | undefined): void {
  if (statement === undefined || host.speculation >= mostRemote || !host.holdsLaunch.has(statement)) return;
  if ((host.visited.get(statement) ?? Number.POSITIVE_INFINITY) <= host.speculation) return;
  host.visited.set(statement, host.speculation);
  host.speculation += 1;
  tryOut(host, () => host.execute(statement));
  host.speculation -= 1;
}

/** A branch that is known to be taken; one that only ends the program is passed over where the caller asks for that. */
export function follow(host: Interpreter, statement: Statement | undefined): Completion {
  if (statement === undefined) return undefined;
  if (!host.survivesExits || host.speculation > 0) return host.execute(statement);
  if (host.holdsLaunch.has(statement)) return host.execute(statement);
  const [completion, outcome] = tryOut(host, () => host.execute(statement));
  const ends = completion?.kind === "exit" || (completion?.kind === "return" && host.frame.depth === 0);
  if (ends) return undefined;
  host.journal.redo(outcome);
  return completion;
}
