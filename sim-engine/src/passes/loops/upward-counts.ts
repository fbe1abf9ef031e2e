/** Which loops of unknown length test a sum in the end, so that ptxas leaves them as they are. */
import { intConstant } from "../../ir/constants.ts";
import type { Loop } from "../../ir/graph.ts";
import type { Op } from "../../ir/kernel.ts";
import { type Counter, definedIn } from "./induction.ts";

/**
 * Whether NVVM counts turns by the counter they come from, a constant that one is added to, instead of by what is left of them: it does
 * where an index in 32 bits goes along that cannot become a pointer of its own. What the loop then tests is a sum, of which ptxas makes
 * nothing (validation/compiler/indices.json).
 */
export function countsUpwards(loop: Loop, { phi, start, step }: Counter): boolean {
  if (step !== 1 || phi.type !== "i32") return false;
  const inLoop = definedIn(loop);
  const { ops } = loop.header;
  const begins = intConstant(start);
  const is = (op: Op | undefined, ...names: readonly string[]): op is Op =>
    op !== undefined && op.action.kind === "int" && names.includes(op.action.op) && inLoop(op);
  /** The operand that goes along with the counter where the other stays as it is. */
  const moving = (op: Op): Op | undefined => {
    const [a, b] = op.args;
    if (!a || !b || inLoop(a) === inLoop(b)) return undefined;
    return inLoop(a) ? a : b;
  };
  const multiplied = (op: Op | undefined): op is Op => is(op, "mul", "shl");
  /** Sums and products of the counter with what stays; `scaled` where it is multiplied. */
  const along = (op: Op | undefined): { readonly scaled: boolean } | undefined => {
    let scaled = false;
    for (let inner = op; inner !== phi; inner = moving(inner)) {
      if (!is(inner, "add", "sub", "mul", "shl")) return undefined;
      scaled ||= multiplied(inner);
    }
    return { scaled };
  };
  /** Unsigned sums may wrap: they stay in 32 bits, and so do the counter's own multiples by constants that something is added to. */
  const isUnsigned = (op: Op): boolean => {
    const [index] = op.args;
    if (op.action.kind !== "convert" || op.action.op !== "zext" || !index || index === phi) return false;
    const found = along(index);
    return found !== undefined && (found.scaled || begins === 0);
  };
  const constantOf = (op: Op): number | undefined => op.args.map((arg) => intConstant(arg)).find((value) => value !== undefined);
  /** What the counter is multiplied by in the end, a constant, as it is or with a constant added. */
  const multiple = (op: Op | undefined): { readonly shift: number } | undefined => {
    let inner = op;
    let last: Op | undefined;
    while (multiplied(inner)) {
      last = inner;
      inner = moving(inner);
    }
    const by = last && constantOf(last);
    if (!last || by === undefined) return undefined;
    const counts = inner === phi || (is(inner, "add") && constantOf(inner) !== undefined && moving(inner) === phi);
    return counts ? { shift: last.action.kind === "int" && last.action.op === "shl" ? by : 0 } : undefined;
  };
  /** Bits that a multiple of a power of two leaves free: with those the sum is none, but an `or`. */
  const isBelow = (op: Op | undefined, shift: number): boolean =>
    op?.action.kind === "int" && op.action.op === "and" && (constantOf(op) ?? -1) >>> 0 < 2 ** shift;
  const isScaled = (index: Op): boolean => {
    let sum = index;
    for (let inner = moving(sum); is(sum, "add", "sub") && is(inner, "add", "sub") && constantOf(inner) === undefined; inner = moving(sum))
      sum = inner;
    if (!is(sum, "add", "sub")) return false;
    const product = moving(sum);
    const found = multiple(product);
    return (
      found !== undefined &&
      !isBelow(
        sum.args.find((arg) => arg !== product),
        found.shift,
      )
    );
  };
  /** The values that a sum is made of, as far as it is taken apart. */
  const parts = (op: Op | undefined, depth = 0): readonly Op[] => {
    if (op?.action.kind !== "int" || !["add", "sub"].includes(op.action.op) || depth > 8) return op ? [op] : [];
    return op.args.flatMap((arg) => parts(arg, depth + 1));
  };
  /** Multiples of the counter with two values more: LLVM loses that the sum does not wrap, and the index stays in 32 bits. */
  const hasMultipleOfSums = (indices: readonly Op[]): boolean => {
    // Each once: sums that share their parts lead to these in more ways than can be gone.
    const seen = new Set<Op>();
    const pending = [...indices];
    for (let op = pending.pop(); op; op = pending.pop()) {
      if (seen.has(op)) continue;
      seen.add(op);
      if (is(op, "add", "sub")) pending.push(...op.args);
      else if (multiplied(op)) {
        const summed = parts(moving(op));
        if (summed.length > 2 && summed.includes(phi)) return true;
      }
    }
    return false;
  };
  const isExtended = (op: Op): boolean => op.action.kind === "convert" && op.action.op === "sext" && multiple(op.args[0]) !== undefined;
  if (ops.some((op) => isUnsigned(op) || isExtended(op))) return true;
  const indices = ops.flatMap(({ action, args }) => (action.kind === "gep" && args[1]?.type === "i32" && inLoop(args[1]) ? [args[1]] : []));
  const widened = ops.flatMap(({ action, args }) => (action.kind === "convert" && action.op === "sext" && args[0] ? [args[0]] : []));
  if (hasMultipleOfSums([...indices, ...widened])) return true;
  // Pointers that go along anyway take such an index with them.
  const isPointer = (index: Op): boolean => index === phi || (!isScaled(index) && along(index)?.scaled === false);
  return indices.some(isScaled) && !indices.some(isPointer);
}
