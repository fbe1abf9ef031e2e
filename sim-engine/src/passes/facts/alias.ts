/** Which memory an access reaches, and whether two accesses may meet: by space, by the variable or parameter addresses come from, by offset. */

import { intConstant } from "../../ir/constants.ts";
import { type Kernel, type Op, type ScalarType, type Space, scalarBytes } from "../../ir/kernel.ts";

/** Where and how much one access reads or writes. */
export interface Location {
  readonly space: Space;
  /** The address less its constant offset. */
  readonly base: Op;
  readonly offset: number;
  readonly bytes: number;
  readonly type: ScalarType;
  readonly components: number;
  /** The variable or parameter the address is computed from; undefined when there may be several. */
  readonly object: Op | undefined;
  /** Nobody writes it while the kernel runs: what `__ldg` and `const __restrict__` promise. */
  readonly readOnly: boolean;
}

/** An address as base and constant offset. */
function splitAddress(address: Op): { readonly base: Op; readonly offset: number } {
  let base = address;
  let offset = 0;
  while (base.action.kind === "gep" && base.args[0]) {
    const index = intConstant(base.args[1]);
    if (index === undefined) break;
    offset += index * base.action.scale + base.action.offset;
    base = base.args[0];
  }
  return { base, offset };
}

/** Steps from an address to what it is computed from, at most: beyond, it may be anything. */
const farthest = 64;

/** The variable or parameter an address is computed from. */
export function underlyingObject(address: Op): Op | undefined {
  let at: Op | undefined = address;
  for (let steps = 0; at && steps < farthest; steps++) {
    switch (at.action.kind) {
      case "gep":
        at = at.args[0];
        break;
      case "param":
      case "param.address":
      case "shared.address":
      case "global.address":
      case "alloca":
        return at;
      case "phi":
        return phiObject(at);
      default:
        return undefined;
    }
  }
  return undefined;
}

/** A pointer that only moves within one object, as an induction variable does. */
function phiObject(phi: Op): Op | undefined {
  let object: Op | undefined;
  for (const arg of phi.args) {
    let at: Op | undefined = arg;
    for (let steps = 0; at?.action.kind === "gep" && steps < farthest; steps++) at = at.args[0];
    if (at === phi) continue;
    // What was not gone through to its end may lead back to the phi.
    if (!at || /^(gep|phi|select)$/.test(at.action.kind)) return undefined;
    const found = underlyingObject(at);
    if (!found || (object && object !== found)) return undefined;
    object = found;
  }
  return object;
}

/** What a surface reaches is the hardware's matter, and the rows of a matrix are other lanes': to a compiler it may be anything. */
const isElsewhere = ({ action }: Op): boolean =>
  ((action.kind === "load" || action.kind === "store") && action.matrix === true) ||
  ((action.kind === "load" || action.kind === "store") && action.space === "texture" && action.cache !== "nc");

/** Of a load, store or atomic. */
export function locationOf(op: Op): Location | undefined {
  const { action } = op;
  const address = op.args[0];
  if (!address || isElsewhere(op)) return undefined;
  switch (action.kind) {
    case "load":
      return op.type === "void" ? undefined : locate(address, action.space, op.type, action.components, action.cache === "nc");
    case "store": {
      const type = op.args[1]?.type;
      return type === undefined || type === "void" ? undefined : locate(address, action.space, type, action.components);
    }
    case "atomic":
      return op.type === "void" ? undefined : locate(address, action.space, op.type, 1);
    default:
      return undefined;
  }
}

function locate(address: Op, space: Space, type: ScalarType, components: number, readOnly = false): Location {
  const bytes = scalarBytes[type] * components;
  return {
    space,
    ...splitAddress(address),
    bytes,
    type,
    components,
    object: underlyingObject(address),
    readOnly: readOnly || space === "constant" || space === "param",
  };
}

/** `same`: exactly the same bytes. `overlap`: may share some. */
export function compareLocations(kernel: Kernel, a: Location, b: Location): "none" | "overlap" | "same" {
  if (a.space !== b.space && a.space !== "generic" && b.space !== "generic") return "none";
  if (a.base === b.base) {
    if (a.offset === b.offset && a.bytes === b.bytes) return "same";
    return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset ? "none" : "overlap";
  }
  if (a.object !== b.object && distinct(kernel, a, b)) return "none";
  return "overlap";
}

function distinct(kernel: Kernel, a: Location, b: Location): boolean {
  const isVariable = (op: Op | undefined): boolean =>
    op?.action.kind === "alloca" || op?.action.kind === "shared.address" || op?.action.kind === "global.address";
  const isDynamicShared = (op: Op | undefined): boolean =>
    op?.action.kind === "shared.address" && kernel.shared[op.action.index]?.bytes === undefined;
  if (isVariable(a.object) && isVariable(b.object)) return !(isDynamicShared(a.object) && isDynamicShared(b.object));
  // What is reached through a restrict pointer is not reached in another way, if it is written at all.
  const restricted = (op: Op | undefined): boolean => op?.action.kind === "param" && kernel.parameters[op.action.index]?.restrict === true;
  const restrictedA = restricted(a.object);
  const restrictedB = restricted(b.object);
  if (restrictedA || restrictedB) return a.object !== undefined && b.object !== undefined;
  // A local variable is reached another way only where its address was: chosen among others, or kept in memory.
  const local = a.object?.action.kind === "alloca" ? a.object : b.object?.action.kind === "alloca" ? b.object : undefined;
  if (!local) return false;
  const other = local === a.object ? b : a;
  return other.object !== undefined || !mayPointTo(kernel, other.base, local);
}

/** What a pointer comes from, through offsets and choices; undefined when that is too much. */
function roots(pointer: Op): ReadonlySet<Op> | undefined {
  const found = new Set<Op>();
  const seen = new Set<Op>();
  const pending = [pointer];
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (seen.size > 64) return undefined;
    if (at.action.kind === "gep") pending.push(...at.args.slice(0, 1));
    else if (at.action.kind === "phi") pending.push(...at.args);
    else if (at.action.kind === "select") pending.push(...at.args.slice(1));
    else found.add(at);
  }
  return found;
}

/** Whether a pointer whose object is not known may be a local variable's address. */
function mayPointTo(kernel: Kernel, pointer: Op, local: Op): boolean {
  const from = roots(pointer);
  if (!from || from.has(local)) return true;
  return [...from].some(({ action }) => action.kind === "load" || action.kind === "convert") && addressesKept(kernel);
}

const kept = new WeakMap<Kernel, boolean>();

/** Whether the kernel stores a pointer to a local variable, or makes a number of one. No pass adds such a place. */
function addressesKept(kernel: Kernel): boolean {
  let known = kept.get(kernel);
  if (known === undefined) {
    known = kernel.blocks.some((block) =>
      block.ops.some(({ action, args }) => {
        const values = action.kind === "store" ? args.slice(1) : action.kind === "convert" && action.op === "ptrtoint" ? args : [];
        return values.some((value) => value.type === "ptr" && holdsLocal(value));
      }),
    );
    kept.set(kernel, known);
  }
  return known;
}

const holdsLocal = (pointer: Op): boolean => {
  const from = roots(pointer);
  return !from || [...from].some(({ action }) => action.kind === "alloca");
};

/** Addresses of shared and local variables are computed in 32 bits: additions to an index may wrap, and be taken apart, as they like. */
export function isNarrow(base: Op): boolean {
  const object = underlyingObject(base);
  return object?.action.kind === "shared.address" || object?.action.kind === "alloca";
}
