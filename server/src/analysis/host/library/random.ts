/**
 * Random numbers of host code: where the state of a generator is known they are the program's own, one by one; else anything that may
 * come out. In a loop that is only watched nobody counts them, so that its generators' states are not known behind it.
 */
import { valueAt } from "../memory/content.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { libraryVariable } from "../memory/interpreter.ts";
import type { Cell, RecordValue, Value } from "../values/model.ts";
import { float, int, integerOf, numberOf, range, unknown, voidValue } from "../values/values.ts";
import { discrete, distributions, type Kept, shares } from "./distributions.ts";
import { type Generator, generators, twister } from "./generators.ts";
import { argumentValue, type LibraryFunction } from "./library.ts";

/** Where a program keeps a generator's state: what it was seeded with, and how many numbers it has given. */
export interface Stream {
  readonly name: string;
  readonly seed: Cell;
  readonly drawn: Cell;
}

/** The engine that a record of <random> is; undefined for other records. */
export function engineOf({ name, members }: RecordValue): Stream | undefined {
  const [seed, drawn] = [members.get("seed_"), members.get("drawn_")];
  return seed && drawn ? { name: shortName(name), seed, drawn } : undefined;
}

/** The generator behind `rand` or `drand48`. */
export function streamOfLibrary(host: Interpreter, name: "rand" | "rand48"): Stream {
  // A function that is run by itself does not know what was called before.
  const initial = (value: number): Value => (host.fromStart ? int(value, "ulong") : unknown("a generator's state"));
  return {
    name,
    seed: libraryVariable(host, `seed of ${name}`, initial(name === "rand" ? 1 : 0)),
    drawn: libraryVariable(host, `numbers of ${name}`, initial(0)),
  };
}

/** A generator that counts what it gives. */
export class Source implements Generator {
  readonly least: number;
  readonly greatest: number;
  /** The numbers are the program's own. */
  readonly isExact: boolean;
  readonly #generator: Generator;
  count: number;

  constructor(generator: Generator, count: number, isExact: boolean) {
    this.#generator = generator;
    this.least = generator.least;
    this.greatest = generator.greatest;
    this.count = count;
    this.isExact = isExact;
  }

  next(): number {
    this.count += 1;
    return this.#generator.next();
  }

