/** Hears every request and every barrier of the blocks that run, and hands them to what checks them. */
import type { AccessCounter, AccessListener, RequestShape, SharedEnd } from "../execute/accesses.ts";
import type { BarrierListener, Runner, WaitListener } from "../execute/run.ts";
import type { Dim3, Op } from "../ir/kernel.ts";
import type { Violation } from "../report/violation.ts";
import { Arrivals } from "./arrivals.ts";
import { BarrierCheck } from "./barriers.ts";
import { BoundsCheck } from "./bounds.ts";
import { BlockClocks } from "./clocks.ts";
import type { Invented } from "./invented.ts";
import { type LaneValues, OrderCheck } from "./order.ts";
import { type Site, Sites } from "./sites.ts";
import { type Given, UnwrittenCheck } from "./unwritten.ts";
import { Witnesses } from "./witnesses.ts";

export class Watcher implements AccessListener, BarrierListener, WaitListener {
  readonly #runner: Runner;
  readonly #witnesses: Witnesses;
  readonly #sites: Sites;
  readonly #clocks = new BlockClocks();
  readonly #bounds: BoundsCheck;
  readonly #order: OrderCheck;
  readonly #unwritten: UnwrittenCheck;
  readonly #barriers: BarrierCheck;
  readonly #arrivals: Arrivals;
  readonly #lanes = new Float64Array(32);

  /**
   * @param ordered whether what orders the accesses of a block is all understood, and every barrier waited at: without, no races within
   * a block are looked for, nor what was not written
   * @param values see `OrderCheck`
   * @param isSubstituted see `Sites`
   */
  constructor(runner: Runner, invented: Invented, ordered: boolean, given: Given, values?: LaneValues, isSubstituted = false) {
    const { program } = runner;
    this.#runner = runner;
    this.#witnesses = new Witnesses(program.launch.block);
    this.#sites = new Sites(program, invented, isSubstituted);
    this.#bounds = new BoundsCheck(this.#witnesses);
    this.#order = new OrderCheck(program, this.#witnesses, this.#sites, this.#clocks, ordered, values, isSubstituted);
    const whole = ordered && program.blocks.every(({ skip }) => !skip);
    this.#unwritten = new UnwrittenCheck(program, given, this.#witnesses, this.#sites, whole);
    this.#arrivals = new Arrivals(program);
    this.#barriers = new BarrierCheck(runner, invented, this.#witnesses, this.#clocks);
    for (const counter of [...program.counters.values()].flat()) counter.listener = this;
    runner.barrierListener = ordered ? this : undefined;
    runner.waitListener = ordered ? this : undefined;
  }

  get violations(): readonly Violation[] {
    return [...this.#witnesses.found.values()];
  }

  /** See `OrderCheck`. */
  get contested(): ReadonlySet<Op> {
    return this.#order.contested;
  }

  get ofData(): ReadonlySet<Op> {
    return this.#order.ofData;
  }

  get settled(): ReadonlySet<string> {
    return this.#order.settled;
  }

  /** All blocks have run. */
  end(): void {
    this.#order.tellUndecided();
  }

  /** Runs a block. @param isLast the last that is run: it finds all others to have come */
  watch(at: Dim3, isLast: boolean, run: () => void): void {
    if (isLast) this.#arrivals.countOthers();
    this.#witnesses.block = at;
    this.#runner.records = [];
    this.#clocks.clear();
    this.#order.begin();
    this.#unwritten.begin();
    this.#barriers.begin();
    run();
    // Nobody is left who might have written.
    this.#order.tellUnwritten();
    this.#unwritten.end();
    this.#barriers.end();
    this.#arrivals.end();
  }

  /** An operation by which the running warp's threads wait, for each other or for what they copy. */
  synchronises(op: Op, mask: number): void {
    const warp = this.#runner.record?.warp;
    if (warp === undefined || this.#runner.isTrying) return;
    switch (op.action.kind) {
      case "copy.commit":
        this.#clocks.commit(warp);
        break;
      case "barrier.arrive":
        // At a pipeline's barrier: its copies so far are those of a stage.
        this.#clocks.commit(warp);
        break;
      case "copy.wait":
        this.#clocks.waitForCopies(warp, op.action.pending);
        break;
      case "fence":
        this.#order.fence(warp, op.action.scope === "block" ? "block" : "device");
        break;
      default:
        this.#clocks.warpSync(warp);
        this.#order.meet(warp);
        this.#barriers.warpSync(op, warp, mask);
    }
  }

  request(counter: AccessCounter, addresses: Float64Array, from: number, mask: number): void {
    this.#arrivals.count(counter, addresses, from, mask);
    this.#order.synchronise(counter, addresses, from, mask, this.#warp);
    const site = this.#sites.of(counter);
    if (site) this.#check(site, addresses, from, mask);
  }

  patterned(counter: AccessCounter, _: RequestShape, first: number, pattern: Float64Array, mask: number): void {
    const lanes = this.#lanes;
    for (let lane = 0; lane < 32; lane++) lanes[lane] = first + pattern[lane]!;
    this.request(counter, lanes, 0, mask);
  }

  bulk(counter: AccessCounter, _: readonly number[], phase: number, shared: SharedEnd): void {
    const site = this.#sites.of(counter);
    if (site?.copies) this.#order.bulk(site, shared, this.#warp, this.#clocks.beginBulk(this.#warp, phase));
  }

  meets({ op, operation }: AccessCounter, phase: number): void {
    const warp = this.#runner.record?.warp;
    if (warp === undefined) return;
    if (op.action.kind === "mbarrier" && op.action.op === "copies") this.#clocks.copiesArrive(warp, phase);
    else if (operation === "arrival") this.#clocks.arrive(phase, warp);
    else this.#clocks.wait(phase, warp);
  }

  leaves(warp: number): void {
    this.#order.goAstray(warp);
  }

  arrive(warp: number, barrier: Op, lanes: number, missing: number, ended: number): void {
    this.#order.meet(warp);
    this.#barriers.arrive(warp, barrier, lanes, missing, ended);
  }

  release(): void {
    if (this.#barriers.release()) this.#order.tellUnwritten();
  }

  get #warp(): number {
    return this.#runner.record?.warp ?? 0;
  }

  #check(site: Site, addresses: Float64Array, from: number, mask: number): void {
    const warp = this.#warp;
    this.#bounds.check(site, addresses, from, mask, warp);
    this.#order.check(site, addresses, from, mask, warp);
    this.#unwritten.check(site, addresses, from, mask, warp);
  }
}
