/**
 * Places that go along with a loop are computed as early in its turn as they can be (LLVM's LoopStrengthReduce): arms that run under
 * predicates, each of which reads at a distance of its own from such a place, share it, whichever of them is taken.
 */
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";
import type { Stretch } from "./stretches.ts";

/** Goes along with a loop. */
const isPlace = ({ action, args: [from] }: Op): boolean => action.kind === "gep" && from?.action.kind === "phi";

/** Where an operation stands, and the block whose arm that is, if it is one. */
interface Standing {
  readonly op: Op;
  readonly block: Block;
  home: Block | undefined;
}

/** Moves what arms compute alike before the first of them; whether anything was. */
export function shareAddresses(kernel: Kernel, stretches: readonly Stretch[], work: Work): boolean {
  // Before anything is moved: nobody may be stopped between that and the end.
  work.ask(kernel.blocks.reduce((sum, { ops }) => sum + ops.length, 0));
  const instead = new Map<Op, Op>();
  for (const stretch of stretches) {
    if (stretch.reduce((sum, { arms }) => sum + arms.length, 0) < 2) continue;
    const known = new Map<string, Standing>();
    // What may be there only in an arm.
    const ofArms = new Set(stretch.flatMap(({ arms }) => arms.flatMap(({ phis, ops }) => [...phis, ...ops])));
    const look = (block: Block, home: Block | undefined): void => {
      for (const op of [...block.ops]) {
        if (!isPlace(op)) continue;
        const key = `${JSON.stringify(op.action)} ${op.type} ${op.args.map((arg) => (instead.get(arg) ?? arg).id)}`;
        const same = known.get(key);
        if (!same) {
          known.set(key, { op, block, home });
          continue;
        }
        // What a block computes for itself is not looked for in others: the passes have done so.
        if (!home) continue;
        if (same.home) {
          if (same.op.args.some((arg) => ofArms.has(instead.get(arg) ?? arg))) continue;
          ofArms.delete(same.op);
          same.block.ops = same.block.ops.filter((each) => each !== same.op);
          same.home.ops.push(same.op);
          same.home = undefined;
        }
        block.ops = block.ops.filter((each) => each !== op);
        instead.set(op, same.op);
      }
    };
    for (const { block, arms } of stretch) {
      look(block, undefined);
      for (const arm of arms) look(arm, block);
    }
  }
  if (instead.size > 0) for (const block of kernel.blocks) for (const op of [...block.phis, ...block.ops]) rewrite(op, instead);
  return instead.size > 0;
}

function rewrite({ args }: Op, instead: ReadonlyMap<Op, Op>): void {
  for (const [index, arg] of args.entries()) args[index] = instead.get(arg) ?? arg;
}
