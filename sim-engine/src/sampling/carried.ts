/** How the values that a loop carries from one iteration to the next change. */
import type { ConstantOf } from "../execute/constants.ts";
import { gcd, lcm } from "../execute/divisors.ts";
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import type { Delta } from "./deltas.ts";
import type { Subject } from "./variation.ts";

export interface CarriedSteps {
  /** By phi of the header: what an iteration adds is a multiple of this. 0 of those that go round, as they change nothing in a round. */
  readonly steps: ReadonlyMap<Op, Delta>;
  /** Phis whose next value follows from each other alone: a buffer's turn (`turn ^ 1`, `(stage + 1) % 3`); or whether a bound is reached. */
  readonly goingRound: ReadonlySet<Op>;
  /** Iterations after which these are taken to be back where they were; whoever skips iterations has to see that they are. */
  readonly round: number;
  /** Whether an operation stands in the loop. */
  readonly inside: (op: Op) => boolean;
}

/** Longest round that is looked for. */
const longestRound = 16;

/** Undefined where a value neither advances steadily nor goes round. */
export function carriedSteps({ program, constantOf }: Subject, loop: Loop): CarriedSteps | undefined {
  const inside = (op: Op): boolean => homes(program).get(op) !== undefined && loop.blocks.has(homes(program).get(op) as Block);
  const steps = new Map<Op, Delta>();
  const left = new Set<Op>();
  for (const phi of loop.header.phis) {
    if (!program.slice.needs(phi)) continue;
    const step = advance(phi, loop, inside, constantOf);
    if (step === undefined) left.add(phi);
    else steps.set(phi, step);
  }
  // What follows another value at a distance, an iteration later, advances as that does.
  for (let found = true; found; ) {
    found = false;
    for (const phi of left) {
      const back = backValue(phi, loop);
      const leader = [...steps.keys()].find((each) => back && distance(back, each, inside, constantOf, new Map()) !== undefined);
      if (!leader) continue;
      steps.set(phi, steps.get(leader)!);
      left.delete(phi);
      found = true;
    }
  }
  const advances = (op: Op): boolean =>
    !inside(op) ||
    constantOf(op) !== undefined ||
    [...steps.keys()].some((phi) => distance(op, phi, inside, constantOf, new Map()) !== undefined);
  const round = roundOf(left, loop, inside, constantOf, advances);
  if (round === undefined) return undefined;
  for (const phi of left) steps.set(phi, 0);
  return { steps, goingRound: left, round, inside };
}

/**
 * The iterations after which phis come round that follow from each other alone, or from how what advances steadily compares, which is the
 * same until whoever skips iterations sees that it is not; undefined where they follow from something else.
 */
function roundOf(
  phis: ReadonlySet<Op>,
  loop: Loop,
  inside: (op: Op) => boolean,
  constantOf: ConstantOf,
  advances: (op: Op) => boolean,
): number | undefined {
  let round = 1;
  const met = new Set<Op>();
  for (const phi of phis) {
    const back = backValue(phi, loop);
    if (!back) return undefined;
    met.add(back);
  }
  for (const op of met) {
    if (!inside(op) || phis.has(op)) continue;
    const { action, args } = op;
    if (action.kind === "icmp" && args.every(advances)) continue;
    // Where ways through the loop meet, iterations that are alike go one of them.
    if (!/^(int|icmp|select|convert|gep|phi)$/.test(action.kind)) return undefined;
    const constants = args.map(constantOf).filter((each) => each !== undefined);
    if (action.kind === "int" && action.op === "xor") round = lcm(round, 2);
    else if (action.kind === "int" && (action.op === "urem" || action.op === "srem"))
      round = lcm(round, Math.abs(constants.at(-1) ?? 1) || 1);
    else if (action.kind === "int" && action.op === "and") round = lcm(round, (constants[0] ?? 0) + 1 || 1);
    else if (action.kind === "icmp") round = lcm(round, Math.abs(constants[0] ?? 1) || 1);
    if (!(round > 0 && round <= longestRound)) return undefined;
    for (const arg of args) met.add(arg);
  }
  return round;
}

/** What a phi of the header is in the next iteration; undefined where that depends on the way round the loop. */
function backValue(phi: Op, loop: Loop): Op | undefined {
  const back = phi.args.filter((_, index) => loop.blocks.has(loop.header.predecessors[index] as Block));
  return back.every((arg) => arg === back[0]) ? back[0] : undefined;
}

const homeMaps = new WeakMap<Program, Map<Op, Block>>();

function homes(program: Program): Map<Op, Block> {
  let map = homeMaps.get(program);
  if (!map) {
    map = new Map();
    for (const block of program.kernel.blocks) for (const op of [...block.phis, ...block.ops]) map.set(op, block);
    homeMaps.set(program, map);
  }
  return map;
}

/** What every iteration adds to a header phi is a multiple of this; undefined when it does not add the same each time. */
function advance(phi: Op, loop: Loop, inside: (op: Op) => boolean, constantOf: ConstantOf): Delta | undefined {
  if (phi.type !== "ptr" && !/^i(8|16|32|64)$/.test(phi.type)) {
    // A value that never changes in the loop is no obstacle.
    return phi.args.every((arg, index) => arg === phi || !loop.blocks.has(loop.header.predecessors[index] as Block)) ? 0 : undefined;
  }
  let all: Delta | undefined;
  for (const [index, arg] of phi.args.entries()) {
    const from = loop.header.predecessors[index];
    if (!from || !loop.blocks.has(from)) continue;
    const step = distance(arg, phi, inside, constantOf, new Map());
    if (step === undefined) return undefined;
    all = all === undefined ? step : gcd(all, step);
  }
  // Several ways round the loop may add different amounts: then the iterations are not alike.
  return loop.header.predecessors.filter((from) => loop.blocks.has(from)).length > 1 && phi.args.length > 2 && !backValue(phi, loop)
    ? undefined
    : (all ?? 0);
}

/** `value` is `phi` plus what does not change in the loop: what is added is a multiple of the result. */
function distance(
  value: Op,
  phi: Op,
  inside: (op: Op) => boolean,
  constantOf: ConstantOf,
  known: Map<Op, Delta | undefined>,
): Delta | undefined {
  if (value === phi) return 0;
  if (!known.has(value)) {
    known.set(value, undefined);
    known.set(value, distanceThrough(value, phi, inside, constantOf, known));
  }
  return known.get(value);
}

function distanceThrough(
  value: Op,
  phi: Op,
  inside: (op: Op) => boolean,
  constantOf: ConstantOf,
  known: Map<Op, Delta | undefined>,
): Delta | undefined {
  const { action, args } = value;
  const [a, b] = args;
  if (!a || !b) return undefined;
  const amount = (op: Op): Delta | undefined => {
    const constant = constantOf(op);
    if (constant !== undefined) return Math.abs(constant);
    return inside(op) ? undefined : 1;
  };
  const sum = (rest: Op, added: Op, scale: number): Delta | undefined => {
    const before = distance(rest, phi, inside, constantOf, known);
    const each = amount(added);
    return before === undefined || each === undefined ? undefined : gcd(before, each * scale);
  };
  if (action.kind === "int" && action.op === "add") return sum(a, b, 1) ?? sum(b, a, 1);
  if (action.kind === "int" && action.op === "sub") return sum(a, b, 1);
  if (action.kind === "gep") {
    const step = sum(a, b, action.scale);
    return step === undefined ? undefined : gcd(step, action.offset);
  }
  return undefined;
}
