/** Whether two values are known to be the same. */
import type { Value } from "./model.ts";

export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "int":
      return b.kind === "int" && a.value === b.value;
    case "float":
      return b.kind === "float" && Object.is(a.value, b.value);
    case "range":
      return b.kind === "range" && a.lo === b.lo && a.hi === b.hi;
    case "pointer":
      return b.kind === "pointer" && a.target === b.target && a.offset === b.offset && a.offset !== undefined;
    case "string":
      return b.kind === "string" && a.text === b.text;
    case "container":
      return b.kind === "container" && a.storage === b.storage && sameValue(a.size, b.size);
    case "function":
      return b.kind === "function" && a.candidates[0] === b.candidates[0] && a.candidates.length === b.candidates.length;
    case "void":
      return true;
    default:
      return false;
  }
}
