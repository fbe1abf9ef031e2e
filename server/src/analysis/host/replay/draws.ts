/** Random numbers that replayed code draws: from `rand` and its kin, engines and distributions of <random>. */

import type { Expression, VariableDeclaration } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { discrete, distributions, type Kept, shares } from "../library/distributions.ts";
import { generators } from "../library/generators.ts";
import { engineOf, madeUp, resultOf, Source, type Stream, shortName, sourceOf, streamOfLibrary, weightsOf } from "../library/random.ts";
import { hostType } from "../memory/host-types.ts";
import type { RecordValue } from "../values/model.ts";
import { integerOf } from "../values/values.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import { NotCompiled } from "./compiled/not-compiled.ts";
import { writeConversion } from "./compiled/numbers.ts";
import { drawnSource, inventedSource } from "./flow.ts";
import {
  asStatement,
  type Code,
  compilable,
  type Drawer,
  type Engine,
  GivenUp,
  type Machine,
  newSlot,
  type Run,
  type Slot,
  spend,
  Unsupported,
} from "./machine.ts";
import { cellSlot, storeTo } from "./targets.ts";

const operations = 3;
/** Of compiled code. */
const drawingCost = 60;

/** An engine that a variable of the host holds. */
function engineOfHost(machine: Machine, stream: Stream): Engine {
  const { random, host } = machine;
  if (!random) throw new Unsupported();
  const known = random.engines.get(stream.drawn);
  if (known) return known.engine;
  const source = sourceOf(host, stream);
  const engine: Engine = { kind: "engine", source: () => source, isExact: source.isExact, origin: stream.drawn };
  random.engines.set(stream.drawn, { engine, source, seed: integerOf(stream.seed.value) ?? 0, stream });
  return engine;
}

/** What a record of the host is to code that draws: an engine, a distribution; undefined for others. */
export function drawerOf(machine: Machine, record: RecordValue): Engine | Drawer | undefined {
  const stream = engineOf(record);
  if (stream) return engineOfHost(machine, stream);
  const name = shortName(record.name);
  const result = resultOf(record);
  const type = name === "bernoulli_distribution" ? "bool" : (resultType(record) ?? (result === "integer" ? "int" : result));
  if (name === "discrete_distribution" && record.members.has("weights_")) {
    const weights = weightsOf(record);
    if (!weights) throw new Unsupported();
    const ends = shares(weights);
    return { kind: "distribution", type, reads: [], keeps: [], draw: (from) => discrete(from, ends) };
  }
  const found = distributions.get(name);
  if (!found || !record.members.has("keeps_")) return undefined;
  const slotOf = (member: string): Slot => {
    const cell = record.members.get(member);
    if (!cell) throw new Unsupported();
    return cellSlot(machine, cell);
  };
  const parameters = found.parameters.map(([member]) => slotOf(member));
  return drawing(machine, name, type, parameters, { value: slotOf("kept_"), isKept: slotOf("keeps_") });
}

function resultType({ type }: RecordValue): NumberName | undefined {
  const value = type?.kind === "record" ? type.record.substitution.values.get("T") : undefined;
  const result = typeof value === "object" && "kind" in value ? value : undefined;
  return result?.kind === "integer" || result?.kind === "floating" ? result.name : undefined;
}

/** @param held what it keeps from one number to the next */
function drawing(
  machine: Machine,
  name: string,
  type: NumberName,
  parameters: readonly Slot[],
  held: { readonly value: Slot; readonly isKept: Slot },
): Drawer {
  const found = distributions.get(name);
  if (!found) throw new Unsupported();
  const { slots } = machine;
  const result = type === "float" || type === "double" ? type : "integer";
  const keeps = [held.value.index, held.isKept.index];
  for (const index of keeps) machine.stored.add(index);
  const kept: Kept = { value: undefined };
  const given = new Float64Array(parameters.length);
  return {
    kind: "distribution",
    type,
    reads: [...parameters.map(({ index }) => index), ...keeps],
    keeps,
    draw: (from) => {
      for (let k = 0; k < given.length; k++) {
        const value = slots[parameters[k]?.index ?? 0];
        if (typeof value !== "number") throw new GivenUp();
        given[k] = value;
      }
      kept.value = slots[held.isKept.index] === 1 ? slots[held.value.index] : undefined;
      const made = found.draw(from, given, result, kept);
      slots[held.isKept.index] = kept.value === undefined ? 0 : 1;
      if (kept.value !== undefined) slots[held.value.index] = kept.value;
      if (made === undefined) throw new GivenUp();
      return made;
    },
  };
}

/** `engine()` */
export function numberCode(machine: Machine, engine: Engine): Code {
  const { source } = engine;
  return drawn(machine, engine, "ulong", () => source().next());
}

