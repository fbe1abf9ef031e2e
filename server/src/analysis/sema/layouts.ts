/** How objects lie in memory: records, and what lambdas take with them. */
import type { LambdaCapture, ParameterDeclaration, VariableDeclaration } from "../../syntax/ast.ts";
import type { RecordInstance, Type } from "./types.ts";

export interface Field {
  /** "" for an anonymous struct or union, whose members count as the outer record's. */
  readonly name: string;
  readonly type: Type;
  /** In bytes from the record's start. */
  readonly offset: number;
  /** A bit-field: `width` bits from bit `bit` of the unit at `offset`. */
  readonly bits?: { readonly bit: number; readonly width: number };
  readonly declaration?: VariableDeclaration;
}

export interface Layout {
  readonly size: number;
  readonly align: number;
  readonly bases: readonly { readonly record: RecordInstance; readonly offset: number }[];
  readonly fields: readonly Field[];
  readonly union: boolean;
  /** Has a virtual function table pointer in front. */
  readonly polymorphic: boolean;
}

export interface CaptureField {
  /** What the body refers to: the captured variable's declaration, the capture itself for `[x = e]`, "this" for the object. */
  readonly of: VariableDeclaration | ParameterDeclaration | LambdaCapture | "this";
  readonly name: string;
  /** The type as the body sees it; a reference capture is kept as a pointer to it. */
  readonly type: Type;
  readonly byReference: boolean;
  /** In bytes from the lambda object's start. */
  readonly offset: number;
}

export interface CaptureLayout {
  readonly fields: readonly CaptureField[];
  readonly size: number;
  readonly align: number;
}
