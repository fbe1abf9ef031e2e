/** Hears every request and every barrier of the blocks that run, and keeps the first violation of each kind at each place. */
import type { AccessCounter, AccessListener, RequestShape } from "../execute/accesses.ts";
import { sharedBase } from "../execute/memory.ts";
import type { Program } from "../execute/program.ts";
import { type MemoryObject, mayOverlap } from "../execute/provenance.ts";
import type { BarrierListener, Runner } from "../execute/run.ts";
import type { Block, Dim3, Op, Span } from "../ir/kernel.ts";
import type { Actor, Violation } from "../report/violation.ts";
import { dependsOnBlock, isAlike } from "./alike.ts";
import { type BlockTouch, GlobalShadow } from "./global-shadow.ts";
import { divergentRegions, type Invented } from "./invented.ts";
import { type Extent, extentsOf } from "./objects.ts";
import { type Conflict, SharedShadow, type Touch } from "./shared-shadow.ts";

/** What is known of one of a memory operation's accesses. */
interface Site {
  readonly counter: AccessCounter;
  readonly extents: readonly Extent[] | undefined;
  readonly operation: Actor["operation"];
  readonly reads: boolean;
  readonly writes: boolean;
  /** Whoever writes what it reads is known to. */
  readonly showsUnwritten: boolean;
  /** What it stores depends on the block, as far as the source shows. */
  readonly dependsOnBlock: boolean;
  /** Every thread of the block stores the same. */
  readonly sameValue: boolean;
  /** Other blocks may write what it touches, or touch what it writes; nothing orders them. */
  readonly meetsBlocks: boolean;
}

interface Arrival {
  readonly barrier: Op;
  readonly lanes: number;
  readonly missing: number;
  readonly ended: number;
}

interface Unwritten {
  readonly granule: number;
  readonly violation: () => Violation;
}

const place = ({ file, line, start, end }: Span): Actor["at"] => ({ file, line, start, end });
const firstLane = (mask: number): number => 31 - Math.clz32(mask & -mask);

export class Watcher implements AccessListener, BarrierListener {
  readonly #runner: Runner;
  readonly #program: Program;
  readonly #invented: Invented;
  readonly #sites = new Map<AccessCounter, Site | undefined>();
  readonly #numbered: Site[] = [];
  readonly #numbers = new Map<Site, number>();
  readonly #shadow: SharedShadow | undefined;
  readonly #global: GlobalShadow | undefined;
  /** Buffers and variables that the kernel stores to other than by atomics, or values that are not the same for all blocks. */
  readonly #stored: ReadonlySet<string>;
  /** What something stores to of which it is not known where, or whether. */
  readonly #doubtful: ReadonlySet<MemoryObject>;
  readonly #found = new Map<string, Violation>();
  readonly #lanes = new Float64Array(32);
  readonly #arrivals = new Map<number, Arrival>();
  readonly #warps: number;
  #unwritten: Unwritten[] = [];
  #block: Dim3 = [0, 0, 0];

