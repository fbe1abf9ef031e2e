/**
 * The host program's memory: variables are cells, arrays and device buffers are allocations of cells by byte offset.
 *
 * Every change goes through a `Journal`, so that a branch can be run, looked at and undone: that is how both sides of an
 * unknown condition are merged.
 */
import type { Content } from "@warplens/sim-engine";
import { sameValue } from "../values/equal.ts";
import type { Allocation, Cell, Summary, Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";

export const unknownContent: Content = { kind: "unknown" };
/** Of memory that was just allocated. */
export const freshContent: Content = { kind: "unknown", fresh: true };
export const zeroContent: Content = { kind: "zero" };

interface CellChange {
  readonly cell: Cell;
  readonly old: Value;
}
interface AllocationChange {
  readonly allocation: Allocation;
  readonly summary: Summary;
  readonly cells: Map<number, Cell>;
}
type Change = CellChange | AllocationChange;

/** A point to go back to. */
export type Mark = number;

/** The state at the end of a branch that was undone: what to write to have it again. */
export interface Outcome {
  readonly cells: Map<Cell, Value>;
  readonly allocations: Map<Allocation, { readonly summary: Summary; readonly cells: Map<number, Cell> }>;
}

export class Journal {
  #changes: Change[] = [];
  /** Nothing is recorded while no mark is held. */
  #holders = 0;

  set(cell: Cell, value: Value): void {
    if (cell.value === value) return;
    if (this.#holders > 0) this.#changes.push({ cell, old: cell.value });
    cell.value = value;
  }

  summarise(allocation: Allocation, summary: Summary, cells: Map<number, Cell> = allocation.cells): void {
    if (this.#holders > 0) this.#changes.push({ allocation, summary: allocation.summary, cells: allocation.cells });
    allocation.summary = summary;
    allocation.cells = cells;
  }

  /** How many changes are known. */
  get size(): number {
    return this.#changes.length;
  }

  hold(): Mark {
    this.#holders += 1;
    return this.#changes.length;
  }

  /** Keeps what was done since; the changes stay known to outer marks. */
  release(mark: Mark): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#changes.length = 0;
    else if (mark > this.#changes.length) throw new RangeError("journal marks are released in order");
  }

  /** Variables that are changed since the mark, with what they held then: cells that are no elements of arrays. */
  changedVariables(mark: Mark): Map<Cell, Value> {
    const before = new Map<Cell, Value>();
    for (let k = mark; k < this.#changes.length; k++) {
      const change = this.#changes[k];
      if (change !== undefined && "cell" in change && !change.cell.inArray && !before.has(change.cell)) before.set(change.cell, change.old);
    }
    return before;
  }

  /** Undoes everything since the mark and releases it; what had been reached is returned. */
  undo(mark: Mark): Outcome {
    const outcome: Outcome = { cells: new Map(), allocations: new Map() };
    for (let k = this.#changes.length - 1; k >= mark; k--) {
      const change = this.#changes[k];
      if (change === undefined) continue;
      if ("cell" in change) {
        if (!outcome.cells.has(change.cell)) outcome.cells.set(change.cell, change.cell.value);
        change.cell.value = change.old;
      } else {
        const { allocation } = change;
        if (!outcome.allocations.has(allocation))
          outcome.allocations.set(allocation, { summary: allocation.summary, cells: allocation.cells });
        allocation.summary = change.summary;
        allocation.cells = change.cells;
      }
    }
    this.#changes.length = mark;
    this.#holders -= 1;
    return outcome;
  }

  /** Goes to an outcome. */
  redo(outcome: Outcome): void {
    for (const [cell, value] of outcome.cells) this.set(cell, value);
    for (const [allocation, state] of outcome.allocations) this.summarise(allocation, state.summary, state.cells);
  }

  /** The state of which it is not known whether it is `a` or `b` (an absent outcome: as it is now). */
  join(a: Outcome, b: Outcome, reason: string, inputs: readonly string[]): void {
    for (const cell of new Set([...a.cells.keys(), ...b.cells.keys()])) {
      const left = a.cells.get(cell) ?? cell.value;
      const right = b.cells.get(cell) ?? cell.value;
      this.set(cell, joinValues(left, right, reason, inputs));
    }
    for (const allocation of new Set([...a.allocations.keys(), ...b.allocations.keys()])) {
      const left = a.allocations.get(allocation)?.summary ?? allocation.summary;
      const right = b.allocations.get(allocation)?.summary ?? allocation.summary;
      const larger = a.allocations.get(allocation)?.cells ?? b.allocations.get(allocation)?.cells;
      this.summarise(allocation, joinSummaries(left, right, reason), larger);
    }
  }
}

/** One value of which either may hold. */
export function joinValues(a: Value, b: Value, reason: string, inputs: readonly string[] = []): Value {
  if (a === b || sameValue(a, b)) return a;
  if (a.kind === "pointer" && b.kind === "pointer") {
    if (a.target === b.target && a.target !== undefined) return { ...a, offset: undefined, reach: undefined };
    if (a.target === undefined && b.target !== undefined) return b;
    if (b.target === undefined && a.target !== undefined) return a;
  }
  if (a.kind === "unknown") return a;
  if (b.kind === "unknown") return b;
  return unknown(reason, undefined, inputs);
}

/** Whether they describe the same elements in the same words. */
export function isSameContent(a: Content, b: Content): boolean {
  if (a === b) return true;
  if (a.kind === "values" && b.kind === "values") {
    if (a.drawn !== b.drawn || a.values.length !== b.values.length) return false;
    for (let k = 0; k < a.values.length; k++) if (a.values[k] !== b.values[k]) return false;
    return true;
  }
  return a.kind === b.kind && JSON.stringify(a) === JSON.stringify(b);
}

function joinSummaries(a: Summary, b: Summary, reason: string): Summary {
  if (a === b) return a;
  const content = isSameContent(a.content, b.content) ? a.content : unknownContent;
  const { freed, filling, ...rest } = a;
  return {
    ...rest,
    bytes: a.bytes === b.bytes ? a.bytes : undefined,
    content,
    ...(content === unknownContent ? { reason } : {}),
    ...(freed !== undefined && freed === b.freed ? { freed } : {}),
    ...(filling !== undefined && filling === b.filling ? { filling } : {}),
    ...(b.registered === undefined ? {} : { registered: b.registered }),
  };
}
