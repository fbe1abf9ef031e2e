/** Tells most names that are no macro by their first character and length. */
export class NameFilter {
  readonly #bits = new Uint8Array(128 * 8);

  add(name: string): void {
    const index = ((name.charCodeAt(0) & 127) << 3) | (Math.min(name.length, 63) >> 3);
    this.#bits[index] = (this.#bits[index] ?? 0) | (1 << (name.length > 63 ? 7 : name.length & 7));
  }

  mayHold(first: number, length: number): boolean {
    return ((this.#bits[((first & 127) << 3) | (Math.min(length, 63) >> 3)] ?? 0) & (1 << (length > 63 ? 7 : length & 7))) !== 0;
  }
}
