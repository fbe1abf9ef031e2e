/**
 * The mbarriers of the block that runs (PTX ISA, "mbarrier"): a phase is over once so many threads have arrived as it waits for, and
 * all bytes that it expects of asynchronous copies are there. Then the next begins. Phases are numbered through the block, so that it
 * can be told which of them an arrival or a wait belongs to.
 */

interface Mbarrier {
  /** Arrivals that each phase waits for. */
  expected: number;
  /** Arrivals and bytes that the present phase still waits for. Bytes that come before they are expected make it negative. */
  pending: number;
  bytes: number;
  /** Phases that are over. */
  over: number;
  /** Numbers, in the block, of the present phase and of the one before; 0 where there was none. */
  present: number;
  before: number;
}

export class Mbarriers {
  readonly #objects = new Map<number, Mbarrier>();
  #phases = 0;
  /** Other blocks of the cluster, which are not run, may arrive too, or be meant by what arrives here. */
  readonly shared: boolean;

  constructor(shared: boolean) {
    this.shared = shared;
  }

  /** A new block begins. */
  clear(): void {
    this.#objects.clear();
    this.#phases = 0;
  }

  init(address: number, arrivals: number): void {
    this.#objects.set(address, {
      expected: arrivals,
      pending: arrivals,
      bytes: 0,
      over: 0,
      present: ++this.#phases,
      before: 0,
    });
  }

  invalidate(address: number): void {
    this.#objects.delete(address);
  }

  /** The number, in the block, of the phase that an operation at this address belongs to. */
  phaseAt(address: number): number {
    return this.#of(address).present;
  }

  /** Threads arrive, and with them bytes to be waited for; with `drop`, later phases do not wait for them. What `isOver` knows the phase by. */
  arrive(address: number, arrivals: number, bytes: number, drop = false): number {
    const barrier = this.#of(address);
    const { over } = barrier;
    if (arrivals > barrier.pending && !this.shared)
      throw new Error(`${arrivals} arrivals at an mbarrier whose phase waits for ${barrier.pending} of ${barrier.expected} more`);
    barrier.bytes += bytes;
    barrier.pending -= arrivals;
    if (drop) barrier.expected -= arrivals;
    this.#settle(barrier);
    return over;
  }

  /** The phase waits for so many bytes more; negative: so many have come. */
  expect(address: number, bytes: number): void {
    const barrier = this.#of(address);
    barrier.bytes += bytes;
    this.#settle(barrier);
  }

  /** Whether the phase with this parity, the present one or the one before, is over. */
  isOver(address: number, parity: number): boolean {
    return (this.#of(address).over & 1) !== (parity & 1);
  }

  /** The number, in the block, of the phase that has ended last; 0 where none has. */
  lastAt(address: number): number {
    return this.#of(address).before;
  }

  /** What the present phase waits for, for the user. */
  missing(address: number): string {
    const { pending, expected, bytes } = this.#of(address);
    const parts = [
      ...(pending > 0 ? [`${pending} of ${expected} arrivals`] : []),
      ...(bytes !== 0 ? [bytes > 0 ? `${bytes} bytes` : `word of ${-bytes} bytes that have come`] : []),
    ];
    return parts.join(" and ");
  }

  #of(address: number): Mbarrier {
    const found = this.#objects.get(address);
    if (!found) throw new Error("an mbarrier is used that was never initialised");
    return found;
  }

  /** The phase ends: others of the cluster are taken to do what is missing. */
  end(address: number): void {
    const barrier = this.#of(address);
    barrier.pending = barrier.bytes = 0;
    this.#settle(barrier);
  }

  #settle(barrier: Mbarrier): void {
    const isThere = this.shared ? barrier.bytes <= 0 : barrier.bytes === 0;
    if (barrier.pending > 0 || !isThere) return;
    barrier.bytes = 0;
    barrier.pending = barrier.expected;
    barrier.over++;
    barrier.before = barrier.present;
    barrier.present = ++this.#phases;
  }
}
