/** Which memory each pointer points into, from where its address comes. */
import type { Kernel, Op, Space } from "../../ir/kernel.ts";
import { findUses, type Uses } from "./uses.ts";

/**
 * Of every pointer. Optimistic: a value has no space until something gives it one, and is generic once two different ones do, or where nvcc
 * leaves all that is made of it generic.
 */
export function pointerSpaces(kernel: Kernel): ReadonlyMap<Op, Space> {
  const spaces = new Map<Op, Space>();
  const { by } = findUses(kernel);
  const kept = keepsPointers(kernel);
  const pending: Op[] = [];
  const set = (op: Op, space: Space): void => {
    const before = spaces.get(op);
    if (before === space || before === "generic") return;
    spaces.set(op, before ? "generic" : space);
    pending.push(op);
  };
  for (const block of kernel.blocks) {
    for (const op of block.ops) {
      const root = rootSpace(kernel, op, kept);
      if (root) set(op, root);
    }
  }
  for (let op = pending.pop(); op; op = pending.pop()) {
    const space = spaces.get(op);
    if (!space) continue;
    for (const user of by.get(op) ?? []) {
      const { kind } = user.action;
      if (kind === "load" && user.type === "ptr") set(user, heldIn(user.action.space === "generic" ? space : user.action.space, kept));
      if (kind === "phi" || (kind === "gep" && user.args[0] === op) || (kind === "select" && user.args[0] !== op)) set(user, space);
    }
  }
  for (const op of onlyUninferred(kernel, by)) spaces.set(op, "generic");
  return spaces;
}

/** Addresses of nothing but accesses that stay generic, and what leads to them alone. */
function onlyUninferred(kernel: Kernel, by: Uses["by"]): ReadonlySet<Op> {
  const found = new Set<Op>();
  const isIt = (user: Op, op: Op): boolean =>
    ((user.action.kind === "load" || user.action.kind === "store") && user.action.uninferred === true && user.args[0] === op) ||
    found.has(user);
  const accesses = kernel.blocks.flatMap(({ ops }) => ops.filter(({ action }) => "uninferred" in action && action.uninferred));
  const pending = accesses.flatMap(({ args }) => args.slice(0, 1));
  for (let op = pending.pop(); op; op = pending.pop()) {
    const at = op;
    if (found.has(at) || at.action.kind !== "gep" || !(by.get(at) ?? []).every((user) => isIt(user, at))) continue;
    found.add(at);
    pending.push(...at.args.slice(0, 1));
  }
  return found;
}

function rootSpace(kernel: Kernel, op: Op, kept: boolean): Space | undefined {
  if (op.type !== "ptr") return undefined;
  switch (op.action.kind) {
    case "param":
      return "global";
    case "param.address":
      return "param";
    case "shared.address":
      return "shared";
    case "global.address":
      return kernel.globals[op.action.index]?.space ?? "global";
    case "alloca":
      return "local";
    case "load":
      // Else it depends on what the address is.
      return op.action.space === "generic" && op.action.uninferred !== true ? undefined : heldIn(op.action.space, kept);
    case "const":
      return undefined;
    case "gep":
    case "phi":
    case "select":
      return undefined;
    default:
      return "generic";
  }
}

/**
 * Where a pointer leads that is kept in some memory: NVVM takes what others may have put there to be of global memory (nvcc 13.0:
 * `cvta.to.global` behind `ld.global.u64`, `ld.shared.u64` and `ld.const.u64`, of `as[blockIdx.z]` and of `node->next`). Not so where the kernel
 * puts pointers there that it has not found in memory itself: those may be of any.
 */
const heldIn = (space: Space, kept: boolean): Space =>
  space === "param" || (space !== "local" && space !== "generic" && !kept) ? "global" : "generic";

/** Whether a kernel stores a pointer, but for one that it has loaded: wherever it does, which is less than NVVM looks at. */
function keepsPointers(kernel: Kernel): boolean {
  const isFound = (op: Op | undefined): boolean => op?.action.kind === "load" || (op?.action.kind === "gep" && isFound(op.args[0]));
  return kernel.blocks.some(({ ops }) =>
    ops.some(
      ({ action, args }) =>
        (action.kind === "atomic" || (action.kind === "store" && action.space !== "local")) &&
        args.slice(1).some((value) => value.type === "ptr" && !isFound(value)),
    ),
  );
}
