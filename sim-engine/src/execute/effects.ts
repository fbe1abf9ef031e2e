/** Steps that touch memory: they count what each request costs and, where values matter, carry it out. */
import { type Action, type AtomicOperation, type Op, type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import { type AccessCounter, rowLanes } from "./accesses.ts";
import type { Environment } from "./environment.ts";
import { maximum, minimum, roundingTo } from "./floats.ts";
import type { LanePattern } from "./patterns.ts";
import type { Doubles, Registers, Step } from "./registers.ts";
import type { Scalar } from "./scalars.ts";
import { loadTransfer, scalarReader, scalarWriter, storeTransfer } from "./transfer.ts";
import { NotExecutable } from "./values.ts";

/** What the running launch shares with its steps. */
export interface Running {
  readonly environment: Environment;
  /** How much of the launch each executed request stands for. */
  weight: number;
}

export interface MemoryStepOptions {
  /** The value is needed (loads, atomics), or the effect is (stores, atomics, copies). */
  readonly acts: boolean;
  /** How the lanes' addresses follow from the one in the first place of its register; absent when all are there. */
  readonly address: "uniform" | LanePattern | undefined;
  /** Places of the result: 1 when all lanes have the same. */
  readonly results: number;
}

const allAlike = new Float64Array(32);

function countStep(
  counters: readonly AccessCounter[],
  addresses: readonly Doubles[],
  running: Running,
  how: MemoryStepOptions["address"],
  space: string,
): Step {
  const [counter, second] = counters;
  const [at, secondAt] = addresses;
  if (!counter || !at) return () => undefined;
  if (second && secondAt) {
    const { action } = counter.op;
    const isPastL1 = action.kind === "copy.async" && action.bypassL1;
    return (o, mask) => {
      if (isPastL1) {
        counter.countCopy(at, secondAt, second, o, mask, running.weight);
        return;
      }
      counter.count(at, o, mask, running.weight);
      second.count(secondAt, o, mask, running.weight);
    };
  }
  if (how === undefined || space === "local") {
    if (space !== "generic") return (o, mask) => counter.count(at, o, mask, running.weight);
    return (o, mask) => {
      counter.resolve(at[o + 31 - Math.clz32(mask & -mask)]!);
      counter.count(at, o, mask, running.weight);
    };
  }
  const lanes = how === "uniform" ? allAlike : how.lanes;
  if (space !== "generic") return (o, mask) => counter.countPattern(at, o, mask, lanes, running.weight);
  return (o, mask) => {
    counter.resolve(at[o + 31 - Math.clz32(mask & -mask)]!);
    // Lanes have memory of their own at what is one address.
    if (counter.space === "local") counter.count(at, o, mask, running.weight);
    else counter.countPattern(at, o, mask, lanes, running.weight);
  };
}

/** The step of a memory operation; undefined for operations of another sort. */
export function memoryStep(
  op: Op,
  registers: Registers,
  counters: readonly AccessCounter[],
  running: Running,
  options: MemoryStepOptions,
): Step | undefined {
  const { action, args } = op;
  const [address, value] = args;
  switch (action.kind) {
    case "load": {
      if (!address) break;
      const count = countStep(counters, [registers.doubles(address)], running, options.address, action.space);
      if (!options.acts) return count;
      return both(count, loadStep(op, action, registers, running, options.results));
    }
    case "store": {
      if (!address) break;
      const count = countStep(counters, [registers.doubles(address)], running, options.address, action.space);
      if (!options.acts) return count;
      return both(count, action.matrix ? matrixStoreStep(op, action, registers, running) : storeStep(op, action.space, registers, running));
    }
    case "atomic": {
      if (!address) break;
      const count = countStep(counters, [registers.doubles(address)], running, options.address, action.space);
      return options.acts ? both(count, atomicStep(action.op, op, registers, running)) : count;
    }
    case "copy.async": {
      if (!address || !value) break;
      const [to, from] = [registers.doubles(address), registers.doubles(value)];
      const counts = args[2] && registers.ints(args[2]);
      const copied = countStep(counters, [from, to], running, undefined, "global");
      const count = counts ? countPartly(counters, counts, from, to, copied, running) : copied;
      return options.acts ? both(count, copyAsyncStep(action.bytes, to, from, counts, running)) : count;
    }
    default:
      return undefined;
  }
  throw new NotExecutable(`${action.kind} with ${args.length} operands`);
}

const both =
  (first: Step, second: Step): Step =>
  (o, mask) => {
    first(o, mask);
    second(o, mask);
  };

function loadStep(
  op: Op,
  { components, space }: Extract<Action, { kind: "load" }>,
  registers: Registers,
  { environment }: Running,
  results: number,
): Step {
  const [address] = op.args;
  if (!address) throw new NotExecutable("a load without an address");
  const at = registers.doubles(address);
  const type = op.type as ScalarType;
  const width = scalarBytes[type];
  const transfers = Array.from({ length: components }, (_, k) => loadTransfer(registers.slot(op, k), type, space, environment));
  const [first] = transfers;
  if (components === 1 && first) return (o, mask) => first(at, o, results === 1 ? 1 : mask, 0);
  return (o, mask) => {
    for (let k = 0; k < components; k++) transfers[k]!(at, o, results === 1 ? 1 : mask, k * width);
  };
}

function storeStep(op: Op, space: Space, registers: Registers, { environment }: Running): Step {
  const [address, ...values] = op.args;
  if (!address) throw new NotExecutable("a store without an address");
  const at = registers.doubles(address);
  const transfers = values.map((each) => storeTransfer(registers.slot(each), each.type as ScalarType, space, environment));
  const width = scalarBytes[values[0]?.type as ScalarType];
  return (o, mask) => {
    for (let k = 0; k < transfers.length; k++) transfers[k]!(at, o, mask, k * width);
  };
}

/** Rows are filled by the lane that names them, with words of its own: what a product makes is not computed. */
function matrixStoreStep(op: Op, action: Extract<Action, { kind: "store" }>, registers: Registers, running: Running): Step {
  const [address, ...words] = op.args;
  const row = [0, 1, 2, 3].flatMap((word) => words[word % words.length] ?? []);
  const store = storeStep({ ...op, args: address ? [address, ...row] : [] }, action.space, registers, running);
  const lanes = rowLanes(action);
  return (o, mask) => store(o, mask & lanes);
}

/** Lane after lane, lowest first. */
function atomicStep(operation: AtomicOperation, op: Op, registers: Registers, { environment }: Running): Step {
  const [address, value, other] = op.args;
  if (!address || !value) throw new NotExecutable("an atomic without operands");
  const at = registers.doubles(address);
  const type = value.type as ScalarType;
  const operand = scalarReader(registers.slot(value));
  const compare = other ? scalarReader(registers.slot(other)) : undefined;
  const result = op.type === "void" ? undefined : scalarWriter(registers.slot(op));
  const combine = atomicFunction(operation, type);
  const isFloatSum = operation === "add" && /f/.test(type);
  return (o, mask) => {
    for (let i = o, bits = mask; bits !== 0; i++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      if (isFloatSum) environment.floatSums?.add(at[i]!);
      const old = environment.read(at[i]!, type, i);
      environment.write(at[i]!, type, combine(old, operand(i), compare?.(i) ?? 0), i);
      result?.(i, old);
    }
  };
}

/** What an atomic leaves in memory, of the old value, its operand and (compare and swap: (value to store, compare)) the other. */
function atomicFunction(op: AtomicOperation, type: ScalarType): (old: Scalar, value: Scalar, compare: Scalar) => Scalar {
  if (type === "i64") return (old, value, compare) => BigInt.asIntN(64, atomicLong(op, BigInt(old), BigInt(value), BigInt(compare)));
  const round = /^(f|bf)/.test(type) ? roundingTo(type) : undefined;
  return (old, value, compare) => {
    const a = Number(old);
    const b = Number(value);
    if (round) return round(atomicFloat(op, a, b, Number(compare)));
    return atomicInt(op, a, b, Number(compare));
  };
}

function atomicInt(op: AtomicOperation, a: number, b: number, compare: number): number {
  switch (op) {
    case "add":
      return (a + b) | 0;
    case "sub":
      return (a - b) | 0;
    case "exch":
      return b;
    case "min.s":
    case "fmin":
      return Math.min(a, b);
    case "max.s":
    case "fmax":
      return Math.max(a, b);
    case "min.u":
      return Math.min(a >>> 0, b >>> 0) | 0;
    case "max.u":
      return Math.max(a >>> 0, b >>> 0) | 0;
    case "inc":
      return a >>> 0 >= b >>> 0 ? 0 : (a + 1) | 0;
    case "dec":
      return a === 0 || a >>> 0 > b >>> 0 ? b : (a - 1) | 0;
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "cas":
      return a === compare ? b : a;
  }
}

function atomicLong(op: AtomicOperation, a: bigint, b: bigint, compare: bigint): bigint {
  const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value);
  switch (op) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "exch":
      return b;
    case "min.s":
    case "fmin":
      return a < b ? a : b;
    case "max.s":
    case "fmax":
      return a > b ? a : b;
    case "min.u":
      return unsigned(a) < unsigned(b) ? a : b;
    case "max.u":
      return unsigned(a) > unsigned(b) ? a : b;
    case "inc":
      return unsigned(a) >= unsigned(b) ? 0n : a + 1n;
    case "dec":
      return a === 0n || unsigned(a) > unsigned(b) ? b : a - 1n;
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "cas":
      return a === compare ? b : a;
  }
}

