/** Where the object a name names lies. */
import type { Expression, Node, VariableDeclaration } from "../../syntax/ast.ts";
import { boundPart } from "../sema/bindings.ts";
import type { Found } from "../sema/context.ts";
import { baseOffset, findField } from "../sema/layout.ts";
import { type Entity, lastName } from "../sema/scope.ts";
import { bindParameters } from "../sema/template-values.ts";
import { isPack, recordType, referred, substituted, valueName } from "../sema/type-tools.ts";
import type { RecordInstance, Substitution, Type } from "../sema/types.ts";
import { isPlaceList, type Lowering, type Place } from "./emit/lowering.ts";
import { load, part } from "./emit/memory.ts";
import { globalVariable, isImageReference, sharedVariable } from "./statics.ts";

export function placeOfName(lowering: Lowering, expression: Expression & { kind: "name" }): Place {
  const { context, frame } = lowering;
  const { name } = expression;
  lowering.visit(expression);
  const found = context.find(name, frame.substitution);
  for (const entity of found.entities) {
    switch (entity.kind) {
      case "parameter":
      case "variable": {
        const local = localPlace(lowering, entity.declaration, expression);
        if (local) return local;
        if (entity.kind === "parameter") break;
        const { specifiers } = entity.declaration;
        const owner = instanceOf(lowering, entity.declaration, expression, found) ?? ownerSubstitution(lowering, entity, found);
        if (specifiers.shared) return sharedVariable(lowering, entity.declaration, owner, expression);
        if (specifiers.constant || specifiers.device || specifiers.managed)
          return globalVariable(lowering, definitionAmong(found) ?? entity.declaration, owner, expression);
        if (found.record && !specifiers.static) return memberOfSelf(lowering, found.record, lastName(name), expression);
        const type = context.declaredType(entity.declaration, owner);
        if (type && isImageReference(type)) return globalVariable(lowering, entity.declaration, owner, expression);
        const element = type?.kind === "array" ? innermost(type) : type;
        if (type && entity.declaration.init && (specifiers.constexpr || element?.const))
          return globalVariable(lowering, entity.declaration, owner, expression);
        return lowering.fail(`${lastName(name)} is a variable of the host`, expression);
      }
      case "binding": {
        const whole = frame.variables.get(entity.declaration);
        if (whole && !isPlaceList(whole)) return bindingPlace(lowering, whole, entity, expression);
        break;
      }
      case "capture": {
        const place = frame.variables.get(entity.capture);
        if (place && !isPlaceList(place)) return { ...place, node: expression };
        break;
      }
      default:
        break;
    }
  }
  return lowering.fail(`${name.parts.map((each) => each.text).join("::")} is not known here`, expression);
}

const innermost = (type: Type): Type => (type.kind === "array" ? innermost(type.of) : type);

function definitionAmong(found: Found): VariableDeclaration | undefined {
  const variables = found.entities.flatMap((each) => (each.kind === "variable" ? [each.declaration] : []));
  return variables.find((each) => each.init) ?? variables.find((each) => !each.specifiers.extern);
}

/** A function's own shared variable exists once for each instance of the function, whichever lambdas in it name it. */
function ownerSubstitution({ context, frame }: Lowering, { home }: Found["entities"][number], found: Found): Substitution | undefined {
  if (found.record) return found.record.substitution;
  if (home.kind !== "block" && home.kind !== "function" && home.kind !== "lambda") return undefined;
  let { substitution } = frame;
  for (let at = context.scopes.scopeOf.get(frame.owner); at; at = at.parent) {
    if (at === home) return substitution;
    if (at.kind === "lambda") substitution = substitution.outer ?? substitution;
  }
  return frame.substitution;
}

const instances = new WeakMap<VariableDeclaration, Map<string, Substitution>>();

