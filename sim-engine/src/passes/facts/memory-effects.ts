/** What each operation may write, so that a value read before it may no longer be read after it. */
import type { Kernel, Op } from "../../ir/kernel.ts";
import { compareLocations, type Location, locationOf } from "./alias.ts";

/** Whether a write that this operation makes, to `written`, or makes visible, may change what `location` holds. */
export function clobbers(kernel: Kernel, op: Op, location: Location, written = locationOf(op)): boolean {
  if (location.readOnly) return false;
  const { action } = op;
  switch (action.kind) {
    case "store":
    case "atomic":
      return !written || compareLocations(kernel, written, location) !== "none";
    case "copy.async":
    case "copy.wait":
      return location.space === "shared" || location.space === "generic";
    case "copy.bulk":
      return action.to === "shared" ? location.space === "shared" || location.space === "generic" : location.space !== "local";
    case "mbarrier":
    case "mbarrier.wait":
    case "bulk.wait":
    case "barrier":
    case "barrier.arrive":
    case "fence":
    case "syncwarp":
      // Other threads' writes become visible; nobody else sees local memory.
      return location.space !== "local";
    case "call":
      // nvcc does not see what it does: 13.0 loads again behind each of them.
      return location.space !== "local";
    case "load":
      return action.volatile === true && location.space !== "local";
    default:
      return false;
  }
}

/** Whether the operation may write memory or make writes visible, so that its place among other accesses matters. */
export function mayWrite(op: Op): boolean {
  switch (op.action.kind) {
    case "store":
    case "atomic":
    case "copy.async":
    case "copy.wait":
    case "copy.bulk":
    case "bulk.wait":
    case "mbarrier":
    case "mbarrier.wait":
    case "barrier":
    case "barrier.arrive":
    case "fence":
    case "syncwarp":
      return true;
    case "call":
      return true;
    case "load":
      return op.action.volatile === true;
    default:
      return false;
  }
}
