/**
 * Loop unrolling, with the thresholds nvcc 13's two compilers were seen to use: completely for constant
 * trip counts, in part otherwise, with the iterations left over in a loop of their own.
 */
import { linkBlocks } from "../../ir/builder.ts";
import { isConstant } from "../../ir/constants.ts";
import { findLoops, type Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { preheader } from "../edit/blocks.ts";
import { addEdge, removeEdge } from "../edit/edges.ts";
import { repairSsa } from "../edit/ssa-repair.ts";
import { type BottomTested, bottomTest, constantTrips, loopCounter } from "./induction.ts";
import { copiesByLane } from "./lane-loops.ts";
import { hoistRowsOfArms } from "./rows-of-arms.ts";
import { chain, copyDefinitions, usedOutside } from "./unroll-chain.ts";
import { assemblerFactor, countsInSixtyFourBits, decide, growth, keepSize, never, unrolledOnce } from "./unroll-policy.ts";
import { Stages } from "./unroll-stages.ts";
import { countsUpwards } from "./upward-counts.ts";

/** No kernel grows beyond this by unrolling. */
const operationLimit = 40_000;

/** What the front compiler (NVVM) unrolls completely, before it unrolls anything in part. Returns whether anything was. */
export function unrollConstantLoops(kernel: Kernel, work: Work): boolean {
  const unrolled = new Set<Block>();
  // By header, of loops that will be unrolled with a rest: those around them are decided on as if they were already.
  const growths = new Map<Block, number>();
  return eachLoop(kernel, work, (loop, test, entry) => {
    const trips = constantTrips(loop, test, entry);
    const within = [...growths].reduce((sum, [header, size]) => (loop.blocks.has(header) ? sum + size : sum), 0);
    const decision = decide(loop, trips, within);
    if (decision.kind === "full") {
      hoistRowsOfArms(kernel, loop, test.latch, entry, work);
      unrolled.add(unrollFully(kernel, loop, test, entry, decision.trips, work));
      return true;
    }
    if (trips === undefined && loopCounter(loop, test, entry)) growths.set(loop.header, growth(loop, decision));
    // That is final: what is in it is smaller here, once it is unrolled.
    else if (trips !== undefined && within > 0) loop.header.unroll ??= never;
    if ([...loop.blocks].some((block) => unrolled.has(block))) keepSize(loop);
    return false;
  });
}

/** What the front compiler (NVVM) unrolls. Returns whether anything was. */
export function unrollLoops(kernel: Kernel, work: Work): boolean {
  return eachLoop(kernel, work, (loop, test, entry) => {
    const trips = constantTrips(loop, test, entry);
    const decision = decide(loop, trips);
    if (decision.kind === "full") {
      unrollFully(kernel, loop, test, entry, decision.trips, work);
      return true;
    }
    // What the source asks for is final: the assembler is told to leave it.
    const after = loop.header.unroll === undefined ? unrolledOnce : never;
    if (decision.kind === "none") return false;
    const { factor } = decision;
    // What is left over comes first: NVVM leaves by a test behind it within the turn, and ptxas begins the loop there, if it is one block.
    if (trips !== undefined && (trips % factor === 0 || loop.blocks.size === 1)) {
      new Stages(kernel, loop, test, entry, after, work).whole(factor, trips % factor);
      return true;
    }
    const counter = loopCounter(loop, test, entry);
    if (!counter) return false;
    if (startsAtConstant(loop, entry))
      return new Stages(kernel, loop, test, entry, countsUpwards(loop, counter) ? never : after, work).withRest(counter, factor);
    return new Stages(kernel, loop, test, entry, countsInSixtyFourBits(loop) ? never : after, work).afterRest(counter, factor);
  });
}

/** What the assembler (ptxas) unrolls again: short loops, by four, with steps of two and one for the rest. Returns whether anything was. */
export function unrollAgain(kernel: Kernel, work: Work): boolean {
  return eachLoop(kernel, work, (loop, test, entry) => {
    const trips = constantTrips(loop, test, entry);
    const decision = assemblerFactor(loop, trips);
    if (decision.kind === "full") {
      unrollFully(kernel, loop, test, entry, decision.trips, work);
      return true;
    }
    if (decision.kind === "none") return false;
    const stages = new Stages(kernel, loop, test, entry, never, work);
    if (trips !== undefined) {
      stages.whole(decision.factor, trips % decision.factor);
      return true;
    }
    const counter = loopCounter(loop, test, entry);
    if (!counter || (loop.header.unroll === undefined && counter.phi.type === "i32" && copiesByLane(loop, counter.start))) return false;
    return stages.descending(counter, decision.factor);
  });
}

/** A counter from a constant is simpler to go on with behind the unrolled loop than to bring into it: what is left then comes last (LLVM). */
function startsAtConstant({ header }: Loop, entry: Block): boolean {
  const enter = header.predecessors.indexOf(entry);
  return header.phis.some((phi) => phi.type !== "f32" && phi.type !== "f64" && isConstant(phi.args[enter]));
}

/**
 * Operations that are counted, or blocks that are gone through, while another pass looks at one. Assumed: as many steps, they were nearly half of
 * what a kernel of 50,000 operations takes, and unrolling was a quarter of the time.
 */
const visited = 16;

/** Visits innermost loops first, each once, with its shape as it then is. `visit` says whether it changed the kernel. */
function eachLoop(kernel: Kernel, work: Work, visit: (loop: Loop, test: BottomTested, entry: Block) => boolean): boolean {
  const done = new Set<Block>();
  let changed = false;
  // As they are: found again only where something has changed.
  let loops: readonly Loop[] | undefined;
  for (;;) {
    loops ??= innermostFirst(kernel, work);
    const loop = loops.find((each) => !done.has(each.header));
    if (!loop || work.isOver) return changed;
    done.add(loop.header);
    const test = bottomTest(loop);
    const size = kernel.blocks.reduce((sum, block) => sum + block.ops.length, 0);
    work.spend(size / visited);
    if (!test || size > operationLimit) continue;
    const blocks = kernel.blocks.length;
    const changes = visit(loop, test, preheader(kernel, loop));
    if (changes || kernel.blocks.length !== blocks) loops = undefined;
    changed = changes || changed;
  }
}

function innermostFirst(kernel: Kernel, work: Work): readonly Loop[] {
  const loops = findLoops(kernel).reverse();
  work.spend(loops.reduce((sum, { blocks }) => sum + blocks.size, 0) / visited);
  return loops;
}

/** Returns the first of its turns. */
function unrollFully(kernel: Kernel, loop: Loop, test: BottomTested, entry: Block, trips: number, work: Work): Block {
  const live = usedOutside(kernel, loop, work);
  const enter = loop.header.predecessors.indexOf(entry);
  const starts = new Map(loop.header.phis.map((phi) => [phi, phi.args[enter] as Op]));
  const made = chain(kernel, loop, test, starts, trips, loop.header, work);
  removeEdge(entry, loop.header);
  entry.end = { kind: "jump", to: made.first };
  made.first.predecessors.push(entry);
  made.lastLatch.end = { kind: "jump", to: test.exit };
  const last = made.copies.at(-1)?.values;
  const index = test.exit.predecessors.indexOf(test.latch);
  addEdge(made.lastLatch, test.exit, (phi) => last?.get(phi.args[index] as Op) ?? (phi.args[index] as Op));
  const definitions = copyDefinitions(live, [made]);
  // The loop itself is no longer reached.
  for (const [value, at] of definitions) at.delete(live.get(value) as Block);
  linkBlocks(kernel);
  repairSsa(kernel, definitions, work);
  return made.first;
}