  /**
   * @param ordered whether what orders accesses to shared memory is all understood, and every barrier waited at: without, no races are
   * looked for, nor what was not written
   */
  constructor(runner: Runner, invented: Invented, ordered: boolean) {
    this.#runner = runner;
    this.#program = runner.program;
    this.#invented = invented;
    const { launch, environment, counters } = this.#program;
    this.#warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / 32);
    const shared = [...counters.values()].flat().filter(({ space }) => space === "shared");
    if (ordered && shared.length > 0) {
      const granule = shared.reduce((least, { bytes }) => Math.min(least, bytes), 4);
      const dynamic =
        environment.sharedAddresses.reduce((most, at) => Math.max(most, at), sharedBase) - sharedBase + launch.dynamicSharedBytes;
      const bytes = Math.max(environment.staticSharedBytes, dynamic);
      this.#shadow = new SharedShadow(bytes, granule, (site) => this.#numbered[site]?.operation === "atomic");
    }
    this.#stored = storedObjects(this.#program);
    this.#doubtful = doubtfulObjects(this.#program, invented);
    const global = [...counters.values()].flat().filter(({ space }) => space === "global");
    if (this.#stored.size > 0 && isUnordered(this.#program))
      this.#global = new GlobalShadow(global.reduce((least, { bytes }) => Math.min(least, bytes), 4));
    for (const counter of [...counters.values()].flat()) counter.listener = this;
    runner.barrierListener = ordered ? this : undefined;
  }

  get violations(): readonly Violation[] {
    return [...this.#found.values()];
  }

  /** Runs a block. */
  watch(at: Dim3, run: () => void): void {
    this.#block = at;
    this.#runner.records = [];
    this.#shadow?.clear();
    this.#unwritten = [];
    this.#arrivals.clear();
    run();
    // Nobody is left who might have written.
    this.#tellUnwritten();
  }

  /** The lanes of the running warp that an operation names wait for each other: those that go by it are waited for in vain. */
  warpSync(op: Op, _from: number, mask: number): void {
    const warp = this.#runner.record?.warp;
    if (warp === undefined || this.#runner.isTrying) return;
    this.#shadow?.warpSync(warp);
    const [named] = op.args;
    if (named?.action.kind !== "const" || this.#invented.of(op)) return;
    const { missing, ended } = this.#runner.others(mask);
    const wanted = Number(named.action.value) & ~mask;
    if ((wanted & missing) !== 0) this.#diverges(op, warp, mask, this.#thread(warp, firstLane(wanted & missing)), false);
    else if ((wanted & ended) !== 0) this.#diverges(op, warp, mask, this.#thread(warp, firstLane(wanted & ended)), true);
  }

  request(counter: AccessCounter, addresses: Float64Array, from: number, mask: number): void {
    const site = this.#siteOf(counter);
    if (site) this.#check(site, addresses, from, mask);
  }

  patterned(counter: AccessCounter, _: RequestShape, first: number, pattern: Float64Array, mask: number): void {
    const site = this.#siteOf(counter);
    if (!site) return;
    const lanes = this.#lanes;
    for (let lane = 0; lane < 32; lane++) lanes[lane] = first + pattern[lane]!;
    this.#check(site, lanes, 0, mask);
  }

  bulk(): void {}

  meets(): void {}

  arrive(warp: number, barrier: Op, lanes: number, missing: number, ended: number): void {
    this.#arrivals.set(warp, { barrier, lanes, missing, ended });
  }

  release(): void {
    this.#tellDivergence();
    this.#tellUnwritten();
    this.#arrivals.clear();
    this.#shadow?.blockSync();
  }

  #siteOf(counter: AccessCounter): Site | undefined {
    if (this.#sites.has(counter)) return this.#sites.get(counter);
    const site = this.#makeSite(counter);
    this.#sites.set(counter, site);
    if (site) {
      this.#numbers.set(site, this.#numbered.length);
      this.#numbered.push(site);
    }
    return site;
  }

  #makeSite(counter: AccessCounter): Site | undefined {
    const { op, space, operation } = counter;
    if (operation !== "load" && operation !== "store" && operation !== "atomic" && operation !== "copy") return undefined;
    const address = op.args[operation === "copy" && space === "global" ? 1 : 0];
    if (!address || space === "texture" || op.action.kind === "wgmma" || this.#invented.of(op)) return undefined;
    if (op.action.kind === "load" && op.action.matrix) return undefined;
    const value = op.action.kind === "store" && op.action.components === 1 ? op.args[1] : undefined;
    return {
      counter,
      extents: extentsOf(this.#program, address),
      operation,
      reads: operation === "load" || (operation === "copy" && space === "global"),
      writes: operation !== "load" && !(operation === "copy" && space === "global"),
      sameValue: value !== undefined && isAlike(value, "block"),
      showsUnwritten: !mayOverlap(this.#program.provenance.of(address), this.#doubtful),
      dependsOnBlock: op.args.slice(1).some((arg) => dependsOnBlock(arg)),
      meetsBlocks:
        space === "global" &&
        [...this.#program.provenance.of(address)].some((object) => this.#stored.has(object)) &&
        !(op.action.kind === "store" && value !== undefined && isAlike(value, "launch")) &&
        !(op.action.kind === "load" && op.action.volatile === true),
    };
  }

  #check(site: Site, addresses: Float64Array, from: number, mask: number): void {
    const { counter, extents } = site;
    const { bytes } = counter;
    const warp = this.#runner.record?.warp ?? 0;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      if (extents && !within(extents, address, bytes)) this.#outOfBounds(site, extents, address, warp, lane);
      else if (address % bytes !== 0 && (bytes & (bytes - 1)) === 0) this.#misaligned(site, address, warp, lane);
    }
    if (site.meetsBlocks && this.#global) this.#orderBlocks(this.#global, site, addresses, from, mask, warp);
    if (counter.space === "shared" && this.#shadow) this.#order(this.#shadow, site, addresses, from, mask, warp);
  }

  #order(shadow: SharedShadow, site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const { counter } = site;
    const number = this.#numbers.get(site) ?? 0;
    const granules = counter.bytes / shadow.granule;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const first = Math.floor((address - sharedBase) / shadow.granule);
      const touch: Touch = { warp, lane, site: number };
      for (let granule = first; granule < first + granules; granule++) {
        if (site.reads && site.showsUnwritten && !shadow.isWritten(granule)) this.#notWritten(site, granule, address, warp, lane);
        const conflict = site.writes ? shadow.write(granule, touch, site.sameValue) : shadow.read(granule, touch);
        if (conflict) this.#race(site, conflict, address, warp, lane);
      }
    }
  }

  #orderBlocks(shadow: GlobalShadow, site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const { counter } = site;
    const number = this.#numbers.get(site) ?? 0;
    const granules = counter.bytes / shadow.granule;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const first = Math.floor(address / shadow.granule);
      const touch: BlockTouch = { block: this.#block, warp, lane, site: number };
      for (let granule = first; granule < first + granules; granule++) {
        const conflict = site.writes ? shadow.write(granule, touch) : shadow.read(granule, touch);
        if (conflict) this.#globalRace(site, conflict, address, touch);
      }
    }
  }

  #globalRace(site: Site, conflict: BlockTouch, address: number, touch: BlockTouch): void {
    const other = this.#numbered[conflict.site];
    const extent = site.extents && nearestOf(site.extents, address);
    if (!other || !extent || (site.operation === "atomic" && other.operation === "atomic")) return;
    // The same thread of another block stores what this one does, unless something tells them apart.
    if (site === other && conflict.warp === touch.warp && conflict.lane === touch.lane && !site.dependsOnBlock) return;
    const here = this.#actor(site, touch.warp, touch.lane);
    const there = this.#actor(other, conflict.warp, conflict.lane, conflict.block);
    const [by, earlier] = isBehind(other, site) ? [there, here] : [here, there];
    this.#keep(`blocks ${[spot(site), spot(other)].sort().join(" ")}`, () => ({
      kind: "global-race",
      by,
      other: earlier,
      object: extent.object,
      offset: address - extent.start,
      width: site.counter.bytes,
    }));
  }

