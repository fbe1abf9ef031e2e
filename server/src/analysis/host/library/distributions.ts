/** Distributions of <random> as libstdc++ has them: what is drawn from an engine, number by number. */
import type { FloatName } from "../../sema/types.ts";
import type { Generator } from "./generators.ts";

/** What a distribution keeps from one number to the next. */
export interface Kept {
  value: number | undefined;
}

export interface Distribution {
  /** Members that hold its parameters, in the order of its constructor, and what they are by themselves. */
  readonly parameters: readonly (readonly [member: string, initial: number])[];
  /** Undefined where it is not followed with these parameters. */
  readonly draw: (from: Generator, parameters: ArrayLike<number>, type: "integer" | FloatName, kept: Kept) => number | undefined;
}

/** An integer from 0 to `range`. */
function integerUpTo(from: Generator, range: number): number {
  const width = from.greatest - from.least;
  if (width === range) return from.next() - from.least;
  if (width < range) {
    const block = width + 1;
    for (;;) {
      const made = block * integerUpTo(from, Math.floor(range / block)) + from.next() - from.least;
      if (made <= range) return made;
    }
  }
  const count = range + 1;
  if (width === 0xffffffff) {
    // The upper half of a product of 64 bits; where the lower one is small, some have to be left out.
    let number = from.next();
    let low = Math.imul(number, count) >>> 0;
    if (low < count) {
      const least = 2 ** 32 % count;
      while (low < least) {
        number = from.next();
        low = Math.imul(number, count) >>> 0;
      }
    }
    return Math.floor(((number >>> 16) * count + Math.floor(((number & 0xffff) * count) / 65536)) / 65536);
  }
  const scale = Math.floor(width / count);
  for (;;) {
    const made = from.next() - from.least;
    if (made < count * scale) return Math.floor(made / scale);
  }
}

/** A number in [0, 1). */
function canonical(from: Generator, type: FloatName = "double"): number {
  const made = type === "double" ? doubleOf(from) : floatOf32(from);
  return made < 1 ? made : type === "double" ? 1 - 2 ** -53 : 1 - 2 ** -24;
}

function doubleOf(from: Generator): number {
  const { least } = from;
  const width = from.greatest - least + 1;
  // Numbers of 30 bits at least: two of them.
  const first = from.next() - least;
  return (first + (from.next() - least) * width) / (width * width);
}

const floatOf32 = (from: Generator): number =>
  Math.fround(Math.fround(from.next() - from.least) / Math.fround(from.greatest - from.least + 1));

const rounding = (type: "integer" | FloatName): ((value: number) => number) =>
  type === "integer" || type === "double" ? (value) => value : Math.fround;
const floatOf = (type: "integer" | FloatName): FloatName => (type === "integer" ? "double" : type);

const standardNormal = (from: Generator, type: FloatName, kept: Kept): number => {
  const round = rounding(type);
  if (kept.value !== undefined) {
    const { value } = kept;
    kept.value = undefined;
    return value;
  }
  for (;;) {
    const x = round(2 * canonical(from, type) - 1);
    const y = round(2 * canonical(from, type) - 1);
    const square = round(round(x * x) + round(y * y));
    if (square > 1 || square === 0) continue;
    const factor = round(Math.sqrt(round(round(-2 * round(Math.log(square))) / square)));
    kept.value = round(x * factor);
    return round(y * factor);
  }
};

/** Means up to which a Poisson distribution multiplies numbers. */
const smallMean = 12;

export const distributions: ReadonlyMap<string, Distribution> = new Map<string, Distribution>([
  [
    "uniform_int_distribution",
    {
      parameters: [
        ["least_", 0],
        ["greatest_", 2147483647],
      ],
      draw: (from, { 0: least = 0, 1: greatest = 0 }) =>
        Number.isSafeInteger(greatest - least) && greatest >= least && greatest - least < 2 ** 32
          ? least + integerUpTo(from, greatest - least)
          : undefined,
    },
  ],
  [
    "uniform_real_distribution",
    {
      parameters: [
        ["least_", 0],
        ["end_", 1],
      ],
      draw: (from, { 0: least = 0, 1: end = 1 }, type) => {
        const round = rounding(type);
        return round(round(canonical(from, floatOf(type)) * round(end - least)) + least);
      },
    },
  ],
  [
    "normal_distribution",
    {
      parameters: [
        ["mean_", 0],
        ["deviation_", 1],
      ],
      draw: (from, { 0: mean = 0, 1: deviation = 1 }, type, kept) => {
        const round = rounding(type);
        return round(round(standardNormal(from, floatOf(type), kept) * deviation) + mean);
      },
    },
  ],
  [
    "lognormal_distribution",
    {
      parameters: [
        ["mean_", 0],
        ["deviation_", 1],
      ],
      draw: (from, { 0: mean = 0, 1: deviation = 1 }, type, kept) => {
        const round = rounding(type);
        return round(Math.exp(round(round(deviation * standardNormal(from, floatOf(type), kept)) + mean)));
      },
    },
  ],
  ["bernoulli_distribution", { parameters: [["share_", 0.5]], draw: (from, { 0: share = 0.5 }) => Number(canonical(from) < share) }],
  [
    "exponential_distribution",
    {
      parameters: [["rate_", 1]],
      draw: (from, { 0: rate = 1 }, type) => {
        const round = rounding(type);
        return round(-round(Math.log(round(1 - canonical(from, floatOf(type))))) / rate);
      },
    },
  ],
  [
    "geometric_distribution",
    {
      parameters: [["share_", 0.5]],
      draw: (from, { 0: share = 0.5 }) =>
        share > 0 && share < 1 ? Math.floor(Math.log(1 - canonical(from)) / Math.log1p(-share)) : undefined,
    },
  ],
  [
    "poisson_distribution",
    {
      parameters: [["mean_", 1]],
      draw: (from, { 0: mean = 1 }) => {
        if (!(mean > 0 && mean < smallMean)) return undefined;
        const least = Math.exp(-mean);
        let count = 0;
        for (let product = canonical(from); product > least; product *= canonical(from)) count++;
        return count;
      },
    },
  ],
]);

/** Where each of some weights ends, of 1 in all: what a discrete distribution looks its number up in. */
export function shares(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, each) => all + each, 0);
  let end = 0;
  const made = weights.map((weight) => (end += weight / sum));
  if (made.length > 0) made[made.length - 1] = 1;
  return made;
}

export function discrete(from: Generator, ends: readonly number[]): number {
  if (ends.length < 2) return 0;
  const number = canonical(from);
  let [lo, hi] = [0, ends.length];
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if ((ends[middle] ?? 1) < number) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/** The swaps of `std::shuffle` in order: each element with one before it or itself. */
export function shuffleSwaps(from: Generator, count: number, swap: (a: number, b: number) => void): void {
  if (count < 2) return;
  const width = from.greatest - from.least;
  if (Math.floor(width / count) < count) {
    for (let k = 1; k < count; k++) swap(k, integerUpTo(from, k));
    return;
  }
  // Two places from one number.
  let k = 1;
  if (count % 2 === 0) swap(k++, integerUpTo(from, 1));
  while (k < count) {
    const range = k + 1;
    const both = integerUpTo(from, range * (range + 1) - 1);
    swap(k++, Math.floor(both / (range + 1)));
    swap(k++, both % (range + 1));
  }
}
