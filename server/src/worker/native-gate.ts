/**
 * Keeps a thread from being ended while it is in a native library: one that calls back into JavaScript, which a thread that was ended
 * does not run any more, takes the whole process with it.
 */

const inside = 1;
const closed = 2;
/** Milliseconds after which a library is not waited for: it hangs. */
const patience = 1000;

export class NativeGate {
  readonly memory: SharedArrayBuffer;
  readonly #state: Int32Array<SharedArrayBuffer>;

  /** @param memory another thread's gate; without, a new one */
  constructor(memory = new SharedArrayBuffer(4)) {
    this.memory = memory;
    this.#state = new Int32Array(memory);
  }

  /** Whether whoever is inside should come out. */
  get isClosed(): boolean {
    return (Atomics.load(this.#state, 0) & closed) !== 0;
  }

  /** Does what calls the library; undefined, without doing it, once the gate is closed. */
  within<T>(work: () => T): T | undefined {
    if (Atomics.compareExchange(this.#state, 0, 0, inside) !== 0) return undefined;
    try {
      return work();
    } finally {
      Atomics.and(this.#state, 0, ~inside);
      Atomics.notify(this.#state, 0);
    }
  }

  /** Lets nobody in any more, and waits until whoever is inside is out. */
  close(): void {
    Atomics.or(this.#state, 0, closed);
    Atomics.wait(this.#state, 0, inside | closed, patience);
  }
}
