/**
 * Neighbouring accesses of one thread become one wide access where the alignment is proven: members of an aligned struct, rows
 * of a shared tile, local arrays (LLVM's load-store vectorizer, and ptxas for shared and local memory), vectors among them
 * (validation/compiler/neighbours.json).
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp } from "../../ir/builder.ts";
import { type Block, type Kernel, type Op, type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";
import { compareLocations, type Location, locationOf } from "../facts/alias.ts";
import { alignmentOf } from "../facts/alignment.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";
import { findUses } from "../facts/uses.ts";

export function vectorizeAccesses(kernel: Kernel, work: Work): void {
  const substitution = new Substitution();
  const { by: users } = findUses(kernel);
  const gone = new Set<Op>();
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    for (const group of groups(block, "load")) {
      const isRead = ({ op, location }: Access): boolean =>
        location.components === 1 || (users.get(op) ?? []).every(({ action }) => action.kind === "extract");
      for (const op of joinLoads(kernel, block, group.filter(isRead), users, substitution)) gone.add(op);
    }
    for (const group of groups(block, "store")) joinStores(kernel, block, group);
  }
  if (gone.size > 0) for (const block of kernel.blocks) block.ops = block.ops.filter((op) => !gone.has(op));
  substitution.apply(kernel, work);
}

interface Access {
  readonly op: Op;
  readonly location: Location;
}

/** Accesses of one base, size and space, by offset; each offset once. */
function groups(block: Block, kind: "load" | "store"): Access[][] {
  const found = new Map<string, Access[]>();
  for (const op of block.ops) {
    const { action } = op;
    if (action.kind !== kind || action.volatile || action.matrix) continue;
    const location = locationOf(op);
    if (!location || location.type === "i1" || location.space === "texture") continue;
    const { base, space, type, components } = location;
    const key = `${base.id} ${space} ${type === "ptr" ? type : scalarBytes[type]} ${components} ${action.cache ?? ""}`;
    const list = found.get(key);
    if (list) list.push({ op, location });
    else found.set(key, [{ op, location }]);
  }
  return [...found.values()]
    .filter((list) => list.length > 1)
    .map((list) => {
      const sorted = list.sort((a, b) => a.location.offset - b.location.offset);
      return sorted.filter((access, index) => sorted[index - 1]?.location.offset !== access.location.offset);
    });
}

/** Neighbours that ptxas makes one access at most, where it is ptxas that does so (validation/compiler/neighbours.json). */
const mostByPtxas = 4;

/**
 * The widest aligned runs of neighbours in the sorted group. With `gaps`, one of four that begin with the first may be missing: it
 * is read for nothing.
 */
function runs(kernel: Kernel, group: readonly Access[], gaps: boolean, may: (run: readonly Access[]) => boolean): Access[][] {
  const found: Access[][] = [];
  const [first] = group;
  if (!first) return found;
  const { type, components, space } = first.location;
  const bytes = scalarBytes[type] * components;
  const declared = baseAlignment(kernel, group, "declaration");
  const placed = baseAlignment(kernel, group, "placement");
  const widest = space === "constant" ? nvcc.widestConstantAccess : nvcc.widestAccess;
  const isAligned = ({ align, at }: typeof placed, offset: number, width: number): boolean =>
    align >= width && (((offset - at) % width) + width) % width === 0;
  for (let at = 0; at < group.length; ) {
    let taken = 1;
    for (let length = widest / bytes; length >= 2; length /= 2) {
      const { offset } = (group[at] as Access).location;
      const width = length * bytes;
      const run = group.slice(at, at + length).filter(({ location }) => location.offset < offset + width);
      const neighbours = run.every(({ location }) => (location.offset - offset) % bytes === 0);
      const enough = run.length === length || (gaps && components === 1 && length === 4 && run.length === 3);
      const byNvvm = !run.some(isHandedToAssembly) && isAligned(declared, offset, width);
      const byPtxas = length <= mostByPtxas && bytes > 1 && isAligned(placed, offset, width);
      if (!enough || !neighbours || !(byNvvm || byPtxas) || !may(run)) continue;
      found.push(run);
      taken = run.length;
      break;
    }
    at += taken;
  }
  return found;
}

/** CUDA's headers hand a half to assembly as soon as it is loaded: NVVM cannot tell what that does to what lies beside it. */
const isHandedToAssembly = ({ op, location }: Access): boolean =>
  op.action.kind === "load" && location.components === 1 && location.type === "f16";

/** What is known of the base: that base + `at` is a multiple of `align`, from its own shape or from what an access promises. */
function baseAlignment(
  kernel: Kernel,
  group: readonly Access[],
  by: "declaration" | "placement",
): { readonly align: number; readonly at: number } {
  let best = { align: alignmentOf(kernel, (group[0] as Access).location.base, by), at: 0 };
  for (const { op, location } of group) {
    const { action } = op;
    if ((action.kind === "load" || action.kind === "store") && action.align > best.align)
      best = { align: action.align, at: location.offset };
  }
  return best;
}

