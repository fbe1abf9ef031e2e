/** Elements of an array that a nest of loops fills, each made by running the turn that stores it. */
import type { ElementFormula } from "@warplens/sim-engine";
import type { Allocation } from "../values/model.ts";
import type { Known } from "./arithmetic.ts";
import { type Counter, extent } from "./lines.ts";
import { type Execute, GivenUp, type Machine } from "./machine.ts";
import type { Nest, Site } from "./nest.ts";
import type { Deep, Snapshot } from "./snapshot.ts";

/** One loop of a site: how far apart its turns store, in elements, from the turn on that stores the least index. */
interface Digit {
  readonly counter: Counter;
  readonly weight: number;
  readonly turns: number;
  /** It counts down. */
  readonly turned: boolean;
}

/** Which turn stores an element: its index as a number whose digits are turns. */
export interface Inverse {
  /** Loops whose turns store different elements, the widest apart first. */
  readonly digits: readonly Digit[];
  /** The least index. */
  readonly least: number;
  /** Loops all of whose turns store the same elements: what the last stores stays. */
  readonly over: readonly Counter[];
}

/** Undefined where different turns may store the same element. */
export function inverseOf({ line, chain }: Site): Inverse | undefined {
  const [least] = extent(line);
  const digits = chain.flatMap((counter): Digit[] => {
    const weight = (line.terms.get(counter) ?? 0) * counter.step;
    return weight === 0 || counter.turns === 1 ? [] : [{ counter, weight: Math.abs(weight), turns: counter.turns, turned: weight < 0 }];
  });
  digits.sort((a, b) => b.weight - a.weight);
  const isUnique = digits.every(
    ({ weight }, k) => weight > digits.slice(k + 1).reduce((all, each) => all + each.weight * (each.turns - 1), 0),
  );
  if (!isUnique || !Number.isInteger(least)) return undefined;
  const over = chain.filter((counter) => !digits.some((digit) => digit.counter === counter));
  return { digits, least, over };
}

/** Sets the turns in which an element is stored; false where none does. */
function aim(aims: Map<Counter, number>, { digits, least, over }: Inverse, index: number): boolean {
  let rest = index - least;
  if (rest < 0) return false;
  for (const { counter, weight, turns, turned } of digits) {
    const turn = Math.floor(rest / weight);
    if (turn >= turns) return false;
    rest -= turn * weight;
    aims.set(counter, turned ? turns - 1 - turn : turn);
  }
  for (const counter of over) aims.set(counter, counter.turns - 1);
  return rest === 0;
}

/** Whether each index from the least to the greatest is stored by one of the sites. */
export function isGapless(inverses: readonly Inverse[]): boolean {
  const sorted = [...inverses].sort((a, b) => a.least - b.least);
  const [first] = sorted;
  if (first === undefined) return false;
  const starts = sorted.map(({ least }) => least);
  const isRow = starts.every((start, k) => start === first.least + k) && sorted.every((each) => isTight(each, sorted.length));
  if (isRow) return true;
  let next = first.least;
  return sorted.every((each) => {
    const isNext = isTight(each, 1) && each.least <= next;
    next = Math.max(next, each.least + each.digits.reduce((all, { turns }) => all * turns, 1));
    return isNext;
  });
}

/** Every so many-th index is stored, and none between is left out. */
function isTight({ digits }: Inverse, apart: number): boolean {
  let below = apart;
  for (const { weight, turns } of [...digits].reverse()) {
    if (weight !== below) return false;
    below *= turns;
  }
  return true;
}

/** Operations that making one element may take. */
export const mostOfElement = 400;
/** Elements that are kept, by the lower bits of their index. */
const kept = 1 << 12;

export interface Filled {
  readonly machine: Machine;
  readonly nest: Nest;
  readonly execute: Execute;
  readonly allocation: Allocation;
  readonly inverses: readonly Inverse[];
  /** What stands where no turn stores; undefined where each does. */
  readonly before: Snapshot | undefined;
  /** The first turn of the outermost loop that counts. */
  readonly outermost: Counter;
  readonly first: number;
  readonly text: () => string;
  readonly depth: number;
  /** All elements at once. */
  readonly all?: () => ArrayLike<number> | undefined;
}

export class Formula implements ElementFormula, Deep {
  readonly depth: number;
  readonly #filled: Filled;
  readonly #values = new Float64Array(kept);
  readonly #indices = new Float64Array(kept).fill(-1);
  #text: string | undefined;
  #all: ArrayLike<number> | undefined;

  constructor(filled: Filled) {
    this.#filled = filled;
    this.depth = filled.depth;
  }

  /** Each element, by its index, made all at once; undefined where they have to be made one by one. @throws Cancelled */
  all(): ArrayLike<number> | undefined {
    this.#all ??= this.#filled.all?.();
    return this.#all;
  }

  at(index: number): number {
    if (this.#all) return this.#all[index] ?? 0;
    const slot = index & (kept - 1);
    if (this.#indices[slot] !== index) {
      this.#values[slot] = this.known(index) ?? 0;
      this.#indices[slot] = index;
    }
    return this.#values[slot] ?? 0;
  }

  toJSON(): string {
    this.#text ??= this.#filled.text();
    return this.#text;
  }

  /** The element; undefined where the program has no number for it. */
  known(index: number): Known {
    const { inverses, nest, before } = this.#filled;
    const [only] = inverses;
    if (inverses.length === 1 && only) return this.#stored(only, index) ? nest.value : before?.at(index);
    // The turn that comes last is the one whose value stays.
    const candidates = inverses.flatMap((inverse) => (aim(nest.aims, inverse, index) ? [{ inverse, turns: this.#turns() }] : []));
    candidates.sort((a, b) => compare(b.turns, a.turns));
    for (const { inverse } of candidates) if (this.#stored(inverse, index)) return nest.value;
    return before?.at(index);
  }

  /** The turn of the outermost loop that stores an element. */
  turnOf(index: number): number | undefined {
    const { inverses, nest, outermost } = this.#filled;
    const turns = inverses.flatMap((inverse) => (aim(nest.aims, inverse, index) ? [nest.aims.get(outermost) ?? 0] : []));
    return turns.length === 0 ? undefined : Math.max(...turns);
  }

  /** The turns that are aimed at, outermost first. */
  #turns(): readonly number[] {
    const { nest, allocation } = this.#filled;
    const chain = nest.sites.find((site) => site.allocation === allocation)?.chain ?? [];
    return chain.map((counter) => nest.aims.get(counter) ?? 0);
  }

  #stored(inverse: Inverse, index: number): boolean {
    const { machine, nest, execute, allocation, outermost, first } = this.#filled;
    nest.aims.clear();
    if (!aim(nest.aims, inverse, index) || (nest.aims.get(outermost) ?? 0) < first) return false;
    nest.wanted = allocation;
    nest.wantedIndex = index;
    nest.found = false;
    nest.value = undefined;
    for (const own of nest.own.values()) own.clear();
    machine.left = mostOfElement;
    // What others have looked up meanwhile is no work of this element.
    machine.computed = machine.host.replays.computed;
    try {
      execute();
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      // An index out of bounds, or a condition that rests on what has no number.
      nest.value = undefined;
    }
    return nest.found;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [k, turn] of a.entries()) if (turn !== b[k]) return turn - (b[k] ?? 0);
  return 0;
}
