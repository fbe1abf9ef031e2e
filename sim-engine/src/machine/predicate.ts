/** Short branches that become predicated instructions: as ptxas was seen to decide on arms of every length. */
import { nvcc } from "../compilers/compiler.ts";
import { successors } from "../ir/builder.ts";
import type { Block } from "../ir/kernel.ts";
import type { Selection } from "./selection.ts";

/** For each block whose instructions are predicated, the block that issues them. */
export function predicatedBlocks(selection: Selection): Map<Block, Block> {
  const { kernel, divergence } = selection.shape;
  const homes = new Map<Block, Block>();
  // Inner branches first, so that an arm may hold one that has gone.
  for (const block of [...kernel.blocks].reverse()) {
    const { end } = block;
    if (end.kind !== "branch" || end.then === end.else) continue;
    const arms = [end.then, end.else];
    const join = meeting(end.then, end.else);
    if (!join) continue;
    const bodies = arms.filter((arm) => arm !== join);
    const limit = divergence.isDivergent(block) ? nvcc.predicatedDivergentSize : nvcc.predicatedUniformSize;
    const fewer = bodies.length - 1;
    if (!bodies.every((arm) => arm.predecessors.length === 1 && isPredicable(selection, arm, limit - fewer, fewer))) continue;
    for (const arm of bodies) homes.set(arm, block);
  }
  // A home may itself be an arm of another: its instructions go to the outermost.
  for (const [arm, home] of homes) {
    let at = home;
    for (let next = homes.get(at); next; next = homes.get(at)) at = next;
    homes.set(arm, at);
  }
  return homes;
}

/** Where both ways meet at once. */
function meeting(a: Block, b: Block): Block | undefined {
  const next = (block: Block): Block | undefined => (block.end.kind === "jump" ? block.end.to : undefined);
  if (next(a) === b) return b;
  if (next(b) === a) return a;
  return next(a) !== undefined && next(a) === next(b) ? next(a) : undefined;
}

const forbidden =
  /^(BAR|SYNCS|BSSY|BSYNC|BRA|CALL|WARPSYNC|SHFL|VOTE|MATCH|REDUX|RED|ATOM|ATOMG|MEMBAR|[HIQ]GMMA|WARPGROUP|LDGSTS|LDGDEPBAR|DEPBAR|EXIT|BPT)/;

function isPredicable(selection: Selection, arm: Block, limit: number, fewer: number): boolean {
  const code = selection.codeOf(arm);
  if (successors(arm).length !== 1 || selection.shape.loopOf(arm)?.header === arm) return false;
  const all = [...code.leaves, ...code.body, ...code.moves];
  if (all.some(({ opcode }) => forbidden.test(opcode))) return false;
  // Loads from global memory are worth issuing early, whatever else the arm takes.
  if (all.some(({ opcode }) => opcode.startsWith("LDG"))) return all.length <= nvcc.predicatedLoadingSize - 2 * fewer;
  // The uniform datapath has no per-lane predicates; neither has what reads its registers for addresses alone.
  return all.length <= limit && all.every(({ opcode }) => !/^(U[A-Z]|S2UR|R2UR)/.test(opcode) && opcode !== "LEA.HI.X");
}
