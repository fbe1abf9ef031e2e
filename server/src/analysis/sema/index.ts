/**
 * Meaning: what names refer to, what types expressions have, what constants are worth.
 *
 * One tolerant module for all readers: rules ask types, lowering asks everything, host evaluation asks sizes and
 * constants. Unknown is `undefined`; nothing here throws on any program.
 */
import type { Declaration, Expression, FunctionDeclaration, ParameterDeclaration, Statement, TypeNode, VariableDeclaration } from "../../syntax/ast.ts";
import type { Substitution, Type } from "./types.ts";

export interface Semantics {
  /** Every function definition, members and nested namespaces included, in source order. */
  readonly functions: readonly FunctionDeclaration[];
  /** The declarations a name expression refers to: overloads together. Empty when it cannot be resolved. */
  resolve(expression: Expression, substitution?: Substitution): readonly (Declaration | ParameterDeclaration)[];
  /** The type of an expression with C++'s conversions; undefined when unknown or dependent on a template parameter without a substitution. */
  typeOf(expression: Expression, substitution?: Substitution): Type | undefined;
  /** The type a type node names. */
  typeFrom(node: TypeNode, substitution?: Substitution): Type | undefined;
  /** The declared type of a variable or parameter (`auto` from its initialiser). */
  declaredType(declaration: VariableDeclaration | ParameterDeclaration, substitution?: Substitution): Type | undefined;
  /** A constant expression's value: integers as bigint, floating as number. */
  constant(expression: Expression, substitution?: Substitution): bigint | number | boolean | undefined;
  sizeOf(type: Type): number | undefined;
  alignOf(type: Type): number | undefined;
  /** Which function a call calls: its definition where there is one, with the template arguments deduced. */
  callee(call: Expression & { kind: "call" }, substitution?: Substitution): { readonly function: FunctionDeclaration; readonly substitution: Substitution } | undefined;
  /** The function whose body holds a statement or expression. */
  enclosingFunction(node: Expression | Statement): FunctionDeclaration | undefined;
}
