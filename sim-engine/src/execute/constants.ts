/** Values that are the same for all threads of a launch and known before it starts: what follows from parameters and sizes. */

import type { Op } from "../ir/kernel.ts";
import type { Environment } from "./environment.ts";

/** The value of an integer operation, when it follows from constants, parameters and the launch's sizes alone, up to 2^53. */
export type ConstantOf = (op: Op) => number | undefined;

export function launchConstants(environment: Environment): ConstantOf {
  const known = new Map<Op, number | undefined>();
  const { block, grid } = environment.launch;
  const evaluate = (op: Op): number | undefined => {
    const { action, args } = op;
    switch (action.kind) {
      case "const":
        return op.type === "ptr" || /^i/.test(op.type) ? Number(action.value) : undefined;
      case "param":
        return /^i/.test(op.type) ? Number(environment.parameterValue(action.index)) : undefined;
      case "special": {
        const sizes: Partial<Record<typeof action.register, number>> = {
          "ntid.x": block[0],
          "ntid.y": block[1],
          "ntid.z": block[2],
          "nctaid.x": grid[0],
          "nctaid.y": grid[1],
          "nctaid.z": grid[2],
        };
        return sizes[action.register];
      }
      case "convert": {
        const [from] = args;
        const value = from && known.get(from);
        if (value === undefined || (action.op !== "sext" && action.op !== "zext" && action.op !== "trunc")) return undefined;
        if (action.op === "zext") return value < 0 ? value + 2 ** 32 : value;
        return op.type === "i32" ? value | 0 : value;
      }
      case "int": {
        const [a, b] = args.map((arg) => known.get(arg));
        if (a === undefined || b === undefined) return undefined;
        const value = arithmetic(action.op, a, b);
        if (value === undefined || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
        return op.type === "i32" ? value | 0 : value;
      }
      default:
        return undefined;
    }
  };
  // Operands first, without recursion: an unrolled hash is a chain of tens of thousands. No chain of these ends in itself.
  const of: ConstantOf = (op) => {
    const pending = [op];
    for (let last = pending.at(-1); last !== undefined; last = pending.at(-1)) {
      const { kind } = last.action;
      const open = kind === "int" || kind === "convert" ? last.args.filter((arg) => !known.has(arg)) : [];
      if (open.length > 0 && !known.has(last)) {
        pending.push(...open);
        continue;
      }
      pending.pop();
      if (!known.has(last)) known.set(last, evaluate(last));
    }
    return known.get(op);
  };
  return of;
}

/** Of two integers that doubles hold; undefined where there is no result, and where bits are asked for. */
export function arithmetic(op: string, a: number, b: number): number | undefined {
  switch (op) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "shl":
      return b >= 0 && b < 32 ? a * 2 ** b : undefined;
    case "sdiv":
      return b === 0 ? undefined : Math.trunc(a / b);
    case "udiv":
      return a < 0 || b <= 0 ? undefined : Math.floor(a / b);
    case "srem":
      return b === 0 ? undefined : a % b;
    case "urem":
      return a < 0 || b <= 0 ? undefined : a % b;
    case "ashr":
      return b >= 0 && b < 32 ? Math.floor(a / 2 ** b) : undefined;
    case "lshr":
      return a >= 0 && b >= 0 && b < 32 ? Math.floor(a / 2 ** b) : undefined;
    case "smin":
      return Math.min(a, b);
    case "smax":
      return Math.max(a, b);
    default:
      return undefined;
  }
}
