/** How a program's control flow and addresses vary from block to block, and from iteration to iteration of its loops. */

import type { ConstantOf } from "../execute/constants.ts";
import { gcd, lcm } from "../execute/divisors.ts";
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import { type Block, type Content, type Op, scalarBytes } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import { carriedSteps } from "./carried.ts";
import { type Delta, findDeltas } from "./deltas.ts";
import { type StoredDelta, storedDeltas } from "./stored.ts";

export interface Variation {
  /** Units after which alignments and remainders start again. */
  readonly period: number;
  /** Units after which quotients, remainders and masks begin anew, each by itself. */
  readonly rounds: readonly number[];
  /** A branch depends on data, so that no two units need go the same way. */
  readonly irregularFlow: boolean;
  /** Memory operations whose addresses depend on data. */
  readonly irregularAddresses: ReadonlySet<Op>;
  /** Outcomes may differ here and there between units one period apart, for a reason other than a threshold. */
  readonly approximate: boolean;
  /** Comparisons of values that change, whose outcome need not show in what is counted otherwise. */
  readonly comparisons: readonly Op[];
}

export interface LoopVariation extends Variation {
  /** Values that are back where they were after a period: see `carriedSteps`. */
  readonly goingRound: ReadonlySet<Op>;
}

/** What an access's cost depends on: where it stands relative to this many bytes. */
const alignment: Readonly<Record<string, number>> = { global: 32, generic: 32, shared: 128, local: 4, constant: 1, param: 1 };

/** Longest period that is run in full. */
const longestPeriod = 64;

/** A program, and what is asked of all of it for each of its loops. */
export class Subject {
  readonly program: Program;
  readonly constantOf: ConstantOf;
  /** Operations whose value another operation reads. */
  readonly read: ReadonlySet<Op>;
  readonly stored: ReturnType<typeof storedDeltas>;

  constructor(program: Program, constantOf: ConstantOf, work: Work) {
    this.program = program;
    this.constantOf = constantOf;
    this.read = readByOthers(program, work);
    this.stored = storedDeltas(program);
  }
}

function variation(
  subject: Subject,
  blocks: Iterable<Block>,
  source: (op: Op) => Delta | undefined,
  work: Work,
  shortestStep = 1,
): Variation {
  const { program, constantOf, read, stored } = subject;
  const deltas = findDeltas({
    blocks,
    needs: program.slice.needs,
    source,
    constantOf,
    isUniform: (op) => !program.divergence.isVarying(op),
    loaded: (of) => {
      const storedNow = stored(of);
      return (op, address) => loadedDelta(subject, op, address, storedNow);
    },
    shortestStep,
    longestStep: longestPeriod,
    work,
  });
  let period = deltas.step;
  let irregularFlow = false;
  const irregularAddresses = new Set<Op>();
  let { approximate } = deltas;
  const comparisons: Op[] = [];
  const address = (user: Op, op: Op | undefined, space: string): void => {
    if (!op) return;
    const moved = deltas.of(op);
    if (Number.isNaN(moved)) irregularAddresses.add(user);
    else {
      const unit = alignment[space] ?? 32;
      const cycle = deltas.cycleOf(op);
      const round = cycle && cycle.modulus % unit !== 0 ? cycle.factor : 1;
      // The period in units of the symbol in which addresses come back to the same place modulo the unit.
      const longer = lcm(period, deltas.step * lcm(round, unit / gcd(unit, moved)));
      if (longer <= longestPeriod) period = longer;
      else approximate = true;
    }
  };
  for (const block of blocks) {
    for (const op of block.ops) {
      work.ask(1);
      const { action } = op;
      if (program.slice.needs(op) && hidesOutcome(op, read) && op.args.some((arg) => deltas.of(arg) !== 0)) comparisons.push(op);
      if (action.kind === "load" || action.kind === "store" || action.kind === "atomic") address(op, op.args[0], action.space);
      else if (action.kind === "copy.async") {
        address(op, op.args[0], "shared");
        address(op, op.args[1], "global");
        if (op.args[2] && Number.isNaN(deltas.of(op.args[2]))) irregularAddresses.add(op);
      } else if (action.kind === "copy.bulk") {
        // What of a box lies in its tensor, and how, is counted block by block.
        if (action.tensor === undefined) address(op, op.args[1], "global");
        else if (op.args.slice(2, 2 + action.tensor).some((arg) => Number.isNaN(deltas.of(arg)))) irregularAddresses.add(op);
      }
    }
    if (block.end.kind === "branch" && Number.isNaN(deltas.of(block.end.cond))) irregularFlow = true;
  }
  return { period, rounds: deltas.rounds, irregularFlow, irregularAddresses, approximate, comparisons };
}

