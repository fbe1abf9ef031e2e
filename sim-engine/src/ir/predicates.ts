/** Comparisons of integers, turned round. */
import type { IntPredicate } from "./kernel.ts";

/** `a inverse b` holds where `a predicate b` does not. */
export const inverse = {
  eq: "ne",
  ne: "eq",
  slt: "sge",
  sle: "sgt",
  sgt: "sle",
  sge: "slt",
  ult: "uge",
  ule: "ugt",
  ugt: "ule",
  uge: "ult",
} as const satisfies Record<IntPredicate, IntPredicate>;

/** `b swapped a` holds where `a predicate b` does. */
export const swapped = {
  eq: "eq",
  ne: "ne",
  slt: "sgt",
  sle: "sge",
  sgt: "slt",
  sge: "sle",
  ult: "ugt",
  ule: "uge",
  ugt: "ult",
  uge: "ule",
} as const satisfies Record<IntPredicate, IntPredicate>;
