/** What each block of a launch issues, as far as those that were run tell it. */
import { random } from "./execute/content.ts";
import { warpSize } from "./execute/program.ts";
import type { Executed } from "./executed.ts";
import type { Dim3 } from "./ir/kernel.ts";
import { issuedBy } from "./observe/observer.ts";
import type { TimedCode } from "./timing/index.ts";
import type { Work } from "./work.ts";

/** More blocks than this even out, and would take too long to be told apart. */
const mostBlocks = 1 << 17;
/** Blocks or warps that have to have been run for others to be told by those near them. */
const fewest = 4;
/** Warps of a block that are drawn each for itself; more even out. */
const mostOthers = 8;
/** Cells in each dimension of which the nearest place is looked for. */
const cellsOfSide = 64;
/** Warps that differ from those beside them are told apart no further. */
const nearestWarps = 4;

/** Of how much places differ, what those beside them must tell; else data decides. Assumed (DEVIATIONS.md). */
const toldByNeighbours = 0.5;
/** Places of which that is asked. */
const mostAsked = 256;

/** From 0 to 1 in each dimension of the grid. */
type Place = readonly [x: number, y: number, z: number];

interface Known {
  readonly at: Place;
  readonly cost: number;
  /** Of one of the block's warps alone, as often as it has warps. */
  readonly isWarp: boolean;
}

export interface BlockCosts {
  /** Warp instructions by block, x fastest. */
  readonly issued: Float64Array;
  /** Drawn at random: no block's place tells what it issues. */
  readonly areDrawn: boolean;
}

/**
 * What blocks issue; undefined where too little is known, or there are too many. A block is taken to issue what the nearest
 * does that was run; where warps were run by themselves, as one of those nearest to it. Where neighbours tell nothing of each other,
 * as data decides, each issues what some of those do that were run. @throws Cancelled
 */
export function blockCosts(run: Executed, code: TimedCode, work: Work): BlockCosts | undefined {
  const { program, sample } = run;
  const { grid } = program.launch;
  const [columns, rows, layers] = grid;
  const count = columns * rows * layers;
  if (count > mostBlocks || sample.places.length < Math.min(fewest, count)) return undefined;
  const lengths = program.blocks.map(({ block }) => (code.isPredicated(block) ? 0 : (code.code[code.indexOf(block)]?.length ?? 0)));
  const known = sample.places.map(({ at, vector, isWarp = false }): Known => {
    work.ask(lengths.length / 16);
    return { at: placeOf(at, grid), cost: lengths.reduce((sum, length, k) => sum + length * vector[k]!, 0), isWarp };
  });
  const near = tellingNeighbours(known, sample.warps.length > 0, work);
  work.ask(count / 16);
  if (!near) return { issued: drawnCosts(run, known, count, code, work), areDrawn: true };
  const [across, down, deep] = grid.map((side) => Math.min(side, cellsOfSide)) as [number, number, number];
  const cells = Array.from({ length: across * down * deep }, (_, cell) => {
    work.ask(known.length / 16);
    const at: Dim3 = [cell % across, Math.floor(cell / across) % down, Math.floor(cell / (across * down))];
    return nearestTo(known, placeOf(at, [across, down, deep]), near);
  });
  const costs = new Float64Array(count);
  for (let z = 0, index = 0; z < layers; z++)
    for (let y = 0; y < rows; y++) {
      const row = across * (Math.floor((y * down) / rows) + down * Math.floor((z * deep) / layers));
      for (let x = 0; x < columns; x++, index++) {
        const costsHere = cells[row + Math.floor((x * across) / columns)]!;
        costs[index] = costsHere[Math.floor(random(index, 0) * costsHere.length)]!;
      }
    }
  return { issued: costs, areDrawn: false };
}

/** Of as many blocks, drawn from those that were run, or made up of warps that were: as many of them the same as warps of a block are alike. */
function drawnCosts(run: Executed, known: readonly Known[], count: number, code: TimedCode, work: Work): Float64Array {
  const warps = known.filter(({ isWarp }) => isWarp);
  if (warps.length < fewest) return Float64Array.from({ length: count }, (_, k) => known[Math.floor(random(k, 0) * known.length)]!.cost);
  const [x, y, z] = run.program.launch.block;
  const ofBlock = Math.ceil((x * y * z) / warpSize);
  // What is shared by so many counts that often: blocks differ from each other as they do where so much of the warps' variance is theirs.
  const same = Math.round(ofBlock * Math.sqrt(sharedByBlocks(run, warps, ofBlock, code, work)));
  const others = Math.min(ofBlock - same, mostOthers);
  const draw = (k: number, turn: number): number => warps[Math.floor(random(k, turn) * warps.length)]!.cost / ofBlock;
  work.ask((count * others) / 16);
  return Float64Array.from({ length: count }, (_, k) => {
    let rest = 0;
    for (let other = 0; other < others; other++) rest += draw(k, 1 + other);
    return same * draw(k, 0) + (others === 0 ? 0 : ((ofBlock - same) / others) * rest);
  });
}

/** Of how much warps of the launch differ, the share that those of one block do not: their intraclass correlation, as far as blocks were watched. */
function sharedByBlocks({ program, sample }: Executed, warps: readonly Known[], ofBlock: number, code: TimedCode, work: Work): number {
  const variance = (costs: readonly number[]): number => {
    const mean = meanOf(costs);
    return costs.reduce((sum, cost) => sum + (cost - mean) ** 2, 0) / (costs.length - 1);
  };
  const within = sample.watched.flatMap(({ records }) => {
    for (const record of records) work.ask(record.blocks.length / 4);
    return records.length > 1 ? [variance(records.map((record) => issuedBy(record, program.blocks, code)))] : [];
  });
  const all = variance(warps.map(({ cost }) => cost / ofBlock));
  if (within.length === 0 || !(all > 0)) return 1;
  return Math.max(0, 1 - within.reduce((sum, each) => sum + each, 0) / within.length / all);
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

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
      const untold = asked.reduce((sum, each) => sum + (each.cost - meanOf(nearestTo(known, each.at, near, each))) ** 2, 0);
      if (!best || untold < best.untold) best = { near, untold };
    }
  return best && best.untold <= (1 - toldByNeighbours) * all ? best.near : undefined;
}

/** What the nearest places cost, but for one of them. */
function nearestTo(known: readonly Known[], [x, y, z]: Place, { weights, nearest }: Neighbours, except?: Known): readonly number[] {
  const offs: number[] = [];
  const costs: number[] = [];
  for (const each of known) {
    if (each === except) continue;
    const { at, cost } = each;
    const off = weights[0] * (at[0] - x) ** 2 + weights[1] * (at[1] - y) ** 2 + weights[2] * (at[2] - z) ** 2;
    let k = offs.length;
    if (k === nearest && off >= offs[k - 1]!) continue;
    while (k > 0 && offs[k - 1]! > off) k--;
    offs.splice(k, 0, off);
    costs.splice(k, 0, cost);
    if (offs.length > nearest) {
      offs.pop();
      costs.pop();
    }
  }
  return costs;
}
