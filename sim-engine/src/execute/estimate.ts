/**
 * Estimating loops that are too long to be run. Once a loop advances steadily towards its end, what is left of its turns is cut into
 * a few slices; two turns in the middle of each are run and counted for the whole slice, and the loop's values are moved on to the next:
 * the second turn shows what the one before it leaves in the caches, the first comes from far away. What grows steadily from turn to turn
 * (the inner loop of a triangle) so comes out right. Values that follow from data stay as they are.
 */
import type { IntPredicate } from "../ir/kernel.ts";
import { BudgetExceeded, mostTurns } from "./budget.ts";
import type { LaneValue } from "./conditions.ts";
import { type SteadyValue, warpSize } from "./program.ts";
import type { WarpRecord } from "./record.ts";
import { longToNumber } from "./registers.ts";
import { advanceValues, readValues, writeValues } from "./skip.ts";

/** Turns run before it is looked at how the loop advances. */
const firstTurns = 2;

/** Turns that are run of a slice. */
const turnsOfSlice = 2;

/** A comparison that has to hold for the loop to go on. */
export interface GoingOn {
  readonly predicate: IntPredicate;
  /** How far its first operand was above its second when they were last compared. */
  readonly difference: LaneValue;
}

/** What is seen of a loop at its header. */
interface Sight {
  readonly mask: number;
  /** By value and place (see `readValues`). */
  readonly values: readonly Float64Array[];
  /** By comparison and lane. */
  readonly differences: readonly Float64Array[];
}

/** The turns that are left when it is made. */
interface Plan {
  readonly turns: number;
  readonly values: readonly SteadyValue[];
  readonly before: readonly Float64Array[];
  readonly from: readonly Float64Array[];
  /** The next slice. */
  slice: number;
  /** The slice's second turn, when the first is run. */
  second: number | undefined;
}

/** How a warp stands in the loop. */
interface State {
  turns: number;
  /** Turns after which it is looked at how the loop advances. */
  next: number;
  /** Before the last turns, the latest first. */
  sights: readonly Sight[];
  plan: Plan | undefined;
  weight: number;
  /** Entries of the warp's record when the present turn began, or the first of the two of a slice; and when its second did. */
  recordStart: number;
  recordSecond: number | undefined;
}

const newState = (): State => ({
  turns: 0,
  next: firstTurns,
  sights: [],
  plan: undefined,
  weight: 1,
  recordStart: 0,
  recordSecond: undefined,
});

export class LoopEstimate {
  readonly #values: readonly SteadyValue[];
  readonly #tests: readonly GoingOn[];
  readonly #slices: number;
  /** By warp, of those that have registers at the same time. */
  readonly #states: State[] = [];

  /**
   * @param values the header's phis that are needed
   * @param tests all of which have to hold for the loop to go on, though others may have to as well
   * @param slices that the turns are cut into
   */
  constructor(values: readonly SteadyValue[], tests: readonly GoingOn[], slices: number) {
    this.#values = values;
    this.#tests = tests;
    this.#slices = slices;
  }

  /** The warp whose registers begin at `o` comes into the loop. */
  enter(o: number): void {
    this.#states[o / warpSize] = newState();
  }

  /** How many turns the one that is run stands for. */
  weight(o: number): number {
    return this.#states[o / warpSize]?.weight ?? 1;
  }

  /** The warp is at the header: the values are moved on to the next turn that is run. */
  arrive(o: number, mask: number, record: WarpRecord | undefined): void {
    const state = this.#states[o / warpSize];
    if (!state) return;
    state.turns++;
    const { plan } = state;
    if (plan?.second !== undefined) {
      state.recordSecond = record?.blocks.length;
      advanceValues(plan.values, o, mask, plan.before, plan.from, plan.second);
      plan.second = undefined;
      return;
    }
    if (state.weight > 1) record?.repeat(state.recordStart, state.weight, state.recordSecond);
    state.recordStart = record?.blocks.length ?? 0;
    state.recordSecond = undefined;
    state.weight = 1;
    if (!state.plan && state.turns > state.next) this.#look(state, o, mask);
    if (state.plan) this.#next(state, state.plan, o, mask);
  }

