/** What of a launch's inputs nobody says, and what follows from it. */
import type { Program } from "../execute/program.ts";
import type { Argument, Launch, Op } from "../ir/kernel.ts";
import { answerOf } from "../ir/origins.ts";
import type { Work } from "../work.ts";

/** Inputs are numbered: parameters from 0 up, what buffers hold from -1 down. */
type Inputs = ReadonlySet<number>;
const none: Inputs = new Set();
const contentsOf = (buffer: number): number => -1 - buffer;
/** Values in the kernel that nobody knows, in the words of the assumptions. */
const unknownValue = Number.NEGATIVE_INFINITY;
const unknownName = "a value";

const union = (all: readonly Inputs[]): Inputs => {
  const [first = none, ...others] = all.filter(({ size }) => size > 0);
  return others.length === 0 ? first : new Set(all.flatMap((each) => [...each]));
};

const isAssumed = (argument: Argument | undefined): boolean =>
  argument?.kind === "scalar"
    ? argument.assumed === true
    : argument?.kind === "aggregate" && argument.fields.some(({ value }) => isAssumed(value));

export class AssumedInputs {
  readonly #program: Program;
  readonly #work: Work;
  /** Parameters and contents that are assumed. */
  readonly #assumed: Inputs;
  /** By shared or local array, the values that are stored there. */
  readonly #stored = new Map<string, Op[]>();
  readonly #all = new Map<Op, Inputs>();
  readonly #apart = new Map<Op, Inputs>();
  #compared: Inputs | undefined;

  /** @param madeUp buffers of which nobody says what they hold */
  constructor(program: Program, madeUp: ReadonlySet<number>, work: Work) {
    this.#program = program;
    this.#work = work;
    const parameters = program.launch.arguments.flatMap((argument, index) => (isAssumed(argument) ? [index] : []));
    this.#assumed = new Set([...parameters, ...[...madeUp].map(contentsOf)]);
    for (const { action, args } of program.kernel.blocks.flatMap(({ ops }) => ops)) {
      const [address, ...values] = args;
      if (action.kind !== "store" || !address) continue;
      for (const object of program.provenance.of(address))
        if (isPassing(object)) this.#stored.set(object, [...(this.#stored.get(object) ?? []), ...values]);
    }
  }

