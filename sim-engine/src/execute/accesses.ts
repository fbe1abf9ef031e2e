/** Counters of one memory operation, over all warps that carry it out. */
import { type Action, type Op, type ScalarType, type Space, scalarBytes } from "../ir/kernel.ts";
import { isSpinning } from "../ir/operations.ts";
import { type Copied, copied } from "../memory/copied.ts";
import { DistinctSet, popcount } from "../memory/distinct.ts";
import { addressable, nearAddresses, originOf, withinReach } from "../memory/near.ts";
import { distinctSectors, farSectors, idealSectors, laneGroups, localSectors } from "../memory/sectors.ts";
import { spinTurns, spinWavefronts } from "../memory/spin-turns.ts";
import { idealWavefronts, sharedWavefronts } from "../memory/wavefronts.ts";
import { localBase, spaceOf } from "./memory.ts";

export type AccessSpace = "global" | "shared" | "local" | "constant" | "texture";
/** `bulk load`, `bulk store`: by the copy engine. `arrival`, `wait`: at an mbarrier. */
export type AccessOperation = "load" | "store" | "atomic" | "copy" | "bulk load" | "bulk store" | "arrival" | "wait";

/** A request as it costs: the same for all requests of an operation that agree in their lanes and stand alike within 128 bytes. */
export interface RequestShape {
  readonly lanes: number;
  readonly cost: number;
  readonly ideal: number;
  /** Of a sum that takes turns, how many. */
  readonly turns: number;
  /** What an observer found out about it, kept for the next time. */
  observed?: ObservedShape;
}

export interface ObservedShape {
  /** Cycles of the L1's data path, and what moves (see `WarpTrace.accesses`). */
  readonly cycles: number;
  readonly amount: number;
  /** Sectors touched, counted from the 128 bytes the first lane's address is in, and which of their bytes. */
  readonly sectors: readonly number[];
  readonly bytes: readonly number[];
}

/** The part of shared memory that a bulk copy of a lane fills or reads. */
export interface SharedEnd {
  readonly address: number;
  readonly bytes: number;
  readonly lane: number;
}

/** Hears of every request of an operation. */
export interface AccessListener {
  /**
   * Lane k of `mask` has the address `addresses[from + k]`.
   * @param moved by a copy past the L1
   */
  request(access: AccessCounter, addresses: Float64Array, from: number, mask: number, cost: number, moved?: Copied): void;
  /** Lane k of `mask` has the address `first + pattern[k]`. */
  patterned(access: AccessCounter, shape: RequestShape, first: number, pattern: Float64Array, mask: number): void;
  /**
   * A lane's copy from or to `ranges`, addresses and bytes, which belongs to a phase of an mbarrier (see `Mbarriers`; 0: to none).
   * @param shared its other end: a range in shared memory
   */
  bulk(access: AccessCounter, ranges: readonly number[], phase: number, shared: SharedEnd): void;
  /** Arrives in a phase, or has waited for it. */
  meets(access: AccessCounter, phase: number): void;
}

/** Addresses this far apart stand alike in sectors, lines and banks. */
export const shapeBytes = 128;
const sectorBytes = 32;
/** What bulk copies are counted in. */
const bulkUnit = 16;
const mbarrierBytes = 8;

/** Calls for each sector that ranges (address and bytes, one after the other) lie in, with what of it they take; once where one follows another. */
export function sectorsOfRanges(ranges: readonly number[], each: (sector: number, from: number, to: number) => void): void {
  let last = -1;
  for (let k = 0; k < ranges.length; k += 2) {
    const [start, end] = [ranges[k]!, ranges[k]! + ranges[k + 1]!];
    for (let sector = Math.floor(start / sectorBytes); sector * sectorBytes < end; sector++) {
      if (sector !== last) each(sector, Math.max(0, start - sector * sectorBytes), Math.min(sectorBytes, end - sector * sectorBytes));
      last = sector;
    }
  }
}

/** Of a row of a matrix of 8 by 8 elements of 16 bits. */
const rowBytes = 16;

/** The lanes whose addresses count: where matrices are loaded or stored, eight for each. */
export const rowLanes = (action: Action): number =>
  (action.kind === "load" || action.kind === "store") && action.matrix && action.components < 4 ? 2 ** (8 * action.components) - 1 : -1;

const moved = new Float64Array(32);
const inReach = new Float64Array(32);
const near = new Int32Array(32);
const distinct = new DistinctSet();
/** Requests whose lane strides are looked at: a pattern shows early. */
const strideSamples = 64;