function readByOthers({ kernel }: Program, work: Work): ReadonlySet<Op> {
  const read = new Set<Op>();
  for (const { phis, ops } of kernel.blocks) {
    work.ask(phis.length + ops.length);
    for (const of of [phis, ops]) for (const { args } of of) for (const arg of args) read.add(arg);
  }
  return read;
}

/**
 * Whether an outcome may change and change back unseen: equality holds at one place only, and what is not branched on may be
 * combined with others. The lanes that an order's branch takes are counted as it is.
 */
function hidesOutcome(op: Op, read: ReadonlySet<Op>): boolean {
  const { action, args } = op;
  if (action.kind === "int") return /^[su](min|max)$/.test(action.op);
  if (action.kind !== "icmp" || args[0]?.type === "i1") return false;
  return action.predicate === "eq" || action.predicate === "ne" || read.has(op);
}

/** From one block of the grid to the next in one of its dimensions. */
export function blockVariation(subject: Subject, dimension: "x" | "y" | "z", work: Work): Variation {
  const register = `ctaid.${dimension}`;
  const source = (op: Op): Delta | undefined => {
    if (op.action.kind !== "special") return undefined;
    if (op.action.register === register) return 1;
    // Which processor a block runs on, and when, says nothing about the next block's.
    return op.action.register === "smid" ||
      op.action.register === "cluster.rank" ||
      op.action.register === "clock" ||
      op.action.register === "globaltimer"
      ? Number.NaN
      : 0;
  };
  return variation(subject, subject.program.kernel.blocks, source, work);
}

/** From one iteration of a loop to the next; undefined when its values do not advance steadily, so that iterations cannot be skipped. */
export function loopVariation(subject: Subject, loop: Loop, work: Work): LoopVariation | undefined {
  const carried = carriedSteps(subject, loop);
  if (!carried) return undefined;
  const source = (op: Op): Delta | undefined => {
    const step = carried.steps.get(op);
    if (step !== undefined) return step;
    if (!carried.inside(op)) return 0;
    return op.action.kind === "special" ? (subject.program.clocks.get(op)?.interval ?? 0) : undefined;
  };
  const found = variation(subject, loop.blocks, source, work, carried.round);
  return { ...found, goingRound: carried.goingRound };
}

/** The change of what a load gives. */
function loadedDelta({ program }: Subject, op: Op, address: Delta, stored: StoredDelta): Delta {
  const [place] = op.args;
  if (!place || Number.isNaN(address)) return Number.NaN;
  const objects = program.provenance.of(place);
  let all = stored(op, address, objects);
  if (address === 0) return all;
  for (const object of objects) {
    const content = contentOf(program, object);
    const change = content && contentDelta(content.content, address / content.bytes);
    if (change === undefined) return Number.NaN;
    all = gcd(all, change);
  }
  return all;
}

function contentDelta(content: Content, elements: number): Delta | undefined {
  switch (content.kind) {
    case "zero":
    case "constant":
    case "bytes":
      return 0;
    case "linear":
      return Number.isInteger(elements * content.stride) ? elements * content.stride : undefined;
    default:
      return undefined;
  }
}

function contentOf(program: Program, object: string): { content: Content; bytes: number } | undefined {
  const [kind, index] = object.split(" ");
  if (kind === "buffer") {
    const buffer = program.launch.buffers[Number(index)];
    return buffer && { content: buffer.content, bytes: scalarBytes[buffer.element ?? "i32"] };
  }
  if (kind !== "global") return undefined;
  const variable = program.kernel.globals[Number(index)];
  return variable && { content: variable.content ?? { kind: "zero" }, bytes: scalarBytes[variable.element] };
}
