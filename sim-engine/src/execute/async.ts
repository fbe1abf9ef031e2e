/** Steps at mbarriers and of the copy engine. A copy has arrived as soon as it is begun: when, the timing says. */
import type { Op } from "../ir/kernel.ts";
import { popcount } from "../memory/distinct.ts";
import type { AccessCounter } from "./accesses.ts";
import type { Running } from "./effects.ts";
import { longToNumber, type Registers, type Step, writeLongNumber } from "./registers.ts";
import { Stopped } from "./stopped.ts";
import { moveBox, reached } from "./tensor-copies.ts";
import { boxBytes, readTensorMap } from "./tensor-maps.ts";
import { NotExecutable } from "./values.ts";

/** What a warp waits for between two segments of a block, if not for the others at a barrier. */
export interface Gate {
  /** The wait goes on until it is open; else it may find it closed and goes on. */
  readonly suspends: boolean;
  /** Whether it is open to the lanes of `mask`. */
  isOpen(o: number, mask: number): boolean;
  /** Opens it, where other blocks of the cluster may be those who would. */
  open(o: number, mask: number): boolean;
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
  /** A lane that waits. */
  const closed = (o: number, mask: number): number => {
    let i = o;
    for (let bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1 && !mbarriers.isOver(at[i]!, parity(i))) break;
    return i;
  };
  const gate: Gate = {
    suspends: action.suspends,
    isOpen: (o, mask) =>
      inPlace(op, () => {
        for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) if (bits & 1 && !mbarriers.isOver(at[i]!, parity(i))) return false;
        return true;
      }),
    open: (o, mask) => {
      if (mbarriers.shared) mbarriers.end(at[closed(o, mask)]!);
      return mbarriers.shared;
    },
    problem: (o, mask) => {
      const i = closed(o, mask);
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
  const [counter] = counters;
  if (action.kind !== "copy.bulk" || !args[0] || !args[1]) throw new NotExecutable("a bulk copy without operands");
  const shared = registers.doubles(args[0]);
  const global = registers.doubles(args[1]);
  const counts = args.slice(2, 2 + (action.tensor ?? 1)).map((arg) => registers.ints(arg));
  const rest = args.slice(2 + counts.length);
  const done = action.to === "shared" && rest[0] ? registers.doubles(rest[0]) : undefined;
  const mask = action.multicast && rest[1] ? registers.ints(rest[1]) : undefined;
  const { environment } = running;
  const { mbarriers } = environment;
  /** Where it reaches global memory; bytes that it brings, once it is done. */
  const move = (i: number): { readonly ranges: readonly number[]; readonly bytes: number } => {
    const numbers = counts.map((data) => data[i]!);
    if (action.tensor === undefined) {
      const [bytes = 0] = numbers;
      const [to, from] = action.to === "shared" ? [shared[i]!, global[i]!] : [global[i]!, shared[i]!];
      if (acts) for (let k = 0; k < bytes; k += 4) environment.write(to + k, "i32", environment.read(from + k, "i32", i), i);
      return { ranges: [global[i]!, bytes], bytes };
    }
    const map = readTensorMap(environment, global[i]!, action.tensor);
    if (acts) moveBox(environment, map, numbers, shared[i]!, action.to);
    return { ranges: reached(map, numbers), bytes: boxBytes(map) };
  };
  return (o, lanes) =>
    inPlace(op, () => {
      for (let i = o, bits = lanes; bits !== 0; i++, bits >>>= 1) {
        if ((bits & 1) === 0) continue;
        const phase = done ? mbarriers.phaseAt(done[i]!) : 0;
        const { ranges, bytes } = move(i);
        // Blocks of a cluster do alike: what this one sends to others, they send to it.
        const times = mask ? popcount(mask[i]!) : 1;
        if (done) mbarriers.expect(done[i]!, -bytes * times);
        counter?.bulk(ranges, phase, { address: shared[i]!, bytes, lane: i - o }, running.weight);
      }
    });
}
