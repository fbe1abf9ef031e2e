/** What may matter to what, told by names alone: an item matters to another if the other mentions it, or mentions what mentions it. */
import type { Declaration, Name } from "../../syntax/ast.ts";
import type { Item } from "../../syntax/item.ts";

/** What an item is called by others; undefined where it may matter to all, whether or not they name it. */
export function declaredNames(item: Item): readonly string[] | undefined {
  const known = names.get(item);
  if (known) return known.names;
  const found = new Set<string>();
  const everywhere = item.declarations.some((declaration) => !declare(declaration, found)) || item.declarations.length === 0;
  const result = everywhere ? undefined : [...found];
  names.set(item, { names: result });
  return result;
}

const names = new WeakMap<Item, { readonly names: readonly string[] | undefined }>();

/** False where the declaration has an effect without being named. */
function declare(declaration: Declaration, into: Set<string>): boolean {
  switch (declaration.kind) {
    case "function":
      // Operators are called without their names, constructors and conversions by their class'.
      if (declaration.role === "operator" && declaration.name.parts.length <= 1) return false;
      return addAll(declaration.name, into);
    case "variable":
      for (const binding of declaration.bindings ?? []) into.add(binding);
      inline(declaration.type, into);
      return addAll(declaration.name, into) || (declaration.bindings ?? []).length > 0;
    case "record":
      for (const member of declaration.members ?? []) nested(member, into);
      return declaration.name !== undefined && addAll(declaration.name, into);
    case "enum":
      for (const { name } of declaration.enumerators) into.add(name);
      return declaration.name === undefined || addAll(declaration.name, into);
    case "alias":
      into.add(declaration.name);
      inline(declaration.type, into);
      return true;
    case "using":
      return !declaration.namespace && addAll(declaration.name, into);
    case "namespace-alias":
      into.add(declaration.name);
      return true;
    case "instantiation":
    case "static-assert":
      return true;
    default:
      return false;
  }
}

/** What is declared in a record is mostly reached through it, but for what it declares for others. */
function nested(member: Declaration, into: Set<string>): void {
  if (member.kind === "record" || member.kind === "enum" || (member.kind === "function" && member.specifiers.friend)) declare(member, into);
}

function inline(type: { readonly kind: string }, into: Set<string>): void {
  if (type.kind === "inline") declare((type as { readonly kind: "inline"; readonly declaration: Declaration }).declaration, into);
}

function addAll({ parts }: Name, into: Set<string>): boolean {
  for (const { text } of parts) into.add(text);
  return parts.length > 0;
}

/** The words of what an item tells others: of a function its head, unless its body is others' matter too. */
export function headWords(item: Item): ReadonlySet<string> {
  const [only, ...others] = item.declarations;
  if (only?.kind !== "function" || others.length > 0 || !only.body) return item.words;
  const known = heads.get(item);
  if (known) return known;
  const found = new Set(item.text.slice(0, Math.max(0, only.body.start - item.base)).match(/[A-Za-z_]\w*/g));
  heads.set(item, found);
  return found;
}

const heads = new WeakMap<Item, ReadonlySet<string>>();

/** Items that are listed as what another rests on: each item has a list, so that longer ones cost the square of a file's length. */
const mostListed = 400;

/** Finds items by the names they declare. */
export class Mentions {
  readonly #byName = new Map<string, Item[]>();
  readonly #everywhere: Item[] = [];

  constructor(items: readonly Item[]) {
    for (const item of items) {
      const declared = declaredNames(item);
      if (!declared) this.#everywhere.push(item);
      for (const name of declared ?? []) {
        const known = this.#byName.get(name);
        if (known) known.push(item);
        else this.#byName.set(name, [item]);
      }
    }
  }

  /**
   * The items that may matter to one, without itself. `through`: the words by which an item that matters leads to more, those of its
   * head where bodies are nobody else's matter. Undefined where they are more than anybody should list for every item.
   */
  reach(from: Item, through: (item: Item) => ReadonlySet<string>): readonly Item[] | undefined {
    if (this.#everywhere.length > mostListed) return undefined;
    const seen = new Set<Item>([from, ...this.#everywhere]);
    const words = new Set<string>();
    const pending: Item[] = [];
    const follow = (mentioned: ReadonlySet<string>): void => {
      for (const word of mentioned) {
        if (words.has(word)) continue;
        words.add(word);
        for (const item of this.#byName.get(word) ?? []) {
          // A name may have as many declarations as the file.
          if (seen.size > mostListed) return;
          if (seen.has(item)) continue;
          seen.add(item);
          pending.push(item);
        }
      }
    };
    follow(from.words);
    for (const item of this.#everywhere) follow(through(item));
    for (let item = pending.pop(); item && seen.size <= mostListed; item = pending.pop()) follow(through(item));
    if (seen.size > mostListed) return undefined;
    seen.delete(from);
    return [...seen];
  }
}
