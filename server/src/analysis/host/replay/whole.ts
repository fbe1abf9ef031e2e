/**
 * Loops in which random numbers are drawn, or containers grow, gone through from their first turn on: what they leave is told by no
 * description of the first few. Where all that is random are independent numbers stored one after the other, how they are spread says
 * as much, and only the generators' states are noted.
 */

import type { Content } from "@warplens/sim-engine";
import type { Statement } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { keepState } from "../library/random.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { drawnReason } from "../values/inputs.ts";
import type { Cell, ContainerValue, Objects, UnknownValue } from "../values/model.ts";
import { int, unknown } from "../values/values.ts";
import { goThrough, mostOfRun } from "./attempts.ts";
import { drawnSource, Flow, inventedSource } from "./flow.ts";
import { sourcesOf } from "./iterators.ts";
import { lengthOf } from "./lists.ts";
import { type AnyList, type Execute, GivenUp, type Machine, type Random, Unsupported } from "./machine.ts";
import { inOrder } from "./methods.ts";
import { numberValue } from "./numbers.ts";
import { rangeCode } from "./ranges.ts";
import { loopCode, scoped, statementCode } from "./statements.ts";

export interface Attempt {
  /** All that the loop does is done. */
  readonly isDone: boolean;
  /** To be called when the loop is behind, where it is not. */
  readonly afterwards: () => void;
}

/** @returns undefined where it is not followed: then nothing is changed */
export function replayWhole(host: Interpreter, statement: Statement): Attempt | undefined {
  const { replays } = host;
  if (replays.given.has(statement) || replays.ordinary.has(statement) || replays.operations >= mostOfRun) return undefined;
  let machine: Machine | undefined;
  try {
    machine = goThrough(
      host,
      () => ({ foresees: true, inQuestion: statement, random: { flow: new Flow(), lists: new Map(), engines: new Map() } }),
      (made) => {
        const execute = whole(made, statement);
        return execute && made.random && isWorth(statement, made, made.random) ? execute : undefined;
      },
    );
  } catch (error) {
    if (!(error instanceof Unsupported || error instanceof GivenUp)) throw error;
    if (error instanceof GivenUp) replays.given.add(statement);
    else replays.ordinary.add(statement);
    return undefined;
  }
  if (!machine?.random) {
    replays.ordinary.add(statement);
    return undefined;
  }
  const attempt = new Outcome(machine, machine.random).attempt();
  if (!attempt) replays.given.add(statement);
  return attempt;
}

function whole(machine: Machine, s: Statement): Execute | undefined {
  switch (s.kind) {
    case "for":
    case "while":
      return loopCode(machine, s, false);
    case "do":
      return loopCode(machine, s, true);
    case "expression":
      return statementCode(machine, s);
    case "range-for":
      return scoped(machine, () => rangeCode(machine, s));
    default:
      return undefined;
  }
}

/** Whether there is something in a statement that is not told by a description of its first turns. */
function isWorth({ kind }: Statement, { records }: Machine, { flow, lists }: Random): boolean {
  // What records and lists of lists hold no description of an array says, and code that is gone through later on reads none of it.
  if (records.size > 0 || [...lists.values()].some((list) => list.kind !== "numbers")) return true;
  if (kind === "expression" || flow.hasRandom || flow.grown.size > 0 || flow.isSpecial) return true;
  return kind === "range-for" && flow.lists.size > 0;
}

/** Of calls that are statements: those that exchange elements of lists. */
const exchanging = /^(sort|stable_sort|generate|partial_sum|inclusive_scan|exclusive_scan|insert|erase|reverse)$/;

/** Whether a statement by itself is to be replayed. */
export function isExchange(s: Statement): boolean {
  const e = s.kind === "expression" ? s.expression : undefined;
  if (e?.kind !== "call" || e.arguments.length === 0) return false;
  const { callee } = e;
  return (callee.kind === "name" || callee.kind === "member") && exchanging.test(lastName(callee.name));
}

/** What a loop that was gone through leaves. */
class Outcome {
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #host: Interpreter;
  /** Undefined: everything. */
  readonly #drawn: ReadonlySet<unknown> | undefined;
  readonly #invented: ReadonlySet<unknown> | undefined;

  constructor(machine: Machine, random: Random) {
    this.#machine = machine;
    this.#random = random;
    this.#host = machine.host;
    this.#drawn = random.flow.restingOn(drawnSource, inventedSource);
    this.#invented = random.flow.restingOn(inventedSource);
  }

