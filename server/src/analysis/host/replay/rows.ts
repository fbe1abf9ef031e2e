/**
 * Lists of lists that replayed code makes. The numbers of all rows stand in one array: hundreds of thousands of short rows, each an object
 * of its own, would mostly wait for memory.
 */
import type { HeldRows } from "../values/model.ts";
import type { Known } from "./arithmetic.ts";
import { type List, mostElements } from "./lists.ts";
import { GivenUp } from "./machine.ts";

/** Elements that a row has room for when the first is put there. */
const fewElements = 4;

/** The length of a row that nobody has asked for. */
const untouched = -1;

export class Rows {
  length: number;
  readonly #initial: (index: number) => ArrayLike<Known>;
  /** Of all rows. What is no number stands there as NaN. */
  #numbers = new Float64Array(64);
  #used = 0;
  /** Elements that rows hold, or have room for. */
  #held = 0;
  /** What is not known, or no double holds, by its place among the numbers. */
  readonly #others = new Map<number, Known>();
  #starts: Int32Array;
  #lengths: Int32Array;
  #rooms: Int32Array;

  /** @param initial what a row holds at first. @throws GivenUp where that is not known */
  constructor(length: number, initial: (index: number) => ArrayLike<Known>) {
    this.length = length;
    this.#initial = initial;
    this.#starts = new Int32Array(length);
    this.#rooms = new Int32Array(length);
    this.#lengths = new Int32Array(length).fill(untouched);
  }

  /** @throws GivenUp */
  row(index: Known): List {
    if (index === undefined || !(index >= 0 && index < this.length && Number.isInteger(index))) throw new GivenUp();
    if (this.#lengths[index] === untouched) this.#begin(index);
    return new RowOf(this, index);
  }

  #begin(index: number): void {
    const initial = this.#initial(index);
    this.#lengths[index] = 0;
    if (initial.length > 0) this.#makeRoom(index, initial.length);
    for (let k = 0; k < initial.length; k++) this.append(index, initial[k]);
  }

  /** @throws GivenUp */
  resize(length: number): void {
    if (!(length >= 0 && length <= mostElements)) throw new GivenUp();
    if (length > this.#lengths.length) {
      const room = Math.max(length, 2 * this.#lengths.length);
      this.#starts = longer(this.#starts, room);
      this.#rooms = longer(this.#rooms, room);
      this.#lengths = longer(this.#lengths, room);
    }
    // Rows that are added are empty, whatever stood there before.
    if (length > this.length) this.#lengths.fill(0, this.length, length);
    this.length = length;
  }

  /** What each row holds; undefined where that is not known. */
  get known(): HeldRows | undefined {
    try {
      return this.#copied();
    } catch (error) {
      if (error instanceof GivenUp) return undefined;
      throw error;
    }
  }

  #copied(): HeldRows {
    const initial = new Map<number, ArrayLike<Known>>();
    const ends = new Int32Array(this.length + 1);
    for (let k = 0; k < this.length; k++) {
      let count = this.#lengths[k] ?? 0;
      if (count === untouched) {
        const held = this.#initial(k);
        if (held.length > 0) initial.set(k, held);
        count = held.length;
      }
      ends[k + 1] = (ends[k] ?? 0) + count;
    }
    const numbers = new Float64Array(ends[this.length] ?? 0);
    for (let k = 0; k < this.length; k++) {
      const start = this.#starts[k] ?? 0;
      const held = initial.get(k);
      for (let at = ends[k] ?? 0, element = 0; at < (ends[k + 1] ?? 0); at++, element++) {
        const value = held ? held[element] : this.#at(start + element);
        if (typeof value !== "number") throw new GivenUp();
        numbers[at] = value;
      }
    }
    return { at: (index) => (index < this.length ? numbers.subarray(ends[index], ends[index + 1]) : undefined) };
  }

  // -------------------------------------------------------------- of one row

  lengthOf(index: number): number {
    return this.#lengths[index] ?? 0;
  }

  read(index: number, element: number): Known {
    return element < (this.#lengths[index] ?? 0) ? this.#at((this.#starts[index] ?? 0) + element) : undefined;
  }

  #at(place: number): Known {
    const value = this.#numbers[place] ?? 0;
    return Number.isNaN(value) && this.#others.has(place) ? this.#others.get(place) : value;
  }

  write(index: number, element: number, value: Known): void {
    this.#put((this.#starts[index] ?? 0) + element, value);
  }

  #put(place: number, value: Known): void {
    if (typeof value === "number") {
      if (this.#others.size > 0) this.#others.delete(place);
      this.#numbers[place] = value;
    } else {
      this.#others.set(place, value);
      this.#numbers[place] = Number.NaN;
    }
  }

  append(index: number, value: Known): void {
    const length = this.#lengths[index] ?? 0;
    if (length === this.#rooms[index]) this.#makeRoom(index, Math.max(fewElements, 2 * length));
    this.#put((this.#starts[index] ?? 0) + length, value);
    this.#lengths[index] = length + 1;
  }

  cut(index: number, length: number): void {
    this.#lengths[index] = length;
  }

  /** The row moves to where there is room. @throws GivenUp where all rows together hold too much */
  #makeRoom(index: number, room: number): void {
    this.#held += room - (this.#rooms[index] ?? 0);
    if (this.#held > 2 * mostElements) throw new GivenUp();
    const [start, length] = [this.#starts[index] ?? 0, this.#lengths[index] ?? 0];
    if (this.#used + room > this.#numbers.length) {
      const numbers = new Float64Array(2 * (this.#used + room));
      numbers.set(this.#numbers.subarray(0, this.#used));
      this.#numbers = numbers;
    }
    const to = this.#used;
    this.#numbers.copyWithin(to, start, start + length);
    for (let k = 0; k < length && this.#others.size > 0; k++) {
      const other = this.#others.get(start + k);
      if (this.#others.delete(start + k)) this.#others.set(to + k, other);
    }
    this.#starts[index] = to;
    this.#rooms[index] = room;
    this.#used += room;
  }
}

/** One of them. */
class RowOf implements List {
  readonly #rows: Rows;
  readonly #index: number;

  constructor(rows: Rows, index: number) {
    this.#rows = rows;
    this.#index = index;
  }

  get length(): number {
    return this.#rows.lengthOf(this.#index);
  }

  read(index: number): Known {
    return this.#rows.read(this.#index, index);
  }

  write(index: number, value: Known): void {
    this.#rows.write(this.#index, index, value);
  }

  resize(length: number, fill: Known): void {
    if (!(length >= 0 && length <= mostElements)) throw new GivenUp();
    if (length < this.length) this.#rows.cut(this.#index, length);
    else while (this.length < length) this.#rows.append(this.#index, fill);
  }

  append(value: Known): void {
    this.#rows.append(this.#index, value);
  }
}

function longer(numbers: Int32Array, length: number): Int32Array {
  const made = new Int32Array(length);
  made.set(numbers);
  return made;
}
