/**
 * Parameters and other constants that only arms under a predicate need: the datapath of the warp does not know it, and an arm shares
 * nothing with the next, so that each loads them for itself into registers of threads, in loops each time (nvcc 13.0, 9.0: eleven arms of
 * blurColumnsNaive, validation/h200-programs, have 33 loads of three constants). What code before them needs, too, they find there.
 */
import type { Block } from "../ir/kernel.ts";
import type { Instruction, Register } from "./machine.ts";
import type { BlockCode, Selection } from "./selection.ts";

/** @param predicated as `predicatedBlocks` has found them; their code is changed in place */
export function loadConstantsInArms(selection: Selection, predicated: ReadonlyMap<Block, Block>): void {
  const { shape } = selection;
  if (selection.target.constantOperands) return;
  const arms = new Set(predicated.keys());
  if (arms.size === 0) return;
  const readers = readersOf(selection);
  for (const block of shape.kernel.blocks) {
    const code = selection.codeOf(block);
    for (const part of [code.leaves, code.body])
      for (const load of [...part]) {
        if (!isConstantLoad(load)) continue;
        const [value] = load.defs as [Register];
        const of = [...(readers.get(value) ?? [])];
        const others = of.filter((each) => !arms.has(each));
        const alone = of.filter((arm) => arms.has(arm) && !others.some((other) => shape.tree.dominates(other, arm)));
        // What an operation of the arm's own loads stays where it is.
        if (alone.length === 0 || (load.op && !(of.length === 1 && of[0] === block))) continue;
        const at = part.indexOf(load);
        if (alone.length === of.length) part.splice(at, 1);
        for (const arm of alone) {
          const own = selection.newRegister("R", value.words);
          const made = selection.instruction(value.words === 2 ? "LDC.64" : "LDC", load.span, [own], [], load.op);
          rename(selection.codeOf(arm), value, own);
          if (load.op) part.splice(at, 0, made);
          else selection.codeOf(arm).leaves.push(made);
        }
      }
  }
}

/** What accesses to memory name it by (`ULDC.64`) is for the datapath of the warp alone. */
const isConstantLoad = ({ opcode, uses, defs }: Instruction): boolean =>
  /^U?LDC/.test(opcode) && opcode !== "ULDC.64" && uses.length === 0 && defs.length === 1;

const partsOf = ({ leaves, body, moves, end }: BlockCode): Instruction[][] => [leaves, body, moves, end];

/** By register, the blocks whose code reads it. */
function readersOf(selection: Selection): ReadonlyMap<Register, ReadonlySet<Block>> {
  const readers = new Map<Register, Set<Block>>();
  for (const block of selection.shape.kernel.blocks)
    for (const part of partsOf(selection.codeOf(block)))
      for (const { uses } of part)
        for (const use of uses) {
          const of = readers.get(use);
          if (of) of.add(block);
          else readers.set(use, new Set([block]));
        }
  return readers;
}

function rename(code: BlockCode, from: Register, to: Register): void {
  for (const part of partsOf(code))
    for (const [k, instruction] of part.entries())
      if (instruction.uses.includes(from)) part[k] = { ...instruction, uses: instruction.uses.map((use) => (use === from ? to : use)) };
}