  /** Makes a plan once three sights tell how the loop advances and that its end is far. */
  #look(state: State, o: number, mask: number): void {
    const differences = this.#tests.map(({ difference }) => Float64Array.from({ length: warpSize }, (_, lane) => difference(o, lane)));
    const now: Sight = { mask, values: readValues(this.#values, o), differences };
    state.sights = [now, ...(state.sights[0]?.mask === mask ? state.sights.slice(0, 2) : [])];
    const [, before, earlier] = state.sights;
    if (!before || !earlier) return;
    state.sights = [];
    const turns = turnsLeft(this.#tests, now, before, earlier);
    if (turns > mostTurns) throw new BudgetExceeded("a loop that never ends");
    const places = [...this.#values.keys()];
    const steady = places.filter((k) => isSteady(this.#values[k]!, mask, now.values[k]!, before.values[k]!, earlier.values[k]!));
    const of = <T>(all: readonly T[]): T[] => steady.map((k) => all[k]!);
    const plan: Plan = { turns, values: of(this.#values), before: of(before.values), from: of(now.values), slice: 0, second: undefined };
    if (turns >= turnsOfSlice * this.#slices && advanceValues(plan.values, o, mask, plan.before, plan.from, turns)) state.plan = plan;
    else {
      writeValues(plan.values, o, plan.from);
      state.next = 2 * (state.turns - 1);
    }
  }

  /** On to the turns in the middle of the next slice, or behind the last. */
  #next(state: State, plan: Plan, o: number, mask: number): void {
    const { turns, values, before, from, slice } = plan;
    const [low, high] = [Math.floor((slice * turns) / this.#slices), Math.floor(((slice + 1) * turns) / this.#slices)];
    plan.slice++;
    if (slice === this.#slices) {
      state.plan = undefined;
      state.next = state.turns - 1;
      advanceValues(values, o, mask, before, from, turns);
      return;
    }
    // In each slice a turn further from the middle, so that all places in a line of memory have their share.
    const first = Math.min(high - turnsOfSlice, low + Math.floor((high - low - turnsOfSlice) / 2) + slice);
    advanceValues(values, o, mask, before, from, first);
    plan.second = first + 1;
    state.weight = (high - low) / turnsOfSlice;
  }
}

/** Turns in which all lanes go on, where what is compared goes on as it did. */
function turnsLeft(tests: readonly GoingOn[], { mask, differences }: Sight, before: Sight, earlier: Sight): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [k, { predicate }] of tests.entries()) {
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const [now, last] = [differences[k]![lane]!, before.differences[k]![lane]!];
      const step = now - last;
      if (step === last - earlier.differences[k]![lane]!) least = Math.min(least, turnsUntil(predicate, now, step));
    }
  }
  return Number.isFinite(least) ? least : 0;
}

/** Turns for which a comparison holds on whose difference grows by `step` each. */
function turnsUntil(predicate: IntPredicate, difference: number, step: number): number {
  if (predicate === "eq") return step === 0 ? Number.POSITIVE_INFINITY : 0;
  if (predicate === "ne") {
    const turns = -difference / step;
    return turns > 0 && Number.isInteger(turns) ? turns - 1 : Number.POSITIVE_INFINITY;
  }
  const [below, growth] = /g[te]$/.test(predicate) ? [difference, -step] : [-difference, step];
  if (growth <= 0) return Number.POSITIVE_INFINITY;
  const turns = predicate.endsWith("e") ? Math.floor(below / growth) : Math.ceil(below / growth) - 1;
  return Math.max(0, turns);
}

/** The value advanced by the same amount twice, in all lanes. */
function isSteady({ slot, uniform }: SteadyValue, mask: number, now: Float64Array, before: Float64Array, earlier: Float64Array): boolean {
  const at = (sight: Float64Array, lane: number): number =>
    slot.kind === "long" ? longToNumber(sight[lane]!, sight[warpSize + lane]!) : sight[lane]!;
  for (let lane = 0, bits = uniform ? mask | 1 : mask; bits !== 0; lane++, bits >>>= 1)
    if (bits & 1 && at(now, lane) - at(before, lane) !== at(before, lane) - at(earlier, lane)) return false;
  return true;
}
