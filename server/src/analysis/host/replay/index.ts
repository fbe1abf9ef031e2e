/**
 * Loops that fill arrays and count, gone through to their end on bare numbers, where the evaluator would describe what is left of them as a
 * whole: `h[i] = (i * 37) % 101`, row pointers, sums. What cannot be followed is left to that.
 */

import type { Statement } from "../../../syntax/ast.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { goThrough, mostOfRun } from "./attempts.ts";
import type { Column } from "./columns.ts";
import { Fruitless, GivenUp, type Machine, Unsupported } from "./machine.ts";
import { numberValue } from "./numbers.ts";
import { loopCode } from "./statements.ts";

export interface Replayed {
  /** Arrays of which all that was stored is known. */
  readonly columns: readonly Column[];
  /** Nothing that the loop stores is left open. */
  readonly whole: boolean;
  /** Puts what is known where it belongs. */
  readonly commit: () => void;
}

/**
 * A loop from the state at hand, behind the test of a turn, to its end.
 * @param left turns it has left, where that is known
 * @param apart elements are stored one by one, rather than as what the array holds as a whole
 * @returns undefined where it is not followed: then nothing is changed
 */
export function replay(host: Interpreter, statement: Statement, left: number | undefined, apart: boolean): Replayed | undefined {
  if (statement.kind !== "for" && statement.kind !== "while" && statement.kind !== "do") return undefined;
  if (host.replays.given.has(statement) || host.replays.operations >= mostOfRun) return undefined;
  let machine: Machine | undefined;
  try {
    machine = goThrough(
      host,
      () => ({ turnsLeft: left, inQuestion: statement }),
      (made) => loopCode(made, statement, true),
      apart,
    );
  } catch (error) {
    if (!(error instanceof Unsupported || error instanceof GivenUp)) throw error;
    // The next time it may be of use.
    if (error instanceof Fruitless) return undefined;
  }
  if (!machine) {
    host.replays.given.add(statement);
    return undefined;
  }
  const { slots } = machine;
  const stored = [...machine.columns.values()].filter(({ stores }) => stores > 0);
  const columns = stored.filter(({ isKnown }) => isKnown);
  const { cells, stored: changed } = machine;
  const scalars = [...cells].filter(([, { index }]) => changed.has(index));
  const known = scalars.flatMap(([cell, { index, type }]) => {
    const value = slots[index];
    return value === undefined ? [] : [{ cell, value, type }];
  });
  return {
    columns,
    whole: columns.length === stored.length && known.length === scalars.length,
    commit: () => {
      for (const { cell, value, type } of known) host.journal.set(cell, numberValue(value, type));
      for (const column of columns) column.commit(apart);
    },
  };
}
