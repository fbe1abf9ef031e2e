/** Arguments, results and the operations that several built-in functions share. */
import type { Op, ShuffleMode } from "@warplens/sim-engine";
import type { Expression, Node } from "../../../syntax/ast.ts";
import type { Resolved } from "../../sema/context.ts";
import { decay, isFloating, referred, typeName, unqualified } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import type { Typed } from "../emit/arithmetic.ts";
import type { Called, Lowering, Place } from "../emit/lowering.ts";
import { loadLeaves, spaceOf, storeLeaves } from "../emit/memory.ts";
import { isSignedType, scalarOf } from "../emit/scalars.ts";

/** One call of a built-in function, its arguments not yet evaluated. */
export interface Use {
  readonly resolved: Resolved;
  readonly args: readonly Expression[];
  readonly self: Place | undefined;
  readonly node: Node;
  readonly into: Place | undefined;
  readonly result: Type;
}

/** The arguments converted to the signature's parameters. */
export function values(lowering: Lowering, use: Use): Typed[] {
  const { function: declaration, substitution } = use.resolved;
  const given: Typed[] = [];
  for (const [index, parameter] of declaration.parameters.entries()) {
    const argument = use.args[index] ?? parameter.default;
    if (!argument) continue;
    const declared =
      lowering.context.typeFrom(parameter.type, substitution) ?? lowering.fail("the type of an argument is not known", use.node);
    const type = unqualified(referred(declared));
    given.push({ op: lowering.valueAs(argument, type), type });
  }
  lowering.visit(use.node);
  lowering.at(use.node);
  return given;
}

export function extreme(lowering: Lowering, which: "min" | "max", x: Op, y: Op, type: Type): Op {
  if (isFloating(type)) return lowering.builder.float(which === "min" ? "fmin" : "fmax", x, y);
  return lowering.builder.int(isSignedType(type) ? (which === "min" ? "smin" : "smax") : which === "min" ? "umin" : "umax", x, y);
}

/** The kernel ends here, in an error. */
export function trap(lowering: Lowering, node: Node): void {
  const { builder } = lowering;
  lowering.visit(node);
  lowering.at(node);
  builder.emit({ kind: "trap" }, "void");
  builder.return();
  builder.block = builder.newBlock();
}

/** Of a truth, the other. */
export const negated = ({ builder }: Lowering, truth: Op): Op => builder.int("xor", truth, builder.constant("i1", 1));

export const fieldsOf = (lowering: Lowering, type: Type): readonly { readonly offset: number; readonly type: Type }[] =>
  type.kind === "record" ? (lowering.context.layout(type.record)?.fields ?? []) : [];

/** Where a record that a built-in makes goes. */
export function target(lowering: Lowering, use: Use): Place {
  const place = use.into ?? lowering.temporary(unqualified(use.result), "made", use.node);
  return { ...place, node: use.node };
}

/** The object an argument points to. */
export function pointedTo(lowering: Lowering, argument: Expression, type: Type | undefined, node: Node): Place {
  const pointerType = decay(lowering.typeOf(argument));
  const pointer = lowering.value(argument);
  const to =
    type ?? (pointerType.kind === "pointer" ? pointerType.to : lowering.fail(`${typeName(pointerType)} where a pointer is needed`, node));
  return { pointer, type: unqualified(to), space: spaceOf(pointer), node };
}

/** A shuffle of any type: records and 8-byte values by their parts in one operation each. */
export function shuffleOf(
  lowering: Lowering,
  mode: ShuffleMode,
  width: number,
  mask: Op | undefined,
  shuffled: Expression,
  lane: () => Op,
  use: Use,
): Called {
  const { builder } = lowering;
  const { node } = use;
  const type = decay(lowering.typeOf(shuffled));
  const result = unqualified(use.result);
  const scalar = scalarOf(result);
  if (scalar) {
    const op = lowering.valueAs(shuffled, result);
    const by = lane();
    lowering.visit(node);
    lowering.at(node);
    const from = mask ?? builder.special("activemask");
    return { kind: "value", op: builder.shuffle(mode, from, op, by, width) };
  }
  if (type.kind !== "record") return lowering.fail(`${typeName(type)} cannot be shuffled`, node);
  const loaded = loadLeaves(lowering, lowering.place(shuffled));
  const by = lane();
  lowering.visit(node);
  lowering.at(node);
  const from = mask ?? builder.special("activemask");
  const moved = loaded.map(({ leaf, op }) => ({ leaf, op: builder.shuffle(mode, from, op, by, width) }));
  const place = target(lowering, use);
  storeLeaves(lowering, place, moved);
  return { kind: "place", place };
}

/** An argument nothing is done with: texts are not even read. */
export function ignore(lowering: Lowering, expression: Expression): void {
  const type = lowering.tryTypeOf(expression);
  if (type && type.kind !== "array" && type.kind !== "record") lowering.effect(expression);
}
