/**
 * A slow interpreter to check the engine against: one thread at a time, a map for registers, bigints for integers, no masks,
 * no slices, no skipping. Only memory's layout and the 16-bit floats are shared with the engine.
 */
import { findLoops, type Loop } from "../../ir/graph.ts";
import { roundBf16, roundF16 } from "../../ir/half.ts";
import { type Block, type Kernel, type Launch, type Op, type ScalarType, scalarBytes, type ValueType } from "../../ir/kernel.ts";
import { Environment } from "../environment.ts";
import { localBase, spaceOf } from "../memory.ts";
import { readScalar, writeScalar } from "../scalars.ts";

type Value = bigint | number | readonly (bigint | number)[];

/** One access of one thread. Accesses of a warp that agree in `op` and `when` are one request. */
export interface ReferenceAccess {
  readonly op: Op;
  readonly warp: number;
  readonly lane: number;
  /** Which iteration of each loop around it, which of the kernel's blocks it ran in. */
  readonly when: string;
  readonly address: number;
}

export interface ReferenceResult {
  readonly environment: Environment;
  readonly accesses: readonly ReferenceAccess[];
  /** Lanes by `block id/warp/when`. */
  readonly visits: ReadonlyMap<string, number>;
}

const bits: Readonly<Partial<Record<ValueType, number>>> = { i1: 1, i8: 8, i16: 16, i32: 32, i64: 64 };

/** The canonical value of an integer: i1 is 0 or 1, others are signed. */
function canonical(type: ValueType, value: bigint): bigint {
  const width = bits[type] ?? 64;
  return width === 1 ? BigInt.asUintN(1, value) : BigInt.asIntN(width, value);
}

const unsigned = (type: ValueType, value: bigint): bigint => BigInt.asUintN(bits[type] ?? 64, value);

/** A NaN is one value: which of them arithmetic makes is not said. */
function rounded(type: ValueType, value: number): number {
  if (Number.isNaN(value)) return Number.NaN;
  return type === "f32" ? Math.fround(value) : type === "f16" ? roundF16(value) : type === "bf16" ? roundBf16(value) : value;
}

/** Operations at which threads wait for each other. */
const meets: ReadonlySet<string> = new Set(["shuffle", "vote", "match", "reduce", "barrier"]);

interface Meeting {
  readonly op: Op;
  readonly operands: readonly Value[];
}

export class Reference {
  readonly environment: Environment;
  readonly #kernel: Kernel;
  readonly #launch: Launch;
  /** The loops around each block. */
  readonly #loops: ReadonlyMap<Block, readonly Loop[]>;
  readonly #accesses: ReferenceAccess[] = [];
  readonly #visits = new Map<string, number>();

  constructor(kernel: Kernel, launch: Launch) {
    this.#kernel = kernel;
    this.#launch = launch;
    this.environment = new Environment(kernel, launch);
    const loops = findLoops(kernel);
    this.#loops = new Map(kernel.blocks.map((block) => [block, loops.filter((loop) => loop.blocks.has(block))]));
  }

