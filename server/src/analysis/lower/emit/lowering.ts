/** What the parts of lowering share. They reach each other through here, so that none imports another that imports it. */
import type { Block, Builder, Kernel, Op, ScalarType, Space, Work } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, Node, Statement, VariableDeclaration } from "../../../syntax/ast.ts";
import type { Reading } from "../../../syntax/reading.ts";
import type { CodeOptions } from "../../nvcc-options.ts";
import type { Context, Resolved } from "../../sema/context.ts";
import type { LambdaExpression, Substitution, Type } from "../../sema/types.ts";

/** An object in memory: what a C++ lvalue is, once lowered. */
export interface Place {
  readonly pointer: Op;
  /** Never a reference. */
  readonly type: Type;
  readonly space: Space;
  /** Bytes the address is known to be a multiple of, where that is not the type's own alignment. */
  readonly align?: number;
  /** A bit-field: `width` bits from `bit` of the unit that the pointer points to. */
  readonly bits?: { readonly bit: number; readonly width: number };
  /** The expression that designates it: the place of a load or store. */
  readonly node: Node;
}

/** One function being inlined. */
export interface Frame {
  readonly owner: FunctionDeclaration | LambdaExpression;
  readonly name: string;
  readonly substitution: Substitution;
  /** By declaration; of a parameter pack its elements. */
  readonly variables: Map<object, Place | readonly Place[]>;
  /** The object of a member function. */
  readonly self?: Place;
  readonly resultType: Type;
  /** Where a returned value goes; for a returned reference the slot its address goes to. */
  readonly result?: Place;
  readonly exit: Block;
  readonly labels: Map<string, Block>;
  readonly breaks: Block[];
  readonly continues: Block[];
  /** Where the labels of a switch being lowered lead. */
  readonly cases: Map<Statement, Block>[];
  readonly caller?: Frame;
  readonly depth: number;
}

export interface LowerOptions {
  /** Such as 90. */
  readonly computeCapability: number;
  /** What nvcc is told; absent: nothing. */
  readonly code?: CodeOptions;
  /** Asked now and then whether the kernel is still wanted. */
  readonly work?: Work | undefined;
}

export interface Lowering {
  readonly context: Context;
  readonly reading: Reading;
  readonly kernel: Kernel;
  readonly builder: Builder;
  readonly options: LowerOptions;
  frame: Frame;
  /** `__shared__` and `__device__` variables met so far, by declaration and instance. */
  readonly statics: Map<string, Place>;
  /** By-value record parameters the kernel writes to: they need a copy of their own. */
  readonly copiedParameters: ReadonlySet<number>;

  /** Something the result depends on and the source does not say; told once. */
  assume(what: string, value: string, why: string): void;
  /** Throws `NotSimulated`. */
  fail(reason: string, node?: Node): never;
  /** Throws `NotSimulated`: `what` has the type that is written there, which is not known. */
  failType(what: string, type: Node, node?: Node): never;
  /**
   * Operations that follow belong to this node; one without a place in the text leaves things as they are. They are numbered
   * by the line that was visited last.
   */
  at(node: Node): void;
  /**
   * Evaluation has come to this node. nvcc numbers an instruction by where the last name, literal or call it evaluated
   * starts: of an access over several lines that is not the first.
   */
  visit(node: Node): void;

  typeOf(expression: Expression): Type;
  /** The type, or undefined where sema does not know it. */
  tryTypeOf(expression: Expression): Type | undefined;
  isLvalue(expression: Expression): boolean;
  constant(type: ScalarType, value: number | bigint): Op;
  /** An `alloca`; `align` in bytes where it is more than the type's. */
  temporary(type: Type, name: string, node: Node, align?: bigint | number | boolean): Place;

  /** Asks whether the kernel is still wanted, and not too large: for what goes through an expression without recursion. */
  spend(): void;
  /** A scalar's value. */
  value(expression: Expression): Op;
  /** A scalar's value converted to a type. */
  valueAs(expression: Expression, type: Type): Op;
  /** The object an lvalue names; of a value a temporary that holds it. */
  place(expression: Expression): Place;
  /** For the effects alone. */
  effect(expression: Expression): void;
  /** Initialises an object. */
  initialise(place: Place, expression: Expression): void;
  /** Runs a constructor, or initialises the members in order; members that nothing is given for become zero. */
  construct(place: Place, args: readonly Expression[], node: Node): void;
  defaultInitialise(place: Place, node: Node): void;
  /** Jumps by a condition, with short circuits. */
  branch(condition: Expression, whenTrue: Block, whenFalse: Block): void;
  statement(statement: Statement): void;
  declare(declaration: VariableDeclaration): void;
  /** A call's value; records are made in `into`, or in a temporary that is returned. */
  call(expression: Expression & { kind: "call" }, into?: Place): Called;
  /** Inlines a function for arguments given as expressions. */
  invoke(resolved: Resolved, args: readonly Expression[], self: Place | undefined, node: Node, into?: Place): Called;
}

/** What a call leaves: a scalar, an object (a record's value, or what a reference refers to), or nothing. */
export type Called =
  | { readonly kind: "value"; readonly op: Op }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "void" };

export const value = (op: Op): Called => ({ kind: "value", op });
export const nothing: Called = { kind: "void" };

export const isPlaceList = (place: Place | readonly Place[] | undefined): place is readonly Place[] => Array.isArray(place);
