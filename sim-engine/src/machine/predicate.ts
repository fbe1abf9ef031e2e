/** Short branches that become predicated instructions: as ptxas was seen to decide on arms of every length. */
import { nvcc } from "../compilers/compiler.ts";
import type { Block } from "../ir/kernel.ts";
import type { Instruction } from "./machine.ts";
import type { Selection } from "./selection.ts";

/** For each block whose instructions are predicated, the block that issues them. */
export function predicatedBlocks(selection: Selection): Map<Block, Block> {
  const { kernel, divergence } = selection.shape;
  const homes = new Map<Block, Block>();
  /** By block whose arms are predicated: these, and where they meet. */
  const gone = new Map<Block, { readonly arms: readonly Block[]; readonly join: Block }>();
  const next = (block: Block): Block | undefined => (block.end.kind === "jump" ? block.end.to : gone.get(block)?.join);
  const codeOf = (arm: Block): readonly Instruction[] => {
    const { leaves, body, moves } = selection.codeOf(arm);
    return [...leaves, ...body, ...moves, ...(gone.get(arm)?.arms ?? []).flatMap(codeOf)];
  };
  /** A load in front of an arm that loads, too: that arm runs under a predicate, what holds both does not (nvcc 13.0; so of what is left over of a loop). */
  const loadsBeforeOthers = (arm: Block): boolean =>
    selection.codeOf(arm).body.some(isFarLoad) && (gone.get(arm)?.arms ?? []).flatMap(codeOf).some(isFarLoad);
  // Inner branches first, so that an arm may hold one that has gone.
  for (const block of [...kernel.blocks].reverse()) {
    const { end } = block;
    if (end.kind !== "branch" || end.then === end.else) continue;
    const join = meeting(end.then, end.else, next);
    if (!join) continue;
    const arms = [end.then, end.else].filter((arm) => arm !== join);
    const limit = divergence.isDivergent(block) ? nvcc.predicatedDivergentSize : nvcc.predicatedUniformSize;
    const fewer = arms.length - 1;
    const areShort = arms.every(
      (arm) =>
        arm.predecessors.length === 1 &&
        selection.shape.loopOf(arm)?.header !== arm &&
        !loadsBeforeOthers(arm) &&
        isPredicable(codeOf(arm), limit, fewer),
    );
    if (!areShort) continue;
    gone.set(block, { arms, join });
    for (const arm of arms) homes.set(arm, block);
  }
  // A home may itself be an arm of another: its instructions go to the outermost.
  for (const [arm, home] of homes) {
    let at = home;
    for (let outer = homes.get(at); outer; outer = homes.get(at)) at = outer;
    homes.set(arm, at);
  }
  return homes;
}

/** Where both ways meet at once. */
function meeting(a: Block, b: Block, next: (block: Block) => Block | undefined): Block | undefined {
  if (next(a) === b) return b;
  if (next(b) === a) return a;
  return next(a) !== undefined && next(a) === next(b) ? next(a) : undefined;
}

const isFarLoad = ({ opcode }: Instruction): boolean => opcode.startsWith("LDG");

const forbidden =
  /^(BAR|SYNCS|BSSY|BSYNC|BRA|CALL|WARPSYNC|SHFL|VOTE|MATCH|REDUX|RED|ATOM|ATOMG|MEMBAR|[HIQ]GMMA|WARPGROUP|LDGSTS|LDGDEPBAR|DEPBAR|EXIT|BPT)/;

/** @param fewer instructions that each of two arms may have less than a single one */
function isPredicable(code: readonly Instruction[], limit: number, fewer: number): boolean {
  if (code.some(({ opcode }) => forbidden.test(opcode))) return false;
  // Loads from global memory are worth issuing early, whatever else the arm takes.
  if (code.some(isFarLoad)) return code.length <= nvcc.predicatedLoadingSize - fewer;
  // The uniform datapath has no per-lane predicates; neither has what reads its registers for addresses alone.
  return code.length <= limit - fewer && code.every(({ opcode }) => !/^(U[A-Z]|S2UR|R2UR)/.test(opcode) && opcode !== "LEA.HI.X");
}
