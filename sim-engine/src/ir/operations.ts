/** What an operation does besides its value, and how far its value depends on when and where it is asked for. */
import type { Op, SpecialRegister } from "./kernel.ts";

/** Registers whose value is not the same whenever and wherever it is read. */
const changing: ReadonlySet<SpecialRegister> = new Set(["clock", "globaltimer", "activemask", "smid"]);

/** Operations without operands whose value is the same wherever and whenever a thread asks. */
export function isLeaf(op: Op): boolean {
  switch (op.action.kind) {
    case "const":
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return true;
    case "special":
      return !changing.has(op.action.register);
    default:
      return false;
  }
}

/** No effect and no memory: the value depends on the operands alone, so the operation may be shared, moved and dropped. */
export function isPure(op: Op): boolean {
  switch (op.action.kind) {
    case "int":
    case "float":
    case "fma":
    case "icmp":
    case "fcmp":
    case "select":
    case "convert":
    case "math":
    case "gep":
    case "texel":
    case "matrix":
    case "extract":
      return true;
    default:
      return isLeaf(op);
  }
}

/** Whether an unused operation must stay. */
export function hasEffect(op: Op): boolean {
  switch (op.action.kind) {
    case "store":
    case "atomic":
    case "copy.async":
    case "copy.commit":
    case "copy.wait":
    case "copy.bulk":
    case "bulk.commit":
    case "bulk.wait":
    case "mbarrier":
    case "mbarrier.wait":
    case "wgmma":
    case "wgmma.fence":
    case "wgmma.commit":
    case "wgmma.wait":
    case "barrier":
    case "barrier.arrive":
    case "syncwarp":
    case "fence":
    case "shuffle":
    case "vote":
    case "match":
    case "reduce":
    case "call":
    case "trap":
      return true;
    case "load":
      return op.action.volatile === true;
    case "special":
      return op.action.register === "clock" || op.action.register === "globaltimer";
    default:
      return false;
  }
}

/** Lanes take part together: must not move to where other lanes are active, nor be merged across branches. */
export function isConvergent(op: Op): boolean {
  switch (op.action.kind) {
    case "barrier":
    case "barrier.arrive":
    case "syncwarp":
    case "shuffle":
    case "vote":
    case "match":
    case "reduce":
    case "matrix":
    case "wgmma":
    case "wgmma.fence":
    case "wgmma.commit":
    case "wgmma.wait":
      return true;
    case "special":
      return op.action.register === "activemask";
    default:
      return false;
  }
}

/** Of part of the block's warps, as its operands say. */
export const isNamedBarrier = ({ action }: Op): boolean => action.kind === "barrier" && action.named === true;

/** Changes what other warps may be waiting for, or waits for it: every one must be carried out, and in its place. */
export function meetsOthers({ action }: Op): boolean {
  return action.kind === "mbarrier" || action.kind === "mbarrier.wait" || (action.kind === "copy.bulk" && action.to === "shared");
}

/** A sum in shared memory for which there is no instruction: a loop of a load, the sum and a compare-and-swap. */
export const isSpinning = ({ action, type }: Op): boolean =>
  action.kind === "atomic" && action.space === "shared" && action.op === "add" && (type === "f32" || type === "f64" || type === "i64");