/** What the parameters of a variable template stand for: `mask<float>`. One object for each set of arguments. */
function instanceOf(
  { context, frame }: Lowering,
  declaration: VariableDeclaration,
  { name }: Expression & { kind: "name" },
  found: Found,
): Substitution | undefined {
  const written = name.parts.at(-1)?.templateArguments;
  if (!declaration.templateParameters || !written) return undefined;
  const values = context.templateValues(written, declaration.templateParameters, frame.substitution);
  const bound = values && bindParameters(context, declaration.templateParameters, values, found.record?.substitution);
  if (!bound) return undefined;
  const key = [...bound.values.values()].map((each) => (isPack(each) ? each.map(valueName).join(" ") : valueName(each))).join(", ");
  const known = instances.get(declaration) ?? new Map<string, Substitution>();
  instances.set(declaration, known);
  const same = known.get(key) ?? bound;
  known.set(key, same);
  return same;
}

/** A variable of the function being inlined, or of one around a lambda that is. */
function localPlace(lowering: Lowering, declaration: object, node: Node): Place | undefined {
  const known = lowering.frame.variables.get(declaration);
  if (!known) return undefined;
  if (!isPlaceList(known)) return { ...known, node };
  const index = substituted("#", lowering.frame.substitution);
  const element = typeof index === "bigint" ? known[Number(index)] : undefined;
  return element ? { ...element, node } : lowering.fail("a parameter pack is used without being expanded", node);
}

function bindingPlace(lowering: Lowering, whole: Place, { declaration, index }: Entity & { kind: "binding" }, node: Node): Place {
  const bound = boundPart(lowering.context, whole.type, declaration, index);
  return bound
    ? part(lowering, whole, bound.offset, bound.type, node)
    : lowering.fail("a structured binding of something that is no struct", node);
}

function memberOfSelf(lowering: Lowering, owner: RecordInstance, name: string, node: Node): Place {
  const { self } = lowering.frame;
  if (self?.type.kind !== "record") return lowering.fail(`${name} is a member, used without an object`, node);
  const base = baseOffset(lowering.context, self.type.record, owner);
  const field = findField(lowering.context, self.type.record, name);
  if (base === undefined && !field) return lowering.fail(`${name} is no member of ${self.type.record.name}`, node);
  return memberPlace(lowering, self, name, node);
}

/** A named member of an object; through a reference member what it refers to. */
export function memberPlace(lowering: Lowering, object: Place, name: string, node: Node): Place {
  const { type } = object;
  const field = type.kind === "record" ? findField(lowering.context, type.record, name) : undefined;
  if (!field || type.kind !== "record") return lowering.fail(`there is no member ${name}`, node);
  const qualifiers =
    type.const || type.volatile ? { ...(type.const ? { const: true } : {}), ...(type.volatile ? { volatile: true } : {}) } : {};
  if (field.type.kind === "reference") {
    const slot = part(lowering, object, field.offset, { kind: "pointer", to: field.type.to }, node);
    return { pointer: load(lowering, slot), type: field.type.to, space: "generic", node };
  }
  const place = part(lowering, object, field.offset, { ...referred(field.type), ...qualifiers }, node);
  return field.bits ? { ...place, bits: field.bits } : place;
}

/** `*this` in a member function. */
export function selfPlace(lowering: Lowering, node: Node): Place {
  const { self } = lowering.frame;
  lowering.visit(node);
  return self ? { ...self, node } : lowering.fail("`this` outside a member function", node);
}

/** What an object that is a base of another is part of. */
export function asDerived(lowering: Lowering, place: Place, derived: RecordInstance): Place {
  if (place.type.kind !== "record" || place.type.record === derived) return place;
  const offset = baseOffset(lowering.context, derived, place.type.record);
  if (offset === undefined) return asBase(lowering, place, derived);
  return part(lowering, place, -offset, recordType(derived));
}

/** An object seen as one of its bases. */
export function asBase(lowering: Lowering, place: Place, base: RecordInstance): Place {
  if (place.type.kind !== "record" || place.type.record === base) return place;
  const offset = baseOffset(lowering.context, place.type.record, base);
  return offset === undefined ? place : part(lowering, place, offset, recordType(base));
}
