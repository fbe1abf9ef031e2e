/** Accesses that nothing orders, in shared memory and in global memory, and reads of shared memory that nobody has written. */
import type { AccessCounter, SharedEnd } from "../execute/accesses.ts";
import { sharedBase } from "../execute/memory.ts";
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { Actor, Violation } from "../report/violation.ts";
import { BlockOrder } from "./block-order.ts";
import type { BlockClocks, FenceScope } from "./clocks.ts";
import { type BlockTouch, GlobalShadow } from "./global-shadow.ts";
import { HeldLocks, isUnfenced } from "./held-locks.ts";
import { isUnordered, meetsGrid } from "./invented.ts";
import { bufferAt, nearestOf, sharedAt } from "./objects.ts";
import { type Conflict, SharedShadow, type Touch } from "./shared-shadow.ts";
import { atomicScope, type Site, type Sites } from "./sites.ts";
import { spotOf, spotsOf, type Witnesses } from "./witnesses.ts";

/** What operations of the running warp come to, lane by lane, where that is computed. */
export type LaneValues = (op: Op, warp: number, lane: number) => number | undefined;

interface Unwritten {
  readonly granule: number;
  readonly key: string;
  readonly violation: () => Violation;
}

interface Undecided {
  readonly site: Site;
  readonly conflict: BlockTouch;
  readonly address: number;
  readonly touch: BlockTouch;
}

/** Races that are kept until all blocks have run. */
const mostUndecided = 1024;

/** Reads that are kept until it is known that nobody writes in their interval. */
const mostUnwritten = 64;

export class OrderCheck {
  readonly #program: Program;
  readonly #witnesses: Witnesses;
  readonly #sites: Sites;
  readonly #clocks: BlockClocks;
  readonly #shared: SharedShadow | undefined;
  readonly #global: GlobalShadow | undefined;
  /** Where threads may tell each other by memory how far they are. */
  readonly #order: BlockOrder | undefined;
  readonly #isSubstituted: boolean;
  readonly #values: LaneValues | undefined;
  readonly #locks = new HeldLocks();
  /** Where the present block has found out by an atomic what others had left by theirs: what it does there comes behind that. */
  readonly #found = new Set<number>();
  #unwritten: Unwritten[] = [];
  #undecided: Undecided[] = [];
  /** What is stored by one place in the source from several threads, and where they read it: it decides whether that matters. */
  readonly contested = new Set<Op>();
  /** What such stores store that is made of data: other data shows whether it is the same. */
  readonly ofData = new Set<Op>();
  /** Pairs of places in the source (`spotsOf`) where such stores turned out to store one value. */
  readonly settled = new Set<string>();

  /**
   * @param ordered what orders the accesses of a block is all understood and heard of: without, only blocks are told apart
   * @param isSubstituted see `Sites`
   * @param values of what is stored, and where it was read
   */
  constructor(
    program: Program,
    witnesses: Witnesses,
    sites: Sites,
    clocks: BlockClocks,
    ordered: boolean,
    values: LaneValues | undefined,
    isSubstituted: boolean,
  ) {
    this.#isSubstituted = isSubstituted;
    this.#values = values;
    this.#program = program;
    this.#witnesses = witnesses;
    this.#sites = sites;
    this.#clocks = clocks;
    const { launch, environment } = program;
    const counters = [...program.counters.values()].flat();
    const narrowest = (space: string): number =>
      counters.reduce((least, counter) => (counter.space === space ? Math.min(least, counter.bytes) : least), 4);
    if (
      ordered &&
      counters.some(({ space, op }) => space === "shared" && op.action.kind !== "mbarrier" && op.action.kind !== "mbarrier.wait")
    ) {
      const dynamic =
        environment.sharedAddresses.reduce((most, at) => Math.max(most, at), sharedBase) - sharedBase + launch.dynamicSharedBytes;
      const bytes = Math.max(environment.staticSharedBytes, dynamic);
      this.#shared = new SharedShadow(bytes, narrowest("shared"), clocks, (site) => sites.at(site)?.isAtomic === true);
    }
    this.#order = ordered && !isUnordered(program) ? new BlockOrder(clocks) : undefined;
    if (sites.stored.size > 0 && (isUnordered(program) || (ordered && !meetsGrid(program)))) {
      this.#global = new GlobalShadow(narrowest("global"), ordered ? clocks : undefined, this.#order);
    }
  }

