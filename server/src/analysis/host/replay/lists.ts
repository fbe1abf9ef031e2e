/** Lists that replayed code makes longer and shorter: of numbers, of lists of numbers, and of records of numbers. */
import type { Known } from "./arithmetic.ts";
import { type AnyList, GivenUp } from "./machine.ts";

export interface List {
  readonly length: number;
  read(index: number): Known;
  write(index: number, value: Known): void;
  /** Elements that are added hold `fill`. @throws GivenUp */
  resize(length: number, fill: Known): void;
  /** Puts a number behind the others. @throws GivenUp */
  append(value: Known): void;
}

/** Elements of a list, and of all rows of a list of lists. */
export const mostElements = 1 << 22;

/** A list that is short, as a rule, or of the replayed code's own. */
export class Row implements List {
  readonly #values: Known[];

  /** @param values are its own from now on */
  constructor(values: Known[] = []) {
    this.#values = values;
  }

  get length(): number {
    return this.#values.length;
  }

  get values(): readonly Known[] {
    return this.#values;
  }

  read(index: number): Known {
    return this.#values[index];
  }

  write(index: number, value: Known): void {
    this.#values[index] = value;
  }

  resize(length: number, fill: Known): void {
    if (!(length >= 0 && length <= mostElements)) throw new GivenUp();
    if (length < this.#values.length) this.#values.length = length;
    for (let k = this.#values.length; k < length; k++) this.#values.push(fill);
  }

  append(value: Known): void {
    if (this.#values.length >= mostElements) throw new GivenUp();
    this.#values.push(value);
  }
}

/** A list of lists. Rows are made when they are asked for. */
export class Rows {
  readonly #rows: (Row | undefined)[] = [];
  readonly #initial: (index: number) => ArrayLike<Known>;
  #copied = 0;
  length: number;

  /** @param initial what a row holds at first. @throws GivenUp where that is not known */
  constructor(length: number, initial: (index: number) => ArrayLike<Known>) {
    this.length = length;
    this.#initial = initial;
  }

  /** @throws GivenUp */
  row(index: Known): Row {
    if (index === undefined || !(index >= 0 && index < this.length && Number.isInteger(index))) throw new GivenUp();
    const known = this.#rows[index];
    if (known) return known;
    const initial = this.#initial(index);
    this.#copied += initial.length;
    if (this.#copied > mostElements) throw new GivenUp();
    const row = new Row(Array.from(initial));
    this.#rows[index] = row;
    return row;
  }

  /** @throws GivenUp */
  resize(length: number): void {
    if (!(length >= 0 && length <= mostElements)) throw new GivenUp();
    if (length < this.#rows.length) this.#rows.length = length;
    for (let k = this.length; k < length; k++) this.#rows[k] = new Row();
    this.length = length;
  }

  /** Those that were asked for. */
  get touched(): readonly Row[] {
    return this.#rows.filter((row) => row !== undefined);
  }

  /** It is known what each of them holds. */
  get areKnown(): boolean {
    try {
      return this.held.length === this.length;
    } catch (error) {
      if (error instanceof GivenUp) return false;
      throw error;
    }
  }

  /** All as they are, those that nobody has asked for as they were. */
  get held(): readonly ArrayLike<number>[] {
    return Array.from({ length: this.length }, (_, k) => {
      const row = this.#rows[k];
      return (row ? row.values : this.#initial(k)) as ArrayLike<number>;
    });
  }
}

export function lengthOf(list: AnyList): number {
  switch (list.kind) {
    case "numbers":
      return list.list().length;
    case "records": {
      const [first] = list.fields.values();
      return first?.list().length ?? 0;
    }
    case "lists":
      return list.rows().length;
    case "set":
      return list.set().size;
  }
}