  clone(): Source {
    return new Source(this.#generator.clone(), this.count, this.isExact);
  }
}

/** Numbers that are passed over to come to a state. */
const mostPassed = 1 << 22;
const states = new WeakMap<Cell, { readonly name: string; readonly seed: number; readonly source: Source }>();

/** The generator in the state that the program has brought it to; where that is not known, one of our own. */
export function sourceOf(host: Interpreter, { name, seed, drawn }: Stream): Source {
  const [start, count] = [integerOf(seed.value), integerOf(drawn.value)];
  const make = generators.get(name);
  if (make && start !== undefined && count !== undefined && Number.isSafeInteger(start)) {
    const known = states.get(drawn);
    const isBehind = known?.name === name && known.seed === start && known.source.count <= count;
    const source = isBehind ? known.source.clone() : new Source(make(start), 0, true);
    if (count - source.count <= mostPassed) {
      host.work?.spend((count - source.count) >> 8);
      while (source.count < count) source.next();
      return source;
    }
  }
  return madeUp(host);
}

export function madeUp(host: Interpreter): Source {
  host.replays.madeUp += 1;
  return new Source(twister(host.replays.madeUp), 0, false);
}

/** So that a generator need not be brought to its state once more. */
export function keepState(stream: Stream, source: Source, seed: number): void {
  states.set(stream.drawn, { name: stream.name, seed, source });
}

// ---------------------------------------------------------------- what the evaluator calls

/** Whether numbers are drawn one by one, in the program's order. */
const isInOrder = ({ loops }: Interpreter): boolean => loops.length === 0;

/** A number of a stream; undefined where its state is not known, which it is not any more then. */
export function drawn<T>(host: Interpreter, stream: Stream, draw: (source: Source) => T): T | undefined {
  const source = isInOrder(host) ? sourceOf(host, stream) : undefined;
  if (!source?.isExact) {
    host.journal.set(stream.drawn, unknown("numbers drawn in a loop"));
    return undefined;
  }
  const made = draw(source);
  host.journal.set(stream.drawn, int(source.count, "ulong"));
  keepState(stream, source, integerOf(stream.seed.value) ?? 0);
  return made;
}

const recordIn = (value: Value): RecordValue | undefined => (value.kind === "record" ? value : undefined);

/** Of an engine. */
const number: LibraryFunction = (host, args) => {
  const record = recordIn(argumentValue(args, 0));
  const stream = record && engineOf(record);
  if (!stream) return unknown("a random number");
  const made = drawn(host, stream, (source) => source.next());
  if (made !== undefined) return int(made, "ulong");
  const make = generators.get(stream.name)?.(1);
  if (stream.name === "mt19937_64") return unknown("a random number");
  return range(make?.least ?? 0, make?.greatest ?? 0xffffffff, "ulong");
};

/** Of a distribution, with an engine. */
const draw: LibraryFunction = (host, args) => {
  const [record, engine] = [recordIn(argumentValue(args, 0)), recordIn(argumentValue(args, 1))];
  const stream = engine && engineOf(engine);
  if (!record) return unknown("a random number");
  const name = shortName(record.name);
  const parameters = parametersOf(record);
  const made = stream && parameters && drawn(host, stream, (source) => numberOfDistribution(host, record, source, parameters));
  if (made !== undefined) return resultOf(record) === "integer" ? int(made, "long") : float(made);
  // Without an engine that is known nothing says which numbers it takes.
  const [a = Number.NaN, b = Number.NaN] = parameters ?? [];
  switch (name) {
    case "uniform_int_distribution":
      return range(a, b, "long");
    case "uniform_real_distribution":
      return range(a, b, "double");
    // The interval that has its mean and its variance.
    case "normal_distribution":
      return range(a - b * Math.sqrt(3), a + b * Math.sqrt(3), "double");
    case "bernoulli_distribution":
      return range(0, 1, "int");
    case "discrete_distribution":
      return parameters && parameters.length > 0 ? range(0, parameters.length - 1, "long") : unknown("a random number");
    default:
      return unknown("a random number");
  }
};

function numberOfDistribution(
  { journal }: Interpreter,
  record: RecordValue,
  source: Generator,
  parameters: readonly number[],
): number | undefined {
  const name = shortName(record.name);
  if (name === "discrete_distribution") return discrete(source, shares(parameters));
  const [value, isKept] = [record.members.get("kept_"), record.members.get("keeps_")];
  const kept: Kept = { value: isKept && integerOf(isKept.value) === 1 && value ? numberOf(value.value) : undefined };
  const made = distributions.get(name)?.draw(source, parameters, resultOf(record), kept);
  if (isKept) journal.set(isKept, int(Number(kept.value !== undefined), "bool"));
  if (value && kept.value !== undefined) journal.set(value, float(kept.value));
  return made;
}

/** What a distribution was made with; undefined where that is not known. */
function parametersOf(record: RecordValue): readonly number[] | undefined {
  const name = shortName(record.name);
  if (name === "discrete_distribution") return weightsOf(record);
  const numbers = distributions.get(name)?.parameters.map(([member]) => {
    const cell = record.members.get(member);
    return cell && numberOf(cell.value);
  });
  const known = numbers?.filter((each) => each !== undefined);
  return known?.length === numbers?.length ? known : undefined;
}

const mostWeights = 4096;

/** The weights of a discrete distribution, while they are not too many. */
export function weightsOf({ members }: RecordValue): readonly number[] | undefined {
  const weights = members.get("weights_")?.value;
  const count = weights?.kind === "container" ? integerOf(weights.size) : undefined;
  if (weights?.kind !== "container" || count === undefined || count > mostWeights) return undefined;
  const made = Array.from({ length: count }, (_, k) =>
    numberOf(weights.storage.cells.get(k * 8)?.value ?? valueAt(weights.storage.summary, k, weights.type.element)),
  );
  const known = made.filter((each) => each !== undefined);
  return known.length === count ? known : undefined;
}

/** What a distribution gives. */
export function resultOf({ name, type }: RecordValue): "integer" | "float" | "double" {
  if (shortName(name) === "bernoulli_distribution") return "integer";
  const value = type?.kind === "record" ? type.record.substitution.values.get("T") : undefined;
  const result = typeof value === "object" && "kind" in value ? value : undefined;
  return result?.kind === "floating" ? (result.name === "float" ? "float" : "double") : "integer";
}

export const shortName = (name: string): string => name.split("<")[0]?.split("::").at(-1) ?? name;

const ofLibrary =
  (name: "rand" | "rand48", value: (source: Source) => number, result: (value: number) => Value, otherwise: Value): LibraryFunction =>
  (host) => {
    const made = drawn(host, streamOfLibrary(host, name), value);
    return made === undefined ? otherwise : result(made);
  };

const seeds =
  (name: "rand" | "rand48"): LibraryFunction =>
  (host, args) => {
    const { seed, drawn: count } = streamOfLibrary(host, name);
    const given = integerOf(argumentValue(args, 0));
    const isKnown = given !== undefined && Number.isSafeInteger(given);
    const start = name === "rand" ? (given ?? 0) >>> 0 : ((given ?? 0) >>> 0) * 65536 + 0x330e;
    host.journal.set(seed, isKnown ? int(start, "ulong") : unknown("a seed that is not known"));
    host.journal.set(count, int(0, "ulong"));
    return voidValue;
  };

const rand = ofLibrary(
  "rand",
  (source) => source.next(),
  (value) => int(value),
  range(0, 2147483647, "int"),
);
const lrand48 = ofLibrary(
  "rand48",
  (source) => Math.floor(source.next() / 2 ** 17),
  (value) => int(value, "long"),
  range(0, 2147483647, "long"),
);

export const randomFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  ["__warplens_number", number],
  ["__warplens_draw", draw],
  ["rand", rand],
  ["random", rand],
  ["srand", seeds("rand")],
  ["srandom", seeds("rand")],
  ["srand48", seeds("rand48")],
  ["lrand48", lrand48],
  [
    "drand48",
    ofLibrary(
      "rand48",
      (source) => source.next() / 2 ** 48,
      (value) => float(value),
      range(0, 1, "double"),
    ),
  ],
  ["rand_r", () => range(0, 2147483647, "int")],
]);
