/**
 * Neighbouring accesses of one thread become one wide access where the alignment is proven: members of an aligned struct, rows
 * of a shared tile, local arrays (LLVM's load-store vectorizer, and ptxas for shared and local memory).
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp } from "../../ir/builder.ts";
import { type Block, type Kernel, type Op, type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Substitution } from "../edit/substitution.ts";
import { compareLocations, type Location, locationOf } from "../facts/alias.ts";
import { alignmentOf } from "../facts/alignment.ts";
import { clobbers, mayWrite } from "../facts/memory-effects.ts";

export function vectorizeAccesses(kernel: Kernel, work: Work): void {
  const substitution = new Substitution();
  for (const block of kernel.blocks) {
    work.ask(block.ops.length);
    for (const group of groups(block, "load")) joinLoads(kernel, block, group, substitution);
    for (const group of groups(block, "store")) joinStores(kernel, block, group);
  }
  substitution.apply(kernel, work);
}

interface Access {
  readonly op: Op;
  readonly location: Location;
}

/** Scalar accesses of one base, size and space, by offset; each offset once. */
function groups(block: Block, kind: "load" | "store"): Access[][] {
  const found = new Map<string, Access[]>();
  for (const op of block.ops) {
    const { action } = op;
    if (action.kind !== kind || action.volatile || action.components !== 1) continue;
    const location = locationOf(op);
    if (!location || location.type === "i1") continue;
    const key = `${location.base.id} ${location.space} ${location.type} ${action.cache ?? ""}`;
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

/**
 * The widest aligned runs of neighbours in the sorted group. With `gaps`, one of four that begin with the first may be missing: it
 * is read for nothing.
 */
function runs(kernel: Kernel, group: readonly Access[], gaps: boolean, may: (run: readonly Access[]) => boolean): Access[][] {
  const found: Access[][] = [];
  const bytes = scalarBytes[(group[0] as Access).location.type];
  const known = baseAlignment(kernel, group);
  for (let at = 0; at < group.length; ) {
    let taken = 1;
    for (const length of [4, 2]) {
      const { offset } = (group[at] as Access).location;
      const width = length * bytes;
      const run = group.slice(at, at + length).filter(({ location }) => location.offset < offset + width);
      const neighbours = run.every(({ location }) => (location.offset - offset) % bytes === 0);
      const enough = run.length === length || (gaps && length === 4 && run.length === 3);
      const widest = (run[0] as Access).location.space === "constant" ? nvcc.widestConstantAccess : nvcc.widestAccess;
      if (
        !enough ||
        !neighbours ||
        width > widest ||
        known.align < width ||
        (((offset - known.at) % width) + width) % width !== 0 ||
        !may(run)
      )
        continue;
      found.push(run);
      taken = run.length;
      break;
    }
    at += taken;
  }
  return found;
}

/** What is known of the base: that base + `at` is a multiple of `align`, from its own shape or from what an access promises. */
function baseAlignment(kernel: Kernel, group: readonly Access[]): { readonly align: number; readonly at: number } {
  let best = { align: alignmentOf(kernel, (group[0] as Access).location.base), at: 0 };
  for (const { op, location } of group) {
    const { action } = op;
    if ((action.kind === "load" || action.kind === "store") && action.align > best.align)
      best = { align: action.align, at: location.offset };
  }
  return best;
}

function joinLoads(kernel: Kernel, block: Block, group: readonly Access[], substitution: Substitution): void {
  const position = new Map(block.ops.map((op, index) => [op, index]));
  const at = (access: Access): number => position.get(access.op) ?? -1;
  const may = (run: readonly Access[]): boolean => {
    const first = Math.min(...run.map(at));
    const last = Math.max(...run.map(at));
    const between = block.ops.slice(first, last);
    return between.every((op) => !mayWrite(op) || run.every(({ location }) => !clobbers(kernel, op, location)));
  };
  for (const run of runs(kernel, group, true, may)) {
    const lowest = run[0] as Access;
    const highest = run.at(-1) as Access;
    const earliest = run.reduce((a, b) => (at(b) < at(a) ? b : a));
    if (lowest.op.action.kind !== "load") continue;
    const type = lowest.location.type as ScalarType;
    const address = addressBefore(kernel, block, earliest.op, lowest.op.args[0] as Op);
    const bytes = scalarBytes[type];
    const index = ({ location }: Access): number => (location.offset - lowest.location.offset) / bytes;
    const components = index(highest) >= 2 ? 4 : 2;
    const action = { ...lowest.op.action, components, align: components * bytes };
    const load = createOp(kernel, action, type, [address], earliest.op.span);
    const extracts = run.map((access) => {
      const extract = createOp(kernel, { kind: "extract", index: index(access) }, type, [load], access.op.span);
      substitution.replace(access.op, extract);
      return extract;
    });
    block.ops.splice(block.ops.indexOf(earliest.op), 0, load, ...extracts);
    const gone = new Set(run.map(({ op }) => op));
    block.ops = block.ops.filter((op) => !gone.has(op));
  }
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
    const type = lowest.location.type as ScalarType;
    const action = { ...lowest.op.action, components: run.length, align: run.length * scalarBytes[type] };
    const store = createOp(kernel, action, "void", [lowest.op.args[0] as Op, ...run.map(({ op }) => op.args[1] as Op)], latest.op.span);
    block.ops.splice(block.ops.indexOf(latest.op), 0, store);
    const gone = new Set(run.map(({ op }) => op));
    block.ops = block.ops.filter((op) => !gone.has(op));
  }
}