/** Sums over requests are weighted: each executed request stands for `weight` of the launch. */
export class AccessCounter {
  readonly op: Op;
  readonly operation: AccessOperation;
  /** Bytes a lane moves. */
  readonly bytes: number;
  space: AccessSpace;
  /**
   * Neighbouring lanes whose sectors the L1 looks up together. Texture fetches go by quads of four lanes, and by eight where their
   * coordinates are whole numbers, as do surfaces (measured on an H200: `l1tex__t_requests_pipe_tex` of each instruction).
   */
  readonly lanesTogether: number;
  /** Lanes whose addresses count. */
  readonly #lanes: number;
  requests = 0;
  lanes = 0;
  /** Global and local: sectors. Shared: wavefronts. Constant: distinct addresses. */
  transactions = 0;
  ideal = 0;
  /** Of the shared end of copies past the L1, what they take in its stead: see `copied`. */
  passes = 0;
  /** The most lanes at one address (atomics), or wavefronts of one request (shared). */
  worst = 0;
  /** Byte addresses of the costliest request's active lanes, relative to the lowest. */
  example: number[] | undefined;
  /** Where that one lies, modulo 128 bytes. */
  exampleAt = 0;
  #exampleCost = 0;
  /** Byte distance of neighbouring lanes -> requests seen with it. */
  readonly strides = new Map<number, number>();
  #strideSamples = 0;
  /** Of a sum that takes turns, of the requests that were executed: their number, and their turns. */
  readonly spins: { requests: number; turns: number } | undefined;
  listener: AccessListener | undefined;
  readonly #fullShapes: (RequestShape | undefined)[] = [];
  readonly #partShapes = new Map<number, RequestShape>();

  constructor(op: Op, operation: AccessOperation, space: Space, bytes: number) {
    this.op = op;
    this.operation = operation;
    this.bytes = bytes;
    const [address] = op.args;
    const texel = space === "texture" && address?.action.kind === "texel" ? address.action.fetch : undefined;
    const { action } = op;
    this.#lanes = rowLanes(action);
    this.lanesTogether = texel === undefined ? 32 : texel === "sample" || texel === "gather" ? 4 : 8;
    this.space = space === "generic" || space === "param" ? "global" : space;
    this.spins = isSpinning(op) ? { requests: 0, turns: 0 } : undefined;
  }

  reset(): void {
    this.requests = this.lanes = this.transactions = this.ideal = this.passes = 0;
  }

  /** Requests, lanes, transactions, ideal, passes. */
  totals(): Float64Array {
    return Float64Array.of(this.requests, this.lanes, this.transactions, this.ideal, this.passes);
  }

  /** Counts so many times more what `totals` gave. */
  add(totals: ArrayLike<number>, times: number): void {
    this.requests += times * (totals[0] ?? 0);
    this.lanes += times * (totals[1] ?? 0);
    this.transactions += times * (totals[2] ?? 0);
    this.ideal += times * (totals[3] ?? 0);
    this.passes += times * (totals[4] ?? 0);
  }

  /** A copy by the copy engine, from or to `ranges` (see `AccessListener.bulk`). */
  bulk(ranges: readonly number[], phase: number, shared: SharedEnd, weight: number): void {
    if (weight === 0) return;
    let bytes = 0;
    for (let k = 1; k < ranges.length; k += 2) bytes += ranges[k]!;
    let sectors = 0;
    sectorsOfRanges(ranges, () => sectors++);
    this.requests += weight;
    this.lanes += (weight * bytes) / this.bytes;
    this.transactions += weight * sectors;
    this.ideal += weight * Math.ceil(bytes / sectorBytes);
    this.listener?.bulk(this, ranges, phase, shared);
  }

  /** A phase of an mbarrier is arrived in, or was waited for. */
  meets(phase: number, weight: number): void {
    if (weight === 0) return;
    this.requests += weight;
    this.listener?.meets(this, phase);
  }

