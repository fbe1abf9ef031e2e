/** Steps in which lanes of a warp see each other's values: shuffles, votes, matches and reductions. */
import type { Action, Op } from "../ir/kernel.ts";
import { type Ints, longToBigInt, type Registers, type Slot, type Step } from "./registers.ts";
import { NotExecutable } from "./values.ts";

type Shuffle = Extract<Action, { kind: "shuffle" }>;

/** The lane a shuffle reads from; the lane itself where its segment ends. */
function shuffleSource(mode: Shuffle["mode"], width: number, lane: number, operand: number): number {
  const first = lane & ~(width - 1);
  const last = first + width - 1;
  switch (mode) {
    case "idx":
      return first | (operand & (width - 1));
    case "up": {
      const source = lane - (operand & 31);
      return source < first ? lane : source;
    }
    case "down": {
      const source = lane + (operand & 31);
      return source > last ? lane : source;
    }
    case "xor": {
      const source = lane ^ (operand & 31);
      return source > last ? lane : source;
    }
  }
}

/** How often warps matched their values, and how many different ones they then had, in sum. */
export interface MatchRounds {
  times: number;
  values: number;
}

/** The step of a warp-wide operation; undefined for operations of another sort. Every operand is there for all lanes. `rounds`: of a match, to be counted on. */
export function laneStep(op: Op, registers: Registers, results: number, rounds: MatchRounds): Step | undefined {
  const { action, args } = op;
  const [, value, lane] = args;
  switch (action.kind) {
    case "shuffle":
      if (!value || !lane) break;
      return shuffleStep(action, registers.slot(op), registers.slot(value), registers.ints(lane));
    case "vote":
      if (!value) break;
      return ofGroups(registers, op, results, (all) => voteStep(action.mode, registers.ints(op), registers.ints(value), all));
    case "match":
      if (!value) break;
      return matchStep(action.mode, registers.ints(op), registers.slot(value), results, rounds);
    case "reduce":
      if (!value) break;
      return ofGroups(registers, op, results, (all) => reduceStep(action.op, registers.ints(op), registers.ints(value), all));
    default:
      return undefined;
  }
  throw new NotExecutable(`${action.kind} with ${args.length} operands`);
}

/** Lanes that name different masks are groups of their own; where the result is one for all, so is the mask. */
function ofGroups(registers: Registers, { args: [mask] }: Op, results: number, make: (results: number) => Step): Step {
  const step = make(results);
  if (results === 1 || !mask) return step;
  const masks = registers.ints(mask);
  return (o, active) => {
    for (let left = active; left !== 0; ) {
      const named = masks[o + 31 - Math.clz32(left & -left)]!;
      let group = 0;
      for (let k = 0; k < 32; k++) if ((left >>> k) & 1 && masks[o + k] === named) group |= 1 << k;
      step(o, group);
      left &= ~group;
    }
  };
}

function shuffleStep({ mode, width }: Shuffle, to: Slot, from: Slot, lane: Ints): Step {
  const gather = (out: Int32Array | Float64Array, a: Int32Array | Float64Array): Step => {
    const before = out instanceof Int32Array ? new Int32Array(32) : new Float64Array(32);
    return (o, mask) => {
      for (let k = 0; k < 32; k++) before[k] = a[o + k]!;
      for (let k = 0; k < 32; k++) {
        if (!((mask >>> k) & 1)) continue;
        // What a lane that does not take part gives is undefined: here, the reader's own value.
        const source = shuffleSource(mode, width, k, lane[o + k]!);
        out[o + k] = before[(mask >>> source) & 1 ? source : k]!;
      }
    };
  };
  if (to.kind === "long" && from.kind === "long") {
    const low = gather(to.data.lo, from.data.lo);
    const high = gather(to.data.hi, from.data.hi);
    return (o, mask) => {
      low(o, mask);
      high(o, mask);
    };
  }
  if (to.kind === "long" || from.kind === "long") throw new NotExecutable("a shuffle between types");
  return gather(to.data, from.data);
}

/** Bits of the lanes of `mask` whose i1 is set. */
function ballot(values: Ints, o: number, mask: number): number {
  let bits = 0;
  for (let k = 0; k < 32; k++) bits |= (values[o + k]! & 1) << k;
  return bits & mask;
}

/** One place, or those of the lanes that take part: others may keep an earlier result. */
function write(out: Ints, o: number, mask: number, results: number, value: number): void {
  if (results === 1) out[o] = value;
  else for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1) out[i] = value;
}

function voteStep(mode: Extract<Action, { kind: "vote" }>["mode"], out: Ints, values: Ints, results: number): Step {
  return (o, mask) => {
    const bits = ballot(values, o, mask);
    write(
      out,
      o,
      mask,
      results,
      mode === "ballot"
        ? bits
        : mode === "any"
          ? bits === 0
            ? 0
            : 1
          : mode === "all"
            ? bits === mask
              ? 1
              : 0
            : bits === 0 || bits === mask
              ? 1
              : 0,
    );
  };
}

function matchStep(mode: "any" | "all", out: Ints, value: Slot, results: number, rounds: MatchRounds): Step {
  const key = (i: number): number | bigint => (value.kind === "long" ? longToBigInt(value.data.lo[i]!, value.data.hi[i]!) : value.data[i]!);
  return (o, mask) => {
    const masks = new Map<number | bigint, number>();
    for (let k = 0; k < 32; k++) if ((mask >>> k) & 1) masks.set(key(o + k), (masks.get(key(o + k)) ?? 0) | (1 << k));
    rounds.times++;
    rounds.values += masks.size;
    if (mode === "all") write(out, o, mask, results, masks.size === 1 ? mask : 0);
    else for (let k = 0; k < 32; k++) if ((mask >>> k) & 1) out[o + k] = masks.get(key(o + k)) ?? 0;
  };
}

function reduceStep(op: Extract<Action, { kind: "reduce" }>["op"], out: Ints, values: Ints, results: number): Step {
  return (o, mask) => {
    let result: number | undefined;
    for (let k = 0; k < 32; k++) if ((mask >>> k) & 1) result = result === undefined ? values[o + k]! : combine(op, result, values[o + k]!);
    write(out, o, mask, results, result ?? 0);
  };
}

function combine(op: Extract<Action, { kind: "reduce" }>["op"], a: number, b: number): number {
  switch (op) {
    case "add":
      return (a + b) | 0;
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "min.s":
      return Math.min(a, b);
    case "max.s":
      return Math.max(a, b);
    case "min.u":
      return Math.min(a >>> 0, b >>> 0) | 0;
    case "max.u":
      return Math.max(a >>> 0, b >>> 0) | 0;
  }
}
