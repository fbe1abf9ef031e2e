/** Parameter packs expanded in argument lists. */
import type { Expression } from "../../syntax/ast.ts";
import { Memo } from "./memo.ts";
import type { Recursion } from "./recursion.ts";
import { packElement, packNames } from "./template-values.ts";
import type { Substitution } from "./types.ts";

export class Packs {
  readonly #expanded: Memo<readonly Expression[]>;
  readonly #own = new WeakMap<Expression, Substitution>();

  constructor(recursion: Recursion) {
    this.#expanded = new Memo(recursion);
  }

  substitutionOf(expression: Expression): Substitution | undefined {
    return this.#own.get(expression);
  }

  /** The same list when there is nothing to expand. */
  expand(expressions: readonly Expression[], substitution: Substitution | undefined): readonly Expression[] {
    if (!expressions.some((each) => each.kind === "pack")) return expressions;
    return expressions.flatMap((each) =>
      each.kind === "pack" ? (this.#expanded.get(each, substitution, () => this.#elements(each, substitution)) ?? []) : [each],
    );
  }

  #elements(pack: Expression & { kind: "pack" }, substitution: Substitution | undefined): readonly Expression[] {
    const packs = packNames(pack.pattern, substitution);
    return Array.from({ length: packs[0]?.length ?? 0 }, (_, index) => {
      const element = { ...pack.pattern };
      this.#own.set(element, packElement(packs, index, substitution));
      return element;
    });
  }
}
