/** What each block of a launch issues, as far as those that were run tell it. */
import type { Executed } from "./executed.ts";
import type { Dim3 } from "./ir/kernel.ts";
import type { TimedCode } from "./timing/index.ts";
import type { Work } from "./work.ts";

/** More blocks than this even out, and would take too long to be told apart. */
const mostBlocks = 1 << 17;
/** Blocks or warps that have to have been run for others to be told by those near them. */
const fewest = 4;
/** Cells in each dimension of which the nearest place is looked for. */
const cellsOfSide = 64;
/** Warps that differ from those beside them are told apart no further. */
const nearestWarps = 4;

/** Of how much places differ, what those beside them must tell; else data decides, and blocks even out. Assumed (DEVIATIONS.md). */
const toldByNeighbours = 0.5;
/** Places of which that is asked. */
const mostAsked = 256;

/** From 0 to 1 in each dimension of the grid. */
type Place = readonly [x: number, y: number, z: number];

interface Known {
  readonly at: Place;
  readonly cost: number;
}

/**
 * Warp instructions by block, x fastest; undefined where too little is known, or there are too many. A block is taken to issue what the nearest
 * does that was run; where warps were run by themselves, what those nearest to it do on average. Where neighbours tell nothing of each other,
 * as data decides, nothing is known of the others. @throws Cancelled
 */
export function blockCosts({ program, sample }: Executed, code: TimedCode, work: Work): Float64Array | undefined {
  const { grid } = program.launch;
  const [columns, rows, layers] = grid;
  const count = columns * rows * layers;
  if (count > mostBlocks || sample.places.length < Math.min(fewest, count)) return undefined;
  const lengths = program.blocks.map(({ block }) => (code.isPredicated(block) ? 0 : (code.code[code.indexOf(block)]?.length ?? 0)));
  const known = sample.places.map(({ at, vector }): Known => {
    work.ask(lengths.length / 16);
    return { at: placeOf(at, grid), cost: lengths.reduce((sum, length, k) => sum + length * vector[k]!, 0) };
  });
  const near = tellingNeighbours(known, sample.warps.length > 0, work);
  if (!near) return undefined;
  const [across, down, deep] = grid.map((side) => Math.min(side, cellsOfSide)) as [number, number, number];
  const cells = new Float64Array(across * down * deep);
  for (const cell of cells.keys()) {
    work.ask(known.length / 16);
    const at: Dim3 = [cell % across, Math.floor(cell / across) % down, Math.floor(cell / (across * down))];
    cells[cell] = costAt(known, placeOf(at, [across, down, deep]), near);
  }
  work.ask(count / 16);
  const costs = new Float64Array(count);
  for (let z = 0, index = 0; z < layers; z++)
    for (let y = 0; y < rows; y++) {
      const row = across * (Math.floor((y * down) / rows) + down * Math.floor((z * deep) / layers));
      for (let x = 0; x < columns; x++, index++) costs[index] = cells[row + Math.floor((x * across) / columns)]!;
    }
  return costs;
}

const placeOf = (at: Dim3, grid: Dim3): Place => [(at[0] + 0.5) / grid[0], (at[1] + 0.5) / grid[1], (at[2] + 0.5) / grid[2]];

/** Which places are near another: how far each dimension counts, and how many of the nearest are taken together. */
interface Neighbours {
  readonly weights: Place;
  readonly nearest: number;
}

/** All dimensions alike, or one alone, as along a triangle's rows. */
const directions: readonly Place[] = [
  [1, 1, 1],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Those by which places are told best by others; undefined where none tells. */
function tellingNeighbours(known: readonly Known[], areWarps: boolean, work: Work): Neighbours | undefined {
  const mean = known.reduce((sum, { cost }) => sum + cost, 0) / known.length;
  const asked = known.slice(0, mostAsked);
  const all = asked.reduce((sum, { cost }) => sum + (cost - mean) ** 2, 0);
  let best: { readonly near: Neighbours; readonly untold: number } | undefined;
  for (const nearest of areWarps ? [1, nearestWarps] : [1])
    for (const weights of directions) {
      work.ask((asked.length * known.length) / 16);
      const near = { weights, nearest };
      const untold = asked.reduce((sum, each) => sum + (each.cost - costAt(known, each.at, near, each)) ** 2, 0);
      if (!best || untold < best.untold) best = { near, untold };
    }
  return best && best.untold <= (1 - toldByNeighbours) * all ? best.near : undefined;
}

/** What the nearest places cost on average, but for one of them. */
function costAt(known: readonly Known[], [x, y, z]: Place, { weights, nearest }: Neighbours, except?: Known): number {
  const found: { readonly off: number; readonly cost: number }[] = [];
  for (const each of known) {
    if (each === except) continue;
    const { at, cost } = each;
    const off = weights[0] * (at[0] - x) ** 2 + weights[1] * (at[1] - y) ** 2 + weights[2] * (at[2] - z) ** 2;
    if (found.length === nearest && off >= found.at(-1)!.off) continue;
    const after = found.findIndex((other) => other.off > off);
    found.splice(after < 0 ? found.length : after, 0, { off, cost });
    if (found.length > nearest) found.pop();
  }
  return found.reduce((sum, { cost }) => sum + cost, 0) / found.length;
}
