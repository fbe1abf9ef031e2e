/**
 * Shortens what was recorded of a warp that ran for long: of turns that ran the same blocks a few are kept, spread evenly over them, which
 * stand for the rest. So each of its loops keeps its share of the time, where its beginning alone would stand for all.
 */
import type { WarpRecord } from "../execute/record.ts";
import type { Repeat } from "../timing/index.ts";

export interface Thinned {
  /** By entry of the record: executions that it stands for, apart from its own weight; 0 of those that are left out. */
  readonly standsFor: Float64Array;
  /** Of entries of the record: what is kept of a loop stands for so many times going through it. */
  readonly repeats: readonly Repeat[];
}

/** An entry, or turns of a loop. Equal numbers run the same. */
interface Piece {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  /** Instructions that are kept of it. */
  readonly instructions: number;
  /** Turns of a loop, those that are kept. */
  readonly turns?: { readonly kept: readonly (readonly Piece[])[]; readonly times: number };
}

/** Turns below which a loop is kept whole, and those that are kept of any: one after the other, as its turns overlap. */
const leastTurns = 4;
const leastKept = 3;
/** Entries a turn may have, by how often the record has been gone through: loops within loops have shorter turns, and come first. */
const longestTurns: readonly number[] = [4, 16, 64, 256];
/** Places in a turn that may begin with the same block as the turn does. */
const mostCandidates = 4;

/** Share of what a warp goes on with that it may not have done before, or less often, for what it did before to stand for it. */
const mostAnew = 0.1;

/**
 * Whether a warp goes on as it did in the second half of its first `most` instructions: whether it runs the same blocks in the same
 * proportions. These then stand for the rest, as they are (`TraceRecorder`).
 * @param lengthOf instructions of an entry
 */
export function goesOnAlike(record: WarpRecord, lengthOf: (entry: number) => number, most: number): boolean {
  const before = new Map<number, number>();
  const after = new Map<number, number>();
  let gone = 0;
  for (const [k, block] of record.blocks.entries()) {
    const where = gone >= most ? after : gone >= most / 2 ? before : undefined;
    where?.set(block, (where.get(block) ?? 0) + lengthOf(k) * (record.weights[k] ?? 1));
    gone += lengthOf(k);
  }
  const sum = (counts: ReadonlyMap<number, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);
  const [seen, rest] = [Math.max(1, sum(before)), sum(after)];
  const anew = [...after].reduce((total, [block, count]) => total + Math.max(0, count - (rest * (before.get(block) ?? 0)) / seen), 0);
  return anew <= mostAnew * rest;
}

/**
 * @param lengthOf instructions of an entry
 * @param most instructions that are wanted of the warp of its block that has most
 * @param longest instructions that one has
 */
export function thinned(record: WarpRecord, lengthOf: (entry: number) => number, most: number, longest: number): Thinned | undefined {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    let number = numbers.get(text);
    if (number === undefined) numbers.set(text, (number = numbers.size));
    return number;
  };
  let pieces: Piece[] = record.blocks.map((block, k) => ({
    number: numberOf(`${block} ${record.weights[k] ?? 1}`),
    from: k,
    to: k + 1,
    instructions: lengthOf(k),
  }));
  let left = longest;
  const before = pieces.length;
  for (const longestTurn of longestTurns) {
    if (left <= most) break;
    const shorter = folded(pieces, longestTurn, most / left, record.recorded, numberOf);
    const instructions = (all: readonly Piece[]): number => all.reduce((sum, piece) => sum + piece.instructions, 0);
    left *= instructions(shorter) / Math.max(1, instructions(pieces));
    pieces = shorter;
  }
  if (pieces.length === before) return undefined;
  const standsFor = new Float64Array(record.blocks.length);
  const repeats: Repeat[] = [];
  const keep = (piece: Piece, times: number): void => {
    const { from, to, turns } = piece;
    if (!turns) standsFor.fill(times, from, to);
    for (const turn of turns?.kept ?? []) for (const inner of turn) keep(inner, times * (turns?.times ?? 1));
    const first = turns?.kept[0]?.[0];
    const last = turns?.kept.at(-1)?.at(-1);
    if (turns && first && last) repeats.push({ from: first.from, to: last.to, times: turns.times });
  };
  for (const piece of pieces) keep(piece, 1);
  return { standsFor, repeats };
}

/** The same with turns that follow each other made one; of which `share` is kept, from among those whose entries are before `recorded`. */
function folded(
  pieces: readonly Piece[],
  longestTurn: number,
  share: number,
  recorded: number,
  numberOf: (text: string) => number,
): Piece[] {
  const result: Piece[] = [];
  const next = new Int32Array(pieces.length).fill(-1);
  const latest = new Map<number, number>();
  for (let k = pieces.length - 1; k >= 0; k--) {
    next[k] = latest.get(pieces[k]!.number) ?? -1;
    latest.set(pieces[k]!.number, k);
  }
  for (let at = 0; at < pieces.length; ) {
    const { length, times } = turnsAt(pieces, next, at, longestTurn);
    if (times < leastTurns) {
      result.push(pieces[at++]!);
      continue;
    }
    const turn = (k: number): readonly Piece[] => pieces.slice(at + k * length, at + (k + 1) * length);
    let known = 0;
    while (known < times && pieces[at + known * length]!.from < recorded) known++;
    const count = Math.min(known || times, Math.max(leastKept, Math.ceil(times * share)));
    const kept = Array.from({ length: count }, (_, k) => turn(Math.floor(((k + 0.5) * (known || times)) / count)));
    result.push({
      number: numberOf(`${times} x ${turn(0).map(({ number }) => number)}`),
      from: pieces[at]!.from,
      to: pieces[at + times * length - 1]!.to,
      instructions: kept.flat().reduce((sum, { instructions }) => sum + instructions, 0),
      turns: { kept, times: times / count },
    });
    at += times * length;
  }
  return result;
}

/** How long the turns are that follow each other from a piece on, and how many. */
function turnsAt(
  pieces: readonly Piece[],
  next: Int32Array,
  at: number,
  longestTurn: number,
): { readonly length: number; readonly times: number } {
  const alike = (a: number, b: number, length: number): boolean => {
    for (let k = 0; k < length; k++) if (pieces[a + k]?.number !== pieces[b + k]?.number) return false;
    return true;
  };
  let candidate = next[at]!;
  for (let tries = 0; tries < mostCandidates && candidate >= 0 && candidate - at <= longestTurn; tries++) {
    const length = candidate - at;
    let times = 1;
    while (at + (times + 1) * length <= pieces.length && alike(at, at + times * length, length)) times++;
    if (times >= leastTurns) return { length, times };
    candidate = next[candidate]!;
  }
  return { length: 1, times: 1 };
}
