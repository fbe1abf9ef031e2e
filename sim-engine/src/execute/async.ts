/** Steps at mbarriers and of the copy engine. A copy has arrived as soon as it is begun: when, the timing says. */
import type { Op } from "../ir/kernel.ts";
import type { AccessCounter } from "./accesses.ts";
import type { Running } from "./effects.ts";
import { type Doubles, longToNumber, type Registers, type Step, writeLongNumber } from "./registers.ts";
import { Stopped } from "./stopped.ts";
import { NotExecutable } from "./values.ts";

/** What a warp waits for between two segments of a block, if not for the others at a barrier. */
export interface Gate {
  /** The wait goes on until it is open; else it may find it closed and goes on. */
  readonly suspends: boolean;
  /** Whether it is open to the lanes of `mask`. */
  isOpen(o: number, mask: number): boolean;
  /** Why it is not, for the user. */
  problem(o: number, mask: number): Stopped;
}

interface Parts {
  readonly registers: Registers;
  readonly running: Running;
  readonly counters: readonly AccessCounter[];
}

/** Any number of an operand, by lane. */
function numbers(registers: Registers, op: Op): (at: number) => number {
  const slot = registers.slot(op);
  if (slot.kind !== "long") {
    const { data } = slot;
    return (at) => data[at]!;
  }
  const { lo, hi } = slot.data;
  return (at) => longToNumber(lo[at]!, hi[at]!);
}

/** Throws with the place it happens at. */
function inPlace<T>({ span }: Op, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Error && error.constructor === Error ? new Stopped(error.message, span) : error;
  }
}

const none = (): number => 0;

export function mbarrierStep(op: Op, { registers, running, counters }: Parts): Step {
  const { action, args } = op;
  const [address, first, second] = args;
  const [counter] = counters;
  if (action.kind !== "mbarrier" || !address) throw new NotExecutable("an mbarrier without an address");
  const at = registers.doubles(address);
  const count = first ? numbers(registers, first) : none;
  const bytes = second ? numbers(registers, second) : none;
  const out = op.type === "i64" ? registers.long(op) : undefined;
  const { mbarriers } = running.environment;
  const act = (place: number, i: number): void => {
    switch (action.op) {
      case "init":
        mbarriers.init(place, count(i));
        break;
      case "arrive":
      case "drop": {
        const phase = mbarriers.arrive(place, count(i), bytes(i), action.op === "drop");
        if (out) writeLongNumber(out, i, phase);
        break;
      }
      case "expect":
        mbarriers.expect(place, count(i));
        break;
      case "complete":
        mbarriers.expect(place, -count(i));
        break;
      case "invalidate":
        mbarriers.invalidate(place);
        break;
      case "copies":
        // What is counted by the wait itself comes and goes at once.
        if (action.counted) mbarriers.arrive(place, 1, 0);
    }
  };
  const belongs = action.op !== "init" && action.op !== "invalidate";
  return (o, mask) =>
    inPlace(op, () => {
      let last = 0;
      for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const phase = belongs ? mbarriers.phaseAt(at[i]!) : 0;
        act(at[i]!, i);
        if (phase !== last) counter?.meets(phase, running.weight);
        last = phase;
      }
    });
}

/** The wait itself: what lets a warp on, and the step behind it, which tells what it found. */
export function waiting(op: Op, { registers, running, counters }: Parts): { readonly gate: Gate; readonly step: Step } {
  const { action, args } = op;
  const [address, phase] = args;
  const [counter] = counters;
  if (action.kind !== "mbarrier.wait" || !address || !phase) throw new NotExecutable("a wait without an mbarrier");
  const at = registers.doubles(address);
  const parity = numbers(registers, phase);
  const out = registers.ints(op);
  const { mbarriers } = running.environment;
  const gate: Gate = {
    suspends: action.suspends,
    isOpen: (o, mask) =>
      inPlace(op, () => {
        for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1 && !mbarriers.isOver(at[i]!, parity(i))) return false;
        return true;
      }),
    problem: (o, mask) => {
      let i = o;
      for (let bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1 && !mbarriers.isOver(at[i]!, parity(i))) break;
      return new Stopped(`threads wait at an mbarrier for ever: for ${mbarriers.missing(at[i]!)}`, op.span);
    },
  };
  const step: Step = (o, mask) => {
    let last = 0;
    for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const over = mbarriers.isOver(at[i]!, parity(i));
      out[i] = over ? 1 : 0;
      const met = over ? mbarriers.lastAt(at[i]!) : 0;
      if (met !== 0 && met !== last) counter?.meets(met, running.weight);
      last = met;
    }
    // The first lane's place stands for all where they are alike.
    if (!(mask & 1)) out[o] = out[o + 31 - Math.clz32(mask & -mask)]!;
  };
  return { gate, step };
}

export function bulkStep(op: Op, { registers, running, counters }: Parts, acts: boolean): Step {
  const { action, args } = op;
  const [destination, source, size, barrier] = args;
  const [counter] = counters;
  if (action.kind !== "copy.bulk" || !destination || !source || !size) throw new NotExecutable("a bulk copy without operands");
  const to = registers.doubles(destination);
  const from = registers.doubles(source);
  const bytes = registers.ints(size);
  const done = barrier ? registers.doubles(barrier) : undefined;
  const global: Doubles = action.to === "shared" ? from : to;
  const { environment } = running;
  const { mbarriers } = environment;
  return (o, mask) =>
    inPlace(op, () => {
      for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const phase = done ? mbarriers.phaseAt(done[i]!) : 0;
        if (acts) for (let k = 0; k < bytes[i]!; k += 4) environment.write(to[i]! + k, "i32", environment.read(from[i]! + k, "i32", i), i);
        if (done) mbarriers.expect(done[i]!, -bytes[i]!);
        counter?.bulk(global[i]!, bytes[i]!, phase, running.weight);
      }
    });
}
