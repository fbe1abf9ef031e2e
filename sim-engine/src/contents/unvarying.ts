/**
 * Values that are one number in all threads, all through a launch: arguments, what cleared memory holds, and what is computed of these.
 * Found without running anything; what is asked for costs no more than the operations it is computed of.
 */
import { floatFunctions } from "../execute/math.ts";
import { type MemoryObject, mayOverlap, type Provenance } from "../execute/provenance.ts";
import { compareFloat, compareInt, evaluateConversion, evaluateFloat, evaluateInt, evaluateMath, roundTo } from "../ir/evaluate.ts";
import type { Kernel, Launch, Op, ScalarType } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

export type Known = number | bigint;

/** `varies`: not one number, or nobody knows which. Undefined: nothing that it is computed of is known to be anything so far. */
type Value = Known | "varies" | undefined;

interface Writer {
  readonly op: Op;
  readonly objects: ReadonlySet<MemoryObject>;
}

/** Rounds of looking at all operations: each changes twice at most, but phis of loops in each other may hand that on one by one. */
const mostRounds = 12;

export class Unvarying {
  readonly #kernel: Kernel;
  readonly #launch: Launch;
  readonly #provenance: Provenance;
  readonly #before: (buffer: number, type: ScalarType) => Known | undefined;
  readonly #work: Work;
  readonly #writers: readonly Writer[];
  readonly #values = new Map<Op, Value>();
  /** Operations that something was asked about, and those that these are computed of. */
  readonly #asked = new Set<Op>();
  /** By memory objects: who writes there; and what a round has found them to hold, by type. */
  readonly #writersOf = new Map<string, readonly Writer[]>();
  readonly #found = new Map<string, Value>();
  readonly #followed = new Set<string>();

  /** @param before gives what all of a buffer holds before the launch */
  constructor(
    kernel: Kernel,
    launch: Launch,
    provenance: Provenance,
    before: (buffer: number, type: ScalarType) => Known | undefined,
    work: Work,
  ) {
    this.#kernel = kernel;
    this.#launch = launch;
    this.#provenance = provenance;
    this.#before = before;
    this.#work = work;
    const writers: Writer[] = [];
    for (const { ops } of kernel.blocks)
      for (const op of ops) {
        const { kind } = op.action;
        const [target] = op.args;
        if (target && (kind === "store" || kind === "atomic" || kind === "copy.async"))
          writers.push({ op, objects: provenance.of(target) });
        if (kind === "copy.bulk") writers.push({ op, objects: new Set<MemoryObject>(["any"]) });
      }
    this.#writers = writers;
  }

  /** The number that each of these operations has wherever it is computed; none for those that vary. */
  of(ops: readonly Op[]): ReadonlyMap<Op, Known> {
    for (const op of ops) this.#ask(op);
    this.#settle();
    const found = new Map<Op, Known>();
    for (const op of ops) {
      const value = this.#values.get(op);
      if (value !== undefined && value !== "varies") found.set(op, value);
    }
    return found;
  }

  /** The number that all of a buffer holds behind the launch. */
  leftIn(buffer: number, type: ScalarType): Known | undefined {
    const object: ReadonlySet<MemoryObject> = new Set([`buffer ${buffer}` as const]);
    for (const writer of this.#overlapping(object)) for (const arg of writer.op.args.slice(1)) this.#ask(arg);
    this.#settle();
    const value = this.#held(object, type);
    return value === "varies" ? undefined : value;
  }

  #overlapping(objects: ReadonlySet<MemoryObject>): readonly Writer[] {
    const key = keyOf(objects);
    const known = this.#writersOf.get(key);
    if (known) return known;
    this.#work.ask(this.#writers.length / 4);
    const found = this.#writers.filter((writer) => mayOverlap(writer.objects, objects));
    this.#writersOf.set(key, found);
    return found;
  }

