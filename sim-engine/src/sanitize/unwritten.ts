/** Reads of device memory that nobody has written since it was allocated, and of elements of local arrays that their thread has not set. */
import { innerContents } from "../execute/content.ts";
import { localBase } from "../execute/memory.ts";
import type { Program } from "../execute/program.ts";
import type { Contents, MemorySource } from "../execute/sources.ts";
import type { Buffer, Content, Op } from "../ir/kernel.ts";
import type { Violation } from "../report/violation.ts";
import type { Work } from "../work.ts";
import { isUnordered } from "./invented.ts";
import { nearestOf } from "./objects.ts";
import type { Site, Sites } from "./sites.ts";
import { spotOf, type Witnesses } from "./witnesses.ts";

/** A buffer of which parts may never have been written. */
interface Fresh {
  readonly start: number;
  readonly source: MemorySource;
  /** The kernel writes there, too. */
  readonly changes: boolean;
}

/** What the launch finds, before anything is assumed of it. */
export interface Given {
  readonly buffers: readonly Buffer[];
  readonly contents: Contents;
  /** What looking at what earlier launches stored is counted by. */
  readonly work: Work;
}

interface Pending {
  readonly address: number;
  readonly thread: number;
  readonly key: string;
  readonly violation: Violation;
}

/** In the place of a thread. */
const several = -1;
/** Requests of one operation in a block that are looked at, and reads that are kept until the block has ended. */
const mostRequests = 256;
const mostPending = 64;
/** Steps that finding out what earlier launches stored may take. */
const mostLookingUp = 10_000;

export class UnwrittenCheck {
  readonly #program: Program;
  readonly #given: Given;
  readonly #witnesses: Witnesses;
  readonly #sites: Sites;
  readonly #whole: boolean;
  readonly #fresh = new Map<Site, Fresh | undefined>();
  readonly #requests = new Map<Site, number>();
  /** Bytes of local arrays, by thread, that were set. */
  readonly #locals: Uint8Array | undefined;
  /** Reads of local memory that something is worked out from. */
  readonly #needed: ReadonlySet<Op>;
  /** Words of 4 bytes that the block has written a part of, and which of its threads. */
  readonly #written = new Map<number, number>();
  #pending: Pending[] = [];
  #lookingUp = 0;

  /**
   * @param whole every access of a block is heard of, in an order that it may have: without, only what the kernel does not write is looked at
   */
  constructor(program: Program, given: Given, witnesses: Witnesses, sites: Sites, whole: boolean) {
    this.#program = program;
    this.#given = given;
    this.#witnesses = witnesses;
    this.#sites = sites;
    this.#whole = whole;
    const [x, y, z] = program.launch.block;
    const { frameBytes } = program.environment;
    if (whole && frameBytes > 0) this.#locals = new Uint8Array(frameBytes * (Math.ceil((x * y * z) / 32) * 32));
    this.#needed = this.#locals ? neededReads(program) : new Set();
  }

  /** A new block begins. */
  begin(): void {
    this.#locals?.fill(0);
    this.#requests.clear();
    this.#written.clear();
    this.#pending = [];
  }

  /** Lane k of `mask` accesses `addresses[from + k]`. */
  check(site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const { space } = site.counter;
    if (space === "local") {
      if (this.#locals) this.#inLocal(this.#locals, site, addresses, from, mask, warp);
      return;
    }
    if (space !== "global") return;
    const fresh = this.#freshOf(site);
    if (!fresh) return;
    if (site.operation === "store") {
      if (fresh.changes) this.#note(site, addresses, from, mask, warp);
      return;
    }
    // What is exchanged need not be looked at.
    if (site.op.action.kind === "atomic" && site.op.action.op === "exch") return;
    const key = `unwritten ${spotOf(site.op.span)}`;
    const requests = this.#requests.get(site) ?? 0;
    if (
      requests >= mostRequests ||
      this.#lookingUp > mostLookingUp ||
      this.#pending.length >= mostPending ||
      this.#witnesses.found.has(key)
    )
      return;
    this.#requests.set(site, requests + 1);
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      if (this.#written.has(wordOf(address))) continue;
      const before = this.#given.work.taken;
      const isFresh = fresh.source.isFresh?.(address - fresh.start) === true;
      this.#lookingUp += this.#given.work.taken - before;
      if (this.#lookingUp > mostLookingUp) return;
      if (!isFresh) continue;
      const violation = this.#violation(site, address, warp, lane);
      if (!violation) return;
      if (fresh.changes) this.#pending.push({ address, thread: warp * 32 + lane, key, violation });
      else this.#witnesses.keep(key, () => violation);
      return;
    }
  }

  /** The block has ended: who has not written until now does not. What a thread writes itself comes behind what it has read. */
  end(): void {
    for (const { address, thread, key, violation } of this.#pending) {
      const writer = this.#written.get(wordOf(address));
      if (writer === undefined || writer === thread) this.#witnesses.keep(key, () => violation);
    }
    this.#pending = [];
  }

  #note({ counter }: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1)
      if (bits & 1)
        for (let word = wordOf(addresses[from + lane]!); word * 4 < addresses[from + lane]! + counter.bytes; word++) {
          const thread = warp * 32 + lane;
          this.#written.set(word, (this.#written.get(word) ?? thread) === thread ? thread : several);
        }
  }

  #inLocal(set: Uint8Array, site: Site, addresses: Float64Array, from: number, mask: number, warp: number): void {
    const { frameBytes } = this.#program.environment;
    const { bytes } = site.counter;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const at = (warp * 32 + lane) * frameBytes + address - localBase;
      if (site.writes) for (let byte = at; byte < at + bytes; byte++) set[byte] = 1;
      // Copies of aggregates read what nobody needs: an element that is picked by an index is meant, and what something is worked out from.
      else if (set[at] === 0 && site.showsUnwritten && site.extents && (isPicked(site.op) || this.#needed.has(site.op))) {
        const violation = this.#violation(site, address, warp, lane);
        if (violation) this.#witnesses.keep(`unwritten ${spotOf(site.op.span)}`, () => violation);
        return;
      }
    }
  }

