/** What is known of each memory operation, as far as faults are concerned. */
import type { AccessCounter } from "../execute/accesses.ts";
import type { Program } from "../execute/program.ts";
import { type MemoryObject, mayOverlap } from "../execute/provenance.ts";
import { looksOf } from "../execute/spins.ts";
import type { AtomicScope, Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Actor } from "../report/violation.ts";
import { dependsOnBlock, isAlike } from "./alike.ts";
import type { Invented } from "./invented.ts";
import { type Extent, extentsOf } from "./objects.ts";

/** One of a memory operation's accesses. */
export interface Site {
  readonly number: number;
  readonly op: Op;
  readonly counter: AccessCounter;
  readonly address: Op;
  readonly extents: readonly Extent[] | undefined;
  readonly operation: Actor["operation"];
  readonly reads: boolean;
  readonly writes: boolean;
  /** Written by an asynchronous copy: it happens later. */
  readonly copies: boolean;
  /** Whoever writes what it reads is known to. */
  readonly showsUnwritten: boolean;
  /** What it stores depends on the block, as far as the source shows. */
  readonly dependsOnBlock: boolean;
  /** Every thread of the block stores the same. */
  readonly sameValue: boolean;
  /** What it stores, where that is made of nothing that was made up, and may differ from thread to thread. */
  readonly value: Op | undefined;
  /**
   * What that value is computed from: the thread's place and what the source says alone; or also numbers with a fraction that are read of
   * memory which the kernel does not change.
   */
  readonly computedFrom: "source" | "data" | undefined;
  /** Where it reads what it stores, of memory that the kernel does not change. */
  readonly source: Op | undefined;
  /** Others may write what it touches in global memory, or touch what it writes. */
  readonly meetsOthers: boolean;
  /** It and others that are atomic do not race. */
  readonly isAtomic: boolean;
  /** It looks whether somebody has come so far, again and again: it is meant to meet him who writes. */
  readonly polls: boolean;
  /** Atomic to the threads of its own block only. */
  readonly ofBlock: boolean;
  /** Every thread of the launch stores the same: nothing is lost but what is worked out from what was there. */
  readonly sets: number | "alike" | undefined;
  /** Whether accesses to it are ordered by fences elsewhere: then it matters even of one value when it is read. */
  readonly guarded: boolean;
}

export class Sites {
  readonly #program: Program;
  readonly #invented: Invented;
  readonly #sites = new Map<AccessCounter, Site | undefined>();
  readonly #numbered: Site[] = [];
  /** Buffers and variables that the kernel stores to other than by atomics, or values that are not the same for all blocks. */
  readonly stored: ReadonlySet<string>;
  /** Of global memory: what atomics work out anew from what is there. */
  readonly #updated: ReadonlySet<MemoryObject>;
  /** Of global memory: what is read, other than to decide where to go, in a kernel that orders accesses by fences. */
  readonly #guarded: ReadonlySet<MemoryObject>;
  /** Of global memory: what several numbers are stored to. */
  readonly #contradicted: ReadonlySet<MemoryObject>;
  /** What threads take and give back: exchanged where it holds what is expected, and set by plain exchanges or stores. */
  readonly #locks: ReadonlySet<MemoryObject>;
  /** What branches go by: a volatile read among it waits for others, or looks whether they have done something. */
  readonly #deciding: ReadonlySet<Op>;
  readonly #isSubstituted: boolean;
  readonly #polls: ReadonlySet<Op>;
  /** What something is made of, or goes by. */
  readonly #used: ReadonlySet<Op>;
  /** What something stores to of which it is not known where, or whether. */
  readonly #doubtful: ReadonlySet<MemoryObject>;

  /** Whether the kernel writes to what an address may point into. */
  readonly changes: (address: Op) => boolean;

