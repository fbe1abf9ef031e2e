/**
 * Random numbers as programs get them: engines that the C++ standard gives number by number, and those of glibc. An engine is told by its
 * seed and by how many numbers it has given.
 */

export interface Generator {
  readonly least: number;
  readonly greatest: number;
  /** The next number; integers but for `drand48`. */
  next(): number;
  clone(): Generator;
}

const words = 624;

/** The Mersenne twister. */
class Twister implements Generator {
  readonly least = 0;
  readonly greatest = 0xffffffff;
  readonly #state: Uint32Array;
  #at: number;

  constructor(state: Uint32Array, at: number) {
    this.#state = state;
    this.#at = at;
  }

  static seeded(seed: number): Twister {
    const state = new Uint32Array(words);
    state[0] = seed;
    for (let k = 1; k < words; k++) {
      const before = state[k - 1] ?? 0;
      state[k] = Math.imul(before ^ (before >>> 30), 1812433253) + k;
    }
    return new Twister(state, words);
  }

  next(): number {
    if (this.#at >= words) this.#twist();
    let y = this.#state[this.#at++] ?? 0;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #twist(): void {
    const state = this.#state;
    for (let k = 0; k < words; k++) {
      const y = ((state[k] ?? 0) & 0x80000000) | ((state[(k + 1) % words] ?? 0) & 0x7fffffff);
      state[k] = (state[(k + 397) % words] ?? 0) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#at = 0;
  }

  clone(): Twister {
    return new Twister(this.#state.slice(), this.#at);
  }
}

export const twister = (seed: number): Generator => Twister.seeded(seed % 2 ** 32);

const mersenne31 = 2147483647;

/** `minstd_rand` and its kin. */
class Multiplier implements Generator {
  readonly least = 1;
  readonly greatest = mersenne31 - 1;
  readonly #factor: number;
  #state: number;

  constructor(factor: number, state: number) {
    this.#factor = factor;
    this.#state = state;
  }

  next(): number {
    this.#state = (this.#state * this.#factor) % mersenne31;
    return this.#state;
  }

  clone(): Multiplier {
    return new Multiplier(this.#factor, this.#state);
  }
}

const taps = 31;
const apart = 3;

/** `rand` of glibc: a sum of the numbers 3 and 31 places before, without its last bit. */
class Additive implements Generator {
  readonly least = 0;
  readonly greatest = mersenne31;
  readonly #state: Int32Array;
  #at: number;

  constructor(state: Int32Array, at: number) {
    this.#state = state;
    this.#at = at;
  }

  static seeded(seed: number): Additive {
    const state = new Int32Array(taps);
    state[0] = seed === 0 ? 1 : seed;
    for (let k = 1; k < taps; k++) {
      const rest = (16807 * (state[k - 1] ?? 0)) % mersenne31;
      state[k] = rest < 0 ? rest + mersenne31 : rest;
    }
    const made = new Additive(state, apart);
    for (let k = 0; k < 10 * taps; k++) made.next();
    return made;
  }

  next(): number {
    const at = this.#at;
    this.#at = at + 1 === taps ? 0 : at + 1;
    const sum = ((this.#state[at] ?? 0) + (this.#state[(at + taps - apart) % taps] ?? 0)) | 0;
    this.#state[at] = sum;
    return sum >>> 1;
  }

  clone(): Additive {
    return new Additive(this.#state.slice(), this.#at);
  }
}

const half48 = 2 ** 24;
const whole48 = 2 ** 48;

/** The 48 bits behind `drand48`. */
class Rand48 implements Generator {
  readonly least = 0;
  readonly greatest = whole48 - 1;
  #state: number;

  constructor(state: number) {
    this.#state = state;
  }

  next(): number {
    const [high, low] = [Math.floor(this.#state / half48), this.#state % half48];
    const [factorHigh, factorLow] = [0x5de, 0xece66d];
    const upper = (high * factorLow + low * factorHigh) % half48;
    this.#state = (low * factorLow + 0xb + upper * half48) % whole48;
    return this.#state;
  }

  clone(): Rand48 {
    return new Rand48(this.#state);
  }
}

const multiplier = (factor: number) => (seed: number) => new Multiplier(factor, seed % mersenne31 === 0 ? 1 : seed % mersenne31);

/** By name, from a seed; that of `rand48` are its 48 bits. `default_random_engine` is libstdc++'s. */
export const generators: ReadonlyMap<string, (seed: number) => Generator> = new Map<string, (seed: number) => Generator>([
  ["mt19937", twister],
  ["minstd_rand0", multiplier(16807)],
  ["minstd_rand", multiplier(48271)],
  ["default_random_engine", multiplier(16807)],
  ["rand", (seed) => Additive.seeded(seed)],
  ["rand48", (state) => new Rand48(state)],
]);
