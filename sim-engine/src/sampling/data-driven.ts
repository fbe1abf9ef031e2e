/**
 * Accesses whose places data says: gathers, hash tables, searches. What a quotient or a mask of the block's index says is no such place,
 * however unevenly it moves: what blocks were seen to share there others share, too.
 */
import { dominators } from "../ir/graph.ts";
import type { Kernel, Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

/** Where each block of a launch runs, and when, is as random as data. */
const ofTheMoment = /^(smid|clock|globaltimer|cluster)/;
/** Factors without their powers of two that are larger are taken to be those of hashes and random numbers, not sizes of anything: assumed. */
const largestSize = 2 ** 20;

/** Of memory operations, those whose addresses come from memory, are chosen by what does, or are scrambled. @throws Cancelled */
export function drivenByData(kernel: Kernel, accesses: Iterable<Op>, work: Work): ReadonlySet<Op> {
  const asked = [...accesses];
  if (asked.length === 0) return new Set();
  const users = usersOf(kernel, work);
  const ops = [...users.keys()];
  // What stands at one place is the same to all.
  const moving = comingFrom(
    ops.filter(({ action }) => /^(special|phi|load|atomic)$/.test(action.kind)),
    users,
    work,
  );
  const sources = ops.filter(({ action, args }) => {
    if (action.kind === "load") return args[0] !== undefined && moving.has(args[0]);
    if (action.kind === "special") return ofTheMoment.test(action.register);
    if (action.kind === "int") return isScrambling(action.op, args);
    return /^(atomic|texel|matrix|unknown)$/.test(action.kind);
  });
  const data = comingFrom(sources, users, work);
  return new Set(asked.filter((access) => addressesOf(access).some((address) => data.has(address))));
}

/** By operation, those that are computed from it; a phi is from what says which of its values it has, too. */
function usersOf(kernel: Kernel, work: Work): ReadonlyMap<Op, readonly Op[]> {
  const tree = dominators(kernel);
  const users = new Map<Op, Op[]>();
  const uses = (user: Op, op: Op): void => {
    const known = users.get(op);
    if (known) known.push(user);
    else users.set(op, [user]);
  };
  for (const block of kernel.blocks) {
    work.ask(block.ops.length + block.phis.length);
    for (const op of [...block.phis, ...block.ops]) {
      if (!users.has(op)) users.set(op, []);
      for (const arg of op.args) uses(op, arg);
    }
    if (block.phis.length === 0) continue;
    for (const from of new Set([...block.predecessors, tree.parent(block)]))
      if (from?.end.kind === "branch") for (const phi of block.phis) uses(phi, from.end.cond);
  }
  return users;
}

/** These, and all that is computed from any of them. */
function comingFrom(sources: readonly Op[], users: ReadonlyMap<Op, readonly Op[]>, work: Work): ReadonlySet<Op> {
  const found = new Set(sources);
  for (const op of found) {
    const next = users.get(op) ?? [];
    work.ask(next.length);
    for (const user of next) found.add(user);
  }
  return found;
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
