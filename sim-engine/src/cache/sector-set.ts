/** Sectors that were touched, each with a 32-bit note: a growing hash table of numbers below 2^32 - 1. */
const absent = 0xffffffff;

export class SectorSet {
  size = 0;
  #keys = new Uint32Array(1024).fill(absent);
  #notes = new Uint32Array(1024);

  /** The sector's note; undefined where it was never set. */
  get(sector: number): number | undefined {
    const slot = this.#slot(sector);
    return this.#keys[slot] === absent ? undefined : this.#notes[slot]!;
  }

  has(sector: number): boolean {
    return this.#keys[this.#slot(sector)] !== absent;
  }

  set(sector: number, note = 0): void {
    let slot = this.#slot(sector);
    if (this.#keys[slot] === absent) {
      if (this.size * 2 >= this.#keys.length) {
        this.#grow();
        slot = this.#slot(sector);
      }
      this.#keys[slot] = sector;
      this.size++;
    }
    this.#notes[slot] = note;
  }

  /** The sector's note, which is `note` from now on if it has none. */
  noteOr(sector: number, note: number): number {
    const slot = this.#slot(sector);
    if (this.#keys[slot] !== absent) return this.#notes[slot]!;
    this.set(sector, note);
    return note;
  }

  copy(): SectorSet {
    const copy = new SectorSet();
    copy.size = this.size;
    copy.#keys = this.#keys.slice();
    copy.#notes = this.#notes.slice();
    return copy;
  }

  /** By the upper bits of the product, which all bits of the sector decide: buffers may lie a power of two apart. */
  #slot(sector: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul(sector, 0x9e3779b1) >>> (Math.clz32(mask) & 31);
    while (this.#keys[slot] !== absent && this.#keys[slot] !== sector) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const notes = this.#notes;
    this.#keys = new Uint32Array(keys.length * 4).fill(absent);
    this.#notes = new Uint32Array(keys.length * 4);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === absent) continue;
      const slot = this.#slot(keys[i]!);
      this.#keys[slot] = keys[i]!;
      this.#notes[slot] = notes[i]!;
    }
  }
}
