/** The machine code of a kernel in which some operations are others: what the compiler would make of a source without them. */
import { cloneKernel, createOp } from "../ir/builder.ts";
import type { Block, Kernel, Op } from "../ir/kernel.ts";
import { type MachineKernel, select, withSlowPaths, withSpins } from "../machine/index.ts";
import { findUses } from "../passes/facts/uses.ts";
import type { Work } from "../work.ts";
import { tileSide, type Without } from "./without.ts";

/** A divisor that is no power of two, nor anything else that is easily divided by. */
const someDivisor = 1_000_003;

/**
 * In terms of the same operations and blocks as `machine` is, in as many registers; the same where none of its instructions are in
 * question.
 */
export function recompiled(machine: MachineKernel, { kept, divisions, tiled }: Without, work: Work): MachineKernel {
  if ((kept?.size ?? 0) + (divisions?.size ?? 0) + (tiled?.size ?? 0) === 0) return machine;
  const { kernel } = machine;
  const copy = cloneKernel(kernel);
  const originals = new Map(kernel.blocks.flatMap((block) => [...block.phis, ...block.ops]).map((op) => [op.id, op]));
  const isIn = (ops: ReadonlySet<Op> | undefined, { id }: Op): boolean => ops?.has(originals.get(id) as Op) ?? false;
  const constants: Op[] = [];
  const constant = (type: Op["type"], value: number): Op => {
    const made = createOp(copy, { kind: "const", value: type === "i64" ? BigInt(value) : value }, type);
    constants.push(made);
    return made;
  };
  for (const block of copy.blocks) {
    block.ops = block.ops.filter((op) => op.type !== "void" || !isIn(kept, op));
    for (const op of block.ops) {
      if (isIn(kept, op)) [op.action, op.args] = [{ kind: "const", value: op.type === "i64" ? 0n : 0 }, []];
      if (isIn(divisions, op)) op.args = [...op.args.slice(0, 1), constant(op.type, someDivisor)];
    }
  }
  copy.blocks[0]?.ops.unshift(...constants);
  if (tiled?.size) convertOnce(copy, (op) => isIn(tiled, op));
  const made = select(copy, machine.computeCapability, work, machine.registers.value);
  const blockOf = new Map(copy.blocks.map((block, index) => [block, kernel.blocks[index] as Block]));
  const blocks = new Map(
    [...made.blocks].map(([block, { instructions, home }]) => {
      const own = blockOf.get(block) ?? block;
      return [
        own,
        {
          block: own,
          instructions: instructions.map(({ op, guarded, spin, ...rest }) => {
            const original = op && originals.get(op.id);
            const spinning = spin && originals.get(spin.id);
            const looksAt = guarded && originals.get(guarded.op.id);
            return {
              ...rest,
              ...(original ? { op: original } : {}),
              ...(spinning ? { spin: spinning } : {}),
              ...(guarded && looksAt ? { guarded: { ...guarded, op: looksAt } } : {}),
            };
          }),
          ...(home ? { home: blockOf.get(home) ?? home } : {}),
        },
      ];
    }),
  );
  return withSpins(withSlowPaths({ ...made, kernel, blocks }, machine.known ?? new Map()), machine.turns ?? new Map());
}

/** What is loaded once for a side of a tile is converted once, too: the block's other products take that factor instead. */
function convertOnce(kernel: Kernel, isTiled: (load: Op) => boolean): void {
  const uses = findUses(kernel);
  for (const block of kernel.blocks) {
    const own = new Set(block.ops);
    const others = new Map<Op, Op>();
    let nth = 0;
    let kept: Op | undefined;
    for (const op of block.ops) {
      op.args = op.args.map((arg) => others.get(arg) ?? arg);
      const [from] = op.args;
      if (op.action.kind !== "convert" || !from || !isTiled(from)) continue;
      if (nth++ % tileSide === 0 || kept?.type !== op.type) kept = op;
      else if (uses.by.get(op)?.every((user) => own.has(user))) others.set(op, kept);
    }
    block.ops = block.ops.filter((op) => !others.has(op));
  }
}
