/** A loop, and one turn of it. */
import type { Condition, Statement } from "../../../syntax/ast.ts";
import type { Completion, Interpreter } from "../memory/interpreter.ts";
import type { LoopTrace } from "../memory/loop-trace.ts";
import type { Value } from "../values/model.ts";
import { settle } from "./branches.ts";

export interface Loop {
  readonly statement: Statement;
  readonly condition: Condition | undefined;
  /** Turns left, of a loop that has no condition. */
  readonly left?: () => number | undefined;
  /** The condition is tested after the body. */
  readonly testedLast: boolean;
  readonly test: () => Value;
  readonly body: () => Completion;
  readonly advance: () => void;
}

/** The body, whether a part of it is left out or not. */
export function runTurn(host: Interpreter, { body }: Loop, { skips }: LoopTrace): Completion {
  const mark = host.journal.hold();
  const completion = body();
  settle(host, skips, mark);
  host.journal.release(mark);
  return completion;
}
