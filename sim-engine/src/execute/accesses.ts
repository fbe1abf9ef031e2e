/** Counters of one memory operation, over all warps that carry it out. */
import type { Op, ScalarType, Space } from "../kernel.ts";
import { scalarBytes } from "../kernel.ts";
import { DistinctSet, popcount } from "../memory/distinct.ts";
import { distinctSectors, idealSectors, localAddresses } from "../memory/sectors.ts";
import { idealWavefronts, sharedWavefronts } from "../memory/wavefronts.ts";
import { localBase, spaceOf } from "./memory.ts";

export type AccessSpace = "global" | "shared" | "local" | "constant";
export type AccessOperation = "load" | "store" | "atomic" | "copy";

/** Hears of every request: lane k of `mask` has the address `addresses[from + k]`. */
export type AccessListener = (access: AccessCounter, addresses: Float64Array, from: number, mask: number, cost: number) => void;

const sectors = new Float64Array(64);
/** Addresses this far apart meet the same sectors, lines and banks. */
const caseBytes = 128;
const moved = new Float64Array(32);
const interleaved = new Float64Array(32);
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
  requests = 0;
  lanes = 0;
  /** Global and local: sectors. Shared: wavefronts. Constant: distinct addresses. */
  transactions = 0;
  ideal = 0;
  /** The most lanes at one address (atomics), or wavefronts of one request (shared). */
  worst = 0;
  /** Byte addresses of the costliest request's active lanes, relative to the lowest. */
  example: number[] | undefined;
  #exampleCost = 0;
  /** Byte distance of neighbouring lanes -> requests seen with it. */
  readonly strides = new Map<number, number>();
  #strideSamples = 0;
  listener: AccessListener | undefined;
  readonly #costs = new Map<number, number>();

  constructor(op: Op, operation: AccessOperation, space: Space, bytes: number) {
    this.op = op;
    this.operation = operation;
    this.bytes = bytes;
    this.space = space === "generic" || space === "param" ? "global" : space;
  }

  reset(): void {
    this.requests = this.lanes = this.transactions = this.ideal = 0;
  }

  /** Requests, lanes, transactions, ideal. */
  totals(): Float64Array {
    return Float64Array.of(this.requests, this.lanes, this.transactions, this.ideal);
  }

  /** Counts so many times more what `totals` gave. */
  add(totals: ArrayLike<number>, times: number): void {
    this.requests += times * (totals[0] ?? 0);
    this.lanes += times * (totals[1] ?? 0);
    this.transactions += times * (totals[2] ?? 0);
    this.ideal += times * (totals[3] ?? 0);
  }

  /** One request whose lanes have addresses of their own. A weight of 0 only tries what would happen. */
  count(addresses: Float64Array, from: number, mask: number, weight: number): void {
    if (weight === 0) return;
    const lanes = popcount(mask);
    this.requests += weight;
    this.lanes += weight * lanes;
    let cost: number;
    switch (this.space) {
      case "global":
      case "local": {
        let at = addresses;
        let first = from;
        if (this.space === "local") {
          localAddresses(addresses, from, mask, localBase, interleaved);
          at = interleaved;
          first = 0;
        }
        cost = distinctSectors(at, first, mask, this.bytes, sectors);
        this.transactions += weight * cost;
        this.ideal += weight * idealSectors(cost, lanes, this.bytes);
        break;
      }
      case "shared":
        cost = sharedWavefronts(addresses, from, mask, this.bytes);
        this.transactions += weight * cost;
        this.ideal += weight * idealWavefronts(cost, mask, this.bytes);
        if (cost > this.worst) this.worst = cost;
        break;
      case "constant":
        cost = distinctAddresses(addresses, from, mask);
        this.transactions += weight * cost;
        this.ideal += weight;
        break;
    }
    this.listener?.(this, addresses, from, mask, cost);
    if (this.operation === "atomic") this.worst = Math.max(this.worst, contention(addresses, from, mask));
    if (this.#strideSamples < strideSamples) this.#sample(addresses, from, mask, cost);
  }

  /** One request for which all lanes have the address at `from`. */
  countUniform(addresses: Float64Array, from: number, mask: number, weight: number): void {
    if (weight === 0) return;
    if (this.listener) {
      this.count(moved.fill(addresses[from]!), 0, mask, weight);
      return;
    }
    const lanes = popcount(mask);
    this.requests += weight;
    this.lanes += weight * lanes;
    switch (this.space) {
      case "global":
        this.transactions += weight;
        this.ideal += weight;
        break;
      case "shared": {
        // 16-byte accesses go by half-warps at best.
        const cost = this.bytes > 8 && mask & 0xffff && mask >>> 16 ? 2 : 1;
        this.transactions += weight * cost;
        this.ideal += weight * idealWavefronts(cost, mask, this.bytes);
        if (cost > this.worst) this.worst = cost;
        break;
      }
      case "constant":
        this.transactions += weight;
        this.ideal += weight;
        break;
      case "local":
        throw new Error("local memory has an address for each lane");
    }
    if (this.operation === "atomic" && lanes > this.worst) this.worst = lanes;
    if (this.#strideSamples < strideSamples) {
      this.#strideSamples++;
      if (lanes > 1) this.strides.set(0, (this.strides.get(0) ?? 0) + 1);
      this.example ??= [0];
    }
  }

  /**
   * One request for which lane k's address is the one at `from` plus `pattern[k]`. What it costs depends on where the first
   * stands within 128 bytes: each case is counted once.
   */
  countPattern(addresses: Float64Array, from: number, mask: number, pattern: Float64Array, weight: number): void {
    if (weight === 0) return;
    const first = addresses[from]!;
    const residue = first % caseBytes;
    const key = (mask === -1 ? 0 : (mask >>> 0) * caseBytes) + residue;
    const cost = this.#costs.get(key);
    if (cost === undefined || this.listener) {
      for (let lane = 0; lane < 32; lane++) moved[lane] = first + pattern[lane]!;
      const before = this.transactions;
      this.count(moved, 0, mask, weight);
      this.#costs.set(key, Math.round((this.transactions - before) / weight));
      return;
    }
    const lanes = mask === -1 ? 32 : popcount(mask);
    this.requests += weight;
    this.lanes += weight * lanes;
    this.transactions += weight * cost;
    this.ideal +=
      weight *
      (this.space === "shared"
        ? idealWavefronts(cost, mask, this.bytes)
        : this.space === "constant"
          ? 1
          : idealSectors(cost, lanes, this.bytes));
  }

  /** Finds out what a generic address means. */
  resolve(address: number): void {
    const space = spaceOf(address);
    if (space && space !== "param") this.space = space;
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

function distinctAddresses(addresses: Float64Array, from: number, mask: number): number {
  distinct.clear();
  let count = 0;
  for (let lane = 0; lane < 32; lane++) if ((mask >>> lane) & 1 && distinct.add(addresses[from + lane]! | 0)) count++;
  return count;
}

/** The most lanes that share one address. */
export function contention(addresses: Float64Array, from: number, mask: number): number {
  if (distinctAddresses(addresses, from, mask) === popcount(mask)) return 1;
  const lanes = new Map<number, number>();
  let most = 0;
  for (let lane = 0; lane < 32; lane++) {
    if (!((mask >>> lane) & 1)) continue;
    const count = (lanes.get(addresses[from + lane]!) ?? 0) + 1;
    lanes.set(addresses[from + lane]!, count);
    if (count > most) most = count;
  }
  return most;
}

/** The counters of a memory operation: two for an asynchronous copy, which reads global and writes shared memory; none for parameters. */
export function createCounters(op: Op): AccessCounter[] {
  const { action } = op;
  const scalar = (type: Op["type"] | undefined): number => scalarBytes[(type ?? "i32") as ScalarType] ?? 4;
  switch (action.kind) {
    case "load":
      return action.space === "param" ? [] : [new AccessCounter(op, "load", action.space, action.components * scalar(op.type))];
    case "store":
      return [new AccessCounter(op, "store", action.space, action.components * scalar(op.args[1]?.type))];
    case "atomic":
      return [new AccessCounter(op, "atomic", action.space, scalar(op.args[1]?.type))];
    case "copy.async":
      return [new AccessCounter(op, "copy", "global", action.bytes), new AccessCounter(op, "copy", "shared", action.bytes)];
    default:
      return [];
  }
}
