/** Types after lookup, canonical: two equal types have equal `typeName`s. */
import type { EnumDeclaration, FunctionDeclaration, RecordDeclaration } from "../../syntax/ast.ts";

export type IntegerName = "bool" | "char" | "schar" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" | "longlong" | "ulonglong";
export type FloatName = "float" | "double" | "half" | "bfloat16";

export type Type = { readonly const?: boolean; readonly volatile?: boolean } & (
  | { readonly kind: "void" }
  | { readonly kind: "integer"; readonly name: IntegerName }
  | { readonly kind: "floating"; readonly name: FloatName }
  | { readonly kind: "pointer"; readonly to: Type; readonly restrict?: boolean }
  | { readonly kind: "reference"; readonly to: Type; readonly rvalue: boolean }
  | { readonly kind: "array"; readonly of: Type; readonly size: number | undefined }
  /** `float4`, `dim3`, `half2`... are records too, with a declaration built in. */
  | { readonly kind: "record"; readonly record: RecordInstance }
  | { readonly kind: "enum"; readonly declaration: EnumDeclaration; readonly underlying: IntegerName }
  | { readonly kind: "function"; readonly declarations: readonly FunctionDeclaration[] }
  | { readonly kind: "lambda"; readonly lambda: object; readonly substitution: Substitution });

export interface RecordInstance {
  readonly name: string;
  readonly declaration?: RecordDeclaration;
  readonly substitution: Substitution;
}

/** What template parameters stand for in one instantiation, by name; inner scopes shadow through `outer`. */
export interface Substitution {
  readonly values: ReadonlyMap<string, Type | bigint | number | boolean | readonly (Type | bigint | number | boolean)[]>;
  readonly outer?: Substitution;
}
