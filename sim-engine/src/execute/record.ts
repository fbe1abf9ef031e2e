/** What a warp of an observed block ran and asked for, in order. */

/** Entries `from` to `to` (excluded) stand for going through them `times` times. */
export interface RecordedRepeat {
  readonly from: number;
  readonly to: number;
  readonly times: number;
  /** The entry from which on they go round once, alignment and all; absent where any of them do as well. */
  readonly round?: number;
}

/** Requests kept of one warp: the first tell what it does. */
const mostRequests = 1 << 14;

export class WarpRecord {
  readonly warp: number;
  /** `CompiledBlock.index` of each block run, in order. */
  readonly blocks: number[] = [];
  /** Executions each entry stands for. */
  readonly weights: number[] = [];
  /** Entry i's requests are those from `starts[i]` to `starts[i + 1]`. */
  readonly starts: number[] = [];
  /** Three numbers a request: its site, cycles of the data path, and what it moves (see `WarpTrace.accesses`); of constants, the byte it begins at. */
  readonly requests: number[] = [];
  /** Inner ones before those around them. */
  readonly repeats: RecordedRepeat[] = [];

  constructor(warp: number) {
    this.warp = warp;
  }

  /** @param weight executions it stands for */
  enter(block: number, weight: number): void {
    this.blocks.push(block);
    this.weights.push(weight);
    this.starts.push(this.requests.length);
  }

  get full(): boolean {
    return this.requests.length >= 3 * mostRequests;
  }

  /** Entries whose requests have all been kept. */
  get recorded(): number {
    if (!this.full) return this.blocks.length;
    const last = this.starts.findLastIndex((start) => start < this.requests.length);
    return Math.max(0, last);
  }

  /** Entries from `start` on stand for `factor` times as many executions. */
  scale(start: number, factor: number, round?: number): void {
    for (let k = start; k < this.weights.length; k++) this.weights[k]! *= factor;
    this.repeat(start, factor, round);
  }

  /** Entries `from` to `to` (excluded) stand for going through them `times` times. */
  again(from: number, to: number, times: number): void {
    for (let k = from; k < to; k++) this.weights[k]! *= times;
    const inside = this.repeats.findLastIndex((repeat) => from <= repeat.from && repeat.to <= to);
    this.repeats.splice(inside + 1, 0, { from, to, times });
  }

  /** Entries from `start` on, whose weights say so already, stand for going through them `times` times. */
  repeat(start: number, times: number, round?: number): void {
    this.repeats.push({ from: start, to: this.weights.length, times, ...(round === undefined ? {} : { round }) });
  }
}
