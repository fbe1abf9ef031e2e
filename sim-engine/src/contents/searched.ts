/** Tables that a kernel searches, of which nobody says what they hold: what an entry is that ends a search, and a table with such entries. */
import { random } from "../execute/content.ts";
import { successors } from "../ir/builder.ts";
import { intConstant, isConstant } from "../ir/constants.ts";
import { evaluateConversion, evaluateInt } from "../ir/evaluate.ts";
import { findLoops, type Loop } from "../ir/graph.ts";
import type { Content, ElementFormula, Kernel, Op } from "../ir/kernel.ts";
import { comesOf } from "../ir/origins.ts";

type Known = number | bigint | undefined;

/** Steps from what is loaded to what is compared. */
const furthest = 6;

/** What an entry is that ends a search: a number by which the source marks an empty place or a list's end, or the entry's own index, of a root. */
export type End = number | "its index";

/** What loads have to do with loops that go from entry to entry until one is as it should be. */
export class Searches {
  readonly #loops: readonly Loop[];

  constructor(kernel: Kernel) {
    this.#loops = findLoops(kernel);
  }

  /** What a load, or an atomic, gives where it ends the loop that it is in. */
  endOf(read: Op): End | undefined {
    for (const loop of this.#loops) {
      if (!isIn(read, loop)) continue;
      for (const ends of conditions(loop)) {
        const found = entryThatIs(ends, read) ?? (isOwnIndex(ends, read) ? "its index" : undefined);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  get hasAny(): boolean {
    return this.#loops.some((loop) => conditions(loop).some((each) => this.isOfSearch(each)));
  }

  /** Whether a comparison ends a loop by what is read in it, rather than by how often it turned. */
  isOfSearch(comparison: Op): boolean {
    return this.#loops.some((loop) => conditions(loop).includes(comparison) && comparison.args.some((arg) => isMadeIn(arg, loop)));
  }
}

const isIn = (op: Op, { blocks }: Loop): boolean => [...blocks].some(({ ops }) => ops.includes(op));

/** Comparisons for equality that leave a loop where it holds. */
function conditions({ exits }: Loop): Op[] {
  return exits.flatMap(({ from, to }) => (from.end.kind === "branch" ? equalities(from.end.cond, successors(from)[0] === to) : []));
}

/** Those of which any that holds makes a condition true, or false. */
function equalities(condition: Op, holds: boolean): Op[] {
  const { action, args, type } = condition;
  if (action.kind === "icmp") {
    // Lanes that search together leave it when any of them has found what it looks for.
    const [left, right] = args;
    if (left?.action.kind === "vote" && intConstant(right) === 0) return action.predicate === (holds ? "ne" : "eq") ? votes(left) : [];
    return action.predicate === (holds ? "eq" : "ne") ? [condition] : [];
  }
  if (action.kind === "vote") return holds ? votes(condition) : [];
  if (action.kind === "int" && type === "i1" && action.op === "xor" && args[0] && isConstant(args[1])) return equalities(args[0], !holds);
  const joins = action.kind === "int" && type === "i1" && action.op === (holds ? "or" : "and");
  return joins ? args.flatMap((arg) => equalities(arg, holds)) : [];
}

/** Equalities of which one that holds for one lane makes a vote more than nothing. */
const votes = ({ action, args }: Op): Op[] =>
  action.kind === "vote" && (action.mode === "any" || action.mode === "ballot") && args[1] ? equalities(args[1], true) : [];

/** Without conversions. */
const plain = (op: Op | undefined): Op | undefined => (op?.action.kind === "convert" ? plain(op.args[0]) : op);

/** What is compared is read from a place that a loop goes through, in this turn or before. */
function isMadeIn(op: Op, { blocks }: Loop): boolean {
  const inside = new Set([...blocks].flatMap(({ phis, ops }) => [...phis, ...ops]));
  const isRead = ({ action }: Op): boolean => action.kind === "load" || action.kind === "atomic";
  return inside.has(op) && comesOf(op, isRead, (each) => (isRead(each) ? [] : each.args.filter((arg) => inside.has(arg))));
}

/** `parent[x] == x` */
function isOwnIndex({ args }: Op, read: Op): boolean {
  const [address] = read.args;
  const index = address?.action.kind === "gep" ? plain(address.args[1]) : undefined;
  const [left, right] = args.map(plain);
  return index !== undefined && ((left === read && right === index) || (right === read && left === index));
}

/** The number that a load has to give for what is made of it to be what it is compared with. */
function entryThatIs({ args: [left, right] }: Op, load: Op): number | undefined {
  const [made, sought] = right?.action.kind === "const" ? [left, right] : [right, left];
  if (!made || sought?.action.kind !== "const" || load.type === "void") return undefined;
  const { value } = sought.action;
  const wanted = typeof value === "bigint" || Number.isInteger(value) ? BigInt(value) : undefined;
  if (wanted === undefined) return undefined;
  const bits = load.type === "i64" ? 64 : 32;
  // All bits of an entry mark it as a rule, or the number stands in its upper or its lower half.
  const candidates = [wanted, -1n, 0n, wanted << 32n, wanted << 16n].map((each) => BigInt.asIntN(bits, each));
  const found = candidates.find((each) =>
    isSame(madeOf(made, load, bits === 64 ? each : Number(each)), wanted, made.type === "i64" ? 64 : 32),
  );
  return found === undefined || BigInt(Number(found)) !== found ? undefined : Number(found);
}

const isSame = (made: Known, wanted: bigint, bits: number): boolean =>
  made !== undefined &&
  (typeof made === "bigint" || Number.isInteger(made)) &&
  BigInt.asIntN(bits, BigInt(made)) === BigInt.asIntN(bits, wanted);

/** What is made of a load and of constants; undefined where something else comes in. */
function madeOf(op: Op, load: Op, value: number | bigint, depth = 0): Known {
  if (op === load) return value;
  const { action, args, type } = op;
  if (action.kind === "const") return action.value;
  if (depth > furthest || type === "void" || type === "ptr") return undefined;
  // Round the loop the last turn's entry comes back.
  if (action.kind === "phi") return args.includes(load) ? value : undefined;
  const [a, b] = args.map((arg) => madeOf(arg, load, value, depth + 1));
  const from = args[0]?.type;
  if (a === undefined || from === undefined || from === "void") return undefined;
  if (action.kind === "convert") return evaluateConversion(action.op, from, type, a);
  return action.kind === "int" && b !== undefined ? evaluateInt(action.op, type, a, b) : undefined;
}

/** Every other entry, at random, is such that ends a search. The others are numbers up to `hi`, of a forest each of an entry before. */
export const searchedTable = (end: End, hi: number): Content => ({ kind: "computed", by: new Entries(end, hi) });

const seeds = { which: 1, what: 2 };

class Entries implements ElementFormula {
  readonly #end: End;
  readonly #hi: number;

  constructor(end: End, hi: number) {
    this.#end = end;
    this.#hi = hi;
  }

  at(index: number): number {
    const isEnd = random(index, seeds.which) < 0.5;
    const isForest = this.#end === "its index";
    if (isEnd) return this.#end === "its index" ? index : this.#end;
    return Math.floor(random(index, seeds.what) * (isForest ? index : this.#hi));
  }

  toJSON(): string {
    return `entries ${this.#end} ${this.#hi}`;
  }
}
