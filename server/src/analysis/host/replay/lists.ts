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
