// Cases for the occupancy table: values where a rule changes, and values in between. The same for the same seed.

export const capabilities = [
  [3, 5],
  [3, 7],
  [5, 0],
  [5, 2],
  [5, 3],
  [6, 0],
  [6, 1],
  [6, 2],
  [7, 0],
  [7, 2],
  [7, 5],
  [8, 0],
  [8, 6],
  [8, 7],
  [8, 9],
  [9, 0],
  [10, 0],
  [10, 3],
  [11, 0],
  [12, 0],
  [12, 1],
];

const kb = 1024;
const registerEdges = [
  0, 1, 8, 16, 24, 31, 32, 33, 37, 40, 41, 48, 56, 63, 64, 65, 72, 80, 96, 104, 128, 129, 160, 168, 200, 224, 248, 255, 256, 257,
];
const blockEdges = [
  1, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 160, 192, 224, 256, 320, 352, 384, 416, 512, 544, 640, 672, 768, 992, 1023, 1024, 1025, 1056,
  2048,
];
const sharedEdges = [
  0,
  1,
  255,
  256,
  257,
  1 * kb,
  2 * kb,
  4 * kb,
  7 * kb,
  8 * kb,
  15 * kb,
  16 * kb,
  24 * kb,
  31 * kb,
  32 * kb,
  47 * kb,
  48 * kb - 1,
  48 * kb,
  48 * kb + 1,
  63 * kb,
  64 * kb,
  64 * kb + 1,
  96 * kb,
  96 * kb + 1,
  99 * kb,
  99 * kb + 1,
  100 * kb,
  112 * kb,
  163 * kb,
  163 * kb + 1,
  164 * kb,
  195 * kb,
  226 * kb,
  227 * kb,
  227 * kb + 1,
  228 * kb,
  260 * kb,
];
const carveouts = [-1, 0, 1, 4, 7, 14, 25, 33, 43, 50, 57, 66, 71, 75, 85, 90, 99, 100];

/** A small seeded generator (mulberry32): uniform integers below a bound. */
export function integers(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

/** `count` cases as the oracle reads them, spread evenly over the compute capabilities. */
export function cases(count, seed) {
  const below = integers(seed);
  const pick = (values) => values[below(values.length)];
  const shared = () => (below(3) > 0 ? pick(sharedEdges) : below(4) > 0 ? below(49 * kb) : below(230 * kb));
  const lines = [];
  for (let i = 0; i < count; i++) {
    const [major, minor] = capabilities[i % capabilities.length];
    const registers = below(2) > 0 ? pick(registerEdges) : below(258);
    const block = below(2) > 0 ? pick(blockEdges) : 1 + below(1056);
    const fixed = below(2) > 0 ? 0 : Math.min(shared(), 50 * kb);
    const dynamic = below(2) > 0 ? 0 : shared();
    const carveout = below(2) > 0 ? -1 : below(2) > 0 ? pick(carveouts) : below(101);
    const optIn = below(4) > 0 ? 1 : 0;
    const barriers = below(3) > 0 ? 1 : pick([0, 1, 2, 3, 4, 8, 16]);
    const caching = below(2) > 0 ? 0 : below(3);
    lines.push([major, minor, registers, fixed, dynamic, block, carveout, optIn, barriers, caching].join(" "));
  }
  return lines;
}
