/** Name lookup: unqualified, qualified and among a record's members. */
import type { Name, RecordDeclaration } from "../../syntax/ast.ts";
import type { Context, Found } from "./context.ts";
import { type Entity, lastName, type Scope } from "./scope.ts";
import type { RecordInstance, Substitution } from "./types.ts";

const nothing: Found = { entities: [] };

/** What a name refers to, overloads together. */
export function find(context: Context, name: Name, substitution: Substitution | undefined): Found {
  return lookUp(context, name, substitution, () => true);
}

/** In front of `::` only what can have members counts. */
const isQualifier = (entity: Entity): boolean =>
  !["variable", "parameter", "function", "enumerator", "binding", "capture"].includes(entity.kind);

function lookUp(context: Context, name: Name, substitution: Substitution | undefined, counts: (entity: Entity) => boolean): Found {
  const { parts } = name;
  if (parts.length <= 1) {
    // `decltype(e)::`: a type, which `namedType` tells.
    if (parts[0]?.decltype) return nothing;
    if (name.global) return inNamespace(context, context.scopes.root, lastName(name), new Set());
    return unqualified(context, lastName(name), name.start, substitution, counts);
  }
  return context.guard(() => qualifiedMember(context, qualifierOf(name), lastName(name), substitution)) ?? nothing;
}

const qualifiers = new WeakMap<Name, Name>();

/** What stands in front of the last `::`: the same object each time, so that what it names is remembered. */
function qualifierOf(name: Name): Name {
  let known = qualifiers.get(name);
  if (!known) {
    known = { start: name.start, end: name.end, global: name.global, parts: name.parts.slice(0, -1) };
    qualifiers.set(name, known);
  }
  return known;
}

function qualifiedMember(context: Context, qualifier: Name, text: string, substitution: Substitution | undefined): Found {
  const found = lookUp(context, qualifier, substitution, isQualifier);
  for (const entity of found.entities) {
    if (entity.kind !== "namespace") continue;
    const inside = inNamespace(context, entity.scope, text, new Set());
    if (inside.entities.length > 0) return inside;
    // A program may add to a namespace of a library's: `namespace std { template <> struct hash<Key>; }`.
    for (const library of context.scopes.own(context.scopes.builtIn, lastName(qualifier))) {
      if (library.kind === "namespace") return inNamespace(context, library.scope, text, new Set());
    }
  }
  const type = context.namedType(qualifier, substitution);
  if (type?.kind === "record") return context.member(type.record, text);
  if (type?.kind === "enum") {
    const scope = context.scopes.scopeOf.get(type.declaration);
    return scope ? { entities: context.scopes.own(scope, text) } : nothing;
  }
  return nothing;
}

function inNamespace(context: Context, scope: Scope, text: string, seen: Set<object>): Found {
  if (seen.has(scope)) return nothing;
  seen.add(scope);
  const own = resolveUsing(context, context.scopes.own(scope, text), seen);
  if (own.entities.length > 0) return own;
  for (const nominated of nominatedBy(context, scope)) {
    const found = context.guard(() => inNamespace(context, nominated, text, seen));
    if (found && found.entities.length > 0) return found;
  }
  // Names that a header not at hand would declare globally (`::min`, `::float4`).
  return scope.kind === "unit" ? { entities: context.scopes.own(context.scopes.builtIn, text) } : nothing;
}

/** The namespaces that a scope's `using namespace` nominate; while they are being found, none. */
export function nominatedBy(context: Context, scope: Scope): readonly Scope[] {
  if (scope.using.length === 0) return [];
  const { nominated } = context.scopes;
  let known = nominated.get(scope);
  if (!known) {
    nominated.set(scope, []);
    known = scope.using.flatMap((name) =>
      find(context, name, undefined).entities.flatMap((each) => {
        if (each.kind === "namespace") return [each.scope];
        // `using enum Colour;`
        const enumeration = each.kind === "enum" ? context.scopes.scopeOf.get(each.declaration) : undefined;
        return enumeration ? [enumeration] : [];
      }),
    );
    nominated.set(scope, known);
  }
  return known;
}

