/** What of a launch's inputs nobody says, and what follows from it. */
import type { Program } from "../execute/program.ts";
import type { Argument, Launch, Op } from "../ir/kernel.ts";
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
    if (!this.#program.divergence.isVarying(op)) return none;
    const known = this.#apart.get(op);
    if (known) return known;
    // Round a loop: what comes in decides.
    this.#apart.set(op, none);
    this.#work.ask(4);
    const found = this.#differences(op);
    this.#apart.set(op, found);
    return found;
  }

  #differences(op: Op): Inputs {
    const { action, args } = op;
    switch (action.kind) {
      case "gep":
      case "phi":
      case "convert":
      case "extract":
        return union(args.map((arg) => this.#between(arg)));
      case "int":
        if (action.op === "add" || action.op === "sub") return union(args.map((arg) => this.#between(arg)));
        return union(args.map((arg) => this.#following(arg)));
      default:
        return this.#following(op);
    }
  }

  /** What decides a value. */
  #following(op: Op): Inputs {
    const known = this.#all.get(op);
    if (known) return known;
    this.#all.set(op, none);
    this.#work.ask(4);
    const index = parameterOf(op);
    const found: Inputs =
      op.action.kind === "unknown"
        ? new Set([unknownValue])
        : index === undefined
          ? union([...op.args.map((arg) => this.#following(arg)), this.#held(op)])
          : this.#assumed.has(index)
            ? new Set([index])
            : none;
    this.#all.set(op, found);
    return found;
  }

  /** What a load finds. */
  #held({ action, args: [address] }: Op): Inputs {
    if (action.kind !== "load" || !address) return none;
    const objects = [...this.#program.provenance.of(address)];
    const buffers = objects.flatMap((object) => (object.startsWith("buffer ") ? [contentsOf(Number(object.slice("buffer ".length)))] : []));
    const passed = objects.flatMap((object) => this.#stored.get(object) ?? []);
    return union([new Set(buffers.filter((input) => this.#assumed.has(input))), ...passed.map((value) => this.#following(value))]);
  }
}

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
