/** One walk over a file's syntax tree, remembered: parents, nodes by kind, and which of them run on the device. */

import type { Semantics } from "../../analysis/sema/index.ts";
import type {
  Declaration,
  Expression,
  FunctionDeclaration,
  Node,
  ParameterDeclaration,
  Statement,
  TranslationUnit,
} from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";
import { childrenOf, declaration, expression, type Item } from "./children.ts";

type Lambda = Expression & { readonly kind: "lambda" };
/**
 * Whether two nodes are the same part of the text. A clarified expression is another object than the one its parent holds,
 * so identity does not tell.
 */
export const sameSpan = (a: Node, b: Node | undefined): boolean => b !== undefined && a.start === b.start && a.end === b.end;

/** Whether a declaration stands in this file or a header it includes, and is not the library's. */
export const isOwn = (declaration: Declaration | ParameterDeclaration): boolean => declaration.start >= 0;

/** A function definition or lambda, and whether its body is compiled for the device. */
export interface Code {
  readonly function: FunctionDeclaration | Lambda;
  readonly device: boolean;
  /** For a lambda: the code it stands in. */
  readonly outer: Code | undefined;
}

type OfKind<T extends { readonly kind: string }, K extends T["kind"]> = Extract<T, { readonly kind: K }>;

export class SyntaxIndex {
  readonly #reading: Reading;
  readonly #parents = new Map<Node, Item>();
  readonly #codes = new Map<Node, Code>();
  readonly #expressions = new Map<string, Expression[]>();
  readonly #statements = new Map<string, Statement[]>();
  #copies: ReadonlyMap<string, number> | undefined;

  /** @param semantics tells what the parser cannot: `(T)(x)` is entered as the cast it is */
  constructor(unit: TranslationUnit, reading: Reading, semantics: Semantics) {
    this.#reading = reading;
    const pending: { item: Item; parent: Item | undefined; code: Code | undefined }[] = unit.declarations
      .map((node) => ({ item: declaration(node), parent: undefined, code: undefined }))
      .reverse();
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { parent } = next;
      const item: Item = next.item.role === "expression" ? expression(semantics.clarify(next.item.node)) : next.item;
      if (parent) this.#parents.set(item.node, parent);
      const code = codeOf(item, next.code);
      if (code) this.#codes.set(item.node, code);
      if (item.role === "expression") push(this.#expressions, item.node);
      if (item.role === "statement") push(this.#statements, item.node);
      for (const child of childrenOf(item).reverse()) pending.push({ item: child, parent: item, code });
    }
  }

  /** Every expression of a kind, in source order. */
  expressions<K extends Expression["kind"]>(kind: K): readonly OfKind<Expression, K>[] {
    return (this.#expressions.get(kind) ?? []).filter((node): node is OfKind<Expression, K> => node.kind === kind);
  }

  /** Every statement of a kind, in source order. */
  statements<K extends Statement["kind"]>(kind: K): readonly OfKind<Statement, K>[] {
    return (this.#statements.get(kind) ?? []).filter((node): node is OfKind<Statement, K> => node.kind === kind);
  }

  parent(node: Node): Item | undefined {
    return this.#parents.get(node);
  }

  /** From the parent outwards. */
  *ancestors(node: Node): Generator<Item> {
    for (let item = this.#parents.get(node); item; item = this.#parents.get(item.node)) yield item;
  }

  /** The function or lambda a node stands in. */
  code(node: Node): Code | undefined {
    return this.#codes.get(node);
  }

  inDevice(node: Node): boolean {
    return this.#codes.get(node)?.device ?? false;
  }

  /**
   * How often the text of a node that a macro's body spells was expanded, over expressions of every kind: a fix in the
   * body is right only when all of these agree.
   */
  copies(node: Node): number {
    this.#copies ??= this.#countCopies();
    return this.#copies.get(this.#spelling(node) ?? "") ?? 0;
  }

  #countCopies(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const nodes of this.#expressions.values()) {
      for (const node of nodes) {
        const key = this.#spelling(node);
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return counts;
  }

  #spelling(node: Node): string | undefined {
    const place = this.#reading.spelled(node.start, node.end);
    const kind = "kind" in node ? node.kind : "";
    return place?.macro === undefined ? undefined : `${kind} ${place.file}:${place.start}-${place.end}`;
  }
}

function codeOf(item: Item, outer: Code | undefined): Code | undefined {
  const { node } = item;
  if (item.role === "declaration" && node.kind === "function" && "body" in node) {
    const { global, device } = node.specifiers;
    return { function: node, device: Boolean(global || device), outer: undefined };
  }
  if (item.role === "expression" && node.kind === "lambda") {
    const { global, device, host } = node.specifiers;
    return { function: node, device: Boolean(global || device) || (!host && (outer?.device ?? false)), outer };
  }
  return outer;
}

function push<T extends { readonly kind: string }>(lists: Map<string, T[]>, node: T): void {
  const list = lists.get(node.kind);
  if (list) list.push(node);
  else lists.set(node.kind, [node]);
}