/** `distribution(engine)` */
export function drawCode(machine: Machine, { type, draw, reads, keeps }: Drawer, engine: Engine): Code {
  const { source } = engine;
  for (const index of reads) machine.random?.flow.reads(index);
  for (const index of keeps) machine.random?.flow.stores(index);
  return drawn(machine, engine, type, () => draw(source()), [...reads, ...keeps]);
}

/** @param run what is drawn from the engine @param slots that it goes by */
export function drawn(machine: Machine, { isExact, origin }: Engine, type: NumberName, run: Run, slots: readonly number[] = []): Code {
  machine.effects += 1;
  machine.random?.flow.reads(isExact ? drawnSource : inventedSource);
  machine.random?.flow.reads(origin);
  const draw = (): number => {
    const made = run();
    if (typeof made !== "number") throw new NotCompiled();
    return made;
  };
  return {
    type,
    run: compilable(
      () => {
        machine.left -= operations;
        spend(machine);
        return run();
      },
      (w) => {
        for (const slot of slots) w.outside.add(slot);
        w.costs(drawingCost);
        w.call(draw, [], "f64");
        writeConversion(w, "double", type);
      },
    ),
  };
}

/** `rand()`, `drand48()`; undefined for other names. */
export function libraryDraw(machine: Machine, name: string, args: readonly Expression[]): Code | undefined {
  if (!machine.random || args.length > 0) return undefined;
  const of = (stream: "rand" | "rand48", type: NumberName, value: (made: number) => number): Code => {
    const engine = engineOfHost(machine, streamOfLibrary(machine.host, stream));
    return drawn(machine, engine, type, () => value(engine.source().next()));
  };
  switch (name) {
    case "rand":
      return of("rand", "int", (made) => made);
    case "random":
      return of("rand", "long", (made) => made);
    case "drand48":
      return of("rand48", "double", (made) => made / 2 ** 48);
    case "lrand48":
      return of("rand48", "long", (made) => Math.floor(made / 2 ** 17));
    default:
      return undefined;
  }
}

// ---------------------------------------------------------------- of the replayed code's own

/** An engine or a distribution that the replayed code declares; undefined where it declares something else. */
export function declaredDrawer(machine: Machine, { type, init }: VariableDeclaration): MadeDrawer | undefined {
  return type.kind === "named" ? madeDrawer(machine, type, init?.values ?? []) : undefined;
}

interface MadeDrawer {
  readonly target: Engine | Drawer;
  /** What its declaration does. */
  readonly begin: () => void;
}

/** `std::uniform_int_distribution<int>(a, b)` and its kin. */
export function madeDrawer(machine: Machine, type: VariableDeclaration["type"], written: readonly Expression[]): MadeDrawer | undefined {
  const { host, random } = machine;
  const name = type.kind === "named" ? lastName(type.name) : "";
  if (!random || !(distributions.has(name) || generators.has(name) || name === "random_device")) return undefined;
  const known = hostType(host, type);
  if (known?.kind !== "record") return undefined;
  const [only] = written;
  const values = written.length === 1 && only?.kind === "list" ? only.elements.map(({ value }) => value) : written;
  if (!distributions.has(name)) return declaredEngine(machine, name, values);
  const found = distributions.get(name);
  const record: RecordValue = { kind: "record", name, type: known, members: new Map() };
  const own = name === "bernoulli_distribution" ? "bool" : (resultType(record) ?? (resultOf(record) === "integer" ? "int" : "double"));
  const parameterType = name === "uniform_int_distribution" ? own : "double";
  const slots = (found?.parameters ?? []).map(() => newSlot(machine, parameterType));
  const stores = slots.map((slot, k) => {
    const written = values[k];
    const initial = found?.parameters[k]?.[1] ?? 0;
    const code: Code = written ? asStatement(machine, () => machine.code(written)) : { type: "int", run: (): Known => initial };
    const store = storeTo(machine, slot, code);
    return () => store(code.run());
  });
  const held = { value: newSlot(machine, "double"), isKept: newSlot(machine, "bool") };
  return {
    target: drawing(machine, name, own, slots, held),
    begin: () => {
      for (const store of stores) store();
      machine.slots[held.isKept.index] = 0;
    },
  };
}

/** `std::mt19937 gen(seed)` within a loop. */
function declaredEngine(machine: Machine, name: string, [seed]: readonly Expression[]): MadeDrawer {
  const make = generators.get(name);
  const code = seed && make ? machine.code(seed) : undefined;
  const initial = name === "mt19937" ? 5489 : 1;
  let source = madeUp(machine.host);
  const isExact = make !== undefined;
  const origin = {};
  machine.random?.flow.stores(origin);
  return {
    target: { kind: "engine", source: () => source, isExact, origin },
    begin: () => {
      machine.left -= engineCost;
      spend(machine);
      const from = code ? code.run() : initial;
      if (make && typeof from !== "number") throw new GivenUp();
      source = make ? new Source(make(from ?? 0), 0, true) : madeUp(machine.host);
    },
  };
}

/** Operations that making an engine takes. */
const engineCost = 640;
