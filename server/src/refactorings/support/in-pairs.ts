/** Arithmetic of halves written as arithmetic of pairs: one instruction for two elements. */
import type { Semantics } from "../../analysis/sema/index.ts";
import { libraryName } from "../../rules/support/library-calls.ts";
import { unqualified } from "../../rules/support/ranges.ts";
import type { Expression } from "../../syntax/ast.ts";

/** Functions of a half by what does the same to both of a pair. */
const ofPairs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["add", "sub", "mul", "fma", "neg", "abs", "max", "min"].map((name) => [`__h${name}`, `__h${name}2`])),
  ...Object.fromEntries(["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "rcp"].map((name) => [`h${name}`, `h2${name}`])),
  __hdiv: "__h2div",
};

/**
 * An expression of the arithmetic type `type` as one of its pairs, `leaf` giving the pairs that it is made of; undefined where something in it
 * is no arithmetic of that type, or `leaf` knows no pair.
 */
export function inPairs(
  semantics: Semantics,
  node: Expression,
  type: string,
  leaf: (node: Expression) => string | undefined,
): string | undefined {
  const inner = (each: Expression): string | undefined => inPairs(semantics, each, type, leaf);
  const known = leaf(node);
  if (known !== undefined) return known;
  const own = unqualified(semantics.typeOf(node));
  if (own?.kind !== "floating" || own.name !== type) return undefined;
  switch (node.kind) {
    case "parenthesized": {
      const text = inner(node.inner);
      return text === undefined ? undefined : `(${text})`;
    }
    case "binary": {
      const [left, right] = [inner(node.left), inner(node.right)];
      return left === undefined || right === undefined || !/^[-+*/]$/.test(node.op) ? undefined : `${left} ${node.op} ${right}`;
    }
    case "call": {
      const name = ofPairs[libraryName(node) ?? ""];
      const given = node.arguments.map(inner);
      return name === undefined || given.some((each) => each === undefined) ? undefined : `${name}(${given.join(", ")})`;
    }
    default:
      return undefined;
  }
}
