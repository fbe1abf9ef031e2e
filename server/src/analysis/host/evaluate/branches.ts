/** Conditions that are not known: both ways are run, and what differs afterwards is unknown. */
import type { Statement } from "../../../syntax/ast.ts";
import type { Completion, Interpreter } from "../memory/interpreter.ts";
import type { Outcome } from "../memory/journal.ts";
import type { Value } from "../values/model.ts";
import { inputsOf } from "../values/values.ts";

type Way = () => Completion;

/** Runs both ways from the same state. A way that leaves (exit, return, break) is not the one followed, if the other goes on. */
export function eitherWay(host: Interpreter, condition: Value, then: Way, otherwise: Way): Completion {
  const [first, afterFirst] = tryOut(host, then);
  const [second, afterSecond] = tryOut(host, otherwise);
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
  const loop = host.loops.at(-1);
  if (loop !== undefined && left?.kind !== "continue") loop.mayEnd = true;
  // What was done on the way out of a turn or a loop is seen behind it: `found = true; break;`.
  if (left?.kind === "continue" || left?.kind === "break") host.journal.join(afterFirst, afterSecond, reason, inputsOf(condition));
  else host.journal.redo(first === undefined ? afterFirst : afterSecond);
  return undefined;
}

/** Runs, notes where it led, and undoes it. */
export function tryOut(host: Interpreter, way: Way): readonly [Completion, Outcome] {
  const mark = host.journal.hold();
  const { exited, thrown, final } = host;
  host.final = false;
  host.uncertainty += 1;
  const completion = way();
  host.uncertainty -= 1;
  host.final = final;
  const left: Completion = host.exited && !exited ? { kind: "exit" } : completion;
  host.exited = exited;
  host.thrown = thrown;
  return [left, host.journal.undo(mark)];
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
