/** The type a value says it has. */
import { promotedName } from "../../sema/arithmetic-types.ts";
import type { HostType, Value } from "./model.ts";
import { isFloat } from "./values.ts";

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
    case "string":
      return { kind: "pointer", to: { kind: "integer", name: "char", const: true } };
    default:
      return undefined;
  }
}
