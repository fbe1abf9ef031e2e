/** What a kernel does with a value it loads: for guesses of what it may be. */
import { successors } from "../ir/builder.ts";
import { findLoops } from "../ir/graph.ts";
import type { Kernel, Op } from "../ir/kernel.ts";

/** Numbers there may be of an index of which only some bits or a remainder are used. */
const mixedCount = 2 ** 31;
const mixing = /^([us]rem|[us]div|mul|and|xor|lshr|shl)$/;
const furthest = 6;
/** Operations whose first operand is a place. */
const reaches = /^(load|store|atomic)/;
const isLoaded = ({ action }: Op): boolean =>
  action.kind === "atomic" || (action.kind === "load" && action.space !== "param" && action.space !== "constant");

/** The number a value has, where it is one of the source or a parameter that is given. */
type NumberOf = (op: Op) => number | undefined;

export class DataUses {
  readonly #users = new Map<Op, Op[]>();
  readonly #kernel: Kernel;
  /** Conditions that decide whether a loop goes on. */
  #exits: ReadonlySet<Op> | undefined;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    for (const { phis, ops } of kernel.blocks) {
      for (const op of [...phis, ...ops]) {
        for (const arg of op.args) {
          const list = this.#users.get(arg);
          if (list) list.push(op);
          else this.#users.set(arg, [op]);
        }
      }
    }
  }

  /** Operations that read a value. */
  of(op: Op): readonly Op[] {
    return this.#users.get(op) ?? [];
  }

  /** A loop may turn as often as a value says. @param except comparisons that end loops otherwise */
  boundsLoop(op: Op, except: (comparison: Op) => boolean = () => false): boolean {
    this.#exits ??= exitConditions(this.#kernel);
    const seen = new Set([op]);
    const pending = [op];
    for (let at = pending.pop(); at; at = pending.pop()) {
      for (const user of this.of(at)) {
        if (user.action.kind === "icmp" && this.#exits.has(user) && !except(user)) return true;
        if (seen.has(user) || !/^(int|convert|extract|phi|select)$/.test(user.action.kind)) continue;
        seen.add(user);
        pending.push(user);
      }
    }
    return false;
  }

  /** The value and its neighbour in memory are where a loop begins and ends: `for (j = start[i]; j < start[i + 1]; ++j)`. */
  isRowBound(load: Op): boolean {
    if (load.action.kind !== "load" || !this.boundsLoop(load)) return false;
    const here = placeOf(load);
    if (!here) return false;
    for (const { ops } of this.#kernel.blocks) {
      for (const other of ops) {
        if (other === load || other.action.kind !== "load" || other.type !== load.type) continue;
        const place = placeOf(other);
        const next = place && place.base === here.base && place.index === here.index && Math.abs(place.offset - here.offset) === here.scale;
        if (next && this.boundsLoop(other)) return true;
      }
    }
    return false;
  }

  /** The value is held against its neighbour in memory, or a neighbouring lane's, for whether they are the same: as keys are that stand sorted. */
  isKeyOfRun(load: Op): boolean {
    const here = withoutSums(placeOf(load));
    const seen = new Set([load]);
    const isNeighbour = (op: Op): boolean => {
      if (op.action.kind === "shuffle") return seen.has(op.args[0] as Op);
      const place = op.action.kind === "load" && op.type === load.type ? withoutSums(placeOf(op)) : undefined;
      return (
        here !== undefined && place?.base === here.base && place.index === here.index && Math.abs(place.offset - here.offset) === here.scale
      );
    };
    const source = (op: Op | undefined): Op | undefined => (op?.action.kind === "convert" ? source(op.args[0]) : op);
    for (const at of seen) {
      for (const user of this.of(at)) {
        const { action, args } = user;
        if (action.kind === "convert") seen.add(user);
        if (action.kind !== "icmp" || !/^(eq|ne)$/.test(action.predicate)) continue;
        const other = source(args.find((arg) => arg !== at));
        if (other && isNeighbour(other)) return true;
      }
    }
    return false;
  }

  /**
   * Whether a value that is loaded, or what is computed of it, may decide where the kernel reads or writes: as part of an address, by how often a loop
   * turns, or by which way numbers come to where ways meet.
   */
  get decideAddresses(): boolean {
    const { blocks } = this.#kernel;
    this.#exits ??= exitConditions(this.#kernel);
    const conditions = new Set(blocks.flatMap(({ end }) => (end.kind === "branch" ? [end.cond] : [])));
    const headers = new Set(findLoops(this.#kernel).map(({ header }) => header));
    const meets = blocks.some((block) => !headers.has(block) && block.phis.some(({ type }) => /^(i|ptr)/.test(type)));
    const seen = new Set<Op>();
    const pending = blocks.flatMap(({ ops }) => ops.filter(isLoaded));
    for (let at = pending.pop(); at; at = pending.pop()) {
      if (this.#exits.has(at) || (meets && conditions.has(at))) return true;
      for (const user of this.of(at)) {
        const { kind } = user.action;
        if (kind === "gep" || kind.startsWith("copy") || (reaches.test(kind) && user.args[0] === at)) return true;
        if (seen.has(user) || reaches.test(kind)) continue;
        seen.add(user);
        pending.push(user);
      }
    }
    return false;
  }

  /** How many numbers a value may be so that what it is an index of, or what is computed of it, has such an element: the fewest of its uses. */
  indexedCount(op: Op, extent: (place: Op) => number | undefined, numberOf: NumberOf): number | undefined {
    return this.#indexed(op, { extent, through: /^(convert|extract)$/, mixed: mixing, numberOf }, 1, 0, new Set());
  }

  /** The same of what a loop that begins with the value goes through. */
  countLooped(op: Op, extent: (place: Op) => number | undefined): number | undefined {
    return this.#indexed(op, { extent, through: /^(convert|phi)$/, mixed: /^$/, numberOf: () => undefined }, 1, 0, new Set());
  }

  /** @param per how far the index goes when the value goes up by one */
  #indexed(op: Op, what: Indexed, per: number, depth: number, seen: Set<Op>): number | undefined {
    seen.add(op);
    if (depth > furthest) return undefined;
    const counts = this.of(op).flatMap((user) => {
      const [base, index] = user.args;
      if (user.action.kind === "gep" && index === op && base) {
        const bytes = what.extent(base);
        if (bytes !== undefined) return Math.max(1, Math.floor(bytes / user.action.scale / per));
      }
      if (seen.has(user)) return [];
      if (user.action.kind === "int" && what.mixed.test(user.action.op)) {
        const times = timesOf(user, op, what.numberOf);
        return times === undefined ? mixedCount : (this.#indexed(user, what, per * times, depth + 1, seen) ?? mixedCount);
      }
      const derived = what.through.test(user.action.kind) || (user.action.kind === "int" && /^(add|sub)$/.test(user.action.op));
      return derived ? (this.#indexed(user, what, per, depth + 1, seen) ?? []) : [];
    });
    return counts.length === 0 ? undefined : Math.min(...counts);
  }
}

interface Indexed {
  /** Bytes of what an address points into. */
  readonly extent: (place: Op) => number | undefined;
  /** Kinds of operations, and of those on integers, that what is computed of a value may go through. */
  readonly through: RegExp;
  readonly mixed: RegExp;
  readonly numberOf: NumberOf;
}

/** How far a multiple or a part of a value goes when the value goes up by one. */
function timesOf({ action, args: [left, right] }: Op, of: Op, numberOf: NumberOf): number | undefined {
  const other = left === of ? right : left;
  const number = other && numberOf(other);
  if (action.kind !== "int" || number === undefined || number <= 0) return undefined;
  if (action.op === "mul") return number;
  if (left !== of) return undefined;
  switch (action.op) {
    case "shl":
      return 2 ** number;
    case "lshr":
      return 2 ** -number;
    case "udiv":
    case "sdiv":
      return 1 / number;
    default:
      return undefined;
  }
}

function exitConditions(kernel: Kernel): ReadonlySet<Op> {
  const exits = new Set<Op>();
  for (const { blocks } of findLoops(kernel)) {
    for (const block of blocks)
      if (block.end.kind === "branch" && successors(block).some((to) => !blocks.has(to))) exits.add(block.end.cond);
  }
  return exits;
}

interface ElementPlace {
  readonly base: Op;
  readonly index: Op;
  readonly scale: number;
  readonly offset: number;
}

/** The same place by an index that no constant is added to: unsigned ones may wrap, which is not looked at. */
function withoutSums(place: ElementPlace | undefined): ElementPlace | undefined {
  if (!place) return undefined;
  const { action, args } = place.index;
  const [left, right] = args;
  if (action.kind === "convert" && left) return withoutSums({ ...place, index: left });
  if (action.kind !== "int" || !/^(add|sub)$/.test(action.op) || !left || right?.action.kind !== "const") return place;
  const by = Number(right.action.value) * (action.op === "sub" ? -1 : 1);
  return withoutSums({ ...place, index: left, offset: place.offset + by * place.scale });
}

/** base[index], and some bytes further on. */
function placeOf({ args: [address] }: Op): ElementPlace | undefined {
  let offset = 0;
  for (let at = address; at?.action.kind === "gep"; at = at.args[0]) {
    const [base, index] = at.args;
    const { scale, offset: further } = at.action;
    if (!base || !index) return undefined;
    offset += further;
    if (index.action.kind !== "const") return { base, index, scale, offset };
    offset += Number(index.action.value) * scale;
  }
  return undefined;
}
