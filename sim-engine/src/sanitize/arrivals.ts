/**
 * Counters at which each block arrives once: whoever comes last does what is left. Only some blocks are run; so that the last of them
 * finds what the last of all would, the others are counted before it.
 */
import type { AccessCounter } from "../execute/accesses.ts";
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";

/** Places that are kept: the first that are come to. */
const mostPlaces = 16;

interface Place {
  /** Arrivals in the running block, and in all. */
  here: number;
  total: number;
}

export class Arrivals {
  readonly #program: Program;
  readonly #ops: ReadonlySet<Op>;
  readonly #places = new Map<number, Place>();
  /** Places at which some block does not arrive once. */
  readonly #odd = new Set<number>();
  #blocks = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#ops = arrivalsOf(program);
  }

  /** A block has run. */
  end(): void {
    this.#blocks++;
    for (const [address, place] of this.#places) {
      if (place.here !== 1 || place.total !== this.#blocks) this.#odd.add(address);
      place.here = 0;
    }
  }

  /** Lane k of `mask` accesses `addresses[from + k]`. */
  count({ op }: AccessCounter, addresses: Float64Array, from: number, mask: number): void {
    if (!this.#ops.has(op)) return;
    for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) {
      if ((bits & 1) === 0) continue;
      const address = addresses[from + lane]!;
      const place = this.#places.get(address) ?? { here: 0, total: 0 };
      if (!this.#places.has(address)) {
        if (this.#places.size >= mostPlaces) continue;
        this.#places.set(address, place);
      }
      place.here++;
      place.total++;
    }
  }

  /** All blocks but the one that is run next have arrived. */
  countOthers(): void {
    const { environment, launch } = this.#program;
    const [x, y, z] = launch.grid;
    const missing = x * y * z - 1 - this.#blocks;
    if (missing <= 0) return;
    for (const address of this.#places.keys()) {
      if (this.#odd.has(address)) continue;
      const present = Number(environment.read(address, "i32", 0));
      // Where it has begun anew there is nobody to wait for.
      if (present >= this.#blocks) environment.write(address, "i32", present + missing, 0);
    }
  }
}

/** Atomics that count by one in global memory, and whose value is only compared: it decides where to go, not what is worked on. */
function arrivalsOf({ kernel, provenance }: Program): ReadonlySet<Op> {
  const found = new Set<Op>();
  const users = new Map<Op, Op[]>();
  for (const { phis, ops } of kernel.blocks)
    for (const op of [...phis, ...ops]) {
      for (const arg of op.args) users.set(arg, [...(users.get(arg) ?? []), op]);
      const { action, args } = op;
      if (action.kind !== "atomic" || op.type !== "i32" || !args[0]) continue;
      const countsByOne = action.op === "inc" || (action.op === "add" && args[1]?.action.kind === "const" && args[1].action.value === 1);
      if (countsByOne && [...provenance.of(args[0])].every((object) => /^(buffer|global) /.test(object))) found.add(op);
    }
  return new Set([...found].filter((op) => isOnlyCompared(op, users)));
}

/** As it is, or with something added. */
function isOnlyCompared(value: Op, users: ReadonlyMap<Op, readonly Op[]>): boolean {
  const made = new Set<Op>([value]);
  let isCompared = false;
  for (const each of made)
    for (const user of users.get(each) ?? []) {
      if (user.action.kind === "icmp") isCompared = true;
      else if (user.action.kind === "convert" || user.action.kind === "int") made.add(user);
      else return false;
    }
  return isCompared;
}
