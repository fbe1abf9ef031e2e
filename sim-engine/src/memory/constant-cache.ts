/**
 * What a warp's constant loads find: the first cache holds 2 KB in lines of 64 bytes, 4 to each of 8 sets (h200-constants.txt: 512 words in a row
 * are found again, 1,024 are not, nor are 32 words that lie 256 bytes apart); behind it lies one for more than a table may have, which is
 * filled 256 bytes at a time (h200-constants-cold.txt).
 */
const lineBytes = 64;
const sets = 8;
const ways = 4;
const fillBytes = 256;
/** Lines of the first cache. */
export const constantLines = sets * ways;

/** Whether a load finds its line, misses it, or is the first that asks for the 256 bytes that it is of. */
export type Found = "line" | "no line" | "nothing";

/** The caches as a warp finds them that is alone on its SM: others that go along with it wait for the same lines when it does. */
export class ConstantCache {
  /** By set, its lines, what was used last at the end. */
  readonly #lines: number[][] = Array.from({ length: sets }, () => []);
  readonly #met = new Set<number>();
  readonly #filled = new Set<number>();

  /** @param at byte of constant memory */
  read(at: number): Found {
    const line = Math.floor(at / lineBytes);
    const set = this.#lines[line % sets]!;
    const found = set.indexOf(line);
    if (found >= 0) set.splice(found, 1);
    else if (set.length === ways) set.shift();
    set.push(line);
    if (found >= 0) return "line";
    this.#met.add(line);
    const piece = Math.floor(at / fillBytes);
    if (this.#filled.has(piece)) return "no line";
    this.#filled.add(piece);
    return "nothing";
  }

  /** All that was read so far fits into the first cache. */
  get fits(): boolean {
    return this.#met.size <= constantLines;
  }
}

/** Of requests of a kind, the shares that miss the first cache and that are the first for their 256 bytes. */
export interface ConstantMisses {
  readonly lines: number;
  readonly pieces: number;
  /** All that their warp reads fits into the first cache. */
  readonly fits: boolean;
  /** Most that it reads misses: lines are gone before another warp comes to them. */
  readonly thrashes: boolean;
}

const parts = 127;
const flags = (parts + 1) ** 2;

/** As one number of 16 bits, for a trace. */
export const packMisses = ({ lines, pieces, fits, thrashes }: ConstantMisses): number =>
  Math.round(lines * parts) + (parts + 1) * Math.round(pieces * parts) + (fits ? 0 : flags) + (thrashes ? 2 * flags : 0);

export const unpackMisses = (packed: number): ConstantMisses => ({
  lines: (packed % (parts + 1)) / parts,
  pieces: (Math.floor(packed / (parts + 1)) % (parts + 1)) / parts,
  fits: (packed & flags) === 0,
  thrashes: (packed & (2 * flags)) !== 0,
});