  #actor(site: Site, warp: number, lane: number, block = this.#block): Actor {
    return { block, thread: this.#thread(warp, lane), at: place(site.counter.op.span), operation: site.operation };
  }

  #thread(warp: number, lane: number): Dim3 {
    const [x, y] = this.#program.launch.block;
    const index = warp * 32 + lane;
    return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
  }

  #keep(key: string, violation: () => Violation): void {
    if (!this.#found.has(key)) this.#found.set(key, violation());
  }

  #outOfBounds(site: Site, extents: readonly Extent[], address: number, warp: number, lane: number): void {
    const nearest = nearestOf(extents, address);
    this.#keep(`bounds ${spot(site)}`, () => ({
      kind: "out-of-bounds",
      by: this.#actor(site, warp, lane),
      object: nearest.object,
      offset: address - nearest.start,
      width: site.counter.bytes,
    }));
  }

  #misaligned(site: Site, address: number, warp: number, lane: number): void {
    const { extents } = site;
    if (!extents) return;
    const nearest = nearestOf(extents, address);
    this.#keep(`aligned ${spot(site)}`, () => ({
      kind: "misaligned",
      by: this.#actor(site, warp, lane),
      object: nearest.object,
      offset: address - nearest.start,
      width: site.counter.bytes,
    }));
  }

  #race(
    site: Site,
    { warp: otherWarp, lane: otherLane, site: number, sameWarp }: Conflict,
    address: number,
    warp: number,
    lane: number,
  ): void {
    const other = this.#numbered[number];
    const extent = site.extents && nearestOf(site.extents, address);
    if (!other || !extent) return;
    // Threads of different warps are the better witness: a barrier of the block is needed for them.
    const key = `race ${[spot(site), spot(other)].sort().join(" ")}`;
    const known = this.#found.get(key);
    const [later, earlier] = isBehind(other, site)
      ? [this.#actor(other, otherWarp, otherLane), this.#actor(site, warp, lane)]
      : [this.#actor(site, warp, lane), this.#actor(other, otherWarp, otherLane)];
    if (known?.kind === "shared-race" && known.sameWarp && !sameWarp) this.#found.delete(key);
    this.#keep(key, () => ({
      kind: "shared-race",
      by: later,
      other: earlier,
      object: extent.object,
      offset: address - extent.start,
      width: site.counter.bytes,
      sameWarp,
    }));
  }

  #notWritten(site: Site, granule: number, address: number, warp: number, lane: number): void {
    const extent = site.extents && nearestOf(site.extents, address);
    if (!extent || this.#found.has(`unwritten ${spot(site)}`) || this.#unwritten.length >= 64) return;
    const by = this.#actor(site, warp, lane);
    const { object, start } = extent;
    const violation = (): Violation => ({ kind: "uninitialised", by, object, offset: address - start, width: site.counter.bytes });
    this.#unwritten.push({ granule, violation });
  }

  /** Who writes in the same interval races with the read: then it is that. */
  #tellUnwritten(): void {
    for (const { granule, violation } of this.#unwritten) {
      if (this.#shadow?.isWritten(granule)) continue;
      const each = violation();
      if (each.kind === "uninitialised") this.#keep(`unwritten ${each.by.at.file}:${each.by.at.start}`, () => each);
    }
    this.#unwritten = [];
  }

  #tellDivergence(): void {
    const [first] = this.#arrivals;
    if (!first) return;
    for (const [warp, { barrier, lanes, missing, ended }] of this.#arrivals) {
      if (this.#invented.of(barrier)) return;
      const other = this.#arrivals.get(first[0]);
      if (missing !== 0) this.#diverges(barrier, warp, lanes, this.#thread(warp, firstLane(missing)), false);
      else if (ended !== 0) this.#diverges(barrier, warp, lanes, this.#thread(warp, firstLane(ended)), true);
      else if (other && other.barrier !== barrier && !this.#invented.of(other.barrier))
        this.#diverges(barrier, warp, lanes, this.#thread(first[0], firstLane(other.lanes)), false, other.barrier);
    }
    for (let warp = 0; warp < this.#warps; warp++) {
      if (this.#arrivals.has(warp)) continue;
      const [waiting, { barrier, lanes }] = first;
      this.#diverges(barrier, waiting, lanes, this.#thread(warp, 0), !this.#passedBy(warp, barrier));
    }
  }

  /** Whether a warp went by a barrier rather than return before it: it was where the ways around it meet again. */
  #passedBy(warp: number, barrier: Op): boolean {
    const ran = new Set(this.#runner.records?.[warp]?.blocks);
    const { blocks } = this.#program;
    const home = blocks.find(({ block }) => block.ops.includes(barrier));
    this.#regions ??= divergentRegions(this.#program);
    return blocks.some(
      ({ block, index, join }) =>
        home && join && ran.has(index) && ran.has(join.index) && this.#regions?.get(block)?.has(home.block) === true,
    );
  }

  #regions: Map<Block, ReadonlySet<Block>> | undefined;

  #diverges(barrier: Op, warp: number, lanes: number, missing: Dim3, ended: boolean, instead?: Op): void {
    const { span } = barrier;
    // One that goes by is worse than one that has ended.
    const key = `barrier ${span.file}:${span.start}${ended ? " ended" : ""}`;
    this.#keep(key, () => ({
      kind: "divergent-barrier",
      by: { block: this.#block, thread: this.#thread(warp, firstLane(lanes)), at: place(span), operation: "barrier" },
      missing,
      ended,
      ...(instead ? { instead: place(instead.span) } : {}),
    }));
  }
}