  #violation(site: Site, address: number, warp: number, lane: number): Violation | undefined {
    const extent = site.extents && nearestOf(site.extents, address);
    // What lies beyond the end is told as that.
    if (!extent || address < extent.start || address + site.counter.bytes > extent.end) return undefined;
    const { object, start } = extent;
    // What the source gives no name is a text, which nobody has to write.
    if (object.kind === "local" && object.name === "") return undefined;
    const by = this.#witnesses.actor(site.op, site.operation, warp, lane);
    return { kind: "uninitialised", by, object, offset: address - start, width: site.counter.bytes };
  }

  #freshOf(site: Site): Fresh | undefined {
    if (this.#fresh.has(site)) return this.#fresh.get(site);
    const fresh = this.#findFresh(site);
    this.#fresh.set(site, fresh);
    return fresh;
  }

  #findFresh({ op, showsUnwritten }: Site): Fresh | undefined {
    const { provenance, environment } = this.#program;
    const objects = op.args[0] ? [...provenance.of(op.args[0])] : [];
    const [kind, name] = objects[0]?.split(" ") ?? [];
    if (objects.length !== 1 || kind !== "buffer") return undefined;
    const buffer = this.#given.buffers[Number(name)];
    const start = environment.bufferStarts[Number(name)];
    if (!buffer || start === undefined || buffer.image || !mayBeFresh(buffer.content, this.#given.work)) return undefined;
    // A program that fills none of its buffers is a sketch: what they hold does not matter to it.
    if (buffer.content.kind === "unknown" && !this.#given.buffers.some(({ content }) => isFilled(content))) return undefined;
    const changes = op.args[0] !== undefined && this.#sites.changes(op.args[0]);
    // What blocks write for each other may be waited for.
    if (changes && !(this.#whole && showsUnwritten && isUnordered(this.#program))) return undefined;
    return { start, source: this.#given.contents.source(buffer.content, buffer.element ?? "i32", 0), changes };
  }
}

const wordOf = (address: number): number => Math.floor(address / 4);

/** By the host. */
const isFilled = ({ kind }: Content): boolean => kind !== "unknown" && kind !== "written";

/** What a chain of launches has stored is not gone through: only what one has that found what the host left. */
const mayBeFresh = (content: Content, work: Work): boolean => {
  switch (content.kind) {
    case "unknown":
      return content.fresh === true;
    case "written":
      return content.by.resolve(work)?.launch.buffers.every((buffer) => !isStored(buffer.content)) === true;
    default:
      return innerContents(content).some((inner) => mayBeFresh(inner, work));
  }
};

/** By a launch. */
const isStored = (content: Content): boolean => content.kind === "written" || innerContents(content).some(isStored);

/** Reads of local memory that arithmetic, an address or a branch goes by; taking bits of a word apart, as members of a few bits do, is none. */
function neededReads({ kernel }: Program): ReadonlySet<Op> {
  const needed = new Set<Op>();
  for (const { ops, end } of kernel.blocks) {
    if (end.kind === "branch") needed.add(end.cond);
    for (const { action, args } of ops)
      if (/^(int|float|fma|icmp|fcmp|math|gep)$/.test(action.kind) && !(action.kind === "int" && action.op === "and"))
        for (const arg of args) needed.add(arg);
  }
  // Through conversions, too.
  for (const { action, args } of needed) if (action.kind === "convert") for (const arg of args) needed.add(arg);
  return new Set([...needed].filter(({ action }) => action.kind === "load" && action.space === "local"));
}

/** Some index in the address is no constant. */
function isPicked({ args: [address] }: Op): boolean {
  for (let at = address; at?.action.kind === "gep"; at = at.args[0]) if (at.args[1]?.action.kind !== "const") return true;
  return false;
}
