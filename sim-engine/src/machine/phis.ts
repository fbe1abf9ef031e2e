/** Moves that bring values into the registers of phis, and which phis need none. */
import { noSpan } from "../ir/builder.ts";
import { isConstant } from "../ir/constants.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import { LiveValues } from "./live-values.ts";
import type { Register } from "./machine.ts";
import type { Selection } from "./selection.ts";

/** A load that takes the register of a value which later operations of its block still read: they have to come before it. */
export interface Displacement {
  readonly value: Op;
  readonly by: Op;
}

/**
 * Gives a phi and the values it takes one register where they are never wanted at once (coalescing). Before the operations are
 * selected, which then compute right into it.
 * @returns what loads displace too early, as the operations stand; what else displaces a value keeps nobody waiting for long
 */
export function shareRegisters(selection: Selection): readonly Displacement[] {
  const displacements: Displacement[] = [];
  const classes = new Map<Op, Op[]>();
  const classOf = (op: Op): Op[] => {
    const known = classes.get(op);
    if (known) return known;
    const made = [op];
    classes.set(op, made);
    return made;
  };
  const { kernel, loopOf } = { kernel: selection.shape.kernel, loopOf: (block: Block) => selection.shape.loopOf(block)?.depth ?? 0 };
  // Moves in the innermost loops are the dearest.
  const { pairs } = selection.absorption;
  const phis = kernel.blocks.flatMap((block) =>
    block.phis.filter((phi) => phi.type !== "i1" && !pairs.isCovered(phi)).map((phi) => ({ phi, block })),
  );
  phis.sort((a, b) => loopOf(b.block) - loopOf(a.block));
  const live = new LiveValues(selection.shape, new Set(phis.flatMap(({ phi }) => [phi, ...phi.args.map((arg) => pairs.standsFor(arg))])));
  for (const { phi } of phis) {
    for (const each of phi.args) {
      const arg = pairs.standsFor(each);
      selection.shape.work.ask(4);
      if (!canShare(selection, arg) || selection.isUniformValue(arg) !== selection.isUniformValue(phi)) continue;
      const [own, other] = [classOf(phi), classOf(arg)];
      selection.shape.work.ask((own.length * other.length) / 4);
      let displaces = false;
      const canDisplace = (a: Op, b: Op): boolean => (displaces = a === phi && b === arg && live.canReadBefore(phi, arg));
      if (own === other || own.length + other.length > 64 || own.some((a) => other.some((b) => live.interfere(a, b) && !canDisplace(a, b))))
        continue;
      if (displaces && arg.action.kind === "load") displacements.push({ value: phi, by: arg });
      for (const op of other) {
        own.push(op);
        classes.set(op, own);
      }
    }
  }
  for (const [op, members] of classes) selection.alias(op, selection.define(members[0] as Op));
  for (const [covered, leader] of pairs.covered()) selection.alias(covered, selection.define(leader));
  return displacements;
}

/** A word that matrix products add to: they stand side by side, and two are cleared at once. */
const isSum = ({ args }: Op): boolean =>
  args.some(({ action, args: [from] }) => action.kind === "extract" && (from?.action.kind === "wgmma" || from?.action.kind === "matrix"));

const isZero = (op: Op | undefined): boolean => op?.action.kind === "const" && Number(op.action.value) === 0;

/** Computed by an instruction of its own, in a register of its own. */
const canShare = (selection: Selection, arg: Op): boolean =>
  !isConstant(arg) && !isLeaf(arg) && arg.action.kind !== "unknown" && arg.action.kind !== "alloca" && !selection.absorption.has(arg);

/** Moves for what does not share. */
export function emitMoves(selection: Selection): void {
  for (const block of selection.shape.kernel.blocks) {
    selection.shape.work.ask(block.phis.length * block.predecessors.length);
    for (const [index, from] of block.predecessors.entries()) {
      const code = selection.codeOf(from);
      const loop = selection.shape.loopOf(from);
      const sums = block.phis.filter((phi) => isSum(phi) && isZero(phi.args[index]));
      for (let k = 0; k < sums.length; k += 2) {
        const pair = sums.slice(k, k + 2).map((phi) => selection.define(phi));
        code.moves.push(selection.instruction("CS2R", sums[k]?.span ?? noSpan, pair, []));
      }
      for (const phi of block.phis) {
        const arg = phi.args[index];
        if (!arg || arg === phi || arg.action.kind === "unknown" || sums.includes(phi) || selection.absorption.pairs.isCovered(phi))
          continue;
        if (phi.type === "i1") {
          if (isConstant(arg)) code.moves.push(selection.instruction("PLOP3", arg.span, [selection.define(phi)], []));
          continue;
        }
        const to = selection.define(phi);
        const uses: readonly Register[] = selection.use(arg, from);
        if (uses.length === 1 && uses[0] === to) continue;
        const words = to.words > 2 ? 2 : to.words;
        // On the way out of a loop, not in each turn.
        const leaves = loop !== undefined && !loop.blocks.has(block);
        const into = leaves ? selection.codeOf(block).leaves : code.moves;
        for (let word = 0; word < words; word++)
          into.push(
            selection.instruction(to.file === "UR" ? "UMOV" : "IMAD.MOV", phi.span.line > 0 ? phi.span : (arg.span ?? noSpan), [to], uses),
          );
      }
    }
  }
}
