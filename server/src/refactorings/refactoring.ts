/**
 * What a refactoring is: a change that the user may wish for wherever it applies, whether or not a rule finds a reason for it. One a file,
 * named after what it does; the list of them and their page are generated. It shares the code of the edit with the rules that offer the
 * same as a fix (`rules/support`), and is held to the same proof, except that it may be slower: then its title says so.
 */
import type { Changes, Fix, Guide, RuleContext } from "../rules/rule.ts";
import type { Node } from "../syntax/ast.ts";
import type { Place } from "../syntax/reading.ts";

/** A refactoring where it applies. */
export interface Offer {
  /** Where the cursor may stand. */
  readonly at: readonly (Node | Place)[];
  readonly fix: Fix;
}

export interface Refactoring {
  /** In kebab case; its kind of code action is `refactor.rewrite.` and this. */
  readonly id: string;
  /** One sentence: what it makes of the code. */
  readonly summary: string;
  /** One or two sentences: where it is offered, and what has to hold there. */
  readonly where: string;
  readonly guide: Guide;
  /** Rules that offer the same as the fix of a finding. */
  readonly rules?: readonly string[];
  /** What else it changes, where it is not safe: what its proof is held to. Absent: nothing that a kernel leaves in memory. */
  readonly changes?: Changes;
  /** Read by tests: with the cursor at the first place of `cursor` in `before`, it is offered, proved, and makes `after`. */
  readonly example: { readonly before: string; readonly cursor: string; readonly after: string };
  /** @param context with every launch simulated */
  offers(context: RuleContext): Iterable<Offer>;
}

export const defineRefactoring = (definition: Refactoring): Refactoring => definition;

/** The kind of its code actions. */
export const kindOf = ({ id }: Pick<Refactoring, "id">): string => `refactor.rewrite.${id}`;
