/** Whether two values are known to be the same. */
import { Cell, type LambdaValue, type Value } from "./model.ts";

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

/** The same of objects: all their members are, or what they hold is told in the same words. */
export function isSameObject(a: Value, b: Value): boolean {
  if (sameValue(a, b)) return true;
  if (a.kind === "unknown" && b.kind === "unknown") return true;
  if (a.kind === "lambda" && b.kind === "lambda") return a.expression === b.expression && isSameCapture(a, b);
  if (a.kind !== "record" || b.kind !== "record" || a.name !== b.name || a.members.size !== b.members.size) return false;
  return [...a.members].every(([name, { value }]) => {
    const other = b.members.get(name)?.value;
    return other !== undefined && isSameObject(value, other);
  });
}

function isSameCapture({ captured }: LambdaValue, other: LambdaValue): boolean {
  return [...captured].every(([name, place]) => {
    const taken = other.captured.get(name);
    return place === taken || (place instanceof Cell && taken instanceof Cell && isSameObject(place.value, taken.value));
  });
}
