/** A piece of a text under the offsets its nodes have, which need not be those it has in the whole. */
export class PieceText {
  readonly #text: string;
  readonly #base: number;

  /** @param base the offset of the piece's first character */
  constructor(text: string, base = 0) {
    this.#text = text;
    this.#base = base;
  }

  slice(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#base), Math.max(0, end - this.#base));
  }

  at(offset: number): string | undefined {
    return this.#text[offset - this.#base];
  }

  /** -1 where it is not found, as a string's. */
  indexOf(wanted: string, from: number): number {
    const found = this.#text.indexOf(wanted, from - this.#base);
    return found < 0 ? found : found + this.#base;
  }

  startsWith(wanted: string, at: number): boolean {
    return this.#text.startsWith(wanted, at - this.#base);
  }
}
