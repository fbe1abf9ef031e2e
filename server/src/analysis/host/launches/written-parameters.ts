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
  const uses = kernel.body === undefined ? undefined : namesWritten(kernel);
  const written = new Set<number>();
  for (const [k, { name, type }] of kernel.parameters.entries()) {
    if (type.kind === "pointer" && type.to.const) continue;
    if (uses === undefined || (name !== undefined && (uses.stored.has(name) || uses.passed.has(name)))) written.add(k);
  }
  known.set(kernel.body ?? kernel, written);
  return written;
}

export interface NamesWritten {
  /** What is stored to, or has its address taken. */
  readonly stored: ReadonlySet<string>;
  /** What others are given the value of: of a pointer or an array they may store there. */
  readonly passed: ReadonlySet<string>;
}

/** Names through which a function of the device may store: parameters, variables of its own, variables of the device. */
function namesWritten({ body }: FunctionDeclaration): NamesWritten {
  const stored = new Set<string>();
  const passed = new Set<string>();
  const add = (names: Set<string>, name: string | undefined) => {
    if (name !== undefined) names.add(name);
  };
  if (body === undefined) return { stored, passed };
  walk(body, (node) => {
    switch (node.kind) {
      case "assign":
        add(stored, storedRoot(node.left));
        add(passed, aliased(node.right));
        break;
      case "unary":
        if (node.op === "++" || node.op === "--" || node.op === "&") add(stored, storedRoot(node.operand));
        break;
      case "postfix":
        add(stored, storedRoot(node.operand));
        break;
      case "call":
        for (const argument of node.arguments) add(passed, aliased(argument));
        if (node.callee.kind === "member") add(stored, storedRoot(node.callee.base));
        break;
      case "variable":
        for (const value of node.init?.values ?? [])
          if (node.type.kind === "reference") add(stored, storedRoot(value));
          else add(passed, aliased(value));
        break;
      default:
    }
    return true;
  });
  return { stored, passed };
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