  #ask(op: Op): void {
    const pending = [op];
    for (let at = pending.pop(); at; at = pending.pop()) {
      if (this.#asked.has(at)) continue;
      this.#asked.add(at);
      this.#work.ask(1);
      const [address] = at.args;
      if (at.action.kind !== "load" || !address) {
        pending.push(...at.args);
        continue;
      }
      const objects = this.#provenance.of(address);
      const key = keyOf(objects);
      if (this.#followed.has(key)) continue;
      this.#followed.add(key);
      for (const { op: writer } of this.#overlapping(objects)) {
        pending.push(...writer.args.slice(1));
        // What is copied there matters as well.
        const [, source] = writer.args;
        if (writer.action.kind !== "copy.async" || !source) continue;
        for (const { op: first } of this.#overlapping(this.#provenance.of(source))) pending.push(...first.args.slice(1));
      }
    }
  }

  /** Values start out as nothing, so that what goes round a loop without a change is found to stay what it was. */
  #settle(): void {
    const order: Op[] = [];
    for (const { phis, ops } of this.#kernel.blocks) for (const op of [...phis, ...ops]) if (this.#asked.has(op)) order.push(op);
    let changed = true;
    for (let round = 0; changed && round < mostRounds; round++) {
      changed = false;
      this.#found.clear();
      for (const op of order) {
        this.#work.ask(1);
        const before = this.#values.get(op);
        if (before === "varies") continue;
        const value = joined(before, this.#value(op));
        if (value === undefined || (before !== undefined && isSame(before, value))) continue;
        this.#values.set(op, value);
        changed = true;
      }
    }
    if (changed) for (const op of order) this.#values.set(op, "varies");
    this.#found.clear();
  }

  #value(op: Op): Value {
    const { action, type } = op;
    const args = op.args.map((arg) => this.#values.get(arg));
    switch (action.kind) {
      case "const":
        return action.value;
      case "param": {
        const argument = this.#launch.arguments[action.index];
        return argument?.kind === "scalar" && argument.assumed !== true ? argument.value : "varies";
      }
      case "phi":
        return args.reduce((sum, arg) => joined(sum, arg), undefined);
      case "select": {
        const [condition, then, other] = args;
        if (condition === undefined || condition === "varies") return condition && joined(then, other);
        return Number(condition) === 0 ? other : then;
      }
      case "extract":
        return args[0];
      case "shuffle":
        return args[1];
      case "load":
        return op.args[0] && type !== "void" ? this.#held(this.#provenance.of(op.args[0]), type) : "varies";
      case "matrix":
        // Products of nothing but zeros.
        return args.some((arg) => arg === undefined)
          ? undefined
          : args.every((arg) => arg !== "varies" && Number(arg) === 0)
            ? 0
            : "varies";
      case "float":
        // Numbers that nobody knows are taken to be neither zero nor infinite.
        if (action.op === "fmul" && args.some(isZero) && args.includes("varies")) return 0;
        if (action.op === "fdiv" && isZero(args[0]) && args[1] === "varies") return 0;
        return onNumbers(args, ([a = 0, b = 0]) => evaluateFloat(action.op, type as ScalarType, Number(a), Number(b)));
      case "fma":
        if (args.slice(0, 2).some(isZero) && args.slice(0, 2).includes("varies")) return args[2];
        return onNumbers(args, ([a = 0, b = 0, c = 0]) => roundTo(type as ScalarType, Number(a) * Number(b) + Number(c)));
      case "int":
        if ((action.op === "mul" || action.op === "and") && args.some(isZero)) return type === "i64" ? 0n : 0;
        return onNumbers(args, ([a = 0, b = 0]) => evaluateInt(action.op, type as ScalarType, a, b));
      case "icmp":
        return onNumbers(args, ([a = 0, b = 0]) => (compareInt(action.predicate, op.args[0]?.type as ScalarType, a, b) ? 1 : 0));
      case "fcmp":
        return onNumbers(args, ([a = 0, b = 0]) => (compareFloat(action.predicate, Number(a), Number(b)) ? 1 : 0));
      case "convert": {
        // Halves as such are numbers here; what is zero is zero in whatever type.
        if (isZero(args[0])) return type === "i64" ? 0n : 0;
        return onNumbers(args, ([a = 0]) => evaluateConversion(action.op, op.args[0]?.type as ScalarType, type as ScalarType, a));
      }
      case "math":
        return onNumbers(args, (given) => {
          const numbers = given.map(Number);
          const folded = evaluateMath(action.fn, type as ScalarType, numbers);
          if (folded !== undefined) return folded;
          // Not to the last bit, but near enough to tell which numbers are special.
          const [a = 0, b = 0, c = 0] = numbers;
          const near = floatFunctions[action.fn]?.(a, b, c);
          return near === undefined ? undefined : roundTo(type as ScalarType, near);
        });
      default:
        return "varies";
    }
  }

  /** What all elements of this memory hold, all through the launch, as far as the round began with. */
  #held(objects: ReadonlySet<MemoryObject>, type: ScalarType): Value {
    const key = `${keyOf(objects)} ${type}`;
    if (this.#found.has(key)) return this.#found.get(key);
    // What is copied from there to there again adds nothing.
    this.#found.set(key, undefined);
    const value = this.#heldBy(objects, type);
    this.#found.set(key, value);
    return value;
  }

  #heldBy(objects: ReadonlySet<MemoryObject>, type: ScalarType): Value {
    if (objects.size === 0) return "varies";
    let value: Value;
    for (const object of objects) {
      const [kind, index] = object.split(" ");
      if (kind === "buffer") value = joined(value, this.#before(Number(index), type) ?? "varies");
      else if (kind === "global") value = joined(value, ofVariable(this.#kernel.globals[Number(index)]?.content));
      // What shared memory and local variables begin with is nothing that a program goes by.
      else if (kind !== "shared" && kind !== "local") return "varies";
    }
    for (const { op } of this.#overlapping(objects)) {
      if (value === "varies") return value;
      this.#work.ask(1 / 4);
      value = joined(value, this.#written(op, type));
    }
    return value;
  }

  /** What an operation writes, as a load of this type finds it. */
  #written(op: Op, type: ScalarType): Value {
    const { action } = op;
    if (action.kind === "store") {
      return op.args.slice(1).reduce<Value>((sum, arg) => {
        const value = this.#values.get(arg);
        return joined(sum, value === undefined || arg.type === type || isZero(value) ? value : "varies");
      }, undefined);
    }
    const [, source] = op.args;
    if (action.kind === "copy.async" && source) return this.#held(this.#provenance.of(source), type);
    // To add nothing leaves what was there.
    if (action.kind === "atomic" && source && action.op === "add") {
      const value = this.#values.get(source);
      return value === undefined || isZero(value) ? undefined : "varies";
    }
    return "varies";
  }
}

const keyOf = (objects: ReadonlySet<MemoryObject>): string => [...objects].sort().join(" ");

const isZero = (value: Value): boolean => value !== undefined && value !== "varies" && Number(value) === 0;

const isSame = (a: Value, b: Value): boolean =>
  a === b || (typeof a === "number" && typeof b === "number" && Number.isNaN(a) && Number.isNaN(b));

const joined = (a: Value, b: Value): Value => (a === undefined ? b : b === undefined || isSame(a, b) ? a : "varies");

function onNumbers(args: readonly Value[], compute: (args: readonly Known[]) => Known | undefined): Value {
  if (args.includes("varies")) return "varies";
  const given = args.filter((arg) => arg !== undefined && arg !== "varies");
  return given.length < args.length ? undefined : (compute(given) ?? "varies");
}

const ofVariable = (content: { readonly kind: string } | undefined): Value => (content?.kind === "zero" ? 0 : "varies");