  result(): ReferenceResult {
    return { environment: this.environment, accesses: this.#accesses, visits: this.#visits };
  }

  runBlock(at: readonly [number, number, number]): void {
    const [width, height, depth] = this.#launch.block;
    this.environment.clearShared();
    let waiting = Array.from({ length: width * height * depth }, (_, thread) => ({
      thread,
      run: this.#thread(thread, at),
      give: undefined as Value | undefined,
    }));
    while (waiting.length > 0) {
      const met: { each: (typeof waiting)[number]; meeting: Meeting }[] = [];
      for (const each of waiting) {
        const { done, value } = each.run.next(each.give as Value);
        if (!done) met.push({ each, meeting: value });
      }
      for (const { each, meeting } of met) {
        const { kind } = meeting.op.action;
        const mates = met.filter(
          (other) => other.meeting.op === meeting.op && (kind === "barrier" || other.each.thread >> 5 === each.thread >> 5),
        );
        each.give = exchange(
          meeting,
          each.thread & 31,
          mates.map((mate) => ({ lane: mate.each.thread & 31, operands: mate.meeting.operands })),
        );
      }
      waiting = met.map(({ each }) => each);
    }
  }

  *#thread(thread: number, at: readonly [number, number, number]): Generator<Meeting, void, Value> {
    const values = new Map<Op, Value>();
    const iterations = new Map<Loop, number>();
    let from: Block | undefined;
    let block = this.#kernel.blocks[0];
    while (block) {
      const here: Block = block;
      const around = this.#loops.get(here) ?? [];
      for (const loop of around) {
        if (loop.header === here) iterations.set(loop, from && loop.blocks.has(from) ? (iterations.get(loop) ?? 0) + 1 : 0);
      }
      const when = `${around.map((loop) => iterations.get(loop)).join(".")}@${at.join(",")}`;
      const visit = `${here.id}/${thread >> 5}/${when}`;
      this.#visits.set(visit, (this.#visits.get(visit) ?? 0) + 1);
      if (from) {
        const edge = here.predecessors.indexOf(from);
        const incoming = here.phis.map((phi) => values.get(phi.args[edge] as Op) as Value);
        for (const [index, phi] of here.phis.entries()) values.set(phi, incoming[index] as Value);
      }
      for (const op of here.ops) {
        const operands = op.args.map((arg) => values.get(arg) as Value);
        if (meets.has(op.action.kind)) values.set(op, yield { op, operands });
        else values.set(op, this.#evaluate(op, operands, thread, at, when));
      }
      from = here;
      const { end }: Block = here;
      block = end.kind === "jump" ? end.to : end.kind === "branch" ? (values.get(end.cond) === 1n ? end.then : end.else) : undefined;
    }
  }

  #evaluate(op: Op, operands: readonly Value[], thread: number, at: readonly [number, number, number], when: string): Value {
    const { action, type, args } = op;
    const { environment } = this;
    const [a, b, c] = operands;
    const visit = (address: Value | undefined): number => {
      const place = spaceOf(Number(address)) === "local" ? Number(address) - localBase : Number(address);
      this.#accesses.push({ op, warp: thread >> 5, lane: thread & 31, when, address: place });
      return Number(address);
    };
    const read = (address: number, of: ScalarType): bigint | number => fromMemory(of, environment.read(address, of, thread));
    const write = (address: number, of: ScalarType, value: Value | undefined): void =>
      environment.write(address, of, of === "i64" ? BigInt(value as bigint) : Number(value as number), thread);
    switch (action.kind) {
      case "const":
        return bits[type] ? canonical(type, BigInt(action.value)) : Number(action.value);
      case "param":
        return fromMemory(type as ScalarType, environment.parameterValue(action.index));
      case "param.address":
        return environment.parameterAddress(action.index);
      case "shared.address":
        return environment.sharedAddresses[action.index] ?? 0;
      case "global.address":
        return environment.globalAddresses[action.index] ?? 0;
      case "alloca":
        return environment.allocas.get(op) ?? 0;
      case "special":
        return BigInt(this.#special(action.register, thread, at));
      case "int":
        return integer(action.op, type, a as bigint, b as bigint);
      case "float":
        return float(action.op, type, a as number, b as number);
      case "icmp":
        return compare(action.predicate, args[0]?.type ?? "i32", a as bigint, b as bigint) ? 1n : 0n;
      case "fma":
        return rounded(type, (a as number) * (b as number) + (c as number));
      case "math":
        if (action.fn !== "fneg") throw new Error(`the reference has no ${action.fn}`);
        return rounded(type, -(a as number));
      case "fcmp":
        return compareFloats(action.predicate, a as number, b as number) ? 1n : 0n;
      case "select":
        return (a === 1n ? b : c) as Value;
      case "convert":
        return convert(action.op, args[0]?.type ?? "i32", type, a as bigint | number);
      case "gep":
        return Number(a) + Number(b) * action.scale + action.offset;
      case "unknown":
        return bits[type] ? 1n : 1;
      case "extract":
        return (a as readonly (bigint | number)[])[action.index] as Value;
      case "load": {
        const address = visit(a);
        const of = type as ScalarType;
        const components = Array.from({ length: action.components }, (_, k) => read(address + k * scalarBytes[of], of));
        return action.components === 1 ? (components[0] as Value) : components;
      }
      case "store": {
        const address = visit(a);
        for (const [k, value] of operands.slice(1).entries()) {
          const of = args[1 + k]?.type as ScalarType;
          write(address + k * scalarBytes[of], of, value);
        }
        return 0n;
      }
      case "atomic": {
        const address = visit(a);
        const of = args[1]?.type as ScalarType;
        const old = read(address, of);
        if (action.op === "add")
          write(address, of, bits[of] ? canonical(of, BigInt(old) + (b as bigint)) : rounded(of, Number(old) + Number(b)));
        else if (action.op === "max.s") write(address, of, BigInt(old) > (b as bigint) ? old : b);
        else throw new Error(`the reference has no atomic ${action.op}`);
        return old;
      }
      case "syncwarp":
      case "fence":
      case "call":
        return 0n;
      default:
        throw new Error(`the reference has no ${action.kind}`);
    }
  }

  #special(register: string, thread: number, at: readonly [number, number, number]): number {
    const { block, grid } = this.#launch;
    const tid = [thread % block[0], Math.floor(thread / block[0]) % block[1], Math.floor(thread / (block[0] * block[1]))];
    const [name, axis = "x"] = register.split(".");
    const k = "xyz".indexOf(axis);
    if (name === "laneid") return thread & 31;
    const of: Readonly<Record<string, readonly number[]>> = { tid, ntid: block, ctaid: at, nctaid: grid };
    return of[name ?? ""]?.[k] ?? 0;
  }
}

