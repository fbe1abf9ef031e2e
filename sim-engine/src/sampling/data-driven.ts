/**
 * Accesses whose places data says: gathers, hash tables, searches. What a quotient or a mask of the block's index says is no such place,
 * however unevenly it moves: what blocks were seen to share there others share, too.
 */
import { type DominatorTree, dominators } from "../ir/graph.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { comesOf } from "../ir/origins.ts";

/** Where each block of a launch runs, and when, is as random as data. */
const ofTheMoment = /^(smid|clock|globaltimer|cluster)/;
/** Factors without their powers of two that are larger are those of hashes and random numbers, not sizes of anything. */
const largestSize = 2 ** 20;

/** Of memory operations, those whose addresses come from memory, are chosen by what does, or are scrambled. */
export function drivenByData(kernel: Kernel, accesses: Iterable<Op>): ReadonlySet<Op> {
  const home = new Map<Op, Block>();
  for (const block of kernel.blocks) for (const phi of block.phis) home.set(phi, block);
  let tree: DominatorTree | undefined;
  /** What says which of its values a phi has. */
  const chosenBy = (phi: Op): Op[] => {
    const block = home.get(phi);
    if (!block) return [];
    tree ??= dominators(kernel);
    const from = new Set([...block.predecessors, tree.parent(block)]);
    return [...from].flatMap((each) => (each?.end.kind === "branch" ? [each.end.cond] : []));
  };
  const madeFrom = (op: Op): readonly Op[] => (op.action.kind === "phi" ? [...op.args, ...chosenBy(op)] : op.args);
  const isData = ({ action, args }: Op): boolean => {
    // What stands at one place is the same to all.
    if (action.kind === "load") return comesOf(args[0], (op) => /^(special|phi|load|atomic)$/.test(op.action.kind), madeFrom);
    if (action.kind === "special") return ofTheMoment.test(action.register);
    if (action.kind === "int") return isScrambling(action.op, args);
    return /^(atomic|texel|matrix|unknown)$/.test(action.kind);
  };
  return new Set([...accesses].filter((access) => addressesOf(access).some((address) => comesOf(address, isData, madeFrom))));
}

/** A product with the factor of a hash, or bits mixed with others of the same number: as good as random. */
function isScrambling(op: string, args: readonly Op[]): boolean {
  if (op === "xor") return args.some(({ action }) => action.kind === "int" && /^(shl|[la]shr)$/.test(action.op)) && !args.some(isConstant);
  return op === "mul" && args.some((arg) => arg.action.kind === "const" && oddPart(BigInt(arg.action.value)) > largestSize);
}

const isConstant = ({ action }: Op): boolean => action.kind === "const";

function oddPart(value: bigint): number {
  let rest = value < 0n ? -value : value;
  while (rest > 0n && rest % 2n === 0n) rest /= 2n;
  return Number(rest);
}

function addressesOf({ action, args }: Op): readonly Op[] {
  if (action.kind === "copy.bulk") return args;
  return args.slice(0, action.kind === "copy.async" ? 2 : 1);
}
