/** What a thread lets others see while it works, through memory that they share: that it goes on, and at what it is. */

/** Words: the count of beats, the request, the length of the stage's name; then its bytes. */
const [beatsAt, requestAt, lengthAt] = [0, 1, 2];
const nameAt = 12;
const size = 64;

export class Pulse {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /** @param memory another thread's pulse; without, a new one */
  constructor(memory = new SharedArrayBuffer(size)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  /** It has come further: to be said every few milliseconds, and cheap enough for that. */
  beat(): void {
    Atomics.add(this.#words, beatsAt, 1);
  }

  /** It is at this stage from now on. @param name in ASCII; undefined outside of all stages */
  enter(name: string | undefined): void {
    const length = Math.min(name?.length ?? 0, size - nameAt);
    for (let at = 0; at < length; at++) this.#bytes[nameAt + at] = name?.charCodeAt(at) ?? 0;
    Atomics.store(this.#words, lengthAt, length);
    this.beat();
  }

  /** It is at this request from now on. @param id 0 for none */
  begin(id: number): void {
    Atomics.store(this.#words, requestAt, id);
    this.beat();
  }

  /** What it is at; 0 for none. */
  get request(): number {
    return Atomics.load(this.#words, requestAt);
  }

  /** How often it beat; it comes round to the same number only after 2^32 times. */
  get beats(): number {
    return Atomics.load(this.#words, beatsAt);
  }

  get stage(): string | undefined {
    const length = Atomics.load(this.#words, lengthAt);
    return length === 0 ? undefined : String.fromCharCode(...this.#bytes.subarray(nameAt, nameAt + length));
  }
}
