/**
 * A loop that is gone through once somebody looks at many of the elements that it stores, from the state that it was come to in: one by one
 * they cost more than all of them together, and most loops are never asked.
 */

import type { Statement } from "../../../syntax/ast.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { type Allocation, Cell, type Summary } from "../values/model.ts";
import { budgetOf, compiledMachine, settle } from "./attempts.ts";
import { NotCompiled } from "./compiled/not-compiled.ts";
import { runCompiled } from "./compiled/run.ts";
import { mostElements } from "./lists.ts";
import { type Execute, GivenUp, type Machine, Unsupported } from "./machine.ts";
import { loopCode } from "./statements.ts";

type Loop = Statement & { readonly kind: "for" | "while" | "do" };

/** Elements of one array that stand alone in cells, which are kept as they are. */
const mostCells = 1 << 14;

/** Elements that are kept of a run of arrays that were made so. */
const mostAtOnce = 1 << 24;

interface State {
  readonly summary: Summary;
  readonly cells: Map<number, Cell>;
}

/** What it takes to go through the loop. */
interface Pending {
  readonly machine: Machine;
  readonly execute: Execute;
  /** What the arrays that it reads and stores to held. */
  readonly states: ReadonlyMap<Allocation, State>;
}

export class Deferred {
  #pending: Pending | undefined;
  readonly #values = new Map<Allocation, ArrayLike<number>>();

  private constructor(pending: Pending) {
    this.#pending = pending;
  }

  /** The loop from the state at hand, behind the test of a turn; undefined where it is not to be gone through later. */
  static of(host: Interpreter, statement: Loop): Deferred | undefined {
    const { steps } = host;
    try {
      const machine = compiledMachine(host, mostElements);
      const execute = loopCode(machine, statement, true);
      const arrays = [...machine.columns.keys()];
      if (machine.records.size > 0 || arrays.some(({ cells }) => cells.size > mostCells)) return undefined;
      return new Deferred({ machine, execute, states: new Map(arrays.map((allocation) => [allocation, stateOf(allocation)] as const)) });
    } catch (error) {
      if (!(error instanceof Unsupported || error instanceof GivenUp)) throw error;
      return undefined;
    } finally {
      // That it may be gone through later is no step of the program.
      host.steps = steps;
    }
  }

  /** All elements of an array behind the loop; undefined where they are not to be had at once. @throws Cancelled */
  valuesOf(allocation: Allocation): ArrayLike<number> | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) this.#run(pending);
    return this.#values.get(allocation);
  }

  #run({ machine, execute, states }: Pending): void {
    const { host } = machine;
    const { replays } = host;
    const elements = [...machine.columns.values()].reduce(
      (sum, column) => sum + (machine.storedColumns.has(column) ? column.length : 0),
      0,
    );
    const budget = budgetOf(host);
    if (budget <= 0 || replays.atOnce + elements > mostAtOnce) return;
    machine.left = budget;
    const now = [...states.keys()].map((allocation) => [allocation, { summary: allocation.summary, cells: allocation.cells }] as const);
    for (const [allocation, state] of states) Object.assign(allocation, state);
    try {
      runCompiled(machine, execute);
      for (const [allocation, column] of machine.columns) {
        const values = column.stores > 0 ? column.all() : undefined;
        if (values) this.#values.set(allocation, values);
      }
      replays.atOnce += elements;
    } catch (error) {
      if (!(error instanceof NotCompiled || error instanceof GivenUp || error instanceof Unsupported)) throw error;
    } finally {
      for (const [allocation, state] of now) Object.assign(allocation, state);
      settle(host, budget - Math.max(0, machine.left));
    }
  }
}

/** Cells are stored to later on. */
function stateOf({ summary, cells }: Allocation): State {
  return {
    summary,
    cells: new Map([...cells].map(([offset, { value, type, name, inArray }]) => [offset, new Cell(value, type, name, inArray)])),
  };
}
