/**
 * What of a block happens before what: for each warp how far it knows the others to be (vector clocks), and which of its lanes' accesses
 * come before a point at which the lanes wait for each other, or of which a lane has found out through memory. Asynchronous copies count
 * from where their threads have waited for them. Where a warp did not get what it waited for, nobody knows what comes before what it does.
 */

/** Places in a clock: one for each warp that a block may have, and one for what it copies on behalf of mbarriers. */
export const mostWarps = 64;
const copiesOf = 32;

/** When a thread did something. */
export interface Moment {
  readonly warp: number;
  readonly lane: number;
  /** The warp's time; below zero the group of asynchronous copies that it belongs to. */
  readonly time: number;
  /** Which of the times between the warp's own synchronisations it was. */
  readonly interval: number;
}

/** Whom a fence reaches. */
export type FenceScope = "block" | "device";

export class BlockClocks {
  readonly #times = new Int32Array(mostWarps).fill(1);
  readonly #intervals = new Int32Array(mostWarps).fill(1);
  /** The time of each warp that all know to be over, and what single warps know besides. */
  readonly #common = new Int32Array(mostWarps);
  readonly #known = new Map<number, Int32Array>();
  /** What those who have waited for an object's phase know. */
  readonly #phases = new Map<number, Int32Array>();
  /** What fences of warps put before all that comes behind them, for the block and for all, and what barriers have told all of that. */
  readonly #fences = { block: new Map<number, Int32Array>(), device: new Map<number, Int32Array>() };
  /** Groups of copies: each warp's open one, those that it has committed, and when the ones were over that it has waited for. */
  readonly #open = new Map<number, number>();
  readonly #committed = new Map<number, number[]>();
  readonly #over = new Map<number, { readonly time: number; readonly interval: number }>();
  #groups = 0;
  /** Groups that mbarriers wait for, by their times in the clocks' upper half: each warp's last one. */
  readonly #awaited = new Map<number, number>();
  readonly #lastAwaited = new Int32Array(copiesOf);
  /** Nothing is known of the order any more: who waits for whom was not understood. */
  #isLost = false;
  /** How far lanes know their own warp to be, by thread. */
  readonly #lanes = new Int32Array(mostWarps * 32);
  /** Since when warps go on without what they waited for: since the last barrier of the block, or as far as others may know of it. */
  readonly #astray = new Int32Array(mostWarps);
  #isAstray = false;

