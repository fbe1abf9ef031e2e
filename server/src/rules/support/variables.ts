/** Where a local variable or parameter is mentioned, and where it gets its values. */

import type { Semantics } from "../../analysis/sema/index.ts";
import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, ParameterDeclaration, VariableDeclaration } from "../../syntax/ast.ts";
import { groupBy } from "./group-by.ts";
import { type SyntaxIndex, sameSpan } from "./syntax-index.ts";

export type Variable = VariableDeclaration | ParameterDeclaration;
type Name = Expression & { readonly kind: "name" };

/** One place where a variable may change. `value` absent: it cannot be told what is stored (address taken, `asm`). */
export interface Write {
  readonly at: Expression;
  /** The operator without its `=`; `++` and `--`; "" for plain assignment and initialisation. */
  readonly op: string;
  readonly value: Expression | undefined;
}

const nameOf = (variable: Variable): string | undefined =>
  typeof variable.name === "string" ? variable.name : variable.name?.parts.at(-1)?.text;

export class Variables {
  readonly #syntax: SyntaxIndex;
  readonly #semantics: Semantics;
  readonly #uses = new Map<Variable, readonly Name[]>();
  #here: ReadonlyMap<string, readonly Name[]> | undefined;

  constructor(syntax: SyntaxIndex, semantics: Semantics) {
    this.#syntax = syntax;
    this.#semantics = semantics;
  }

  /** The one variable or parameter a name refers to. */
  of(node: Expression): Variable | undefined {
    if (node.kind !== "name") return undefined;
    const [only, ...others] = this.#semantics.resolve(node);
    return others.length === 0 && only && (!("kind" in only) || only.kind === "variable") ? only : undefined;
  }

  /** Every mention, in source order. */
  uses(variable: Variable): readonly Name[] {
    let uses = this.#uses.get(variable);
    if (!uses) {
      uses = this.#named(variable).filter((node) => this.of(node) === variable);
      this.#uses.set(variable, uses);
    }
    return uses;
  }

  /** Names that may be a variable's, by their text: of one that a function holds, those in the item that is looked at. */
  #named(variable: Variable): readonly Name[] {
    const text = nameOf(variable);
    if (text === undefined) return [];
    const textOf = ({ name }: Name): string => lastName(name);
    const local = this.#syntax.isLookedAt(variable) && this.#semantics.enclosingFunction(variable) !== undefined;
    if (local) return (this.#here ??= groupBy(this.#syntax.expressions("name"), textOf)).get(text) ?? [];
    return this.#syntax.expressionsMentioning(text, "name").filter((name) => textOf(name) === text);
  }

  /** Every place but the declaration where the variable may get a value. */
  writes(variable: Variable): Write[] {
    return this.uses(variable).flatMap((use) => this.#writeAt(use) ?? []);
  }

  /** The value the declaration gives. */
  initial(variable: Variable): Expression | undefined {
    return "init" in variable && variable.init?.values.length === 1 ? variable.init.values[0] : undefined;
  }

  #writeAt(use: Name): Write | undefined {
    let node: Expression = use;
    for (let item = this.#syntax.parent(node); item?.role === "expression"; item = this.#syntax.parent(node)) {
      const parent: Expression = item.node;
      if (parent.kind === "assign") return sameSpan(node, parent.left) ? { at: parent, op: parent.op, value: parent.right } : undefined;
      if (parent.kind === "postfix") return { at: parent, op: parent.op, value: undefined };
      if (parent.kind === "unary") {
        if (parent.op === "++" || parent.op === "--") return { at: parent, op: parent.op, value: undefined };
        return parent.op === "&" ? { at: parent, op: "&", value: undefined } : undefined;
      }
      if (parent.kind === "call") return this.#byReference(parent, node) ? { at: parent, op: "&", value: undefined } : undefined;
      // A member or element of it is a part of it.
      if (
        parent.kind !== "parenthesized" &&
        !(parent.kind === "member" && !parent.arrow) &&
        !(parent.kind === "subscript" && sameSpan(node, parent.base))
      ) {
        return undefined;
      }
      node = parent;
    }
    const item = this.#syntax.parent(use);
    if (item?.role === "statement" && item.node.kind === "asm") return { at: use, op: "&", value: undefined };
    if (item?.role === "declaration" && item.node.kind === "variable" && item.node.type.kind === "reference") {
      return item.node.type.to.const ? undefined : { at: use, op: "&", value: undefined };
    }
    return undefined;
  }

  #byReference(call: Expression & { kind: "call" }, argument: Expression): boolean {
    const index = call.arguments.findIndex((each) => sameSpan(argument, each));
    if (index < 0) return false;
    const parameter = this.#semantics.callee(call)?.function.parameters[index];
    return parameter?.type.kind === "reference" && !parameter.type.to.const;
  }
}
