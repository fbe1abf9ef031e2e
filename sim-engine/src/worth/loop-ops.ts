/** What the causes that stand in loops have in common: how often a loop turns, and what in it is the same in every turn. */
import type { Program } from "../execute/program.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { meetsOthers } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";

/** Turns of a loop below which what it repeats is not looked at. */
const fewTurns = 4;

/** A loop that turns often, and in which a thread meets no others: what is in memory there is what the thread knows of it. */
export interface OwnLoop {
  readonly blocks: ReadonlySet<Block>;
  readonly ops: readonly Op[];
  readonly inside: ReadonlySet<Op>;
  /** How often a block of it is run by each warp that turns it, as a share of its turns. */
  share(block: Block): number;
}

/** Inner loops first. */
export function ownLoops(program: Program, { totals, counts }: Sample): OwnLoop[] {
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const executions = (block: Block): number => {
    const of = compiled.get(block);
    return of ? counts.flow(totals, of).executions : 0;
  };
  return [...program.loops].reverse().flatMap(({ header, blocks, latches }) => {
    const turns = executions(header);
    const back = latches.reduce((sum, latch) => sum + executions(latch), 0);
    if (turns === 0 || turns < fewTurns * (turns - back)) return [];
    const ops = [...blocks].flatMap((block) => [...block.phis, ...block.ops]);
    if (ops.some((op) => meetsOthers(op) || /^(barrier|atomic|fence)/.test(op.action.kind))) return [];
    return [{ blocks, ops, inside: new Set(ops), share: (block: Block) => executions(block) / turns }];
  });
}

/** A load or store of one value in global memory that nobody else is told to change. */
export const isPlain = ({ action, args: [address] }: Op, kind: "load" | "store", { provenance }: Program): boolean =>
  action.kind === kind &&
  (action.space === "global" || action.space === "generic") &&
  action.volatile !== true &&
  action.components === 1 &&
  address !== undefined &&
  [...provenance.of(address)].every((object) => object.startsWith("buffer ") || object.startsWith("global "));

/** An address that need not be the same in each turn. */
export function variesIn(place: Op, inside: ReadonlySet<Op>): boolean {
  return inside.has(place) && (place.action.kind !== "gep" || place.args.some((arg) => variesIn(arg, inside)));
}

export const samePlace = (a: Op, b: Op): boolean => a === b || placeKey(a) === placeKey(b);

/** The same for addresses that are made alike. */
export const placeKey = ({ id, action, args }: Op): string =>
  action.kind === "gep" ? `${args.map((arg) => arg.id).join()} ${action.scale} ${action.offset}` : `${id}`;
