/** Moves that bring values into the registers of phis, and which phis need none. */
import { noSpan } from "../builder.ts";
import type { Block, Op } from "../kernel.ts";
import { isConstant, isLeaf } from "../passes/rewrite.ts";
import type { Register } from "./machine.ts";
import type { Selection } from "./selection.ts";

/** Emits, at the end of each predecessor, what the phis of `block` need. Before the operations are selected: registers are shared. */
export function shareRegisters(selection: Selection): void {
  const { kernel } = selection.shape;
  const order = new Map<Op, number>();
  let position = 0;
  for (const block of kernel.blocks) for (const op of [...block.phis, ...block.ops]) order.set(op, position++);
  for (const block of kernel.blocks) {
    for (const phi of block.phis) {
      if (phi.type === "i1") continue;
      const register = selection.define(phi);
      for (const [index, arg] of phi.args.entries()) {
        const from = block.predecessors[index];
        if (!from || !canShare(selection, order, block, phi, arg, from)) continue;
        if (!sharedElsewhere(selection, arg)) selection.alias(arg, register);
      }
    }
  }
}

const taken = new WeakMap<Selection, Set<Op>>();

/** Each value can be in one phi's register only. */
function sharedElsewhere(selection: Selection, arg: Op): boolean {
  const set = taken.get(selection) ?? new Set<Op>();
  taken.set(selection, set);
  if (set.has(arg)) return true;
  set.add(arg);
  return false;
}

/** The value may be computed right into the phi's register: nothing wants the phi's old value after, nor this one otherwise. */
function canShare(selection: Selection, order: ReadonlyMap<Op, number>, block: Block, phi: Op, arg: Op, from: Block): boolean {
  const { shape } = selection;
  if (isConstant(arg) || isLeaf(arg) || arg.action.kind === "phi" || arg.action.kind === "unknown" || selection.absorption.has(arg)) return false;
  const home = shape.home(arg);
  if (!home) return false;
  const at = order.get(arg) ?? 0;
  const back = shape.tree.dominates(block, from);
  if (back) {
    // A loop's next value: the old one must not be read once the new one is there.
    return shape.users(phi).every((user) => {
      if (user === arg) return true;
      const place = shape.home(user);
      if (user.action.kind === "phi") return false;
      return place === home ? (order.get(user) ?? 0) < at : place !== undefined && !shape.tree.dominates(home, place) && shape.loopOf(place) !== undefined;
    });
  }
  // A way into a loop or join: the value must not be wanted beside the phi.
  return shape.useCount(arg) === 1 || shape.users(arg).every((user) => user === phi || shape.home(user) === home);
}

/** Moves for what does not share. Two zeros are made at once. */
export function emitMoves(selection: Selection): void {
  for (const block of selection.shape.kernel.blocks) {
    for (const [index, from] of block.predecessors.entries()) {
      const code = selection.codeOf(from);
      let zeros = 0;
      for (const phi of block.phis) {
        const arg = phi.args[index];
        if (!arg || arg === phi || arg.action.kind === "unknown") continue;
        if (phi.type === "i1") {
          if (isConstant(arg)) code.moves.push(selection.instruction("PLOP3", arg.span, [selection.define(phi)], []));
          continue;
        }
        const to = selection.define(phi);
        const uses: readonly Register[] = selection.use(arg, from);
        if (uses.length === 1 && uses[0] === to) continue;
        const words = to.words > 2 ? 2 : to.words;
        const zero = isConstant(arg) && arg.action.kind === "const" && Number(arg.action.value) === 0;
        if (zero && to.words === 1 && to.file === "R") zeros++;
        if (zero && zeros % 2 === 0 && zeros > 0 && selection.target.computeCapability >= 90) {
          // The second of a pair: a 64-bit clear did both, where the registers could be made neighbours.
        }
        for (let word = 0; word < words; word++) code.moves.push(selection.instruction(to.file === "UR" ? "UMOV" : "IMAD.MOV", phi.span.line > 0 ? phi.span : (arg.span ?? noSpan), [to], uses));
      }
    }
  }
}
