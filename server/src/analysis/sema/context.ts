/** What the parts of sema ask each other: assembled in `bindUnit`, so that no part imports another that imports it. */
import type {
  Expression,
  FunctionDeclaration,
  Name,
  ParameterDeclaration,
  RecordDeclaration,
  TemplateArgument,
  TemplateParameter,
  TypeNode,
  VariableDeclaration,
} from "../../syntax/ast.ts";
import type { CaptureLayout, Layout } from "./layouts.ts";
import type { Recursion } from "./recursion.ts";
import type { Entity } from "./scope.ts";
import type { ScopeTree } from "./scope-tree.ts";
import type { LambdaExpression, RecordInstance, Substitution, TemplateValue, Type } from "./types.ts";

/** An expression's type (never a reference) and whether it names an object. */
export interface Info {
  readonly type: Type;
  readonly lvalue: boolean;
}

export interface Found {
  readonly entities: readonly Entity[];
  /** The record, with its arguments, whose member was found. */
  readonly record?: RecordInstance;
}

export type TemplateValues = TemplateValue | readonly TemplateValue[];

/** Which function a call, an operator or an initialisation runs. */
export interface Resolved {
  readonly function: FunctionDeclaration;
  readonly substitution: Substitution;
  /** Set for a non-static member function: the record whose member it is. */
  readonly record?: RecordInstance;
}

/** A call through an object: of a lambda, or of a record's `operator()`. */
export interface ResolvedLambda {
  readonly lambda: LambdaExpression;
  readonly substitution: Substitution;
}

/** What a constant expression is worth. */
export type Constant = bigint | number | boolean;

export interface Argument {
  /** Undefined: not known, or a braced list. */
  readonly info: Info | undefined;
  readonly expression?: Expression;
}

export interface Context {
  readonly scopes: ScopeTree;
  readonly recursion: Recursion;
  /** Says that what is known elsewhere rests on a function's body, and gives it. */
  readBody(declaration: FunctionDeclaration): FunctionDeclaration["body"];
  /** Runs `work` unless recursion has become too deep, then gives undefined. */
  guard<T>(work: () => T | undefined): T | undefined;
  /** `auto`: what an `auto` in the node stands for. */
  typeFrom(node: TypeNode, substitution: Substitution | undefined, auto?: Info): Type | undefined;
  info(expression: Expression, substitution: Substitution | undefined): Info | undefined;
  declaredType(declaration: VariableDeclaration | ParameterDeclaration, substitution: Substitution | undefined): Type | undefined;
  resultType(declaration: FunctionDeclaration, substitution: Substitution | undefined): Type | undefined;
  constant(expression: Expression, substitution: Substitution | undefined): Constant | undefined;
  /** Rewrites what the parser could not know: a call or product that is a cast, a comparison that is a template's call. */
  clarify(expression: Expression): Expression;
  /** Arguments with `pack...` replaced by its elements: expressions that are read under a substitution of their own. */
  expandPacks(expressions: readonly Expression[], substitution: Substitution | undefined): readonly Expression[];
  /** The substitution an expanded element is read under; undefined for any other expression. */
  ownSubstitution(expression: Expression): Substitution | undefined;
  find(name: Name, substitution: Substitution | undefined): Found;
  member(record: RecordInstance, name: string): Found;
  /** What a name names, when it names a type. */
  namedType(name: Name, substitution: Substitution | undefined): Type | undefined;
  templateValues(
    given: readonly TemplateArgument[],
    parameters: readonly TemplateParameter[] | undefined,
    substitution: Substitution | undefined,
  ): TemplateValues[] | undefined;
  /** The instance of a record in the middle of which a substitution stands, or of a record that is no template. */
  currentRecord(declaration: RecordDeclaration, substitution: Substitution | undefined): RecordInstance | undefined;
  instantiate(
    template: RecordDeclaration,
    values: readonly TemplateValues[],
    substitution: Substitution | undefined,
  ): RecordInstance | undefined;
  layout(record: RecordInstance): Layout | undefined;
  captures(lambda: LambdaExpression, substitution: Substitution | undefined): CaptureLayout | undefined;
  sizeOf(type: Type): number | undefined;
  alignOf(type: Type): number | undefined;
  /** The best of overloads for arguments; `explicit`: template arguments that were written. */
  overload(
    found: Found,
    explicit: readonly TemplateArgument[] | undefined,
    args: readonly Argument[],
    substitution: Substitution | undefined,
  ): Resolved | undefined;
  resolveCall(call: Expression & { kind: "call" }, substitution: Substitution | undefined): Resolved | ResolvedLambda | undefined;
  /** The user's operator for operands of which one is a record or an enumeration. */
  resolveOperator(
    operator: string,
    operands: readonly Argument[],
    offset: number,
    substitution: Substitution | undefined,
  ): Resolved | undefined;
  /** How well a value converts: 0 exactly, more is worse; undefined not at all. */
  conversionRank(from: Info, to: Type, nullConstant?: boolean): number | undefined;
}
