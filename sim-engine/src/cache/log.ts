/**
 * The global and local accesses of one sampled block, request by request, as the L1 sees them. Kept by warp, so that the cache
 * model can interleave warps and blocks the way they run together, whatever order they were executed in.
 */

/** How a request treats its sectors. */
export const load = 0;
export const store = 1;
/** Done at the L2: neither looked up nor kept in the L1. */
export const atomic = 2;
/** Loads that bypass the L1 (cache hints cg, cv; copies that bypass). */
export const bypass = 3;
export type AccessKind = typeof load | typeof store | typeof atomic | typeof bypass;

/** The same, and room for as much again. */
export const grown = <T extends Uint32Array | Uint16Array | Uint8Array>(old: T, make: (length: number) => T): T => {
  const larger = make(old.length * 2);
  larger.set(old);
  return larger;
};

/**
 * Requests of one warp, up to `to` (included), stand for going through them `times` times; inner repeats come before those around them.
 * Those from `middle` on show what a turn brings, as they go round once, or are the second half: the first turns also find the caches cold.
 */
export interface LoggedRepeat {
  readonly middle: number;
  readonly to: number;
  readonly times: number;
  /** Of the requests, the share that those from `middle` on make. */
  readonly share: number;
}

export class SectorLog {
  /** Linear block index, x fastest. */
  readonly block: number;
  /** What stands for iterations that were not run. */
  repeats: readonly LoggedRepeat[] = [];
  /** Requests kept; further ones are dropped and only counted. */
  readonly limit: number;
  requests = 0;
  dropped = 0;
  /** By request: its warp in the block, its site, its kind, and where its sectors start in `sectors`. */
  warp: Uint16Array;
  site: Uint16Array;
  kind: Uint8Array;
  start: Uint32Array;
  sectorCount = 0;
  /** Byte address / 32. */
  sectors: Uint32Array;
  /** Which of its 32 bytes a store writes, bit by byte; full for loads. */
  bytes: Uint32Array;
  /** By request: barriers that its warp had passed. Empty where none was. */
  phase: ArrayLike<number> = [];
  /** By request: 1 where its warp does not wait for what it asked for before. Empty where it is not known. */
  goesOn: Uint8Array = new Uint8Array();
  /** By phase: how often a warp comes by, iterations that were not run included. Empty where none is passed. */
  passes: ArrayLike<number> = [];

  constructor(block: number, limit = 1 << 13) {
    this.block = block;
    this.limit = limit;
    this.warp = new Uint16Array(256);
    this.site = new Uint16Array(256);
    this.kind = new Uint8Array(256);
    this.start = new Uint32Array(257);
    this.sectors = new Uint32Array(1024);
    this.bytes = new Uint32Array(1024);
  }

  /** Begins a request; `sector` then names each distinct sector of it. False when the log is full and the request is dropped. */
  request(warp: number, site: number, kind: AccessKind): boolean {
    if (this.requests >= this.limit) {
      this.dropped++;
      return false;
    }
    if (this.requests === this.warp.length) {
      this.warp = grown(this.warp, (n) => new Uint16Array(n));
      this.site = grown(this.site, (n) => new Uint16Array(n));
      this.kind = grown(this.kind, (n) => new Uint8Array(n));
      const start = new Uint32Array(this.warp.length + 1);
      start.set(this.start);
      this.start = start;
    }
    this.warp[this.requests] = warp;
    this.site[this.requests] = site;
    this.kind[this.requests] = kind;
    this.start[++this.requests] = this.sectorCount;
    return true;
  }

  /** Brings requests into another order: `order` says which one comes at each place. What is told of them by number is told afterwards. */
  arrange(order: readonly number[]): void {
    const { warp, site, kind, start, sectors, bytes } = this;
    this.warp = Uint16Array.from(order, (r) => warp[r]!);
    this.site = Uint16Array.from(order, (r) => site[r]!);
    this.kind = Uint8Array.from(order, (r) => kind[r]!);
    this.start = new Uint32Array(order.length + 1);
    this.sectors = new Uint32Array(this.sectorCount);
    this.bytes = new Uint32Array(this.sectorCount);
    for (const [place, r] of order.entries()) {
      const at = this.start[place]!;
      this.sectors.set(sectors.subarray(start[r], start[r + 1]), at);
      this.bytes.set(bytes.subarray(start[r], start[r + 1]), at);
      this.start[place + 1] = at + start[r + 1]! - start[r]!;
    }
  }

  /** Adds a distinct sector to the request begun last. `index` is the byte address / 32; `bytes` a mask of the bytes stored. */
  sector(index: number, bytes = 0xffffffff): void {
    if (this.sectorCount === this.sectors.length) {
      this.sectors = grown(this.sectors, (n) => new Uint32Array(n));
      this.bytes = grown(this.bytes, (n) => new Uint32Array(n));
    }
    this.sectors[this.sectorCount] = index;
    this.bytes[this.sectorCount++] = bytes;
    this.start[this.requests] = this.sectorCount;
  }
}

/** How many times a request of a repeat's turns that stand for the others stands for itself. */
export const factorOf = ({ times, share }: LoggedRepeat): number => 1 + (times - 1) / share;

/** By request: how many it stands for, those of iterations that were not run included. */
export function weightsOf(log: SectorLog): Float64Array {
  const weights = new Float64Array(log.requests).fill(1);
  for (const repeat of log.repeats) {
    const { middle, to } = repeat;
    const warp = log.warp[middle];
    for (let r = middle; r <= to; r++) if (log.warp[r] === warp) weights[r]! *= factorOf(repeat);
  }
  return weights;
}
