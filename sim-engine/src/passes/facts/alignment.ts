/** The largest power of two known to divide an address or an integer. */

import { intConstant } from "../../ir/constants.ts";
import type { Kernel, Op } from "../../ir/kernel.ts";

/** Beyond what any access needs. */
const enough = 256;

/**
 * @param by `declaration`: as NVVM knows it; `placement`: as ptxas does, which says where shared and local memory, constants and what is
 * known to lie in them begin
 */
export function alignmentOf(kernel: Kernel, op: Op, by: "declaration" | "placement" = "placement", depth = 0): number {
  const constant = intConstant(op);
  if (constant !== undefined) return lowestBit(constant);
  if (depth > 12) return 1;
  const of = (arg: Op | undefined): number => (arg ? alignmentOf(kernel, arg, by, depth + 1) : 1);
  const { action, args } = op;
  const isPlaced = by === "placement";
  switch (action.kind) {
    case "shared.address": {
      // The assembler aligns what is large enough for its widest accesses, and dynamic memory is declared so.
      const variable = kernel.shared[action.index];
      const isWide = variable?.bytes === undefined || (isPlaced && variable.bytes >= 16);
      return Math.max(variable?.align ?? 1, isWide ? 16 : 1);
    }
    case "global.address": {
      const variable = kernel.globals[action.index];
      if (variable?.offset !== undefined) return Math.max(variable.align, Math.min(enough, lowestBit(variable.offset)));
      return Math.max(variable?.align ?? 1, isPlaced && variable?.space === "constant" && variable.bytes >= 16 ? 16 : 1);
    }
    case "alloca":
      return Math.max(action.align, isPlaced && action.bytes >= 16 ? 16 : 1);
    case "param.address":
      return 8;
    case "gep":
      return Math.min(of(args[0]), of(args[1]) * lowestBit(action.scale), lowestBit(action.offset));
    case "int":
      switch (action.op) {
        case "add":
        case "sub":
        case "or":
        case "xor":
          return Math.min(of(args[0]), of(args[1]));
        case "mul":
          return Math.min(enough, of(args[0]) * of(args[1]));
        case "and":
          return Math.max(of(args[0]), of(args[1]));
        case "shl":
          return Math.min(enough, of(args[0]) * 2 ** Math.min(16, intConstant(args[1]) ?? 0));
        default:
          return 1;
      }
    case "convert":
      return action.op === "sext" || action.op === "zext" ? of(args[0]) : 1;
    case "phi":
      return Math.min(...args.map((arg) => alignmentOfStep(kernel, arg, op, by, depth) ?? of(arg)));
    default:
      return 1;
  }
}

/** What a counter or pointer advances by each time round, when `next` is that. */
function alignmentOfStep(kernel: Kernel, next: Op, phi: Op, by: "declaration" | "placement", depth: number): number | undefined {
  const { action, args } = next;
  if (next === phi) return enough;
  if (args[0] !== phi && !(action.kind === "gep" && args[0] && alignmentOfStep(kernel, args[0], phi, by, depth + 1))) return undefined;
  const step = args[1] ? alignmentOf(kernel, args[1], by, depth + 1) : 1;
  if (action.kind === "int" && action.op === "add") return step;
  if (action.kind !== "gep") return undefined;
  const before = args[0] === phi || !args[0] ? enough : (alignmentOfStep(kernel, args[0], phi, by, depth + 1) ?? 1);
  return Math.min(before, step * lowestBit(action.scale), lowestBit(action.offset));
}

function lowestBit(value: number): number {
  if (value === 0) return enough;
  let bit = 1;
  while (bit < enough && Math.abs(value) % (bit * 2) === 0) bit *= 2;
  return bit;
}
