/**
 * What rules ask of the syntax tree: parents, nodes by kind, and which of them run on the device. Each item is walked when something
 * in it is asked for.
 */

import type { Semantics } from "../../analysis/sema/index.ts";
import type { Declaration, Expression, FunctionDeclaration, Limit, Node, ParameterDeclaration, Statement } from "../../syntax/ast.ts";
import type { Item as SourceItem } from "../../syntax/item.ts";
import type { Reading } from "../../syntax/reading.ts";
import { lastUpTo } from "../../syntax/sorted.ts";
import { walk } from "../../syntax/walk.ts";
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

/** What a file is asked for, beyond the item that is looked at. */
export interface IndexedFile {
  /** Asked only where another item than the one that is looked at matters. */
  items(): readonly SourceItem[];
  readonly reading: Reading;
  readonly semantics: Semantics;
}

/** What `Item.words` takes for a word. */
const isWord = /^[A-Za-z_]\w*$/;

type OfKind<T extends { readonly kind: string }, K extends T["kind"]> = Extract<T, { readonly kind: K }>;

/** One walk over an item. */
class ItemIndex {
  readonly #parents = new Map<Node, Item>();
  readonly #codes = new Map<Node, Code>();
  readonly expressions = new Map<string, Expression[]>();
  readonly statements = new Map<string, Statement[]>();

  /** @param semantics tells what the parser cannot: `(T)(x)` is entered as the cast it is */
  constructor(item: SourceItem, semantics: Semantics) {
    const pending: { item: Item; parent: Item | undefined; code: Code | undefined }[] = item.declarations
      .map((node) => ({ item: declaration(node), parent: undefined, code: undefined }))
      .reverse();
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { parent } = next;
      const each: Item = next.item.role === "expression" ? expression(semantics.clarify(next.item.node)) : next.item;
      if (parent) this.#parents.set(each.node, parent);
      const code = codeOf(each, next.code);
      if (code) this.#codes.set(each.node, code);
      if (each.role === "expression") push(this.expressions, each.node);
      if (each.role === "statement") push(this.statements, each.node);
      for (const child of childrenOf(each).reverse()) pending.push({ item: child, parent: each, code });
    }
  }

  parent(node: Node): Item | undefined {
    return this.#parents.get(node);
  }

  code(node: Node): Code | undefined {
    return this.#codes.get(node);
  }
}

export class SyntaxIndex {
  readonly #file: IndexedFile;
  readonly #looked: SourceItem | undefined;
  readonly #indices: Map<SourceItem, ItemIndex>;
  #sorted: readonly SourceItem[] | undefined;
  #copies: ReadonlyMap<string, number> | undefined;

  /** @param looked the item that is looked at; without one, the whole file is */
  constructor(file: IndexedFile, looked?: SourceItem, indices = new Map<SourceItem, ItemIndex>()) {
    this.#file = file;
    this.#looked = looked;
    this.#indices = indices;
  }

