/** Labels, branches and predicates of inline PTX. */
import type { Block, Op } from "@warplens/sim-engine";
import type { Lowering } from "../emit/lowering.ts";
import type { Asm, Instruction } from "./ptx.ts";

/** An instruction under `@p` or `@!p`. */
interface Guarded {
  readonly predicate: string;
  readonly negated: boolean;
  readonly instruction: Instruction;
}

const labelOf = ({ opcode, operands }: Instruction): string | undefined => {
  const text = opcode.join(".");
  return text.endsWith(":") && operands.length === 0 ? text.slice(0, -1) : undefined;
};

function guardOf({ opcode, operands }: Instruction): Guarded | undefined {
  const [, not, predicate] = /^@(!?)(.+)$/.exec(opcode.join(".")) ?? [];
  const [guarded, ...rest] = operands;
  if (predicate === undefined || guarded === undefined) return undefined;
  return { predicate, negated: not === "!", instruction: { opcode: guarded.split("."), operands: rest } };
}

/** Whether a template goes other ways than from its first instruction to its last. */
export const branches = (instructions: readonly Instruction[]): boolean =>
  instructions.some((each) => labelOf(each) !== undefined || guardOf(each) !== undefined);

/**
 * Emits instructions in the order they may be run in.
 * @param emit emits one that is neither a label nor a branch
 * @param predicate what a predicate holds (i1)
 */
export function lowerFlow(
  lowering: Lowering,
  asm: Asm,
  instructions: readonly Instruction[],
  emit: (instruction: Instruction) => void,
  predicate: (name: string) => Op,
): void {
  const { builder } = lowering;
  const labels = new Map<string, Block>();
  for (const each of instructions) {
    const label = labelOf(each);
    if (label !== undefined) labels.set(label, builder.newBlock());
  }
  const target = ({ operands: [label = ""] }: Instruction): Block =>
    labels.get(label) ?? lowering.fail(`the label ${label} of an asm statement is not in it`, asm);
  for (const each of instructions) {
    const label = labelOf(each);
    const block = label === undefined ? undefined : labels.get(label);
    const guard = guardOf(each);
    if (block) {
      builder.jump(block);
      builder.block = block;
    } else if (guard) {
      const { instruction, negated } = guard;
      const jumps = instruction.opcode[0] === "bra";
      const [inside, after] = [jumps ? target(instruction) : builder.newBlock(), builder.newBlock()];
      const condition = predicate(guard.predicate);
      builder.branch(condition, negated ? after : inside, negated ? inside : after);
      if (!jumps) {
        builder.block = inside;
        emit(instruction);
        builder.jump(after);
      }
      builder.block = after;
    } else if (each.opcode[0] === "bra") {
      builder.jump(target(each));
      // What follows is reached by a label or not at all.
      builder.block = builder.newBlock();
    } else emit(each);
  }
}