const fromMemory = (type: ScalarType, value: bigint | number): bigint | number =>
  bits[type] ? canonical(type, BigInt(value)) : rounded(type, Number(value));

function integer(op: string, type: ValueType, a: bigint, b: bigint): bigint {
  const [x, y] = [unsigned(type, a), unsigned(type, b)];
  const width = BigInt(bits[type] ?? 64);
  // Shift counts are 32 bits wide, whatever is shifted.
  const by = BigInt.asUintN(32, b);
  const results: Readonly<Record<string, () => bigint>> = {
    add: () => a + b,
    sub: () => a - b,
    mul: () => a * b,
    "mulhi.s": () => (a * b) >> width,
    "mulhi.u": () => (x * y) >> width,
    sdiv: () => (b === 0n ? -1n : a / b),
    udiv: () => (y === 0n ? -1n : x / y),
    srem: () => (b === 0n ? a : a % b),
    urem: () => (y === 0n ? a : x % y),
    and: () => a & b,
    or: () => a | b,
    xor: () => a ^ b,
    shl: () => (by >= width ? 0n : a << by),
    lshr: () => (by >= width ? 0n : x >> by),
    ashr: () => a >> (by >= width ? width - 1n : by),
    smin: () => (a < b ? a : b),
    smax: () => (a > b ? a : b),
    umin: () => (x < y ? a : b),
    umax: () => (x > y ? a : b),
  };
  const result = results[op];
  if (!result) throw new Error(`the reference has no ${op}`);
  return canonical(type, result());
}

function float(op: string, type: ValueType, a: number, b: number): number {
  const results: Readonly<Record<string, number>> = {
    fadd: a + b,
    fsub: a - b,
    fmul: a * b,
    fdiv: a / b,
    fmin: Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b),
    fmax: Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b),
  };
  const result = results[op];
  if (result === undefined) throw new Error(`the reference has no ${op}`);
  return rounded(type, result);
}

function compare(predicate: string, type: ValueType, a: bigint | number, b: bigint | number): boolean {
  const raw = predicate.startsWith("u") && typeof a === "bigint" && typeof b === "bigint";
  const [x, y] = raw ? [unsigned(type, a as bigint), unsigned(type, b as bigint)] : [a, b];
  if (predicate === "eq") return x === y;
  if (predicate === "ne") return x !== y;
  switch (predicate.slice(1)) {
    case "lt":
      return x < y;
    case "le":
      return x <= y;
    case "gt":
      return x > y;
    default:
      return x >= y;
  }
}