  /** The same, looking at one item. */
  lookingAt(item: SourceItem): SyntaxIndex {
    return new SyntaxIndex(this.#file, item, this.#indices);
  }

  /**
   * Every expression of a kind in what is looked at, in source order.
   * @param text what the text of an item has that holds one of those that are looked for: of a file and its headers most items do not
   * have it, and are not walked
   */
  expressions<K extends Expression["kind"]>(kind: K, text?: RegExp): readonly OfKind<Expression, K>[] {
    const items = this.#looked ? [this.#looked] : this.#file.items();
    return (text ? items.filter((item) => text.test(item.text)) : items).flatMap((item) => this.#expressionsOf(item, kind));
  }

  /** Every expression of a kind in the file, in source order: the answer may change with any item. */
  expressionsEverywhere<K extends Expression["kind"]>(kind: K): readonly OfKind<Expression, K>[] {
    return this.#file.items().flatMap((item) => this.#expressionsOf(item, kind));
  }

  /**
   * Every expression of a kind in the items of the file that have a word, in source order. Of a file and its headers most items do not
   * have it, and are not walked.
   */
  expressionsMentioning<K extends Expression["kind"]>(word: string, kind: K): readonly OfKind<Expression, K>[] {
    return this.itemsMentioning(word).flatMap((item) => this.#expressionsOf(item, kind));
  }

  /** The items of the file that have a word, whatever it stands for there: all of them where it is none, such as an operator's name. */
  itemsMentioning(word: string): readonly SourceItem[] {
    const items = this.#file.items();
    return isWord.test(word) ? items.filter(({ words }) => words.has(word)) : items;
  }

  /** Every statement of a kind in what is looked at, in source order. */
  statements<K extends Statement["kind"]>(kind: K): readonly OfKind<Statement, K>[] {
    return (this.#looked ? [this.#looked] : this.#file.items()).flatMap((item) => this.#statementsOf(item, kind));
  }

  /** Every statement of a kind in the item a node stands in. */
  statementsAround<K extends Statement["kind"]>(node: Node, kind: K): readonly OfKind<Statement, K>[] {
    const item = this.#itemOf(node);
    return item ? this.#statementsOf(item, kind) : [];
  }

  /** Whether a node stands in the item that is looked at. */
  isLookedAt(node: Node): boolean {
    return this.#looked?.holds(node) ?? true;
  }

  /** What was not converted of what is looked at, as it would have led too far: the outermost, in source order. */
  notConverted(): readonly { readonly node: Node; readonly limit: Limit }[] {
    const found: { readonly node: Node; readonly limit: Limit }[] = [];
    for (const item of this.#looked ? [this.#looked] : this.#file.items()) {
      if (!item.isLimited) continue;
      for (const declaration of item.declarations) {
        walk(declaration, (node) => {
          if (node.kind === "unknown" && node.limit) found.push({ node, limit: node.limit });
          return true;
        });
      }
    }
    return found;
  }

  parent(node: Node): Item | undefined {
    return this.#indexOf(node)?.parent(node);
  }

  /** From the parent outwards. */
  *ancestors(node: Node): Generator<Item> {
    const index = this.#indexOf(node);
    for (let item = index?.parent(node); item; item = index?.parent(item.node)) yield item;
  }

  /** The function or lambda a node stands in. */
  code(node: Node): Code | undefined {
    return this.#indexOf(node)?.code(node);
  }

  inDevice(node: Node): boolean {
    return this.code(node)?.device ?? false;
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
    for (const item of this.#file.items()) {
      if (item.expansions.length === 0) continue;
      for (const nodes of this.#index(item).expressions.values()) {
        for (const node of nodes) {
          const key = this.#spelling(node);
          if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      }
    }
    return counts;
  }

  #spelling(node: Node): string | undefined {
    const place = this.#file.reading.spelled(node.start, node.end);
    const kind = "kind" in node ? node.kind : "";
    return place?.macro === undefined ? undefined : `${kind} ${place.file}:${place.start}-${place.end}`;
  }

  #expressionsOf<K extends Expression["kind"]>(item: SourceItem, kind: K): OfKind<Expression, K>[] {
    return (this.#index(item).expressions.get(kind) ?? []).filter((node): node is OfKind<Expression, K> => node.kind === kind);
  }

  #statementsOf<K extends Statement["kind"]>(item: SourceItem, kind: K): OfKind<Statement, K>[] {
    return (this.#index(item).statements.get(kind) ?? []).filter((node): node is OfKind<Statement, K> => node.kind === kind);
  }

  #index(item: SourceItem): ItemIndex {
    const known = this.#indices.get(item);
    if (known) return known;
    const index = new ItemIndex(item, this.#file.semantics);
    this.#indices.set(item, index);
    return index;
  }

  #indexOf(node: Node): ItemIndex | undefined {
    const item = this.#itemOf(node);
    return item && this.#index(item);
  }

  #itemOf(node: Node): SourceItem | undefined {
    if (this.#looked?.holds(node)) return this.#looked;
    this.#sorted ??= [...this.#file.items()].sort((a, b) => a.base - b.base);
    const found = lastUpTo(this.#sorted, node.start, ({ base }) => base);
    return found?.holds(node) ? found : undefined;
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
