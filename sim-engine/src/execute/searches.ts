/**
 * Loops that only data ends: the search for a key or an empty place in a table, the way along a list or up to a root. Where what they read is
 * made up, nothing says that they end; nor where another block or the host has to write it.
 */
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { comesOf } from "../ir/origins.ts";

/** Turns after which such a loop is left, and from which one that used up all steps is taken never to end. Assumed (DEVIATIONS.md). */
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

/** Of loops that end when something read in them, wherever, is as they want it, by their headers, the way out. */
export function readExits(loops: readonly Loop[]): ReadonlyMap<Block, Exit> {
  const found = new Map<Block, Exit>();
  for (const loop of loops) {
    const last = loop.exits.at(-1);
    const inside = insideOf(loop);
    const choices = choicesIn(loop);
    const operands = (op: Op): readonly Op[] => [...op.args, ...(choices.get(op) ?? [])].filter((arg) => inside.has(arg));
    const isRead = (op: Op): boolean => inside.has(op) && (op.action.kind === "load" || op.action.kind === "atomic");
    const decides = ({ end }: Block): boolean => end.kind === "branch" && comesOf(end.cond, isRead, operands);
    if (last && loop.exits.every(({ from }) => decides(from))) found.set(loop.header, last);
  }
  return found;
}

/** What decides which value a phi takes in the loop: whether `done` was set, say, or a turn went on to the next place. */
function choicesIn({ header, blocks }: Loop): ReadonlyMap<Op, readonly Op[]> {
  const choices = new Map<Op, readonly Op[]>();
  for (const block of blocks) {
    const inner = [...block.predecessors.keys()].filter((k) => blocks.has(block.predecessors[k]!));
    for (const phi of block.phis) {
      if (new Set(inner.map((k) => phi.args[k])).size < 2) continue;
      choices.set(
        phi,
        inner.flatMap((k) => conditionAbove(block.predecessors[k]!, header)),
      );
    }
  }
  return choices;
}

/** That of the branch by which one comes to a block without another. */
function conditionAbove(block: Block, header: Block): readonly Op[] {
  let at = block;
  while (at.end.kind !== "branch") {
    const [from] = at.predecessors;
    if (at === header || at.predecessors.length !== 1 || !from) return [];
    at = from;
  }
  return [at.end.cond];
}

const insideOf = ({ blocks }: Loop): ReadonlySet<Op> => new Set([...blocks].flatMap(({ phis, ops }) => [...phis, ...ops]));

class Search {
  readonly #inside: ReadonlySet<Op>;
  readonly #phis: ReadonlySet<Op>;
  readonly #isOfThatSort: (address: Op) => boolean;
  /** Threads wait for each other in it. */
  readonly waits: boolean;

  constructor(loop: Loop, isOfThatSort: (address: Op) => boolean) {
    this.#inside = insideOf(loop);
    this.#phis = new Set(loop.header.phis);
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
