/**
 * How often threads have to try that compare and swap in a loop: of those that want one word at a time one succeeds, and all others try
 * again (measured: microbenchmarks/h200-cas-loops.txt). Blocks are executed one after the other, so that this is not seen by executing them.
 */
import type { Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import { isSwap } from "./atomic-work.ts";
import { mean } from "./mean.ts";

/**
 * Tries of a success are this power of the threads that want the word, within a factor of two of what was measured: some were slower, and
 * have not come to it yet.
 */
const power = 0.88;
/** Words that are told apart in a block: the first ones stand for all. */
const mostWords = 1024;
/** Bytes of the smallest word that is swapped. */
const wordBytes = 4;
/** Operations that a value is looked through. */
const deepest = 64;

/**
 * The operations that are tried until they succeed, and store another value than what was there, as a rule: the old value is what an
 * earlier try gave back, and the new one is worked out from it, not chosen by it as a minimum is, which soon changes no more. With them
 * goes the first try, where it stands before the loop.
 */
export function retriedAmong(ops: Iterable<Op>): ReadonlySet<Op> {
  const retried = new Set<Op>();
  for (const op of ops) {
    const [, value] = op.args;
    if (!isSwap(op) || !value) continue;
    const old = expectedBy(op);
    if (!old.has(op) || !comesFrom(value, old)) continue;
    for (const each of old) if (isSwap(each)) retried.add(each);
  }
  return retried;
}

/** What a compare-and-swap may find for it to store: values, and the phis and conversions that pass them on. */
export function expectedBy({ args: [, , compare] }: Op): ReadonlySet<Op> {
  return compare ? valuesThrough(compare, ({ action }) => action.kind === "phi" || action.kind === "convert") : new Set();
}

/** The operations that a value may be, looked at through those that pass it on. */
function valuesThrough(from: Op, passesOn: (op: Op) => boolean): Set<Op> {
  const found = new Set([from]);
  for (const op of found) {
    if (found.size > deepest) break;
    if (passesOn(op)) for (const arg of op.args) found.add(arg);
  }
  return found;
}

/** Whether a value is worked out from one of these, not merely chosen by a comparison with it. */
function comesFrom(value: Op, old: ReadonlySet<Op>): boolean {
  const seen = new Set([value]);
  for (const op of seen) {
    if (old.has(op)) return true;
    if (seen.size > deepest || !(isPure(op) || op.action.kind === "phi") || onlyChooses(op)) continue;
    // One arm of a choice that leaves what is there says nothing of how the other came about.
    for (const arg of op.action.kind === "select" ? op.args.slice(1).filter((arm) => !old.has(arm)) : op.args) seen.add(arg);
  }
  return false;
}

const onlyChooses = ({ action }: Op): boolean => /^[fsu]?(min|max)/.test("op" in action ? action.op : "") || /^[if]cmp$/.test(action.kind);

/** What an observed block's threads want. */
interface Wanted {
  readonly index: number;
  /** Threads by word, without those that try again. */
  readonly words: Map<number, number>;
  threads: number;
  /** Of these, those of words that are told apart. */
  told: number;
  /** The threads of the request before, and where they came to. */
  mask: number;
  readonly at: Float64Array;
}

interface Contending {
  /** Blocks in the grid, those of it that are resident at one time, and threads of a block. */
  readonly blocks: number;
  readonly atOnce: number;
  readonly threads: number;
}

/** The threads that one operation's tries were observed of. */
export class Retries {
  readonly #blocks: Wanted[] = [];
  /** Threads of all tries that were executed. */
  #tried = 0;
  /** By thread, those of its warp that want the same word, itself included: the sum. */
  #alike = 0;
  readonly #words: number;

  /** @param room bytes of the buffer that the words are in, where that is known */
  constructor(room?: number) {
    this.#words = Math.max(1, (room ?? Number.POSITIVE_INFINITY) / wordBytes);
  }

  /** A warp's request. */
  add(block: number, addresses: Float64Array, from: number, mask: number): void {
    let wanted = this.#blocks[this.#blocks.length - 1];
    if (wanted?.index !== block) {
      wanted = { index: block, words: new Map(), threads: 0, told: 0, mask: 0, at: new Float64Array(32) };
      this.#blocks.push(wanted);
    }
    const again = isAgain(wanted, addresses, from, mask);
    const here = new Map<number, number>();
    for (let lane = 0; lane < 32; lane++) {
      if (((mask >>> lane) & 1) === 0) continue;
      const address = addresses[from + lane]!;
      this.#tried++;
      wanted.at[lane] = address;
      if (again) continue;
      wanted.threads++;
      here.set(address, (here.get(address) ?? 0) + 1);
    }
    wanted.mask = mask;
    for (const [address, threads] of here) {
      this.#alike += threads ** 2;
      if (wanted.words.size >= mostWords && !wanted.words.has(address)) continue;
      wanted.words.set(address, (wanted.words.get(address) ?? 0) + threads);
      wanted.told += threads;
    }
  }

  /** Threads of the launch that want the word that one wants, on average, itself included: each time that it wants it. */
  ever({ blocks }: Pick<Contending, "blocks">): number {
    const { own, others } = this.#met();
    return Math.max(1, own + (blocks - 1) * others);
  }

  /** Those of a thread's own block, and of each other one: no fewer than where each word is wanted by as many. */
  #met(): { readonly own: number; readonly others: number } {
    const threads = mean(this.#blocks.map((wanted) => wanted.threads));
    const others = mean(this.#blocks.flatMap((a) => this.#blocks.flatMap((b) => (a === b ? [] : meeting(a, b)))));
    return { own: mean(this.#blocks.map((a) => meeting(a, a))), others: Math.max(others, threads / this.#words) };
  }

  /** How many tries a try that was executed stands for. */
  factor({ blocks, atOnce, threads }: Contending): number {
    const all = this.#blocks.reduce((sum, wanted) => sum + wanted.threads, 0);
    if (all === 0) return 1;
    const perBlock = all / this.#blocks.length;
    // A thread wants one word at a time.
    const share = Math.min(1, threads / perBlock);
    const { own, others } = this.#met();
    const ever = this.ever({ blocks });
    const atOneTime = Math.max(1, share * (own + (Math.min(blocks, atOnce) - 1) * others));
    // Those of a warp succeed one after the other, and then it goes on: half of them on average.
    const alike = this.#alike / all;
    const wanting = Math.max(1, (atOneTime * (1 + 1 / alike)) / 2);
    // Those that are left become fewer when no more come.
    const tries = wanting ** power * (1 - (power / (1 + power)) * Math.min(1, atOneTime / ever));
    return Math.max(1, (tries * all) / this.#tried);
  }
}

/** By thread of a block, those of another that want the same word: the mean. */
function meeting(a: Wanted, b: Wanted): number {
  let sum = 0;
  for (const [word, threads] of a.words) sum += threads * (b.words.get(word) ?? 0);
  return a.told === 0 || b.told === 0 ? 0 : (sum / a.told) * (a === b ? 1 : b.threads / b.told);
}

/** Whether these are threads of the request before that did not succeed: fewer of them, at the same places. */
function isAgain({ mask: before, at }: Wanted, addresses: Float64Array, from: number, mask: number): boolean {
  if ((mask & ~before) !== 0 || mask === before) return false;
  for (let lane = 0; lane < 32; lane++) if ((mask >>> lane) & 1 && addresses[from + lane] !== at[lane]) return false;
  return true;
}
