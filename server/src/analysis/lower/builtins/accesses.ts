/** Built-in loads, stores, atomics and asynchronous copies. */

import type { AccessOptions, AtomicOperation, AtomicScope, Op, Space } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import type { AccessRecipe, Recipe } from "../../sema/library/recipe.ts";
import { lastName } from "../../sema/scope.ts";
import { isFloating } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { type Called, type Lowering, nothing, type Place, value } from "../emit/lowering.ts";
import { loadLeaves, part, storeLeaves } from "../emit/memory.ts";
import { isSignedType, scalarOf } from "../emit/scalars.ts";
import { pointedTo, target, type Use } from "./operands.ts";

const optionsOf = (recipe: AccessRecipe): Pick<AccessOptions, "cache" | "volatile" | "atomic"> =>
  "cache" in recipe ? { cache: recipe.cache } : { volatile: true, atomic: recipe.atomic };

/** Of the newer spelling of atomics: the fence that a memory order makes, which stands among the operands; none where there is none. */
function fenceOf(lowering: Lowering, order: Expression | undefined, not: "ACQUIRE" | "RELEASE"): void {
  if (order === undefined) return;
  const word = order.kind === "name" ? lastName(order.name) : "";
  if (!word.endsWith("RELAXED") && !word.endsWith(not)) lowering.builder.emit({ kind: "fence", scope: "device" }, "void");
}

export function cachedLoad(lowering: Lowering, recipe: AccessRecipe, use: Use): Called {
  const [argument] = use.args;
  if (!argument) return lowering.fail("a load from nowhere", use.node);
  const from = pointedTo(lowering, argument, undefined, use.node);
  const scalar = scalarOf(from.type);
  lowering.visit(use.node);
  lowering.at(use.node);
  if (scalar) {
    const loaded = lowering.builder.load(from.space, scalar, from.pointer, optionsOf(recipe));
    fenceOf(lowering, use.args[1], "RELEASE");
    return value(loaded);
  }
  const loaded = loadLeaves(lowering, from, optionsOf(recipe));
  const place = target(lowering, use);
  storeLeaves(lowering, place, loaded);
  return { kind: "place", place };
}

export function cachedStore(lowering: Lowering, recipe: AccessRecipe, use: Use): Called {
  const [address, written] = use.args;
  if (!address || !written) return lowering.fail("a store of nothing", use.node);
  const to = pointedTo(lowering, address, undefined, use.node);
  if (scalarOf(to.type)) {
    const op = lowering.valueAs(written, to.type);
    lowering.visit(use.node);
    lowering.at(use.node);
    fenceOf(lowering, use.args[2], "ACQUIRE");
    lowering.builder.store(to.space, to.pointer, [op], optionsOf(recipe));
  } else storeLeaves(lowering, to, loadLeaves(lowering, lowering.place(written)), optionsOf(recipe));
  return nothing;
}

export function atomic(lowering: Lowering, recipe: Recipe & { kind: "atomic" }, use: Use): Called {
  const [address, first, second] = use.args;
  if (!address || !first) return lowering.fail("an atomic operation without operands", use.node);
  const to = pointedTo(lowering, address, undefined, use.node);
  if (!scalarOf(to.type)) return atomicOfPair(lowering, recipe, to, first, use);
  const operand = lowering.valueAs(first, to.type);
  const [swapped, order] = recipe.op === "cas" ? [second && lowering.valueAs(second, to.type), undefined] : [undefined, second];
  const op = atomicOperation(recipe.op, to.type);
  // The order of operands is (address, value[, compare]); C writes the compared value first.
  const operands = swapped ? [swapped, operand] : [operand];
  lowering.visit(use.node);
  lowering.at(use.node);
  fenceOf(lowering, order, "ACQUIRE");
  const old = emitAtomic(lowering, op, recipe.scope, to.space, to.pointer, operands);
  fenceOf(lowering, order, "RELEASE");
  return value(old);
}

const atomicOperation = (op: (Recipe & { kind: "atomic" })["op"], type: Type): AtomicOperation => {
  if (op !== "min" && op !== "max") return op;
  return isFloating(type) ? `f${op}` : isSignedType(type) ? `${op}.s` : `${op}.u`;
};

function emitAtomic(lowering: Lowering, op: AtomicOperation, scope: AtomicScope, space: Space, address: Op, operands: readonly Op[]): Op {
  const [first] = operands;
  return lowering.builder.emit({ kind: "atomic", op, space, scope }, first?.type ?? "i32", address, ...operands);
}

function atomicOfPair(lowering: Lowering, recipe: Recipe & { kind: "atomic" }, to: Place, argument: Expression, use: Use): Called {
  const given = loadLeaves(lowering, lowering.place(argument));
  const place = target(lowering, use);
  const olds = given.map(({ leaf, op }) => {
    const at = part(lowering, to, leaf.offset, leaf.type, use.node);
    lowering.visit(use.node);
    lowering.at(use.node);
    return { leaf, op: emitAtomic(lowering, atomicOperation(recipe.op, leaf.type), recipe.scope, to.space, at.pointer, [op]) };
  });
  storeLeaves(lowering, place, olds);
  return { kind: "place", place };
}

export function copyAsync(lowering: Lowering, use: Use): Called {
  const [to, from, size, zeroFill] = use.args;
  const bytes = size && lowering.context.constant(size, lowering.frame.substitution);
  if (!to || !from || bytes === undefined) return lowering.fail("the size of an asynchronous copy is not constant", use.node);
  const destination = lowering.value(to);
  const source = lowering.value(from);
  const isWhole = !zeroFill || Number(lowering.context.constant(zeroFill, lowering.frame.substitution) ?? 1) === 0;
  const filled = isWhole ? undefined : lowering.value(zeroFill);
  lowering.visit(use.node);
  lowering.at(use.node);
  const { builder } = lowering;
  const count =
    filled &&
    builder.int("sub", builder.constant("i32", Number(bytes)), filled.type === "i32" ? filled : builder.convert("trunc", filled, "i32"));
  const action = { kind: "copy.async", bytes: Number(bytes), bypassL1: Number(bytes) === 16 } as const;
  builder.emit(action, "void", destination, source, ...(count ? [count] : []));
  return nothing;
}
