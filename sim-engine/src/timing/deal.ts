/** Which of the sampled blocks one SM is dealt: of those that all run at once, the SM that is dealt most decides how long they take. */
import { goldenRatio } from "./golden-ratio.ts";
import type { BlockTrace } from "./summary.ts";

export interface DealtBlock {
  readonly block: BlockTrace;
  /** Instructions it issues. */
  readonly instructions: number;
}

/** Of what all that run at once issue: kinds that differ by less are alike. Assumed (DEVIATIONS.md). */
const alike = 0.02;

/**
 * Deals blocks in proportion to their weights. Where an SM gets its blocks at once, none can make up for another's: the busiest has
 * its share of the longest blocks rounded up.
 */
export class Deal {
  readonly #credit: Float64Array;
  readonly #shares: readonly number[];
  readonly #instructions: readonly number[];
  /** Blocks that run at once and are not dealt yet, and what they should issue; none where others follow. */
  #left: number;
  #toIssue: number;
  /** Warp instructions of all the blocks that are dealt, and of the longest. */
  readonly instructions: number;
  readonly longest: number;

  /** `count`: blocks that are dealt; `atOnce`: they are all resident together. */
  constructor(blocks: readonly DealtBlock[], count: number, atOnce: boolean, smCount: number) {
    const total = blocks.reduce((sum, { block }) => sum + block.weight, 0);
    this.#shares = blocks.map(({ block }) => block.weight / total);
    // Kinds come in for the first time as it happens, not by how they are listed: of more kinds than an SM is dealt, those that it is
    // dealt are like all.
    this.#credit = Float64Array.from(blocks, (_, k) => (atOnce ? 0 : ((k + 1) * goldenRatio) % 1));
    const mean = blocks.reduce((sum, { instructions }, k) => sum + instructions * this.#shares[k]!, 0);
    const longest = blocks.reduce((best, { instructions }, k) => (instructions > blocks[best]!.instructions ? k : best), 0);
    const { block, instructions } = blocks[longest]!;
    this.longest = instructions;
    const more = atOnce ? Math.min(count, Math.ceil(block.weight / smCount)) - count * this.#shares[longest]! : 0;
    if (more > 0) this.#credit[longest] = more;
    // What it has more of the longest it has less of all the others.
    const others = 1 - this.#shares[longest]!;
    const meanOfOthers = others > 0 ? (mean - instructions * this.#shares[longest]!) / others : instructions;
    this.instructions = mean * count + Math.max(0, more) * (instructions - meanOfOthers);
    this.#instructions = blocks.map((each) => each.instructions);
    this.#left = atOnce ? count : 0;
    this.#toIssue = this.instructions;
  }

  /** The index of the next block. */
  next(): number {
    const best = this.#left === 1 ? this.#nearest() : this.#due();
    this.#left--;
    this.#toIssue -= this.#instructions[best]!;
    return best;
  }

  /** The last of those that run at once makes up for what the others issue more or less than their share, of the kinds whose turn it is. */
  #nearest(): number {
    const due = this.#credit.map((credit, k) => credit + this.#shares[k]!);
    const most = Math.max(...due);
    const off = (k: number): number => Math.abs(this.#instructions[k]! - this.#toIssue);
    const kinds = [...due.keys()].filter((k) => due[k]! >= Math.min(most, most / 2));
    const near = Math.min(...kinds.map(off)) + alike * this.instructions;
    return kinds.filter((k) => off(k) <= near).reduce((best, k) => (due[k]! > due[best]! ? k : best));
  }

  #due(): number {
    const credit = this.#credit;
    let best = 0;
    for (let i = 0; i < credit.length; i++) {
      credit[i]! += this.#shares[i]!;
      if (credit[i]! > credit[best]!) best = i;
    }
    credit[best]! -= 1;
    return best;
  }
}