/** Stands later in the source: where the reader looks for what is missing before it. */
const isBehind = (a: Site, b: Site): boolean => {
  const [x, y] = [a.counter.op.span, b.counter.op.span];
  return x.file === y.file && x.start > y.start;
};

function doubtfulObjects({ kernel, provenance }: Program, invented: Invented): ReadonlySet<MemoryObject> {
  const doubtful = new Set<MemoryObject>();
  for (const { ops } of kernel.blocks)
    for (const op of ops)
      if (/^(store|atomic|copy)/.test(op.action.kind) && op.args[0] && invented.of(op))
        for (const object of provenance.of(op.args[0])) doubtful.add(object);
  return doubtful;
}

/** What the kernel stores to, but for atomics and values that are the same for all threads. */
function storedObjects({ kernel, provenance }: Program): ReadonlySet<string> {
  const stored = new Set<string>();
  for (const { ops } of kernel.blocks) {
    for (const { action, args } of ops) {
      const [address, value] = args;
      if (action.kind !== "store" || !address || !value || isAlike(value, "launch")) continue;
      for (const object of provenance.of(address)) if (/^(buffer|global) /.test(object)) stored.add(object);
    }
  }
  return stored;
}

/** Nothing in the kernel lets blocks wait for each other: no fence, no look at what others write. */
const isUnordered = ({ kernel }: Program): boolean =>
  kernel.blocks.every(({ ops }) =>
    ops.every(
      ({ action }) =>
        action.kind !== "fence" && !((action.kind === "load" || action.kind === "store") && action.space === "global" && action.volatile),
    ),
  );

const spot = ({ counter: { op } }: Site): string => `${op.span.file}:${op.span.start}-${op.span.end}`;

const within = (extents: readonly Extent[], address: number, bytes: number): boolean => {
  for (const { start, end } of extents) if (address >= start && address + bytes <= end) return true;
  return false;
};

/** The object that an address is in, or else is the least beyond. */
function nearestOf(extents: readonly Extent[], address: number): Extent {
  const distance = ({ start, end }: Extent): number => (address < start ? start - address : address < end ? 0 : address - end + 1);
  return extents.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}