  attempt(): Attempt | undefined {
    const { columns } = this.#machine;
    const isKnown = [...columns.values()].every((column) => column.stores === 0 || column.isKnown);
    if (!isKnown || this.#scalars.some(({ value }) => value === undefined) || !this.#areListsKnown) return undefined;
    if (this.#isSpread) return { isDone: false, afterwards: () => this.#commit(true) };
    this.#commit(false);
    return { isDone: true, afterwards: () => undefined };
  }

  get #storedRecords() {
    return [...this.#machine.records.values()].filter(({ stores }) => stores > 0);
  }

  get #scalars() {
    const { cells, stored, slots } = this.#machine;
    return [...cells].flatMap(([cell, { index, type }]) => (stored.has(index) ? [{ cell, index, value: slots[index], type }] : []));
  }

  get #areListsKnown(): boolean {
    return [...this.#random.lists.values()].every((list) => list.kind !== "lists" || list.rows().known !== undefined);
  }

  /** All that is random are independent numbers that are stored one after the other, to be read later. */
  get #isSpread(): boolean {
    const { flow } = this.#random;
    const drawn = this.#drawn;
    const columns = [...this.#machine.columns.values()].filter((column) => column.stores > 0 && drawn?.has(column));
    if (this.#storedRecords.length > 0) return false;
    if (!drawn || flow.grown.size > 0 || columns.length === 0 || !columns.every(({ isFilled }) => isFilled)) return false;
    const engineCells = new Set([...this.#random.engines.values()].flatMap(({ stream }) => [stream.drawn, stream.seed]));
    const isKept = ({ cell, index }: { readonly cell: Cell; readonly index: number }): boolean =>
      drawn.has(index) && !engineCells.has(cell) && cell.name !== "kept_" && cell.name !== "keeps_";
    return !this.#scalars.some(isKept) && ![...flow.lists].some((list) => drawn.has(list));
  }

  #isInvented(source: unknown): boolean {
    return this.#invented === undefined || this.#invented.has(source);
  }

  /** @param isDescribed how random numbers are spread is known already */
  #commit(isDescribed: boolean): void {
    const { journal } = this.#host;
    for (const { stream, source, seed } of this.#random.engines.values()) {
      journal.set(stream.drawn, source.isExact ? int(source.count, "ulong") : unknown(drawnReason));
      if (source.isExact) keepState(stream, source, seed);
    }
    for (const { cell, index, value, type } of this.#scalars)
      if (value !== undefined) journal.set(cell, this.#isInvented(index) ? this.#stoodFor(value, cell) : numberValue(value, type));
    for (const column of this.#machine.columns.values()) {
      if (column.stores === 0) continue;
      const isSpread = isDescribed && (this.#drawn?.has(column) ?? true) && column.allocation.summary.content.kind === "uniform";
      if (!isSpread) column.commit(false, this.#isInvented(column));
      else if (!this.#isInvented(column)) column.accompany();
    }
    for (const records of this.#storedRecords) records.commit((column) => this.#isInvented(column));
    for (const [cell, list] of this.#random.lists) this.#commitList(cell, list);
  }

  /** A number that stands for the program's. */
  #stoodFor(value: number, cell: Cell): UnknownValue | ReturnType<Interpreter["inputs"]["held"]> {
    const { inputs } = this.#host;
    return inputs.held({ ...unknown(drawnReason, cell.type), likely: value }, cell.name ?? "", cell.type);
  }

  #commitList(cell: Cell, list: AnyList): void {
    const { value } = cell;
    const { journal } = this.#host;
    const sources = sourcesOf(list);
    if (value.kind !== "container" || !sources.some((source) => this.#random.flow.grown.has(source) || this.#isChanged(source))) return;
    const length = lengthOf(list);
    // How long it is rests on what decides; what it holds on more.
    const size = this.#invented === undefined ? this.#sizeStoodFor(length, cell) : int(length, "ulong");
    if (list.kind !== "numbers" && list.kind !== "records") this.#commitObjects(value, list);
    if (this.#invented === undefined) journal.summarise(value.storage, { ...value.storage.summary, bytes: undefined, why: size });
    journal.set(cell, { ...value, size: size.kind === "int" ? size : unknownSize(size) });
  }

  #isChanged(source: unknown): boolean {
    return this.#random.flow.isStored(source);
  }

  #sizeStoodFor(length: number, cell: Cell) {
    const { inputs } = this.#host;
    const value: UnknownValue = { ...unknown(drawnReason, { kind: "integer", name: "ulong" }), likely: length };
    return inputs.held(value, `${cell.name ?? ""}.size()`, { kind: "integer", name: "ulong" });
  }

  /** Elements that are lists, or in an order of their own. */
  #commitObjects({ storage }: ContainerValue, list: ListOfObjects): void {
    const { journal } = this.#host;
    const drawn = sourcesOf(list).some((source) => this.#isInvented(source));
    const of = this.#contentOf(list, drawn);
    const objects = { ...objectsIn(list), drawn };
    const { numbers: _, band: __, ...rest } = storage.summary;
    const bytes = rest.elementBytes === undefined ? undefined : rest.elementBytes * lengthOf(list);
    const reason = "elements that are made one by one";
    journal.summarise(storage, { ...rest, bytes, content: of, reason, objects: { of, ...objects } }, new Map());
  }

  /** Of a set that is gone through in order what it holds, one after the other. */
  #contentOf(list: ListOfObjects, drawn: boolean): Content {
    if (list.kind !== "set" || !list.isOrdered || list.pair) return { kind: "unknown" };
    return { kind: "values", values: Float64Array.from(inOrder(list)), ...(drawn ? { drawn } : {}) };
  }
}

type ListOfObjects = Extract<AnyList, { readonly kind: "lists" | "set" }>;

function objectsIn(list: ListOfObjects): Omit<Objects, "of" | "drawn"> {
  switch (list.kind) {
    case "lists": {
      const rows = list.rows().known;
      return rows ? { rows } : {};
    }
    case "set":
      return { numbers: [...list.set()] };
  }
}

const unknownSize = (size: ContainerValue["size"] | { readonly kind: string }): UnknownValue =>
  size.kind === "unknown" ? (size as UnknownValue) : unknown(drawnReason);