  /** One request whose lanes have addresses of their own. A weight of 0 only tries what would happen. */
  count(addresses: Float64Array, from: number, active: number, weight: number): void {
    const mask = active & this.#lanes;
    if (weight === 0 || mask === 0) return;
    const isNear = nearAddresses(addresses, from, mask, this.#origin(addresses, from, mask), near);
    if (!isNear && addresses !== inReach) {
      withinReach(addresses, from, inReach);
      this.count(inReach, 0, mask, weight);
      return;
    }
    const cost = this.#cost(addresses, from, mask, isNear);
    const lanes = mask === -1 ? 32 : popcount(mask);
    this.requests += weight;
    this.lanes += weight * lanes;
    this.transactions += weight * cost;
    this.ideal += weight * this.#ideal(cost, mask, lanes);
    this.#spin(this.#turns(mask));
    this.listener?.request(this, addresses, from, mask, cost);
    this.#look(addresses, from, mask, cost);
  }

  /** One request of a copy past the L1, to `targets[from + k]`, which `shared` counts the other end of. */
  countCopy(addresses: Float64Array, targets: Float64Array, shared: AccessCounter, from: number, mask: number, weight: number): void {
    if (weight === 0 || mask === 0) return;
    shared.count(targets, from, mask, weight);
    const all = copied(addresses, targets, from, mask);
    shared.passes += weight * all.cycles;
    const cost = all.sectors.length;
    const lanes = popcount(mask);
    this.requests += weight;
    this.lanes += weight * lanes;
    this.transactions += weight * cost;
    this.ideal += weight * this.#ideal(cost, mask, lanes);
    this.listener?.request(this, addresses, from, mask, cost, all);
    this.#look(addresses, from, mask, cost);
  }

  /** One request of the whole warp for what no lane names, which takes so many transactions and could not take fewer. */
  countWhole(mask: number, cost: number, weight: number): void {
    if (weight === 0) return;
    this.requests += weight;
    this.lanes += weight * 32;
    this.transactions += weight * cost;
    this.ideal += weight * cost;
    this.worst = Math.max(this.worst, cost);
    this.listener?.request(this, moved, 0, mask, cost);
  }

  /** One request for which lane k's address is the one at `from` plus `pattern[k]`. Each shape is looked at once. */
  countPattern(addresses: Float64Array, from: number, active: number, pattern: Float64Array, weight: number): void {
    const mask = active & this.#lanes;
    if (weight === 0) return;
    const first = addresses[from]! % addressable;
    const shape = this.#shape(first, pattern, mask);
    this.requests += weight;
    this.lanes += weight * shape.lanes;
    this.transactions += weight * shape.cost;
    this.ideal += weight * shape.ideal;
    this.#spin(shape.turns);
    this.listener?.patterned(this, shape, first, pattern, mask);
  }

  #shape(first: number, pattern: Float64Array, mask: number): RequestShape {
    const residue = first % shapeBytes;
    const known = mask === -1 ? this.#fullShapes[residue] : this.#partShapes.get((mask >>> 0) * shapeBytes + residue);
    if (known) return known;
    for (let lane = 0; lane < 32; lane++) moved[lane] = first + pattern[lane]!;
    const isNear = nearAddresses(moved, 0, mask, this.#origin(moved, 0, mask), near);
    const cost = this.#cost(moved, 0, mask, isNear);
    const lanes = popcount(mask);
    const shape: RequestShape = { lanes, cost, ideal: this.#ideal(cost, mask, lanes), turns: this.#turns(mask) };
    this.#look(moved, 0, mask, cost);
    if (mask === -1) this.#fullShapes[residue] = shape;
    else this.#partShapes.set((mask >>> 0) * shapeBytes + residue, shape);
    return shape;
  }

  /** Where `near` counts from. */
  #origin(addresses: Float64Array, from: number, mask: number): number {
    return this.space === "local" ? localBase : originOf(addresses, from, mask);
  }

  #sectors(addresses: Float64Array, from: number, mask: number, isNear: boolean): number {
    return isNear ? distinctSectors(near, mask, this.bytes) : farSectors(addresses, from, mask, this.bytes);
  }

  /** Of a request whose addresses are in `near`, or too far apart for it. */
  #cost(addresses: Float64Array, from: number, mask: number, isNear: boolean): number {
    switch (this.space) {
      case "texture":
        return laneGroups(mask, this.lanesTogether).reduce((sum, group) => sum + this.#sectors(addresses, from, group, isNear), 0);
      case "global":
        return this.#sectors(addresses, from, mask, isNear);
      case "local":
        return localSectors(near, mask, this.bytes);
      case "shared":
        return sharedWavefronts(near, mask, this.bytes, this.operation === "load");
      case "constant":
        return distinctAddresses(near, mask);
    }
  }

