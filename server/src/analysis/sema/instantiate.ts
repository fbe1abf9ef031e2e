/** Records with their template arguments: one object an instance, the fitting specialisation chosen. */
import type { RecordDeclaration, TemplateArgument } from "../../syntax/ast.ts";
import { isSatisfied } from "./constraints.ts";
import type { Context, TemplateValues } from "./context.ts";
import { deduceValue } from "./deduce.ts";
import { lastName } from "./scope.ts";
import { bindParameters, templateValue } from "./template-values.ts";
import { identity, isPack, valueKey, valueName } from "./type-tools.ts";
import type { RecordInstance, Substitution, TemplateValue } from "./types.ts";

/** Keeps the instances made so far. */
export class Instances {
  readonly #known = new Map<string, RecordInstance>();

  instantiate(
    context: Context,
    template: RecordDeclaration,
    values: readonly TemplateValues[],
    substitution: Substitution | undefined,
  ): RecordInstance | undefined {
    const declared = definitionOf(context, template);
    const outer = outerOf(context, declared, substitution);
    let given = values;
    if (declared.templateParameters) {
      const bound = context.guard(() => bindParameters(context, declared.templateParameters ?? [], values, outer));
      if (!bound) return undefined;
      given = [...bound.values.values()];
    }
    const key = `${identity(declared)}${outer ? `@${identity(outer)}` : ""}<${given.map(valueKey).join(";")}>`;
    const known = this.#known.get(key);
    if (known) return known;
    const chosen = specialisation(context, template, declared, given, outer);
    const name = given.length > 0 ? nameOf(lastName(declared.name), given) : lastName(declared.name) || `(unnamed ${declared.tag})`;
    const record: { -readonly [K in keyof RecordInstance]: RecordInstance[K] } = {
      name,
      declaration: chosen.declaration,
      template: declared,
      arguments: given,
      substitution: { values: chosen.values },
    };
    record.substitution = outer ? { values: chosen.values, outer, record } : { values: chosen.values, record };
    this.#known.set(key, record);
    return record;
  }
}

/** Characters of a name: instances of instances may have names without end. */
const longestName = 1000;

function nameOf(template: string, given: readonly TemplateValues[]): string {
  const name = `${template}<${given.map(valueName).join(", ")}>`;
  return name.length > longestName ? `${template}<...>` : name;
}

/** The definition of a record that was only announced. */
function definitionOf(context: Context, declaration: RecordDeclaration): RecordDeclaration {
  if (declaration.members) return declaration;
  const scope = context.scopes.scopeOf.get(declaration);
  const home = declaration.templateParameters ? scope?.parent?.parent : scope?.parent;
  for (const entity of home ? context.scopes.own(home, lastName(declaration.name)) : []) {
    if (entity.kind === "record" && entity.declaration.members && !entity.declaration.name?.parts.at(-1)?.templateArguments)
      return entity.declaration;
  }
  return declaration;
}

/** The substitution around a record: its outer record's instance; for a local record the function's; none at namespace level. */
function outerOf(context: Context, declaration: RecordDeclaration, substitution: Substitution | undefined): Substitution | undefined {
  const owner = context.scopes.records.get(declaration);
  if (owner) {
    for (let at = substitution; at; at = at.outer) if (at.record?.declaration === owner) return at;
    return context.currentRecord(owner, undefined)?.substitution;
  }
  for (let at = context.scopes.scopeOf.get(declaration)?.parent; at; at = at.parent) {
    if (at.kind === "function" || at.kind === "lambda") return substitution;
  }
  return undefined;
}

function specialisation(
  context: Context,
  template: RecordDeclaration,
  declared: RecordDeclaration,
  given: readonly TemplateValues[],
  outer: Substitution | undefined,
): { readonly declaration: RecordDeclaration; readonly values: ReadonlyMap<string, TemplateValues> } {
  const candidates = [
    ...(context.scopes.specialisations.get(declared) ?? []),
    ...(template === declared ? [] : (context.scopes.specialisations.get(template) ?? [])),
  ];
  let best: { declaration: RecordDeclaration; values: Map<string, TemplateValues>; free: number } | undefined;
  for (const candidate of candidates) {
    if (!candidate.members) continue;
    const bound = matchSpecialisation(context, candidate, given, outer);
    // Fewer parameters of its own: more is fixed, so it is the more special.
    if (bound && (!best || bound.size < best.free)) best = { declaration: candidate, values: bound, free: bound.size };
  }
  if (best) return best;
  const names = declared.templateParameters ?? [];
  return { declaration: declared, values: new Map(names.map((parameter, index) => [parameter.name ?? `#${index}`, given[index] ?? []])) };
}

function matchSpecialisation(
  context: Context,
  candidate: RecordDeclaration,
  given: readonly TemplateValues[],
  outer: Substitution | undefined,
): Map<string, TemplateValues> | undefined {
  const patterns = candidate.name?.parts.at(-1)?.templateArguments ?? [];
  const values = matchArguments(
    context,
    patterns,
    candidate.templateParameters ?? [],
    given.flatMap((each): readonly TemplateValue[] => (isPack(each) ? each : [each])),
    outer,
  );
  const bound = values && (outer ? { values, outer } : { values });
  return bound && isSatisfied(context, candidate.templateParameters ?? [], candidate.constraint, bound) ? values : undefined;
}

/** Deduces parameters so that the patterns equal the values. */
function matchArguments(
  context: Context,
  patterns: readonly TemplateArgument[],
  parameters: NonNullable<RecordDeclaration["templateParameters"]>,
  values: readonly TemplateValue[],
  outer: Substitution | undefined,
): Map<string, TemplateValues> | undefined {
  const bound = new Map<string, TemplateValues>();
  const names = new Set(parameters.flatMap((each) => (each.name ? [each.name] : [])));
  for (const [index, pattern] of patterns.entries()) {
    if (pattern.pack) {
      const text =
        pattern.kind === "type" && pattern.type.kind === "named"
          ? lastName(pattern.type.name)
          : pattern.kind === "expression" && pattern.expression.kind === "name"
            ? lastName(pattern.expression.name)
            : "";
      bound.set(text, values.slice(index));
      return bound;
    }
    const value = values[index];
    if (value === undefined) return undefined;
    const state = { context, names, bound, outer };
    if (!deduceValue(state, pattern, value)) return undefined;
  }
  if (values.length > patterns.length) return undefined;
  // What deduction left open (`enable_if` conditions and constants) must come out equal.
  const substitution: Substitution = outer ? { values: bound, outer } : { values: bound };
  for (const [index, pattern] of patterns.entries()) {
    const value = values[index];
    const again = templateValue(context, pattern, undefined, substitution);
    if (value === undefined || again === undefined || valueKey(again) !== valueKey(value)) return undefined;
  }
  return bound;
}

/** The instance a substitution stands in, or that of a record that needs no arguments. */
export function currentRecord(
  context: Context,
  declaration: RecordDeclaration,
  substitution: Substitution | undefined,
): RecordInstance | undefined {
  for (let at = substitution; at; at = at.outer) {
    if (at.record && (at.record.declaration === declaration || at.record.template === declaration)) return at.record;
  }
  if (declaration.templateParameters) return undefined;
  const owner = context.scopes.records.get(declaration);
  if (owner?.templateParameters && !context.currentRecord(owner, substitution)) return undefined;
  return context.instantiate(declaration, [], substitution);
}