/**
 * `using a::b;` and namespace aliases stand for what they name.
 * @param seen the scopes and names that this look-up has come through: aliases may name each other in a circle
 */
function resolveUsing(context: Context, entities: readonly Entity[], seen: Set<object>): Found {
  if (!entities.some((each) => each.kind === "using")) return { entities };
  const all = new Set<Entity>();
  let record: RecordInstance | undefined;
  for (const entity of entities) {
    if (entity.kind !== "using") {
      all.add(entity);
      continue;
    }
    if (seen.has(entity)) continue;
    seen.add(entity);
    // The name after `using` is looked up outside, lest it find itself.
    const { name } = entity;
    const outer = name.parts.length > 1 ? context.find(name, undefined) : context.guard(() => findOutside(context, name, entity, seen));
    record ??= outer?.record;
    for (const each of outer?.entities ?? []) all.add(each);
  }
  return record ? { entities: [...all], record } : { entities: [...all] };
}

function findOutside(context: Context, name: Name, self: Entity, seen: Set<object>): Found {
  for (let at: Scope | undefined = self.home; at; at = at.parent) {
    const entities = context.scopes.own(at, lastName(name)).filter((each) => each !== self);
    if (entities.length > 0) return resolveUsing(context, entities, seen);
  }
  return nothing;
}

/** From the scope around `offset` outwards. In blocks only what is declared before counts. */
function unqualified(
  context: Context,
  text: string,
  offset: number,
  substitution: Substitution | undefined,
  counts: (entity: Entity) => boolean,
): Found {
  for (let at: Scope | undefined = context.scopes.at(offset); at; at = at.parent) {
    if (at.kind === "record") {
      const declaration = at.owner as RecordDeclaration;
      const instance = context.currentRecord(declaration, substitution);
      const found = instance ? context.member(instance, text) : { entities: context.scopes.own(at, text) };
      if (found.entities.length > 0 && !found.entities.every((each) => each.kind === "function" && each.declaration.role === "constructor"))
        return found;
      // The injected class name: inside its own body a template's name without arguments is the instance. Without an
      // instance the name is found outside, where the template is declared.
      if (instance && at.parent && lastName(declaration.name) === text)
        return { entities: [{ kind: "record", declaration: instance.template, home: at.parent }], record: instance };
      continue;
    }
    const own = context.scopes.own(at, text);
    if (own.length > 0) {
      const local = at.kind === "block" || at.kind === "function" || at.kind === "lambda";
      const visible = own.filter((each) => counts(each) && (!local || declaredBefore(each, offset)));
      const found = resolveUsing(context, visible, new Set());
      if (found.entities.length > 0) return found;
    }
    for (const nominated of nominatedBy(context, at)) {
      const found = nominated === at ? nothing : inNamespace(context, nominated, text, new Set());
      if (found.entities.length > 0) return found;
    }
  }
  return nothing;
}

function declaredBefore(entity: Entity, offset: number): boolean {
  return !("declaration" in entity) || entity.declaration.start <= offset;
}

/** A member of a record or, failing that, of its bases. */
export function member(context: Context, record: RecordInstance, text: string, seen = new Set<RecordInstance>()): Found {
  // A record may be a base of several bases.
  seen.add(record);
  const scope = context.scopes.scopeOf.get(record.declaration);
  const own = scope ? resolveUsing(context, context.scopes.own(scope, text), new Set()) : nothing;
  if (own.entities.length > 0) return { record, ...own };
  for (const base of record.declaration.bases) {
    const type = context.typeFrom(base.type, record.substitution);
    if (type?.kind !== "record" || seen.has(type.record)) continue;
    const found = context.guard(() => member(context, type.record, text, seen));
    if (found && found.entities.length > 0) return found;
  }
  return nothing;
}
