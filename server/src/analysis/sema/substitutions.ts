import type { TemplateValues } from "./context.ts";
import { identity, valueKey } from "./type-tools.ts";
import type { Substitution } from "./types.ts";

/** Makes substitutions one object for equal arguments, so that what is known of an instance is found again. */
export class Substitutions {
  readonly #known = new Map<string, Substitution>();

  of(declaration: object, values: ReadonlyMap<string, TemplateValues>, outer: Substitution | undefined): Substitution {
    const key = `${identity(declaration)}@${outer ? identity(outer) : 0}<${[...values].map(([name, value]) => `${name}=${valueKey(value)}`).join(";")}>`;
    let known = this.#known.get(key);
    if (!known) this.#known.set(key, (known = outer ? { values, outer } : { values }));
    return known;
  }
}
