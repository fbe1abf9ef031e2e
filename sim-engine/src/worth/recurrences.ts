/** Loops whose turns follow from each other, as down a recurrence: no other order of them does the same. */
import type { Program } from "../execute/program.ts";
import type { Loop } from "../ir/graph.ts";
import type { Op } from "../ir/kernel.ts";
import { isPlain, samePlace, variesIn } from "./loop-ops.ts";

/** Whether a turn needs more of the turns before than what they have summed up: through memory, or from register to register. */
export const isRecurrence = (program: Program, loop: Loop): boolean =>
  isInMemory(program, loop) || isInOwnArray(program, loop) || isScaled(loop);

/** Whether a value is carried round that is multiplied and added to: what others sum up apart from it would have to be scaled too. */
function isScaled({ header, blocks }: Loop): boolean {
  const inside = new Set([...blocks].flatMap((block) => [...block.phis, ...block.ops]));
  return header.phis.some((carried) => {
    const seen = new Set<string>();
    /** Operations that follow from what is carried by both, if they do; either may have been met on the way. */
    const pending = carried.args.filter((arg) => arg !== carried).map((op) => ({ op, product: false, sum: false }));
    for (let each = pending.pop(); each; each = pending.pop()) {
      const { op, product, sum } = each;
      if (op === carried && product && sum) return true;
      const key = `${op.id} ${product} ${sum}`;
      if (op === carried || !inside.has(op) || seen.has(key)) continue;
      seen.add(key);
      const { action, args } = op;
      if (action.kind === "phi") for (const arg of args) pending.push({ op: arg, product, sum });
      else if (action.kind === "fma")
        for (const [index, arg] of args.entries()) pending.push({ op: arg, product: product || index < 2, sum: true });
      else if (action.kind === "float" && /^f(add|sub|mul)$/.test(action.op))
        for (const arg of args) pending.push({ op: arg, product: product || action.op === "fmul", sum: sum || action.op !== "fmul" });
    }
    return false;
  });
}

/**
 * Whether a loop goes along an array that it stores to and loads other elements of it than those: what it finds there may be of a turn
 * before. An element that is loaded and stored again is of its turn alone, in each copy of an unrolled loop too.
 */
function isInMemory(program: Program, { blocks }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => [...block.phis, ...block.ops]);
  const inside = new Set(ops);
  const moving = (kind: "load" | "store") =>
    ops.flatMap((op) => {
      const [place] = op.args;
      return place && isPlain(op, kind, program) && variesIn(place, inside) ? [place] : [];
    });
  const stored = moving("store");
  const objects = new Set(stored.flatMap((place) => [...program.provenance.of(place)]));
  return moving("load").some(
    (place) => [...program.provenance.of(place)].some((object) => objects.has(object)) && !stored.some((each) => samePlace(each, place)),
  );
}

/**
 * Whether a loop takes elements of the thread's own array and stores them again, all of them in each turn: a state that goes from turn to
 * turn. A store of something else begins anew.
 */
function isInOwnArray({ provenance }: Program, { header, blocks }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => [...block.phis, ...block.ops]);
  const inside = new Set(ops);
  const follows = (from: Op, isMet: (op: Op) => boolean): boolean => {
    const seen = new Set<Op>();
    const left = [from];
    for (let op = left.pop(); op; op = left.pop()) {
      if (!inside.has(op) || seen.has(op)) continue;
      if (isMet(op)) return true;
      seen.add(op);
      left.push(...op.args);
    }
    return false;
  };
  const own = (op: Op): string | undefined => {
    const [place] = op.args;
    const objects = place ? [...provenance.of(place)] : [];
    return objects.length === 1 && objects[0]?.startsWith("local ") ? objects[0] : undefined;
  };
  const stores = ops.filter((op) => op.action.kind === "store" && own(op) !== undefined);
  const goesOn = (store: Op): boolean => {
    const [place, value] = store.args;
    return (
      place !== undefined &&
      value !== undefined &&
      !follows(place, (op) => header.phis.includes(op)) &&
      follows(value, (op) => op.action.kind === "load" && op.args[0] !== undefined && samePlace(op.args[0], place))
    );
  };
  return stores.some((store) => goesOn(store) && stores.every((each) => own(each) !== own(store) || goesOn(each)));
}
