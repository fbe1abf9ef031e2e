/** Remembering what is known of a node under a substitution. */
import { Question, type Recursion } from "./recursion.ts";
import type { Substitution } from "./types.ts";

const none: Substitution = { values: new Map() };

/** What nothing is known of, whoever asks. */
const unknown = Symbol("unknown");

/**
 * Work on (node, substitution), done once, whether it gives an answer or shows that there is none. While it is under way, asking again
 * gives undefined: nothing may rest on itself.
 */
export class Memo<T> {
  readonly #known = new WeakMap<object, WeakMap<Substitution, T | typeof unknown | Question>>();
  readonly #recursion: Recursion;

  constructor(recursion: Recursion) {
    this.#recursion = recursion;
  }

  /** Whether asking leads no deeper. */
  has(node: object, substitution: Substitution | undefined): boolean {
    const known = this.#known.get(node)?.get(substitution ?? none);
    return known !== undefined && (!(known instanceof Question) || known === this.#recursion.question);
  }

  get(node: object, substitution: Substitution | undefined, work: () => T | undefined): T | undefined {
    const recursion = this.#recursion;
    let known = this.#known.get(node);
    if (!known) this.#known.set(node, (known = new WeakMap()));
    const key = substitution ?? none;
    const before = known.get(key);
    if (before === unknown) return undefined;
    if (before instanceof Question) {
      if (before === recursion.question) {
        recursion.cutShort();
        return undefined;
      }
    } else if (before !== undefined) return before;
    known.set(key, recursion.question);
    const cut = recursion.cut;
    const { question } = recursion;
    const value = recursion.ask(work);
    known.set(key, value ?? (recursion.cut === cut ? unknown : question));
    return value;
  }
}
