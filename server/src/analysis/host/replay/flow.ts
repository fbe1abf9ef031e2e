/**
 * What rests on random numbers, told statement by statement as code is made: what is stored rests on all that its statement reads, and
 * everything on what decides where the program goes.
 */

/** Random numbers that are the program's own, and such that stand for them. */
export const drawnSource = "drawn";
export const inventedSource = "invented";

const onlyInvented: ReadonlySet<unknown> = new Set([inventedSource]);

interface Stored {
  readonly to: unknown;
  readonly reads: ReadonlySet<unknown>;
}

export class Flow {
  #reads = new Set<unknown>();
  readonly #stored: Stored[] = [];
  readonly #invented: Stored[] = [];
  readonly #deciding: ReadonlySet<unknown>[] = [];
  /** Arrays and lists of which elements are read. */
  readonly lists = new Set<unknown>();
  /** Lists to which elements are added. */
  readonly grown = new Set<unknown>();

  /** There is something in the code that only code gone through from its first turn on has. */
  isSpecial = false;

  reads(source: unknown): void {
    this.#reads.add(source);
  }

  /** Elements of a list are read. */
  readsList(list: unknown): void {
    this.lists.add(list);
    this.#reads.add(list);
  }

  /** A list holds numbers that stand for the program's. @param size how many there are is one of them */
  isInvented(list: unknown, size: boolean): void {
    this.#invented.push({ to: list, reads: onlyInvented });
    if (size) this.#deciding.push(onlyInvented);
  }

  stores(to: unknown): void {
    this.#stored.push({ to, reads: this.#reads });
  }

  /** What the statement under way reads decides whether part of it is run. */
  decidesHere(): void {
    this.#deciding.push(this.#reads);
  }

  statement<T>(make: () => T): T {
    const outer = this.#reads;
    this.#reads = new Set();
    const made = make();
    this.#reads = outer;
    return made;
  }

  /** Where the program goes, or which element is meant. */
  deciding<T>(make: () => T): T {
    return this.statement(() => {
      this.decidesHere();
      return make();
    });
  }

  isStored(to: unknown): boolean {
    return this.#stored.some((each) => each.to === to);
  }

  get hasRandom(): boolean {
    if (this.#invented.length > 0) return true;
    return [...this.#stored.map(({ reads }) => reads), ...this.#deciding].some(
      (reads) => reads.has(drawnSource) || reads.has(inventedSource),
    );
  }

  /** What rests on one of some sources; undefined: everything. */
  restingOn(...sources: readonly unknown[]): ReadonlySet<unknown> | undefined {
    const found = new Set<unknown>(sources);
    const isFound = (reads: ReadonlySet<unknown>): boolean => [...reads].some((source) => found.has(source));
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const { to, reads } of [...this.#invented, ...this.#stored]) if (!found.has(to) && isFound(reads)) found.add(to);
    }
    return this.#deciding.some(isFound) ? undefined : found;
  }
}
