/** Scopes, and what names in them may stand for. */
import type {
  Declaration,
  EnumDeclaration,
  FunctionDeclaration,
  LambdaCapture,
  Name,
  ParameterDeclaration,
  RecordDeclaration,
  TemplateParameter,
  VariableDeclaration,
} from "../../syntax/ast.ts";
import type { LambdaExpression, Type } from "./types.ts";

export type AliasDeclaration = Declaration & { readonly kind: "alias" };

export type Entity =
  | { readonly kind: "variable"; readonly declaration: VariableDeclaration; readonly home: Scope }
  | { readonly kind: "parameter"; readonly declaration: ParameterDeclaration; readonly home: Scope }
  | { readonly kind: "function"; readonly declaration: FunctionDeclaration; readonly home: Scope }
  | { readonly kind: "record"; readonly declaration: RecordDeclaration; readonly home: Scope }
  | { readonly kind: "enum"; readonly declaration: EnumDeclaration; readonly home: Scope }
  | { readonly kind: "enumerator"; readonly declaration: EnumDeclaration; readonly index: number; readonly home: Scope }
  | { readonly kind: "alias"; readonly declaration: AliasDeclaration; readonly home: Scope }
  | { readonly kind: "template-parameter"; readonly parameter: TemplateParameter; readonly home: Scope }
  | { readonly kind: "binding"; readonly declaration: VariableDeclaration; readonly index: number; readonly home: Scope }
  | { readonly kind: "capture"; readonly capture: LambdaCapture; readonly home: Scope }
  | { readonly kind: "namespace"; readonly scope: Scope; readonly home: Scope }
  /** `using ns::name;`, looked up when needed. */
  | { readonly kind: "using"; readonly name: Name; readonly home: Scope }
  /** Known without a declaration: `size_t`, `INT_MAX`. */
  | { readonly kind: "built-in type"; readonly type: Type; readonly home: Scope }
  | { readonly kind: "built-in constant"; readonly type: Type; readonly value: bigint | number; readonly home: Scope };

export interface Scope {
  readonly kind: "built-in" | "unit" | "namespace" | "record" | "enum" | "function" | "block" | "lambda";
  start: number;
  end: number;
  /** Where names that are not here are looked for next. */
  parent: Scope | undefined;
  readonly names: Map<string, Entity[]>;
  /** Namespaces that `using namespace` nominates. */
  readonly using: Name[];
  readonly children: Scope[];
  readonly owner?: FunctionDeclaration | RecordDeclaration | LambdaExpression | EnumDeclaration;
  fill?: (() => void) | undefined;
}

/** A declaration that is made when its name is first asked for. */
export type LateDeclaration = readonly [name: string, make: () => Declaration];

/** Names of which the declarations are made, and declared, when they are first asked for. */
export class LateNames extends Map<string, Entity[]> {
  readonly #late = new Map<string, LateDeclaration[]>();
  readonly #declare: (declaration: Declaration) => void;

  constructor(late: readonly LateDeclaration[], declare: (declaration: Declaration) => void) {
    super();
    this.#declare = declare;
    for (const each of late) {
      const [name] = each;
      const known = this.#late.get(name);
      if (known) known.push(each);
      else this.#late.set(name, [each]);
    }
  }

  override get(name: string): Entity[] | undefined {
    const late = this.#late.get(name);
    if (late) {
      this.#late.delete(name);
      for (const [, make] of late) this.#declare(make());
    }
    return super.get(name);
  }
}

/** The last part of a name; spaces in operators' names taken out. */
export function lastName(name: Name | undefined): string {
  const text = name?.parts.at(-1)?.text ?? "";
  return text.startsWith("operator") && !/^operator\s+[A-Za-z_]/.test(text) ? text.replaceAll(" ", "") : text;
}

export const scope = (kind: Scope["kind"], place: { readonly start: number; readonly end: number }, parent: Scope | undefined): Scope => ({
  kind,
  start: place.start,
  end: place.end,
  parent,
  names: new Map(),
  using: [],
  children: [],
});

/** Keeps children in source order; nearly always the new one is the last. */
export function insert(parent: Scope, child: Scope): void {
  let at = parent.children.length;
  while (at > 0 && (parent.children[at - 1]?.start ?? 0) > child.start) at--;
  parent.children.splice(at, 0, child);
}

/** Children stand in source order, so the last that starts at or before the offset is the one, if it reaches that far. */
export function childAt(children: readonly Scope[], offset: number): Scope | undefined {
  let low = 0;
  let high = children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((children[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const found = children[low - 1];
  return found && offset < found.end ? found : undefined;
}