/** The type that a run's places have in common: its own, or an integer of that size. */
function commonType(run: readonly Access[]): ScalarType {
  const [{ location }] = run as [Access];
  const integers = { 1: "i8", 2: "i16", 4: "i32", 8: "i64" } as const;
  return run.every((each) => each.location.type === location.type)
    ? location.type
    : integers[scalarBytes[location.type] as keyof typeof integers];
}

/** Joins what it can; the operations that are no more. */
function joinLoads(
  kernel: Kernel,
  block: Block,
  group: readonly Access[],
  users: ReadonlyMap<Op, readonly Op[]>,
  substitution: Substitution,
): Op[] {
  const position = new Map(block.ops.map((op, index) => [op, index]));
  const at = (access: Access): number => position.get(access.op) ?? -1;
  const may = (run: readonly Access[]): boolean => {
    const first = Math.min(...run.map(at));
    const last = Math.max(...run.map(at));
    const between = block.ops.slice(first, last);
    return between.every((op) => !mayWrite(op) || run.every(({ location }) => !clobbers(kernel, op, location)));
  };
  const gone: Op[] = [];
  for (const run of runs(kernel, group, true, may)) {
    const lowest = run[0] as Access;
    const highest = run.at(-1) as Access;
    const earliest = run.reduce((a, b) => (at(b) < at(a) ? b : a));
    if (lowest.op.action.kind !== "load") continue;
    const type = commonType(run);
    const address = addressBefore(kernel, block, earliest.op, lowest.op.args[0] as Op);
    const bytes = scalarBytes[type];
    const index = ({ location }: Access): number => (location.offset - lowest.location.offset) / bytes;
    const components = 2 ** Math.ceil(Math.log2(index(highest) + lowest.location.components));
    const action = { ...lowest.op.action, components, align: components * bytes };
    const load = createOp(kernel, action, type, [address], earliest.op.span);
    const made: Op[] = [load];
    /** Puts one of the wide load's elements in the place of an operation. */
    const replace = (op: Op, element: number): void => {
      const extract = createOp(kernel, { kind: "extract", index: element }, type, [load], op.span);
      const value = op.type === type ? extract : createOp(kernel, { kind: "convert", op: "bitcast" }, op.type, [extract], op.span);
      made.push(extract);
      if (value !== extract) made.push(value);
      substitution.replace(op, value);
      gone.push(op);
    };
    for (const access of run) {
      if (access.location.components === 1) replace(access.op, index(access));
      else {
        gone.push(access.op);
        for (const user of users.get(access.op) ?? []) if (user.action.kind === "extract") replace(user, index(access) + user.action.index);
      }
    }
    block.ops.splice(block.ops.indexOf(earliest.op), 0, ...made);
    const joined = new Set(run.map(({ op }) => op));
    block.ops = block.ops.filter((op) => !joined.has(op));
  }
  return gone;
}

/** The address as of `before`: the same operation when it stands there already, else a copy of its constant offset. */
function addressBefore(kernel: Kernel, block: Block, before: Op, address: Op): Op {
  const index = block.ops.indexOf(before);
  const stands = block.ops.indexOf(address);
  if (stands < index) return address;
  const copy = createOp(kernel, address.action, address.type, [...address.args], address.span);
  block.ops.splice(index, 0, copy);
  return copy;
}

function joinStores(kernel: Kernel, block: Block, group: readonly Access[]): void {
  const position = new Map(block.ops.map((op, index) => [op, index]));
  const at = (access: Access): number => position.get(access.op) ?? -1;
  // The wide store stands where the last one did: what comes between must not read or write the earlier ones' places.
  const may = (run: readonly Access[]): boolean => {
    const own = new Set(run.map(({ op }) => op));
    const first = Math.min(...run.map(at));
    const last = Math.max(...run.map(at));
    return block.ops.slice(first, last).every((op) => {
      if (own.has(op)) return true;
      // Copies and products of a group read memory that they do not name as a load does.
      if (/^(copy|wgmma)/.test(op.action.kind)) return false;
      if (op.action.kind === "load") {
        const read = locationOf(op);
        return (
          !op.action.volatile && read !== undefined && run.every(({ location }) => compareLocations(kernel, read, location) === "none")
        );
      }
      return !mayWrite(op) || run.every(({ location }) => !clobbers(kernel, op, location));
    });
  };
  for (const run of runs(kernel, group, false, may)) {
    const lowest = run[0] as Access;
    const latest = run.reduce((a, b) => (at(b) > at(a) ? b : a));
    if (lowest.op.action.kind !== "store") continue;
    const type = commonType(run);
    const made: Op[] = [];
    const values = run
      .flatMap(({ op }) => op.args.slice(1))
      .map((value) => {
        if (value.type === type) return value;
        const cast = createOp(kernel, { kind: "convert", op: "bitcast" }, type, [value], latest.op.span);
        made.push(cast);
        return cast;
      });
    const action = { ...lowest.op.action, components: values.length, align: values.length * scalarBytes[type] };
    made.push(createOp(kernel, action, "void", [lowest.op.args[0] as Op, ...values], latest.op.span));
    block.ops.splice(block.ops.indexOf(latest.op), 0, ...made);
    const gone = new Set(run.map(({ op }) => op));
    block.ops = block.ops.filter((op) => !gone.has(op));
  }
}
