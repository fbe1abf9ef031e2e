/**
 * Who touched each byte of a block's shared memory last, and when: from it, races and reads of what nobody wrote.
 * Kept by granules, as wide as the narrowest access.
 */
import type { BlockClocks, Moment } from "./clocks.ts";

export interface Touch extends Moment {
  readonly site: number;
  /** What is stored, where that is known. */
  readonly value?: number | undefined;
  /** Where it was read, of memory that nobody writes, where that is known. */
  readonly source?: number | undefined;
  /** Every thread of the block that stores by this place in the source stores the same. */
  readonly alike?: boolean;
}

/** A conflict of the access at hand with one before it. */
export interface Conflict {
  readonly warp: number;
  readonly lane: number;
  readonly site: number;
  readonly sameWarp: boolean;
  /** When the other did it: see `Moment`. */
  readonly time: number;
  /** The other is a copy that is not waited for. */
  readonly underWay: boolean;
  /** What the other stores, and where it read that: see `Touch`. */
  readonly value?: number | undefined;
  readonly source?: number | undefined;
}

/** Fields of a touch: thread + 1 (0: nobody), time, interval of the warp, site, and of a read the site + 1 whose store it agrees with. */
const fields = 5;

/** Who has stored by the place in the source that wrote to a granule last, where all that store by it store the same. */
interface Agreed {
  readonly site: number;
  readonly threads: Set<number>;
}

export class SharedShadow {
  readonly granule: number;
  readonly #count: number;
  readonly #clocks: BlockClocks;
  readonly #writes: Int32Array;
  readonly #reads: Int32Array;
  /** Other threads than those in `#reads` that read. */
  readonly #others: Int32Array;
  /** What was stored last and where that was read; not a number where that is not known. */
  readonly #values: Float64Array;
  readonly #sources: Float64Array;
  readonly #agreed = new Map<number, Agreed>();
  /** Sites whose accesses are atomic: they are ordered among themselves. */
  readonly #isAtomic: (site: number) => boolean;
  /** Threads that write by atomics, as of reads the first and another: what was stored before them stays in `#writes`. */
  #atomics: readonly [Int32Array, Int32Array] | undefined;

  /** @param bytes of shared memory; @param granule divides every access's width */
  constructor(bytes: number, granule: number, clocks: BlockClocks, isAtomic: (site: number) => boolean) {
    this.granule = granule;
    this.#clocks = clocks;
    this.#isAtomic = isAtomic;
    this.#count = Math.ceil(bytes / granule);
    this.#writes = new Int32Array(this.#count * fields);
    this.#reads = new Int32Array(this.#count * fields);
    this.#others = new Int32Array(this.#count * fields);
    this.#values = new Float64Array(this.#count);
    this.#sources = new Float64Array(this.#count);
  }

  /** A new block. */
  clear(): void {
    for (const each of [this.#writes, this.#reads, this.#others, ...(this.#atomics ?? [])]) each.fill(0);
    this.#agreed.clear();
  }

  /** Whether anybody has written to the granule. */
  isWritten(granule: number): boolean {
    return this.#writes[granule * fields] !== 0 || (this.#atomics !== undefined && this.#atomics[0][granule * fields] !== 0);
  }

  /** @returns with what it is in conflict; undefined where with nothing */
  read(granule: number, touch: Touch): Conflict | undefined {
    if (granule < 0 || granule >= this.#count) return undefined;
    // Who has stored it, too, finds the same whoever comes first.
    const agreed = this.#agreed.get(granule);
    const own = agreed?.threads.has(threadOf(touch)) ? agreed.site + 1 : 0;
    let conflict = own === 0 ? this.#conflict(this.#writes, granule, touch) : undefined;
    if (conflict && this.#isAtomic(touch.site) && this.#isAtomic(conflict.site)) conflict = undefined;
    this.#add(this.#reads, this.#others, granule, touch, own);
    return conflict ?? this.#amongAtomics(granule, touch);
  }

  /** @param isOne whether it is all the same which of this store and another comes last */
  write(granule: number, touch: Touch, isOne: (other: Conflict) => boolean): Conflict | undefined {
    if (granule < 0 || granule >= this.#count) return undefined;
    const isAtomic = this.#isAtomic(touch.site);
    const against = (of: Int32Array): Conflict | undefined => {
      const found = this.#conflict(of, granule, touch);
      return found && isAtomic && this.#isAtomic(found.site) ? undefined : found;
    };
    let conflict = against(this.#writes);
    if (conflict) conflict = { ...conflict, value: known(this.#values[granule]!), source: known(this.#sources[granule]!) };
    this.#agree(granule, touch, conflict !== undefined);
    if (conflict && isOne(conflict)) conflict = undefined;
    const finds = (of: Int32Array): boolean => touch.alike === true && of[granule * fields + 4] === touch.site + 1;
    for (const of of [this.#reads, this.#others]) conflict ??= finds(of) ? undefined : against(of);
    conflict ??= this.#amongAtomics(granule, touch);
    if (isAtomic) {
      const [first, other] = (this.#atomics ??= [new Int32Array(this.#count * fields), new Int32Array(this.#count * fields)]);
      this.#add(first, other, granule, touch, 0);
      return conflict;
    }
    this.#put(this.#writes, granule, touch);
    this.#values[granule] = touch.value ?? Number.NaN;
    this.#sources[granule] = touch.source ?? Number.NaN;
    return conflict;
  }

  #amongAtomics(granule: number, touch: Touch): Conflict | undefined {
    if (!this.#atomics || this.#isAtomic(touch.site)) return undefined;
    return this.#conflict(this.#atomics[0], granule, touch) ?? this.#conflict(this.#atomics[1], granule, touch);
  }

  /** The first of those that nothing orders stays; of the other threads the last, of another warp rather than of the first one's. */
  #add(firsts: Int32Array, others: Int32Array, granule: number, touch: Touch, own: number): void {
    const first = this.#conflict(firsts, granule, touch);
    if (!first) this.#put(firsts, granule, touch, own);
    else if (!first.sameWarp || !this.#conflict(others, granule, touch)) this.#put(others, granule, touch, own);
  }

  /** @param meets the last store is not before this one */
  #agree(granule: number, touch: Touch, meets: boolean): void {
    if (touch.alike !== true) {
      this.#agreed.delete(granule);
      return;
    }
    const agreed = this.#agreed.get(granule);
    const thread = threadOf(touch);
    if (agreed?.site === touch.site && (meets || agreed.threads.has(thread))) agreed.threads.add(thread);
    else this.#agreed.set(granule, { site: touch.site, threads: new Set([thread]) });
  }

  #put(into: Int32Array, granule: number, touch: Touch, own = 0): void {
    const { time, interval, site } = touch;
    const at = granule * fields;
    into[at] = threadOf(touch) + 1;
    into[at + 1] = time;
    into[at + 2] = interval;
    into[at + 3] = site;
    into[at + 4] = own;
  }

  #conflict(of: Int32Array, granule: number, touch: Touch): Conflict | undefined {
    const at = granule * fields;
    const thread = of[at]! - 1;
    if (thread < 0) return undefined;
    const [warp, lane, time] = [thread >> 5, thread & 31, of[at + 1]!];
    if (this.#clocks.isBefore(warp, lane, time, of[at + 2]!, touch.warp, touch.lane)) return undefined;
    return { warp, lane, time, site: of[at + 3]!, sameWarp: warp === touch.warp, underWay: this.#clocks.isUnderWay({ warp, time }) };
  }
}

const threadOf = ({ warp, lane }: Touch): number => warp * 32 + lane;

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);
