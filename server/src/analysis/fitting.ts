/** Whether what a user gives a parameter is of its kind. */
import type { Content } from "@warplens/sim-engine";
import type { HostType } from "./host/values/model.ts";

/** What a parameter can be given: a number, what an array holds, or nothing that a text can say. */
export type Takes = "whole number" | "number" | "whole numbers" | "numbers" | "neither";

/** Undefined where the type does not tell: a template's, a reference. */
export function takesOf(type: HostType | undefined): Takes | undefined {
  switch (type?.kind) {
    case "integer":
    case "enum":
      return "whole number";
    case "floating":
      return "number";
    case "pointer":
      return type.to.kind === "integer" || type.to.kind === "enum" ? "whole numbers" : "numbers";
    case "record":
      return "neither";
    default:
      return undefined;
  }
}

/** Why a parameter cannot be given this; undefined where it can. */
export function misfit(name: string, takes: Takes | undefined, given: number | Content): string | undefined {
  const isArray = takes === "numbers" || takes === "whole numbers";
  if (takes === undefined) return undefined;
  if (takes === "neither") return `\`${name}\` is neither a number nor an array`;
  if (typeof given !== "number" && !isArray) return `\`${name}\` is a number, not an array`;
  // A pointer may be null.
  if (typeof given === "number" && isArray && given !== 0)
    return `\`${name}\` is an array, not a number: constant(c), linear(stride[, start]), uniform(lo, hi) or permutation(n) say what it holds`;
  if (takes === "number" || takes === "numbers") return undefined;
  const numbers = typeof given === "number" ? [given] : Object.values(given).filter((value) => typeof value === "number");
  const odd = numbers.find((value) => !Number.isInteger(value));
  return odd === undefined ? undefined : `\`${name}\` ${isArray ? "holds whole numbers" : "is a whole number"}, not ${odd}`;
}
