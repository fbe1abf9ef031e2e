/**
 * Accesses of a loop's arms begin at an address that is computed before the loop, where their index is what stays plus its counter: unrolled,
 * `if (j >= 0 && j < n) s += in[i - 8 + k]` is one address with as many constant offsets as there are turns (nvcc 13.0, conv1d_basic of
 * validation/h200-topics). Without it each arm would compute the whole address for itself, as arms share nothing. Where a turn is one block
 * equal values are merged anyway; where the index moves otherwise (`t / 3`, depthwise3x3 of validation/h200-kinds) nvcc computes it in the arms.
 */
import { createOp } from "../../ir/builder.ts";
import { isConstant } from "../../ir/constants.ts";
import { dominators, type Loop } from "../../ir/graph.ts";
import type { Block, Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";

/** Of a loop that is about to be unrolled completely; `entry` leads to it alone. */
export function hoistRowsOfArms(kernel: Kernel, loop: Loop, latch: Block, entry: Block, work: Work): void {
  if (loop.blocks.size < 3) return;
  const tree = dominators(kernel);
  const inside = new Set<Op>();
  for (const block of loop.blocks) for (const op of [...block.phis, ...block.ops]) inside.add(op);
  const counters = new Set(loop.header.phis);
  for (const block of loop.blocks) {
    if (tree.dominates(block, latch)) continue;
    work.ask(block.ops.length);
    for (const gep of block.ops) {
      const [base, index] = gep.args;
      if (gep.action.kind !== "gep" || !base || !index || inside.has(base)) continue;
      const parts = addendsOf(index, (op) => inside.has(op));
      const [step, ...more] = parts.filter((part) => inside.has(part) && !isConstant(part));
      const stays = parts.filter((part) => !inside.has(part) && !isConstant(part));
      if (!step || more.length > 0 || !counters.has(step) || stays.length === 0) continue;
      const start = (index.type === "i64" || stays.length > 1 ? summed(kernel, stays, entry, gep) : stays[0]) as Op;
      const row = createOp(kernel, { kind: "gep", scale: gep.action.scale, offset: 0 }, "ptr", [base, start], gep.span);
      entry.ops.push(row);
      const constants = parts.filter(isConstant);
      const rest = constants.reduce((sum, constant) => sum + Number(constant.action.kind === "const" ? constant.action.value : 0), 0);
      gep.args = [row, step];
      gep.action = { ...gep.action, offset: gep.action.offset + rest * gep.action.scale };
    }
  }
}

/** What an index is a sum of, where no step of it wraps: what stays is not taken apart. */
function addendsOf(index: Op, isInside: (op: Op) => boolean): readonly Op[] {
  if (!isInside(index)) return [index];
  const { action, args, type } = index;
  const [a, b] = args;
  if (action.kind === "convert" && action.op === "sext" && a?.type === "i32") return addendsOf(a, isInside);
  if (action.kind !== "int" || action.op !== "add" || !a || !b || !(action.exact || type === "i64")) return [index];
  return [...addendsOf(a, isInside), ...addendsOf(b, isInside)];
}

/** Their sum in 64 bits, behind all that is in a block. */
function summed(kernel: Kernel, values: readonly Op[], block: Block, at: Op): Op | undefined {
  const emit = (action: Op["action"], args: Op[]): Op => {
    const op = createOp(kernel, action, "i64", args, at.span);
    block.ops.push(op);
    return op;
  };
  const wide = values.map((value) => (value.type === "i64" ? value : emit({ kind: "convert", op: "sext" }, [value])));
  return wide.reduce((sum, value) => emit({ kind: "int", op: "add" }, [sum, value]));
}
