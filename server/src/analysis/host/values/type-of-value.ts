/** The type a value says it has. */
import { promotedName } from "../../sema/arithmetic-types.ts";
import { emptySubstitution, sameUnqualified } from "../../sema/type-tools.ts";
import type { HostType, Value } from "./model.ts";
import { isFloat } from "./values.ts";

/** Two types are known and the same; qualifiers are no difference, nor what containers hold. */
export function sameHostType(a: HostType | undefined, b: HostType | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.kind === "container" || b.kind === "container") return a.kind === b.kind && "name" in a && "name" in b && a.name === b.name;
  return sameUnqualified(a, b);
}

/** Whether a value is of a type: a text is one of a `std::string` as well as a C string. */
export function isOfType(value: Value, type: HostType | undefined): boolean | undefined {
  const isString = type?.kind === "record" ? type.record.name === "string" : type?.kind === "container" && type.name === "string";
  if (isString) return value.kind === "string";
  const own = typeOfValue(value);
  return own === undefined || type === undefined ? undefined : sameHostType(own, type);
}

export function typeOfValue(value: Value): HostType | undefined {
  switch (value.kind) {
    case "int":
      return { kind: "integer", name: value.type };
    case "float":
      return { kind: "floating", name: value.type };
    case "range":
      return isFloat(value.type) ? { kind: "floating", name: value.type } : { kind: "integer", name: promotedName(value.type) };
    case "pointer":
      return value.to === undefined || value.to.kind === "container" ? undefined : { kind: "pointer", to: value.to };
    case "record":
    case "container":
    case "unknown":
      return value.type;
    case "lambda":
      return { kind: "lambda", lambda: value.expression, substitution: value.substitution ?? emptySubstitution };
    case "string":
      return { kind: "pointer", to: { kind: "integer", name: "char", const: true } };
    default:
      return undefined;
  }
}
