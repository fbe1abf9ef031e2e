/** Remembering what is known of a node under a substitution. */
import type { Substitution } from "./types.ts";

const none: Substitution = { values: new Map() };

/** Work on (node, substitution), done once. While it is under way, asking again gives undefined: nothing may rest on itself. */
export class Memo<T> {
  readonly #known = new WeakMap<object, WeakMap<Substitution, T | undefined>>();

  get(node: object, substitution: Substitution | undefined, work: () => T | undefined): T | undefined {
    let known = this.#known.get(node);
    if (!known) this.#known.set(node, (known = new WeakMap()));
    const key = substitution ?? none;
    if (known.has(key)) return known.get(key);
    known.set(key, undefined);
    const value = work();
    if (value === undefined) known.delete(key);
    else known.set(key, value);
    return value;
  }
}