  /** @param isSubstituted numbers with a fraction that are read are others than they would be, each its own: values of them tell what is equal */
  constructor(program: Program, invented: Invented, isSubstituted = false) {
    this.#isSubstituted = isSubstituted;
    this.#program = program;
    this.#invented = invented;
    const written = writtenObjects(program);
    this.changes = (address) => mayOverlap(program.provenance.of(address), written);
    this.#updated = updatedObjects(program);
    this.#contradicted = contradictedObjects(program);
    this.#locks = lockObjects(program);
    this.#polls = looksOf(program.loops);
    this.#used = usedValues(program);
    this.#deciding = decidingValues(program);
    this.#guarded = guardedObjects(program, this.#deciding);
    this.stored = storedObjects(program, this.changes, new Set([...this.#updated, ...this.#contradicted, ...this.#guarded]));
    this.#doubtful = doubtfulObjects(program, invented);
  }

  /** Undefined where nothing can be said of it. */
  of(counter: AccessCounter): Site | undefined {
    if (this.#sites.has(counter)) return this.#sites.get(counter);
    const site = this.#make(counter);
    this.#sites.set(counter, site);
    if (site) this.#numbered.push(site);
    return site;
  }

  /** Whether an atomic takes or gives back a lock. */
  isLock({ args: [address] }: Op): boolean {
    return address !== undefined && mayOverlap(this.#program.provenance.of(address), this.#locks);
  }

  /** Whether it may tell its thread how far others are: a load, or an atomic whose value is asked for. */
  finds(op: Op): boolean {
    return op.action.kind === "load" || this.#used.has(op);
  }

  /** By its number. */
  at(number: number): Site | undefined {
    return this.#numbered[number];
  }

  #make(counter: AccessCounter): Site | undefined {
    const { op, space } = counter;
    const operation = counter.operation === "bulk load" ? "copy" : counter.operation;
    const isBulk = counter.operation === "bulk load";
    if (operation !== "load" && operation !== "store" && operation !== "atomic" && operation !== "copy") return undefined;
    const readsAsCopy = operation === "copy" && space === "global" && !isBulk;
    const address = op.args[readsAsCopy ? 1 : 0];
    if (!address || space === "texture" || op.action.kind === "wgmma" || this.#invented.of(op)) return undefined;
    if (op.action.kind === "load" && op.action.matrix) return undefined;
    const value = op.action.kind === "store" && op.action.components === 1 ? op.args[1] : undefined;
    const objects = this.#program.provenance.of(address);
    const sameValue = value !== undefined && isAlike(value, "block", this.changes);
    const from = value && computedFrom(value, (address) => this.#isNumbers(address));
    const sets = op.action.kind === "store" && value && isAlike(value, "launch", this.changes) ? numberOf(value) : undefined;
    return {
      number: this.#numbered.length,
      op,
      counter,
      address,
      extents: extentsOf(this.#program, address),
      operation,
      reads: operation === "load" || readsAsCopy,
      writes: operation !== "load" && !readsAsCopy,
      copies: operation === "copy" && !readsAsCopy,
      sameValue,
      value: value && !sameValue && (!this.#invented.has(value) || (this.#isSubstituted && from !== undefined)) ? value : undefined,
      computedFrom: from,
      source: value && !sameValue ? this.#sourceOf(value) : undefined,
      showsUnwritten: !mayOverlap(objects, this.#doubtful),
      dependsOnBlock: op.args.slice(1).some((arg) => dependsOnBlock(arg)),
      meetsOthers:
        space === "global" &&
        [...objects].some((object) => this.stored.has(object)) &&
        (sets === undefined ||
          [...objects].some((object) => this.#updated.has(object) || this.#contradicted.has(object) || this.#guarded.has(object))) &&
        !(op.action.kind === "load" && op.action.volatile === true && this.#deciding.has(op)),
      isAtomic: atomicScope(op) !== undefined,
      polls: this.#polls.has(op),
      ofBlock: atomicScope(op) === "block",
      sets,
      guarded: [...objects].some((object) => this.#guarded.has(object)),
    };
  }

  #isNumbers(address: Op): boolean {
    const { launch, provenance } = this.#program;
    if (this.changes(address)) return false;
    return [...provenance.of(address)].every((object) => {
      const [kind, index] = object.split(" ");
      return kind === "buffer" && /^f(32|64)$/.test(launch.buffers[Number(index)]?.element ?? "");
    });
  }

  /** The address of a value that is read of memory which the kernel does not change. */
  #sourceOf({ action, args: [address] }: Op): Op | undefined {
    const isRead = action.kind === "load" && action.space === "global" && action.components === 1 && !action.volatile;
    return isRead && address && !this.changes(address) && !this.#invented.has(address) ? address : undefined;
  }
}

/** The threads that it is atomic among. */
export function atomicScope({ action }: Op): AtomicScope | undefined {
  if (action.kind === "atomic") return action.scope;
  return action.kind === "load" || action.kind === "store" ? action.atomic : undefined;
}

function usedValues({ kernel }: Program): ReadonlySet<Op> {
  const used = new Set<Op>();
  for (const { phis, ops, end } of kernel.blocks) {
    for (const { args } of [...phis, ...ops]) for (const arg of args) used.add(arg);
    if (end.kind === "branch") used.add(end.cond);
  }
  return used;
}

/** Operations that a value is looked through. */
const deepest = 256;

/** @param isNumbers whether an address leads to numbers with a fraction, which the kernel does not change */
function computedFrom(value: Op, isNumbers: (address: Op) => boolean): Site["computedFrom"] {
  const seen = new Set<Op>([value]);
  let from: Site["computedFrom"] = "source";
  for (const op of seen) {
    const { action, args } = op;
    const isRead = isFraction(op) && action.kind === "load" && action.space === "global" && args[0] !== undefined && isNumbers(args[0]);
    if (isRead) from = "data";
    const isOwn = action.kind === "special" ? /^n?(?:tid|ctaid)\./.test(action.register) : action.kind === "phi" || isRead || isPure(op);
    if (seen.size > deepest || !isOwn || action.kind === "unknown") return undefined;
    for (const arg of args) seen.add(arg);
  }
  return from;
}

const isFraction = ({ type }: Op): boolean => type === "f32" || type === "f64";

function doubtfulObjects({ kernel, provenance }: Program, invented: Invented): ReadonlySet<MemoryObject> {
  const doubtful = new Set<MemoryObject>();
  for (const { ops } of kernel.blocks)
    for (const op of ops)
      if (/^(store|atomic|copy)/.test(op.action.kind) && op.args[0] && invented.of(op))
        for (const object of provenance.of(op.args[0])) doubtful.add(object);
  return doubtful;
}

function decidingValues({ kernel }: Program): ReadonlySet<Op> {
  const deciding = new Set<Op>();
  for (const { end } of kernel.blocks) if (end.kind === "branch") deciding.add(end.cond);
  for (const op of deciding) for (const arg of op.args) deciding.add(arg);
  return deciding;
}

function guardedObjects({ kernel, provenance }: Program, deciding: ReadonlySet<Op>): ReadonlySet<MemoryObject> {
  const guarded = new Set<MemoryObject>();
  if (!kernel.blocks.some(({ ops }) => ops.some(({ action }) => action.kind === "fence"))) return guarded;
  for (const { ops } of kernel.blocks)
    for (const op of ops)
      if (op.action.kind === "load" && op.args[0] && !deciding.has(op))
        for (const object of provenance.of(op.args[0])) if (/^(buffer|global) /.test(object)) guarded.add(object);
  return guarded;
}

function writtenObjects({ kernel, provenance }: Program): ReadonlySet<MemoryObject> {
  const written = new Set<MemoryObject>();
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops)
      if (/^(store|atomic|copy)/.test(action.kind) && args[0]) for (const object of provenance.of(args[0])) written.add(object);
  return written;
}

/** What atomics work out anew from what is there: other than those that take turns by exchanging values. */
function updatedObjects({ kernel, provenance }: Program): ReadonlySet<MemoryObject> {
  const updated = new Set<MemoryObject>();
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops)
      if (action.kind === "atomic" && action.op !== "exch" && action.op !== "cas" && args[0])
        for (const object of provenance.of(args[0])) updated.add(object);
  return updated;
}

/** What different numbers of the source's are stored to, or exchanged with what is there: other than by turns that a lock gives. */
function contradictedObjects({ kernel, provenance }: Program): ReadonlySet<MemoryObject> {
  const numbers = new Map<MemoryObject, Set<number | "alike">>();
  const locks = new Set<MemoryObject>();
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops) {
      const [address, value] = args;
      if (!address || !value) continue;
      if (action.kind === "atomic" && action.op === "cas") for (const object of provenance.of(address)) locks.add(object);
      if (value.action.kind !== "const" || !(action.kind === "store" || (action.kind === "atomic" && action.op === "exch"))) continue;
      for (const object of provenance.of(address)) numbers.set(object, (numbers.get(object) ?? new Set()).add(numberOf(value)));
    }
  return new Set([...numbers].flatMap(([object, all]) => (all.size > 1 && !locks.has(object) ? [object] : [])));
}

function lockObjects({ kernel, provenance }: Program): ReadonlySet<MemoryObject> {
  const [taken, given] = [new Set<MemoryObject>(), new Set<MemoryObject>()];
  for (const { ops } of kernel.blocks)
    for (const { action, args } of ops) {
      const isGiven = action.kind === "store" || (action.kind === "atomic" && action.op === "exch");
      const kind = action.kind === "atomic" && action.op === "cas" ? taken : isGiven ? given : undefined;
      if (kind && args[0]) for (const object of provenance.of(args[0])) kind.add(object);
    }
  return new Set([...taken].filter((object) => given.has(object)));
}

/** A number of the source's; of another value that all threads have nothing more is known. */
const numberOf = ({ action }: Op): number | "alike" => (action.kind === "const" ? Number(action.value) : "alike");

/**
 * What the kernel stores to: by atomics among all threads where it reads there without one, too, and not values that are the same for
 * all threads where nothing but them is stored.
 */
function storedObjects(
  { kernel, provenance }: Program,
  changes: (address: Op) => boolean,
  updated: ReadonlySet<MemoryObject>,
): ReadonlySet<string> {
  const stored = new Set<string>();
  for (const { ops } of kernel.blocks) {
    for (const { action, args } of ops) {
      const [address, value] = args;
      const ofBlock = action.kind === "atomic" && action.scope === "block";
      if (action.kind === "load" && !action.volatile && address)
        for (const object of provenance.of(address)) if (updated.has(object) && /^(buffer|global) /.test(object)) stored.add(object);
      if (!(action.kind === "store" || ofBlock) || !address || !value) continue;
      const sets = action.kind === "store" && isAlike(value, "launch", changes);
      for (const object of provenance.of(address))
        if (/^(buffer|global) /.test(object) && !(sets && !updated.has(object))) stored.add(object);
    }
  }
  return stored;
}