function compareFloats(predicate: string, a: number, b: number): boolean {
  if (predicate === "une") return a !== b;
  if (predicate === "uno") return Number.isNaN(a) || Number.isNaN(b);
  if (predicate === "oeq") return a === b;
  return compare(`s${predicate.slice(1)}`, "f64", a, b) && !Number.isNaN(a) && !Number.isNaN(b);
}

function convert(op: string, from: ValueType, to: ValueType, value: bigint | number): bigint | number {
  switch (op) {
    case "trunc":
      return canonical(to, value as bigint);
    case "sext":
      return from === "i1" ? canonical(to, -(value as bigint)) : (value as bigint);
    case "zext":
      return canonical(to, unsigned(from, value as bigint));
    case "sitofp":
      return rounded(to, Number(value));
    case "uitofp":
      return rounded(to, Number(unsigned(from, value as bigint)));
    case "fptosi": {
      const width = BigInt(bits[to] ?? 64);
      const [low, high] = [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n];
      if (Number.isNaN(value)) return 0n;
      if (!Number.isFinite(Number(value))) return Number(value) > 0 ? high : low;
      const whole = BigInt(Math.trunc(Number(value)));
      return whole < low ? low : whole > high ? high : whole;
    }
    case "fpext":
    case "fptrunc":
      return rounded(to, Number(value));
    case "bitcast": {
      const view = new DataView(new ArrayBuffer(8));
      writeScalar(view, 0, from as ScalarType, from === "i64" ? (value as bigint) : Number(value));
      return fromMemory(to as ScalarType, readScalar(view, 0, to as ScalarType));
    }
    default:
      throw new Error(`the reference has no ${op}`);
  }
}

/** What a thread gets where lanes of its warp, or all threads of its block, meet. */
function exchange({ op, operands }: Meeting, lane: number, mates: readonly { lane: number; operands: readonly Value[] }[]): Value {
  const { action } = op;
  const second = (of: readonly Value[]): Value => of[1] as Value;
  const mask = mates.reduce((all, mate) => all | (1n << BigInt(mate.lane)), 0n);
  switch (action.kind) {
    case "barrier": {
      const set = mates.filter((mate) => mate.operands[0] !== undefined && mate.operands[0] !== 0n).length;
      return action.reduce === "count" ? BigInt(set) : action.reduce === "and" ? (set === mates.length ? 1n : 0n) : set > 0 ? 1n : 0n;
    }
    case "shuffle": {
      const by = Number(BigInt.asUintN(32, operands[2] as bigint));
      const start = lane - (lane % action.width);
      const sources = { idx: start + (by % action.width), up: lane - (by % 32), down: lane + (by % 32), xor: lane ^ (by % 32) };
      const source = sources[action.mode];
      const inside = action.mode === "up" ? source >= start : source < start + action.width;
      const found = mates.find((mate) => mate.lane === (inside ? source : lane));
      return second(found?.operands ?? operands);
    }
    case "vote": {
      const set = mates.filter((mate) => second(mate.operands) === 1n);
      if (action.mode === "ballot")
        return canonical(
          "i32",
          set.reduce((all, mate) => all | (1n << BigInt(mate.lane)), 0n),
        );
      const yes =
        action.mode === "any" ? set.length > 0 : action.mode === "all" ? set.length === mates.length : set.length % mates.length === 0;
      return yes ? 1n : 0n;
    }
    case "match": {
      const same = mates.filter((mate) => second(mate.operands) === second(operands));
      if (action.mode === "all") return same.length === mates.length ? canonical("i32", mask) : 0n;
      return canonical(
        "i32",
        same.reduce((all, mate) => all | (1n << BigInt(mate.lane)), 0n),
      );
    }
    case "reduce":
      if (action.op !== "add") throw new Error(`the reference has no reduction ${action.op}`);
      return canonical(
        "i32",
        mates.reduce((sum, mate) => sum + (second(mate.operands) as bigint), 0n),
      );
    default:
      return 0n;
  }
}
