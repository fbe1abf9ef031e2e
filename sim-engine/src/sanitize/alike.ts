/** Values that are the same for all threads of a block, or of a launch: who stores such a value twice changes nothing. */
import type { Op } from "../ir/kernel.ts";

export function isAlike(value: Op, among: "block" | "launch", seen = new Set<Op>()): boolean {
  if (seen.has(value)) return true;
  seen.add(value);
  const { action, args } = value;
  switch (action.kind) {
    case "const":
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return true;
    case "special":
      return among === "block" ? /^(ntid|ctaid|nctaid|cluster)/.test(action.register) : /^(ntid|nctaid)/.test(action.register);
    case "int":
    case "float":
    case "fma":
    case "icmp":
    case "fcmp":
    case "select":
    case "convert":
    case "math":
    case "gep":
    case "extract":
      return args.every((arg) => isAlike(arg, among, seen));
    case "load":
      return /^(param|constant|global)$/.test(action.space) && args.every((arg) => isAlike(arg, among, seen));
    default:
      return false;
  }
}

/** Whether the block's index takes part in a value, through arithmetic and the addresses of loads; what goes through memory is not seen. */
export function dependsOnBlock({ action, args }: Op, seen = new Set<Op>()): boolean {
  if (action.kind === "special") return /^ctaid/.test(action.register);
  return args.some((arg) => {
    if (seen.has(arg)) return false;
    seen.add(arg);
    return dependsOnBlock(arg, seen);
  });
}