  /** A new block begins. */
  begin(): void {
    this.#shared?.clear();
    this.#order?.begin();
    this.#found.clear();
    this.#locks.clear();
    this.#unwritten = [];
  }

  /** Lane k of `mask` accesses `addresses[from + k]`. */
  check(site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    if (site.meetsOthers && this.#global) this.#inGlobal(this.#global, site, addresses, from, mask, warp);
    if (site.counter.space === "shared" && this.#shared) this.#inShared(this.#shared, site, addresses, from, mask, warp);
  }

  /** What is found and left by atomics and volatile accesses may tell others how far a thread is; wherever the thread goes because of it. */
  synchronise({ op, operation, space }: AccessCounter, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const order = this.#order;
    const { action } = op;
    const isStrong = action.kind === "atomic" || ((action.kind === "load" || action.kind === "store") && action.volatile === true);
    const finds = operation !== "store" && this.#sites.finds(op);
    if (action.kind === "atomic" && finds && space === "global")
      for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) if (bits & 1) this.#found.add(addresses[from + lane]!);
    if (!order || !isStrong) return;
    const { block } = this.#witnesses;
    const ofBlock = space === "shared" || atomicScope(op) === "block";
    const takes = action.kind === "atomic" && action.op === "cas" && this.#sites.isLock(op);
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      if (finds) order.acquire(address, block, warp, lane, ofBlock);
      if (operation !== "load") order.release(address, block, warp, ofBlock);
      if (takes) this.#locks.take(warp, lane, address);
      else if (operation !== "load") this.#locks.give(warp, lane, address);
    }
  }

  /** A warp goes on without what it waited for. */
  goAstray(warp: number): void {
    this.#clocks.goAstray(warp);
  }

  /** A fence of a warp. */
  fence(warp: number, scope: FenceScope): void {
    this.#clocks.fence(warp, scope);
    this.#locks.fence(warp, scope);
  }

  /** The lanes of a warp have met, alone or with others of the block. */
  meet(warp: number): void {
    this.#locks.fence(warp, "device");
  }