  /** Those that decide where the launch goes and what it touches, in the words of its assumptions. */
  names(): string[] {
    const { kernel, slice, launch } = this.#program;
    const found = new Set<number>();
    for (const block of kernel.blocks) {
      this.#work.ask(block.ops.length);
      for (const op of block.ops) {
        if (op.action.kind === "unknown" && slice.needs(op)) found.add(unknownValue);
        const index = parameterOf(op);
        if (index !== undefined && this.#assumed.has(index) && (slice.needs(op) || op.action.kind === "param.address")) found.add(index);
      }
    }
    for (const input of this.#assumed) if (input < 0) found.add(input);
    const name = (input: number): string | undefined =>
      input === unknownValue
        ? unknownName
        : input < 0
          ? `contents of ${launch.buffers[contentsOf(input)]?.name}`
          : kernel.parameters[input]?.name;
    return [...found].flatMap((input) => name(input) ?? []);
  }

  /**
   * What decides how the lanes of these accesses lie to each other, as far as it is assumed: contents, or numbers that may as well be 1,
   * for both of which there is nothing else to try; or lengths.
   */
  apart(ops: readonly Op[]): "contents" | "numbers" | "lengths" | undefined {
    const found = union(ops.flatMap(({ args: [address] }) => (address ? [this.#between(address)] : [])));
    if ([...found].some((input) => input < 0)) return "contents";
    if (found.size === 0) return undefined;
    const lengths = this.#lengths();
    return [...found].some((input) => lengths.has(input)) ? "lengths" : "numbers";
  }

  /** Numbers that something is compared with: the kernel goes up to them. */
  #lengths(): Inputs {
    this.#compared ??= union(
      this.#program.kernel.blocks.flatMap(({ ops }) =>
        ops.flatMap((op) => (op.action.kind === "icmp" ? op.args.map((arg) => this.#following(arg)) : [])),
      ),
    );
    return this.#compared;
  }

  /** Whether a value follows from contents or values that are assumed. */
  behind(op: Op): "contents" | "values" | undefined {
    const found = [...this.#following(op)];
    return found.length === 0 ? undefined : found.some((input) => input < 0) ? "contents" : "values";
  }

  /** What decides how a value differs between lanes. */
  #between(op: Op): Inputs {
    const { divergence } = this.#program;
    if (!divergence.isVarying(op)) return none;
    // Round a loop: what comes in decides.
    return answerOf(
      op,
      this.#apart,
      none,
      (each) => (isMoved(each) ? each.args.filter((arg) => divergence.isVarying(arg)) : []),
      (each) => this.#differences(each),
    );
  }

  #differences(op: Op): Inputs {
    this.#work.ask(4);
    if (isMoved(op)) return union(op.args.map((arg) => this.#apart.get(arg) ?? none));
    return op.action.kind === "int" ? union(op.args.map((arg) => this.#following(arg))) : this.#following(op);
  }

  /** What decides a value. */
  #following(op: Op): Inputs {
    return answerOf(
      op,
      this.#all,
      none,
      (each) => this.#sources(each),
      (each) => this.#decided(each),
    );
  }

  /** Values that one follows from: its operands, and what is stored where it is loaded. */
  #sources(op: Op): readonly Op[] {
    if (op.action.kind === "unknown" || parameterOf(op) !== undefined) return [];
    const passed = this.#objects(op).flatMap((object) => this.#stored.get(object) ?? []);
    return passed.length === 0 ? op.args : [...op.args, ...passed];
  }

  #decided(op: Op): Inputs {
    this.#work.ask(4);
    if (op.action.kind === "unknown") return new Set([unknownValue]);
    const index = parameterOf(op);
    if (index !== undefined) return this.#assumed.has(index) ? new Set([index]) : none;
    const buffers = this.#objects(op).flatMap((object) =>
      object.startsWith("buffer ") ? [contentsOf(Number(object.slice("buffer ".length)))] : [],
    );
    const held = new Set(buffers.filter((input) => this.#assumed.has(input)));
    return union([...this.#sources(op).map((source) => this.#all.get(source) ?? none), held]);
  }

  /** What a load may find something of. */
  #objects({ action, args: [address] }: Op): readonly string[] {
    return action.kind === "load" && address ? [...this.#program.provenance.of(address)] : [];
  }
}

/** What differs between lanes as its operands do. */
const isMoved = ({ action }: Op): boolean =>
  /^(gep|phi|convert|extract)$/.test(action.kind) || (action.kind === "int" && (action.op === "add" || action.op === "sub"));

/** Holds nothing that the kernel has not stored there. */
const isPassing = (object: string): boolean => object.startsWith("shared ") || object.startsWith("local ");

const parameterOf = ({ action }: Op): number | undefined =>
  action.kind === "param" || action.kind === "param.address" ? action.index : undefined;

/** No multiple of a bank, a sector or a warp, and no common size of anything. */
const [oneValue, anotherValue] = [97, 61];

/** The launch with other values where nobody says which. */
export function withOtherValues(launch: Launch): Launch {
  const other = (argument: Argument): Argument => {
    if (argument.kind === "aggregate")
      return { ...argument, fields: argument.fields.map((field) => ({ ...field, value: other(field.value) })) };
    if (argument.kind !== "scalar" || !argument.assumed) return argument;
    const value = Number(argument.value) === oneValue ? anotherValue : oneValue;
    return { ...argument, value: typeof argument.value === "bigint" ? BigInt(value) : value };
  };
  return { ...launch, arguments: launch.arguments.map(other) };
}
