/**
 * A cache of 128-byte lines filled by 32-byte sectors, least recently used line first. Sets are chosen by a hash of the address,
 * so that no stride hits one set only, as on the hardware.
 */
const noLine = 0xffffffff;

export class SectoredCache {
  readonly #sets: number;
  /** By set and way: the line, when it was last used, its sectors present (bits 0-3) and of these those wholly present (bits 4-7). */
  readonly #lines: Uint32Array;
  readonly #used: Uint32Array;
  readonly #sectors: Uint8Array;
  /** By set, way and sector: the turn in which a load brought it. */
  readonly #brought: Int32Array;
  #clock = 0;

  readonly #ways: number;

  /** `bytes` of capacity, in sets of so many `ways`; below one set's worth it holds one set. */
  constructor(bytes: number, ways: number) {
    this.#ways = ways;
    this.#sets = Math.max(1, Math.round(bytes / (128 * ways)));
    this.#lines = new Uint32Array(this.#sets * ways).fill(noLine);
    this.#used = new Uint32Array(this.#sets * ways);
    this.#sectors = new Uint8Array(this.#sets * ways);
    this.#brought = new Int32Array(this.#sets * ways * 4).fill(-1);
  }

  /** A load of a sector (address / 32) in a turn: whether it is there, or under way since a load of the same turn; it is there afterwards. */
  load(sector: number, turn: number): "miss" | "hit" | "under way" {
    const at = this.#find(sector >>> 2);
    const bit = 1 << (sector & 3);
    const brought = at * 4 + (sector & 3);
    if ((this.#sectors[at]! & (bit << 4)) !== 0) return this.#brought[brought] === turn ? "under way" : "hit";
    this.#sectors[at]! |= bit | (bit << 4);
    this.#brought[brought] = turn;
    return "miss";
  }

  /**
   * A store that writes the bytes of `mask`: whether it meets its sector here, or one of which only parts were stored. What is partly
   * written a load still misses.
   */
  store(sector: number, mask: number): "miss" | "hit" | "in part" {
    const at = this.#find(sector >>> 2);
    const bit = 1 << (sector & 3);
    const before = this.#sectors[at]!;
    this.#brought[at * 4 + (sector & 3)] = -1;
    this.#sectors[at]! |= mask >>> 0 === 0xffffffff ? bit | (bit << 4) : bit;
    if ((before & bit) === 0) return "miss";
    return (before & (bit << 4)) === 0 ? "in part" : "hit";
  }

  /** A sector is there no more, its line is. */
  drop(sector: number): void {
    const at = this.#find(sector >>> 2);
    const bit = 1 << (sector & 3);
    this.#sectors[at]! &= ~(bit | (bit << 4));
  }

  /** A line is there, but nothing of it. */
  dropLine(line: number): void {
    this.#sectors[this.#find(line)] = 0;
  }

  /** So many lines that are never asked for again come and push out, set by set, what was unused longest. */
  pass(lines: number): void {
    const ways = this.#ways;
    const each = lines / this.#sets;
    let due = 0;
    for (let first = 0; first < this.#lines.length; first += ways) {
      due += Math.min(ways, each);
      for (; due >= 1; due--) {
        let oldest = first;
        for (let at = first + 1; at < first + ways; at++) if (this.#used[at]! < this.#used[oldest]!) oldest = at;
        this.#lines[oldest] = noLine;
        this.#used[oldest] = ++this.#clock;
        this.#sectors[oldest] = 0;
      }
    }
  }

  /** Where the line is; when it is nowhere, in the place of the one unused longest. */
  #find(line: number): number {
    const ways = this.#ways;
    const hashed = Math.imul(line ^ (line >>> 11), 0x9e3779b1) >>> 0;
    const first = Math.floor((hashed / 2 ** 32) * this.#sets) * ways;
    let oldest = first;
    this.#clock++;
    for (let at = first; at < first + ways; at++) {
      if (this.#lines[at] === line) {
        this.#used[at] = this.#clock;
        return at;
      }
      if (this.#used[at]! < this.#used[oldest]!) oldest = at;
    }
    this.#lines[oldest] = line;
    this.#used[oldest] = this.#clock;
    this.#sectors[oldest] = 0;
    return oldest;
  }
}