  #inShared(shadow: SharedShadow, site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const granules = site.counter.bytes / shadow.granule;
    const { time, interval } = this.#clocks.now(warp, site.copies);
    const { value, source } = site;
    const touch: { -readonly [K in keyof Touch]: Touch[K] } = { warp, lane: 0, time, interval, site: site.number, alike: site.sameValue };
    const isOne = (other: Conflict): boolean => this.#isOne(site, touch, other);
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const first = Math.floor((address - sharedBase) / shadow.granule);
      touch.lane = lane;
      touch.value = value && this.#values?.(value, warp, lane);
      touch.source = source && this.#values?.(source, warp, lane);
      for (let granule = first; granule < first + granules; granule++) {
        if (site.reads && site.showsUnwritten && !shadow.isWritten(granule)) this.#notWritten(site, granule, address, warp, lane);
        if (site.polls) continue;
        const conflict = site.writes ? shadow.write(granule, touch, isOne) : shadow.read(granule, touch);
        if (conflict) this.#sharedRace(site, conflict, address, touch);
      }
    }
  }

  /** A copy of the copy engine fills a part of shared memory. */
  bulk(site: Site, { address, bytes, lane }: SharedEnd, warp: number, time: number): void {
    const shadow = this.#shared;
    if (!shadow) return;
    const { interval } = this.#clocks.now(warp, false);
    const touch: Touch = { warp, lane, time, interval, site: site.number };
    const first = Math.floor((address - sharedBase) / shadow.granule);
    const told = new Set<number>();
    for (let granule = first; granule < first + bytes / shadow.granule; granule++) {
      const conflict = shadow.write(granule, touch, () => false);
      if (!conflict || told.has(conflict.site)) continue;
      told.add(conflict.site);
      this.#sharedRace(site, conflict, sharedBase + granule * shadow.granule, touch);
    }
  }

  #inGlobal(shadow: GlobalShadow, site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const granules = site.counter.bytes / shadow.granule;
    const { block } = this.#witnesses;
    const { time, interval } = this.#clocks.now(warp, false);
    const { isAtomic } = site;
    const isAstray = this.#clocks.isBlockAstray;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const first = Math.floor(address / shadow.granule);
      const lock = this.#locks.of(warp, lane);
      const value = site.value && this.#values?.(site.value, warp, lane);
      const source = site.source && this.#values?.(site.source, warp, lane);
      const touch: BlockTouch = { warp, lane, time, interval, block, site: site.number, lock, isAtomic, isAstray, value, source };
      for (let granule = first; granule < first + granules; granule++) {
        const conflict = site.writes
          ? shadow.write(granule, touch, (other) => this.#isOne(site, touch, other))
          : shadow.read(granule, touch);
        if (conflict) this.#globalRace(site, conflict, address, touch);
      }
    }
  }

  /** Whether it is all the same which of two stores of a block comes last. */
  #isOne(site: Site, { warp, value, source }: Touch, other: Pick<Touch, "warp" | "site" | "value" | "source">): boolean {
    if (other.site !== site.number) return false;
    for (const each of [site.value, site.source]) if (each) this.contested.add(each);
    if (source !== undefined && source === other.source) {
      this.settled.add(spotsOf(site.op.span, site.op.span));
      return true;
    }
    if (value !== undefined && other.value !== undefined && value !== other.value) return false;
    // Of lanes that store at once one wins: most often all store what they have worked out together.
    return site.sameValue || other.warp === warp;
  }

  /** Two that compute the same number, as of x and y and of y and x, may store it in either order: whatever it is that they read. */
  #isSame(site: Site, other: Site, touch: BlockTouch, conflict: BlockTouch): boolean {
    if (!site.computedFrom || !other.computedFrom || site.counter.bytes !== other.counter.bytes) return false;
    if (!this.#isSubstituted && (site.computedFrom === "data" || other.computedFrom === "data")) {
      for (const { op } of [site, other]) if (op.args[1]) this.ofData.add(op.args[1]);
      return false;
    }
    if (!site.value || !other.value) return false;
    for (const each of [site.value, other.value]) this.contested.add(each);
    if (touch.value === undefined || touch.value !== conflict.value) return false;
    this.settled.add(spotsOf(site.op.span, other.op.span));
    return true;
  }

  /** Of blocks that went on without what they waited for: nothing that the one has left anywhere can have been it for the other. */
  tellUndecided(): void {
    const mayPrecede = (first: BlockTouch, second: BlockTouch): boolean =>
      second.isAstray && this.#order?.hasTold(first.block, first.warp, first.time) === true;
    for (const { site, conflict, address, touch } of this.#undecided)
      if (!mayPrecede(conflict, touch) && !mayPrecede(touch, conflict)) this.#globalRace(site, conflict, address, touch, true);
    this.#undecided = [];
  }

  /** Of one block: whether either may have waited for the other in vain. */
  #isAstray(...touches: readonly Pick<Touch, "warp" | "time">[]): boolean {
    return touches.some(({ warp, time }) => this.#clocks.isAstray(warp, time));
  }

  #globalRace(site: Site, conflict: BlockTouch, address: number, touch: BlockTouch, decided = false): void {
    const other = this.#sites.at(conflict.site);
    const extent = site.extents ? nearestOf(site.extents, address) : bufferAt(this.#program, site.address, address);
    if (!other || !extent || (extent.object.bytes !== undefined && address - extent.start >= extent.object.bytes)) return;
    const within = conflict.block === touch.block;
    if (site.isAtomic && other.isAtomic && (within || !(site.ofBlock || other.ofBlock))) return;
    if (!within && conflict.isAtomic && this.#found.has(address)) return;
    if (within && this.#isAstray(touch, conflict)) return;
    if (!within && !decided && (touch.isAstray || conflict.isAstray)) {
      if (this.#undecided.length < mostUndecided) this.#undecided.push({ site, conflict, address, touch });
      return;
    }
    if (this.#isSame(site, other, touch, conflict)) return;
    // Who sets what is there to a value is in the way of those who go on from what was there.
    const isSettled = site.sets === undefined || other.sets === undefined || site.sets === other.sets;
    const isRead = (site.operation === "load" || other.operation === "load") && site.guarded && other.guarded;
    if (
      isSettled &&
      !isRead &&
      ((site.sets !== undefined && other.operation !== "atomic") || (other.sets !== undefined && site.operation !== "atomic"))
    )
      return;
    // The same thread of another block stores what this one does, unless something tells them apart.
    if (!within && site === other && conflict.warp === touch.warp && conflict.lane === touch.lane && !site.dependsOnBlock && !site.ofBlock)
      return;
    const here = this.#witnesses.actor(site.op, site.operation, touch.warp, touch.lane, touch.block);
    const there = this.#witnesses.actor(other.op, other.operation, conflict.warp, conflict.lane, conflict.block);
    const plain = site.operation === "atomic" ? { by: there, other: here } : { by: here, other: there };
    // Where only one is an atomic, the other lacks it.
    const actors = (site.operation === "atomic") === (other.operation === "atomic") ? inSourceOrder(site, here, other, there) : plain;
    this.#tell(`global ${spotsOf(site.op.span, other.op.span)}`, actors, ({ by, other: earlier }) => ({
      kind: "global-race",
      by,
      other: earlier,
      object: extent.object,
      offset: address - extent.start,
      width: site.counter.bytes,
      sameWarp: within && conflict.warp === touch.warp,
      unfenced: isUnfenced(conflict.lock, touch.lock, within),
      interval: touch.interval,
      ...stored(touch, conflict),
    }));
  }

  #sharedRace(site: Site, { sameWarp, underWay, ...conflict }: Conflict, address: number, touch: Touch): void {
    const other = this.#sites.at(conflict.site);
    const extent = site.extents ? nearestOf(site.extents, address) : sharedAt(this.#program, address);
    // What lies beyond the end is told as that.
    if (!other || !extent || address < extent.start || address >= extent.end || this.#isAstray(touch, conflict)) return;
    const here = this.#witnesses.actor(site.op, site.operation, touch.warp, touch.lane);
    const there = this.#witnesses.actor(other.op, other.operation, conflict.warp, conflict.lane);
    this.#tell(`shared ${spotsOf(site.op.span, other.op.span)}`, inSourceOrder(site, here, other, there), ({ by, other: earlier }) => ({
      kind: "shared-race",
      by,
      other: earlier,
      object: extent.object,
      offset: address - extent.start,
      width: site.counter.bytes,
      sameWarp,
      interval: touch.interval,
      underWay,
      ...stored(touch, conflict),
    }));
  }

  /** Threads of different warps are the better witness: a barrier of the block is needed for them; or a copy that was not waited for. */
  #tell(key: string, actors: Actors, violation: (actors: Actors) => Extract<Violation, { sameWarp: boolean }>): void {
    const { found } = this.#witnesses;
    const known = found.get(key);
    if (known === undefined) found.set(key, violation(actors));
    else if ("sameWarp" in known && (known.sameWarp || (known.kind === "shared-race" && !known.underWay))) {
      const better = violation(actors);
      if ((known.sameWarp && !better.sameWarp) || (better.kind === "shared-race" && better.underWay)) found.set(key, better);
    }
  }

  #notWritten(site: Site, granule: number, address: number, warp: number, lane: number): void {
    const extent = site.extents && nearestOf(site.extents, address);
    const key = `unwritten ${spotOf(site.op.span)}`;
    if (!extent || this.#witnesses.found.has(key) || this.#unwritten.length >= mostUnwritten) return;
    const by = this.#witnesses.actor(site.op, site.operation, warp, lane);
    const { object, start } = extent;
    const violation = (): Violation => ({ kind: "uninitialised", by, object, offset: address - start, width: site.counter.bytes });
    this.#unwritten.push({ granule, key, violation });
  }

  /** Tells what nobody had written until now: who writes in the same interval races with the read, and then it is that. */
  tellUnwritten(): void {
    for (const { granule, key, violation } of this.#unwritten) if (!this.#shared?.isWritten(granule)) this.#witnesses.keep(key, violation);
    this.#unwritten = [];
  }
}

interface Actors {
  readonly by: Actor;
  readonly other: Actor;
}

/** Who stands later in the source comes first: there the reader looks for what is missing before it. */
function inSourceOrder(site: Site, here: Actor, otherSite: Site, there: Actor): Actors {
  const [x, y] = [otherSite.op.span, site.op.span];
  return x.file === y.file && x.start > y.start ? { by: there, other: here } : { by: here, other: there };
}

/** What two threads store by one place in the source, where that is known to differ. */
function stored({ site, value }: Touch, other: Pick<Touch, "site" | "value">): { readonly values?: readonly [number, number] } {
  return value === undefined || other.value === undefined || other.site !== site ? {} : { values: [value, other.value] };
}
