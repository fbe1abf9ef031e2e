/** Types after lookup, canonical: two equal types have equal `typeName`s. */
import type { EnumDeclaration, Expression, FunctionDeclaration, RecordDeclaration, TemplateArgument } from "../../syntax/ast.ts";

export type IntegerName =
  | "bool"
  | "char"
  | "schar"
  | "uchar"
  | "short"
  | "ushort"
  | "int"
  | "uint"
  | "long"
  | "ulong"
  | "longlong"
  | "ulonglong";
export type FloatName = "float" | "double" | "half" | "bfloat16";
export type LambdaExpression = Expression & { readonly kind: "lambda" };

export type Type = { readonly const?: boolean; readonly volatile?: boolean } & (
  | { readonly kind: "void" }
  /** `bits`: of a bit-field, where host code is followed. */
  | { readonly kind: "integer"; readonly name: IntegerName; readonly bits?: number }
  | { readonly kind: "floating"; readonly name: FloatName }
  | { readonly kind: "pointer"; readonly to: Type; readonly restrict?: boolean }
  | { readonly kind: "reference"; readonly to: Type; readonly rvalue: boolean }
  | { readonly kind: "array"; readonly of: Type; readonly size: number | undefined }
  /** `float4`, `dim3`, `half2`... are records too, with a declaration built in. */
  | { readonly kind: "record"; readonly record: RecordInstance }
  | { readonly kind: "enum"; readonly declaration: EnumDeclaration; readonly underlying: IntegerName }
  /** `explicit`: template arguments that were written, `kernel<float, 4>`, and where; `record`: the class it is a member of. */
  | {
      readonly kind: "function";
      readonly declarations: readonly FunctionDeclaration[];
      readonly explicit?: { readonly arguments: readonly TemplateArgument[]; readonly substitution: Substitution | undefined };
      readonly record?: RecordInstance;
      /** Of a type that names no function: what those return that it stands for. */
      readonly result?: Type;
    }
  /** `lambda` is the expression; its captures are the object's fields (see `Semantics.captures`). */
  | { readonly kind: "lambda"; readonly lambda: LambdaExpression; readonly substitution: Substitution }
);

/** What a template parameter can stand for, but for packs. A template template argument is the record's declaration. */
export type TemplateValue = Type | bigint | number | boolean | RecordDeclaration;

export interface RecordInstance {
  /** With its arguments: `Matrix<float, 4>`. */
  readonly name: string;
  /** Of specialisations, the one chosen. */
  readonly declaration: RecordDeclaration;
  /** The primary template, or the declaration itself. */
  readonly template: RecordDeclaration;
  readonly arguments: readonly (TemplateValue | readonly TemplateValue[])[];
  readonly substitution: Substitution;
}

/** What template parameters stand for in one instantiation, by name; inner scopes shadow through `outer`. */
export interface Substitution {
  readonly values: ReadonlyMap<string, TemplateValue | readonly TemplateValue[]>;
  readonly outer?: Substitution;
  /** The record whose members these parameters are for. */
  readonly record?: RecordInstance;
}
