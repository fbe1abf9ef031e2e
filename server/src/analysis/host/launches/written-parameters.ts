/** Which pointer parameters a kernel may store through, judged by what it does with their names. */

import type { Expression, FunctionDeclaration } from "../../../syntax/ast.ts";
import { termsOf } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";

/** By body: a declaration may get another one. */
const known = new WeakMap<object, ReadonlySet<number>>();

/** Indices of parameters the kernel may store through; aliases and calls count as stores. Without a body: all but `const T *`. */
export function writtenParameters(kernel: FunctionDeclaration): ReadonlySet<number> {
  const found = known.get(kernel.body ?? kernel);
  if (found !== undefined) return found;
  const names = kernel.body === undefined ? undefined : namesWritten(kernel);
  const written = new Set<number>();
  for (const [k, { name, type }] of kernel.parameters.entries()) {
    if (type.kind === "pointer" && type.to.const) continue;
    if (names === undefined || (name !== undefined && names.has(name))) written.add(k);
  }
  known.set(kernel.body ?? kernel, written);
  return written;
}

/** Names through which a kernel may store: parameters, variables of its own, variables of the device. */
export function namesWritten(kernel: FunctionDeclaration): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string | undefined) => {
    if (name !== undefined) names.add(name);
  };
  if (kernel.body === undefined) return names;
  walk(kernel.body, (node) => {
    switch (node.kind) {
      case "assign":
        add(storedRoot(node.left));
        add(aliased(node.right));
        break;
      case "unary":
        if (node.op === "++" || node.op === "--" || node.op === "&") add(storedRoot(node.operand));
        break;
      case "postfix":
        add(storedRoot(node.operand));
        break;
      case "call":
        for (const argument of node.arguments) add(aliased(argument));
        if (node.callee.kind === "member") add(storedRoot(node.callee.base));
        break;
      case "variable":
        for (const value of node.init?.values ?? []) add(node.type.kind === "reference" ? storedRoot(value) : aliased(value));
        break;
      default:
    }
    return true;
  });
  return names;
}

/** The variable through which an lvalue is reached. */
function storedRoot(e: Expression): string | undefined {
  switch (e.kind) {
    case "subscript":
    case "member":
      return storedRoot(e.base);
    case "unary":
      return e.op === "*" ? storedRoot(e.operand) : undefined;
    default:
      return aliased(e, storedRoot);
  }
}

const isSum = (op: string): boolean => op === "+" || op === "-";

function firstOf(terms: readonly Expression[], found: (e: Expression) => string | undefined): string | undefined {
  for (const term of terms) {
    const name = found(term);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The variable whose pointer an expression passes on. */
function aliased(e: Expression, next: (e: Expression) => string | undefined = aliased): string | undefined {
  switch (e.kind) {
    case "name":
      return e.name.parts.at(-1)?.text;
    case "parenthesized":
      return next(e.inner);
    case "cast": {
      const [operand] = e.operands;
      return operand === undefined ? undefined : next(operand);
    }
    case "binary":
      return isSum(e.op) ? firstOf(termsOf(e, isSum), next) : undefined;
    case "conditional":
      return next(e.then) ?? next(e.else);
    default:
      return undefined;
  }
}
