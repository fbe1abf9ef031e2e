/** The largest power of two known to divide an address or an integer. */
import type { Kernel, Op } from "../kernel.ts";
import { intConstant } from "./rewrite.ts";

/** Beyond what any access needs. */
const enough = 256;

export function alignmentOf(kernel: Kernel, op: Op, depth = 0): number {
  const constant = intConstant(op);
  if (constant !== undefined) return lowestBit(constant);
  if (depth > 12) return 1;
  const of = (arg: Op | undefined): number => (arg ? alignmentOf(kernel, arg, depth + 1) : 1);
  const { action, args } = op;
  switch (action.kind) {
    case "shared.address": {
      // The assembler aligns what is large enough for its widest accesses.
      const variable = kernel.shared[action.index];
      return Math.max(variable?.align ?? 1, (variable?.bytes ?? 0) >= 16 ? 16 : 1);
    }
    case "global.address": {
      const variable = kernel.globals[action.index];
      return variable?.align ?? 1;
    }
    case "alloca":
      return Math.max(action.align, action.bytes >= 16 ? 16 : 1);
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
      return Math.min(...args.map((arg) => (advances(arg, op) ? of(advances(arg, op)) : of(arg))));
    default:
      return 1;
  }
}

/** What is added to a counter or pointer each time round. */
function advances(next: Op, phi: Op): Op | undefined {
  const step = next.args[1];
  return next.action.kind === "int" && next.action.op === "add" && next.args[0] === phi ? step : undefined;
}

function lowestBit(value: number): number {
  if (value === 0) return enough;
  let bit = 1;
  while (bit < enough && Math.abs(value) % (bit * 2) === 0) bit *= 2;
  return bit;
}