  /** A new block. */
  clear(): void {
    this.#times.fill(1);
    this.#intervals.fill(1);
    this.#common.fill(0);
    const { block, device } = this.#fences;
    for (const each of [this.#known, this.#phases, this.#open, this.#committed, this.#over, this.#awaited, block, device]) each.clear();
    this.#lastAwaited.fill(0);
    this.#isLost = false;
    this.#groups = 0;
    this.#lanes.fill(0);
    this.#astray.fill(0);
    this.#isAstray = false;
  }

  /** The present of a warp; of what it copies asynchronously with `copies`. */
  now(warp: number, copies: boolean): Pick<Moment, "time" | "interval"> {
    return { time: copies ? -this.#openGroup(warp) : this.#times[warp]!, interval: this.#intervals[warp]! };
  }

  /** All threads of the block have met. */
  blockSync(): void {
    // What warps waited for comes before what all do from now on.
    this.#astray.fill(0);
    const all = this.#common.slice();
    for (const known of this.#known.values()) join(all, known);
    this.#common.set(this.#times.subarray(0, copiesOf));
    this.#common.set(all.subarray(copiesOf), copiesOf);
    this.#known.clear();
    for (const fences of [this.#fences.block, this.#fences.device]) shareAmong(fences, this.#common.subarray(0, copiesOf).keys());
    for (let warp = 0; warp < copiesOf; warp++) this.#tick(warp);
  }

  /** Some warps have met. */
  meet(warps: readonly number[]): void {
    const all = new Int32Array(mostWarps);
    for (const warp of warps) join(all, this.#knowledge(warp));
    for (const fences of [this.#fences.block, this.#fences.device]) shareAmong(fences, warps);
    for (const warp of warps) {
      this.#known.set(warp, all.slice());
      this.#tick(warp);
    }
  }

  /** A warp's fence: what it knows comes before all that it does from now on, for the threads of its block or for all. */
  fence(warp: number, scope: FenceScope): void {
    const known = this.#knowledge(warp);
    this.#fences.block.set(warp, known);
    if (scope === "device") this.#fences.device.set(warp, known);
    // Not for its own lanes: they do not wait.
    this.#times[warp]!++;
  }

  /** What a warp has put before what it does now. */
  fenced(warp: number, scope: FenceScope): Int32Array {
    return this.#fences[scope].get(warp) ?? nothing;
  }

  /** A lane has found out how far others are: its warp knows of the others, itself alone of its own. */
  learn(warp: number, lane: number, times: Int32Array): void {
    const thread = warp * 32 + lane;
    this.#lanes[thread] = Math.max(this.#lanes[thread]!, times[warp]!);
    const known = this.#known.get(warp) ?? new Int32Array(mostWarps);
    const own = known[warp]!;
    join(known, times);
    known[warp] = own;
    this.#known.set(warp, known);
  }

  /** A warp goes on although it has not found what it waited for. */
  goAstray(warp: number): void {
    this.#isAstray = true;
    if (this.#astray[warp] === 0) this.#astray[warp] = ++this.#times[warp]!;
  }

  /** Whether what a warp did then, or does now, may come behind anything that others of its block do, for all that is known. */
  isAstray(warp: number, time: number): boolean {
    const since = this.#astray[warp]!;
    return since !== 0 && time >= since;
  }

  /** Whether some warp of the block went on without what it waited for: it may have been for what other blocks do. */
  get isBlockAstray(): boolean {
    return this.#isAstray;
  }

  /** The lanes of a warp have met. */
  warpSync(warp: number): void {
    this.#intervals[warp]!++;
  }

  /** A warp arrives in a phase of an object, and goes on. */
  arrive(phase: number, warp: number): void {
    const known = this.#phases.get(phase) ?? new Int32Array(mostWarps);
    join(known, this.#knowledge(warp));
    this.#phases.set(phase, known);
    this.#tick(warp);
  }

  /** A warp has waited for such a phase. */
  wait(phase: number, warp: number): void {
    const phaseKnows = this.#phases.get(phase);
    if (!phaseKnows) return;
    const known = this.#known.get(warp) ?? new Int32Array(mostWarps);
    join(known, phaseKnows);
    this.#known.set(warp, known);
    this.#intervals[warp]!++;
  }

  /** The copies of a warp so far are a group. */
  commit(warp: number): void {
    const committed = this.#committed.get(warp) ?? [];
    committed.push(this.#openGroup(warp));
    this.#committed.set(warp, committed);
    this.#open.delete(warp);
  }

  /** A warp waits until no more than so many of its groups are under way; with 0 for what is in none, too. */
  waitForCopies(warp: number, pending: number): void {
    if (pending === 0) this.commit(warp);
    const committed = this.#committed.get(warp) ?? [];
    const moment = { time: this.#times[warp]!, interval: this.#intervals[warp]! };
    for (const group of committed.splice(0, Math.max(0, committed.length - pending))) this.#over.set(group, moment);
  }

  /** The copies of a warp so far arrive in a phase of an mbarrier, once they are over. */
  copiesArrive(warp: number, phase: number): void {
    this.commit(warp);
    for (const group of this.#committed.get(warp) ?? []) this.#await(warp, group, phase);
  }

  /** A warp begins a copy of the copy engine, whose end a phase waits for. @returns its time: see `now` */
  beginBulk(warp: number, phase: number): number {
    const group = ++this.#groups;
    this.#await(warp, group, phase);
    return -group;
  }

  #await(warp: number, group: number, phase: number): void {
    const last = ++this.#lastAwaited[warp]!;
    this.#awaited.set(group, last);
    const known = this.#phases.get(phase) ?? new Int32Array(mostWarps);
    known[copiesOf + warp] = last;
    this.#phases.set(phase, known);
  }

  /** Nothing is known any more of what comes before what. */
  lose(): void {
    this.#isLost = true;
  }

  /** Whether it is a copy that nobody has waited for. */
  isUnderWay({ warp, time }: Pick<Moment, "warp" | "time">): boolean {
    if (time >= 0 || this.#over.has(-time)) return false;
    const place = copiesOf + warp;
    const awaited = this.#awaited.get(-time);
    return awaited === undefined || ![this.#common, ...this.#known.values()].some((known) => awaited <= known[place]!);
  }

  /** Whether what a thread did comes before what another does now. */
  isBefore(warp: number, lane: number, time: number, interval: number, by: number, byLane: number): boolean {
    if (this.#isLost) return true;
    if (time >= 0) return this.#comesBefore(warp, lane, time, interval, by, byLane);
    const awaited = this.#awaited.get(-time);
    const place = copiesOf + warp;
    if (awaited !== undefined && (awaited <= this.#common[place]! || awaited <= (this.#known.get(by)?.[place] ?? 0))) return true;
    const over = this.#over.get(-time);
    return over !== undefined && this.#comesBefore(warp, lane, over.time, over.interval, by, byLane);
  }

  #comesBefore(warp: number, lane: number, time: number, interval: number, by: number, byLane: number): boolean {
    if (warp === by) return lane === byLane || interval !== this.#intervals[warp] || time <= this.#lanes[by * 32 + byLane]!;
    return time <= this.#common[warp]! || time <= (this.#known.get(by)?.[warp] ?? 0);
  }

  /** What a warp knows of all, of itself that its present is over. */
  #knowledge(warp: number): Int32Array {
    const known = this.#common.slice();
    const more = this.#known.get(warp);
    if (more) join(known, more);
    known[warp] = this.#times[warp]!;
    return known;
  }

  #tick(warp: number): void {
    this.#times[warp]!++;
    this.#intervals[warp]!++;
  }

  #openGroup(warp: number): number {
    const known = this.#open.get(warp);
    if (known !== undefined) return known;
    this.#open.set(warp, ++this.#groups);
    return this.#groups;
  }
}

const nothing = new Int32Array(mostWarps);

/** Each comes to know what all of them do. */
function shareAmong(known: Map<number, Int32Array>, warps: Iterable<number>): void {
  if (known.size === 0) return;
  const members = [...warps];
  const all = new Int32Array(mostWarps);
  for (const warp of members) join(all, known.get(warp) ?? nothing);
  for (const warp of members) known.set(warp, all.slice());
}

/** Takes the later of each. */
export function join(into: Int32Array, other: Int32Array): void {
  for (let warp = 0; warp < mostWarps; warp++) if (other[warp]! > into[warp]!) into[warp] = other[warp]!;
}