function atomicFloat(op: AtomicOperation, a: number, b: number, compare: number): number {
  switch (op) {
    case "sub":
      return a - b;
    case "exch":
      return b;
    case "fmin":
    case "min.s":
    case "min.u":
      return minimum(a, b);
    case "fmax":
    case "max.s":
    case "max.u":
      return maximum(a, b);
    case "cas":
      return a === compare ? b : a;
    default:
      return a + b;
  }
}

function copyAsyncStep(bytes: number, to: Doubles, from: Doubles, counts: Int32Array | undefined, { environment }: Running): Step {
  return (o, mask) => {
    for (let i = o, active = mask; active !== 0; i++, active >>>= 1) {
      if ((active & 1) === 0) continue;
      const read = counts ? counts[i]! : bytes;
      for (let k = 0; k < bytes; k += 4) environment.write(to[i]! + k, "i32", k < read ? environment.read(from[i]! + k, "i32", i) : 0, i);
    }
  };
}

/** Of a copy that some lanes fill with zeros: those read nothing. */
function countPartly(
  [global, shared]: readonly AccessCounter[],
  counts: Int32Array,
  from: Doubles,
  to: Doubles,
  whole: Step,
  running: Running,
): Step {
  return (o, mask) => {
    let reading = 0;
    for (let i = o, bit = 1, active = mask; active !== 0; i++, bit <<= 1, active >>>= 1) if (active & 1 && counts[i]! > 0) reading |= bit;
    if (reading === mask) {
      whole(o, mask);
      return;
    }
    if (reading !== 0) global?.count(from, o, reading, running.weight);
    shared?.count(to, o, mask, running.weight);
  };
}

/** A block-wide barrier that sums up a predicate: what the warps said before the last release. */
export class BarrierReduction {
  #count = 0;
  #threads = 0;
  #released = { count: 0, threads: 0 };

  arrive(values: Int32Array, o: number, mask: number): void {
    for (let k = 0; k < 32; k++) {
      if (!((mask >>> k) & 1)) continue;
      this.#threads++;
      if (values[o + k] !== 0) this.#count++;
    }
  }

  release(): void {
    this.#released = { count: this.#count, threads: this.#threads };
    this.#count = this.#threads = 0;
  }

  result(how: NonNullable<Extract<Action, { kind: "barrier" }>["reduce"]>): number {
    const { count, threads } = this.#released;
    switch (how) {
      case "count":
        return count;
      case "and":
        return count === threads ? 1 : 0;
      case "or":
        return count > 0 ? 1 : 0;
    }
  }
}
