/** Members of classes by the instance of the class: its own and those of its bases, each with what the parameters of its class stand for. */
import type { FunctionDeclaration, Name } from "../../../syntax/ast.ts";
import { memberSubstitution } from "../../sema/bind-function.ts";
import { lastName } from "../../sema/scope.ts";
import { valueKey } from "../../sema/type-tools.ts";
import type { RecordInstance, Substitution } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import type { Value } from "../values/model.ts";

export interface Methods {
  readonly functions: readonly FunctionDeclaration[];
  /** Of one of them. */
  substitutionOf(fn: FunctionDeclaration): Substitution | undefined;
}

const none: readonly FunctionDeclaration[] = [];

/** The overloads of a name in a class, or in the first of its bases that has any. */
export function methodsOf(host: Interpreter, record: RecordInstance, name: string): Methods {
  const { context } = host.semantics;
  const found = context.member(record, name);
  const owner = found.record ?? record;
  const all = found.entities.flatMap((entity) => (entity.kind === "function" ? [entity.declaration] : []));
  // A class of another file is not known to the semantics of this one but by its name.
  const isKnown = context.scopes.scopeOf.has(owner.declaration);
  const functions = isKnown ? ofInstance(host, all, owner) : host.globals.methods(lastName(owner.declaration.name), name);
  return {
    functions: functions.length > 0 ? functions : none,
    substitutionOf: (fn) => memberSubstitution(host.substitutions, fn, { entities: found.entities, record: owner }),
  };
}

/** Definitions before declarations, and before those of the template one that is written for just these arguments: `template <> void Net<float>::run()`. */
function ofInstance(host: Interpreter, all: readonly FunctionDeclaration[], owner: RecordInstance): readonly FunctionDeclaration[] {
  const special = all.filter((fn) => fn.specialisation && isFor(host, fn, owner));
  const general = special.length > 0 ? special : all.filter((fn) => !(fn.specialisation && fn.name.parts.at(-2)?.templateArguments));
  const defined = general.filter((fn) => fn.body !== undefined);
  return defined.length > 0 ? defined : general;
}

function isFor(host: Interpreter, fn: FunctionDeclaration, owner: RecordInstance): boolean {
  const written = fn.name.parts.at(-2)?.templateArguments;
  const values = written && host.semantics.context.templateValues(written, owner.template.templateParameters, undefined);
  return values?.every((value, k) => valueKey(value) === valueKey(owner.arguments[k] ?? [])) ?? false;
}

export function constructorsOf(host: Interpreter, record: RecordInstance): Methods {
  const name = lastName(record.declaration.name);
  const methods = methodsOf(host, record, name);
  return { ...methods, functions: methods.functions.filter((fn) => fn.role === "constructor" || fn.role === undefined) };
}

/** The instance of a class that an object is of. */
export function instanceOf(value: Value): RecordInstance | undefined {
  return value.kind === "record" && value.type?.kind === "record" ? value.type.record : undefined;
}

/** The class that stands in front of the last `::` of a name. */
export function qualifier(host: Interpreter, name: Name): RecordInstance | undefined {
  const parts = name.parts.slice(0, -1);
  if (parts.length === 0 || parts[0]?.text === "std") return undefined;
  const type = hostType(host, { kind: "named", start: name.start, end: name.end, name: qualifierName(name) });
  return type?.kind === "record" ? type.record : undefined;
}

const qualifiers = new WeakMap<Name, Name>();

/** One object for each name, as what it names is remembered by it. */
function qualifierName(name: Name): Name {
  const known = qualifiers.get(name) ?? { ...name, parts: name.parts.slice(0, -1) };
  qualifiers.set(name, known);
  return known;
}

/** Bases of bases that are gone through. */
const mostBases = 8;

/** Whether a class has the name, or a base of it. */
export function isOrDerives(host: Interpreter, record: RecordInstance, owner: string | undefined, depth = 0): boolean {
  if (lastName(record.declaration.name) === owner) return true;
  return depth < mostBases && basesOf(host, record).some((base) => isOrDerives(host, base, owner, depth + 1));
}

export function basesOf(host: Interpreter, { declaration, substitution }: RecordInstance): RecordInstance[] {
  return declaration.bases.flatMap(({ type }) => {
    const base = hostType(host, type, substitution);
    return base?.kind === "record" ? [base.record] : [];
  });
}
