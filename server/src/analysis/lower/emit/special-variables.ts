/** `threadIdx.x` and its like: registers of the hardware rather than variables. */
import type { Op, SpecialRegister } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import type { Lowering, Place } from "./lowering.ts";
import { element, store } from "./memory.ts";

const registers: Readonly<Record<string, "tid" | "ntid" | "ctaid" | "nctaid">> = {
  threadIdx: "tid",
  blockDim: "ntid",
  blockIdx: "ctaid",
  gridDim: "nctaid",
};
const axes = ["x", "y", "z"] as const;

/** Which of the four a name means, when the program has not declared it otherwise. */
function registerOf(lowering: Lowering, expression: Expression): "tid" | "ntid" | "ctaid" | "nctaid" | undefined {
  if (expression.kind !== "name" || expression.name.parts.length !== 1) return undefined;
  const register = registers[lastName(expression.name)];
  if (!register) return undefined;
  const [entity] = lowering.context.find(expression.name, lowering.frame.substitution).entities;
  return entity?.kind === "variable" && entity.declaration.start < 0 ? register : undefined;
}

/** A component (`threadIdx.x`), or `warpSize`; undefined when the expression is something else. */
export function specialVariable(lowering: Lowering, expression: Expression, axis: string | undefined): Op | undefined {
  if (axis === undefined) {
    if (expression.kind !== "name" || lastName(expression.name) !== "warpSize") return undefined;
    const [entity] = lowering.context.find(expression.name, lowering.frame.substitution).entities;
    if (entity?.kind !== "variable" || entity.declaration.start >= 0) return undefined;
    lowering.at(expression);
    return lowering.constant("i32", 32);
  }
  const register = registerOf(lowering, expression);
  if (!register || !(axes as readonly string[]).includes(axis)) return undefined;
  lowering.visit(expression);
  lowering.at(expression);
  return lowering.builder.special(`${register}.${axis}` as SpecialRegister);
}

/** The whole of `threadIdx`, as a temporary; undefined when the name means something else. */
export function specialRecord(lowering: Lowering, expression: Expression): Place | undefined {
  const register = registerOf(lowering, expression);
  if (!register) return undefined;
  const place = lowering.temporary(lowering.typeOf(expression), register, expression);
  fillIndex(lowering, place, register);
  return place;
}

/** Stores a special register's three components into a `uint3` or `dim3`. */
export function fillIndex(lowering: Lowering, place: Place, register: "tid" | "ntid" | "ctaid" | "nctaid"): void {
  for (const [index, axis] of axes.entries()) {
    store(lowering, element(lowering, place, index, { kind: "integer", name: "uint" }), lowering.builder.special(`${register}.${axis}`));
  }
}
