/** Whether what a user gives a parameter is of its kind. */
import type { Content } from "@warplens/sim-engine";
import type { HostType } from "./host/values/model.ts";
import { integerShape } from "./sema/arithmetic-types.ts";
import type { IntegerName } from "./sema/types.ts";

/** What a parameter can be given: a number, what an array holds, or nothing that a text can say. */
export interface Takes {
  readonly kind: "whole number" | "number" | "whole numbers" | "numbers" | "neither";
  /** Of a whole number. */
  readonly type?: IntegerName;
}

/** Undefined where the type does not tell: a template's, a reference. */
export function takesOf(type: HostType | undefined): Takes | undefined {
  switch (type?.kind) {
    case "integer":
      return { kind: "whole number", type: type.name };
    case "enum":
      return { kind: "whole number", type: type.underlying };
    case "floating":
      return { kind: "number" };
    case "pointer":
      return { kind: type.to.kind === "integer" || type.to.kind === "enum" ? "whole numbers" : "numbers" };
    case "record":
      return { kind: "neither" };
    default:
      return undefined;
  }
}

const isArray = ({ kind }: Takes): boolean => kind === "numbers" || kind === "whole numbers";

/** Whether a number is of the parameter's kind, though it may not hold this one. */
export const isNumber = ({ kind }: Takes): boolean => kind === "number" || kind === "whole number";

/** Why a parameter cannot be given this; undefined where it can. */
export function misfit(name: string, takes: Takes | undefined, given: number | Content): string | undefined {
  if (takes === undefined) return undefined;
  const ofArray = isArray(takes);
  if (takes.kind === "neither") return `\`${name}\` is neither a number nor an array`;
  if (typeof given !== "number" && !ofArray) return `\`${name}\` is a number, not an array`;
  // A pointer may be null.
  if (typeof given === "number" && ofArray && given !== 0)
    return `\`${name}\` is an array, not a number: constant(c), linear(stride[, start]), uniform(lo, hi) or permutation(n) say what it holds`;
  if (takes.kind === "number" || takes.kind === "numbers") return undefined;
  const numbers = typeof given === "number" ? [given] : Object.values(given).filter((value) => typeof value === "number");
  const odd = numbers.find((value) => !Number.isInteger(value));
  if (odd !== undefined) return `\`${name}\` ${ofArray ? "holds whole numbers" : "is a whole number"}, not ${odd}`;
  return takes.type !== undefined && typeof given === "number" ? beyond(name, takes.type, given) : undefined;
}

/** Why a type does not hold a whole number. */
function beyond(name: string, type: IntegerName, given: number): string | undefined {
  const { bits, signed } = integerShape[type];
  const end = 2n ** BigInt(signed ? bits - 1 : bits);
  const [least, most] = [signed ? -end : 0n, end - 1n];
  return BigInt(given) >= least && BigInt(given) <= most ? undefined : `\`${name}\` is from ${least} to ${most}, not ${given}`;
}