  #ideal(cost: number, mask: number, lanes: number): number {
    switch (this.space) {
      case "texture":
        return laneGroups(mask, this.lanesTogether).reduce((sum, group) => sum + idealSectors(cost, popcount(group), this.bytes), 0);
      case "global":
      case "local":
        return idealSectors(cost, lanes, this.bytes);
      case "shared":
        return idealWavefronts(cost, mask, this.bytes);
      case "constant":
        return 1;
    }
  }

  /** Of a request whose addresses are in `near`. */
  #turns(mask: number): number {
    return this.spins ? spinTurns(near, mask, this.bytes) : 1;
  }

  #spin(turns: number): void {
    if (!this.spins) return;
    this.spins.requests++;
    this.spins.turns += turns;
  }

  /** Keeps what is worth showing of a request. */
  #look(addresses: Float64Array, from: number, mask: number, cost: number): void {
    if (this.space === "shared" && cost > this.worst) this.worst = cost;
    if (this.operation === "atomic") this.worst = Math.max(this.worst, mostAlike(near, mask));
    if (this.#strideSamples < strideSamples) this.#sample(addresses, from, mask, cost);
  }

  /** Finds out what a generic address means. */
  resolve(address: number): void {
    const space = spaceOf(address);
    if (!space || space === "param" || space === this.space) return;
    this.space = space;
    // What a shape costs is known of one space.
    this.#fullShapes.length = 0;
    this.#partShapes.clear();
  }

  #sample(addresses: Float64Array, from: number, mask: number, cost: number): void {
    this.#strideSamples++;
    let stride: number | undefined;
    let even = true;
    let lowest = Number.POSITIVE_INFINITY;
    for (let lane = 0; lane < 32; lane++) {
      if (!((mask >>> lane) & 1)) continue;
      const address = addresses[from + lane]!;
      if (address < lowest) lowest = address;
      if (lane === 31 || !((mask >>> (lane + 1)) & 1)) continue;
      const step = addresses[from + lane + 1]! - address;
      if (stride === undefined) stride = step;
      else if (step !== stride) even = false;
    }
    if (stride !== undefined) {
      const key = even ? stride : Number.NaN;
      this.strides.set(key, (this.strides.get(key) ?? 0) + 1);
    }
    if (cost > this.#exampleCost) {
      this.#exampleCost = cost;
      this.example = [];
      this.exampleAt = lowest % 128;
      for (let lane = 0; lane < 32; lane++) if ((mask >>> lane) & 1) this.example.push(addresses[from + lane]! - lowest);
    }
  }

  /** The byte distance between neighbouring lanes, when at least nine requests in ten have it. */
  laneStride(): number | undefined {
    const total = [...this.strides.values()].reduce((sum, each) => sum + each, 0);
    for (const [stride, count] of this.strides) if (count >= 0.9 * total && !Number.isNaN(stride)) return stride;
    return undefined;
  }
}

function distinctAddresses(addresses: Int32Array, mask: number): number {
  distinct.clear();
  let count = 0;
  for (let lane = 0; lane < 32; lane++) if ((mask >>> lane) & 1 && distinct.add(addresses[lane]!)) count++;
  return count;
}

function mostAlike(addresses: Int32Array, mask: number): number {
  distinct.clear();
  let most = 0;
  for (let lane = 0, bits = mask; bits !== 0; lane++, bits >>>= 1) if (bits & 1) most = Math.max(most, distinct.count(addresses[lane]!));
  return most;
}

/** The most lanes that share one address. */
export function contention(addresses: Float64Array, from: number, mask: number): number {
  nearAddresses(addresses, from, mask, originOf(addresses, from, mask), near);
  return mostAlike(near, mask);
}

/** Wavefronts of all turns of such a sum. */
export function wavefrontsOfSpin(addresses: Float64Array, from: number, mask: number, bytes: number, cost: number): number {
  nearAddresses(addresses, from, mask, originOf(addresses, from, mask), near);
  return spinWavefronts(cost, spinTurns(near, mask, bytes), bytes);
}

/** What lies in global memory, whichever way it is reached. */
export const isInGlobal = (space: AccessSpace): boolean => space === "global" || space === "texture";

/**
 * The counters of a memory operation: two for an asynchronous copy, which reads global and writes shared memory; none for parameters.
 * @param texelBytes what a lane of a texture access moves
 */
export function createCounters(op: Op, texelBytes: number | undefined): AccessCounter[] {
  const { action } = op;
  const scalar = (type: Op["type"] | undefined): number => scalarBytes[(type ?? "i32") as ScalarType] ?? 4;
  switch (action.kind) {
    case "load":
      return action.space === "param"
        ? []
        : [new AccessCounter(op, "load", action.space, texelBytes ?? (action.matrix ? rowBytes : action.components * scalar(op.type)))];
    case "store":
      return [
        new AccessCounter(
          op,
          "store",
          action.space,
          texelBytes ?? (action.matrix ? rowBytes : action.components * scalar(op.args[1]?.type)),
        ),
      ];
    case "atomic":
      return [new AccessCounter(op, "atomic", action.space, scalar(op.args[1]?.type))];
    case "wgmma":
      return [new AccessCounter(op, "load", "shared", scalar("i32"))];
    case "copy.async":
      return [new AccessCounter(op, "copy", "global", action.bytes), new AccessCounter(op, "copy", "shared", action.bytes)];
    case "copy.bulk":
      return [new AccessCounter(op, action.to === "shared" ? "bulk load" : "bulk store", "global", bulkUnit)];
    case "mbarrier":
      return [new AccessCounter(op, "arrival", "shared", mbarrierBytes)];
    case "mbarrier.wait":
      return [new AccessCounter(op, "wait", "shared", mbarrierBytes)];
    default:
      return [];
  }
}

/** Whether it is a warp's own access, whose cost follows from how its lanes' addresses lie. */
export const isOfLanes = (operation: AccessOperation): operation is "load" | "store" | "atomic" | "copy" =>
  operation === "load" || operation === "store" || operation === "atomic" || operation === "copy";
