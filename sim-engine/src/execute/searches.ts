/**
 * Loops that only data ends: the search for a key or an empty place in a table, the way along a list or up to a root. Where what they read is
 * made up, nothing says that they end.
 */
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { comesOf } from "../ir/origins.ts";

/** Turns after which such a loop is left. Assumed (DEVIATIONS.md). */
export const mostSought = 64;

/** Where a loop is left, on the edge from one of its blocks to one outside. */
interface Exit {
  readonly from: Block;
  readonly to: Block;
}

/** Of loops that only data of some sort ends, by their headers, the way out. */
export function searchExits(loops: readonly Loop[], isOfThatSort: (address: Op) => boolean): ReadonlyMap<Block, Exit> {
  const found = new Map<Block, Exit>();
  for (const loop of loops) {
    const last = loop.exits.at(-1);
    const search = new Search(loop, isOfThatSort);
    if (last && !search.waits && loop.exits.every(({ from }) => search.decides(from))) found.set(loop.header, last);
  }
  return found;
}

class Search {
  readonly #inside: ReadonlySet<Op>;
  readonly #phis: ReadonlySet<Op>;
  readonly #isOfThatSort: (address: Op) => boolean;
  /** Threads wait for each other in it. */
  readonly waits: boolean;

  constructor({ header, blocks }: Loop, isOfThatSort: (address: Op) => boolean) {
    this.#inside = new Set([...blocks].flatMap(({ phis, ops }) => [...phis, ...ops]));
    this.#phis = new Set(header.phis);
    this.#isOfThatSort = isOfThatSort;
    this.waits = [...this.#inside].some(({ action }) => action.kind === "barrier");
  }

  /** What is read in the loop, at another place each turn, says whether it is left here. */
  decides({ end }: Block): boolean {
    return end.kind === "branch" && comesOf(end.cond, (op) => this.#isRead(op), this.#operands);
  }

  #isRead({ action, args: [address] }: Op): boolean {
    if ((action.kind !== "load" && action.kind !== "atomic") || !address || !this.#isOfThatSort(address)) return false;
    return comesOf(address, (op) => this.#phis.has(op), this.#operands);
  }

  /** What a value is made of in the loop: of two to choose from, the two, and not what chooses. */
  readonly #operands = (op: Op): readonly Op[] => {
    if (!this.#inside.has(op)) return [];
    const args = op.action.kind === "select" ? op.args.slice(1) : op.args;
    return args.filter((arg) => this.#inside.has(arg));
  };
}
