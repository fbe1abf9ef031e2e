/**
 * Integers of 64 bits that the datapath of the warp computes, and that uniform registers hold: what parameters and block indices of 32 bits
 * come to where all lanes go the same way, if it is needed there and in other blocks as well (validation/compiler/longOffsets.json). What
 * only its own block needs, or only lanes that went their own way, ptxas computes lane by lane, like what is made of longer parameters
 * and of loaded values.
 */
import { isConstant } from "../ir/constants.ts";
import { reversePostorder } from "../ir/graph.ts";
import type { Block, Op } from "../ir/kernel.ts";
import { isLeaf } from "../ir/operations.ts";
import type { Shape } from "./shape.ts";

/** Where a value is needed, by itself or by what its own block makes of it. */
interface Needs {
  readonly elsewhere: boolean;
  /** All lanes come by, or go through the loop around it together. */
  readonly together: boolean;
}

/** @param isUniformWord whether an integer of 32 bits stands in a uniform register */
export function findUniformLongs(shape: Shape, isUniformWord: (op: Op) => boolean): Set<Op> {
  const found = new Set<Op>();
  const isOperand = (arg: Op): boolean => isConstant(arg) || (arg.type === "i32" && (isLeaf(arg) || isUniformWord(arg))) || found.has(arg);
  const homes = reversePostorder(shape.kernel).filter((block) => !shape.isApart(block));
  for (const { ops } of homes)
    for (const op of ops) {
      shape.work.ask(1);
      if (op.type === "i64" && shape.isUniform(op) && isMade(op) && op.args.every(isOperand)) found.add(op);
    }
  // Those that are made of it stand behind it.
  const needs = new Map<Op, Needs>();
  for (const home of homes)
    for (const op of home.ops.toReversed()) {
      if (!found.has(op)) continue;
      const all = shape.users(op).flatMap((user) => {
        shape.work.ask(1);
        const place = shape.home(user);
        if (!place) return [];
        return (place === home ? needs.get(user) : undefined) ?? [neededIn(shape, place, home)];
      });
      needs.set(op, { elsewhere: all.some(({ elsewhere }) => elsewhere), together: all.some(({ together }) => together) });
    }
  for (const [op, { elsewhere, together }] of needs) if (!elsewhere || !together) found.delete(op);
  return found;
}

const isMade = ({ action }: Op): boolean =>
  action.kind === "int" ? !/div|rem|min|max|mulhi/.test(action.op) : action.kind === "convert" && /ext$/.test(action.op);

function neededIn(shape: Shape, place: Block, home: Block): Needs {
  // Lanes that go through a loop together may leave one another for a while in it.
  let at = place;
  for (let loop = shape.loopOf(place); loop && !loop.blocks.has(home); loop = loop.parent) at = loop.header;
  return { elsewhere: place !== home, together: !shape.isApart(at) };
}
