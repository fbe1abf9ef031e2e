/** Conversions between values, as an assignment, an argument or a cast does them. */
import type { IntegerName } from "../../sema/types.ts";
import { Cell, type HostType, type RecordValue, type Value } from "./model.ts";
import { bounds, float, inputsOf, int, isFloat, nullPointer, range, reasonOf, unknown, unknownOf } from "./values.ts";
import { vectorComponents } from "./vector-types.ts";

/** The value as one of `type`; unchanged where the type says nothing. */
export function convert(value: Value, type: HostType | undefined): Value {
  if (type === undefined) return value;
  switch (type.kind) {
    case "integer":
      // What a bit-field keeps of it, and as what it is read, is not followed.
      return type.bits === undefined ? toInteger(value, type.name, type) : unknown("a bit-field", type);
    case "enum":
      return toInteger(value, type.underlying, type);
    case "floating":
      if (value.kind === "int") return float(Number(value.value), type.name);
      if (value.kind === "float") return value.type === type.name ? value : float(value.value, type.name);
      if (value.kind === "range") return { ...value, type: type.name };
      return unknown(reasonOf(value), type, inputsOf(value));
    case "pointer":
      if (value.kind === "pointer") return value.to === type.to ? value : { ...value, to: type.to };
      if (value.kind === "int" && !value.value) return { ...nullPointer, to: type.to };
      if (value.kind === "unknown") return unknown(value.reason, type, value.inputs);
      return value;
    case "reference":
      return convert(value, type.to);
    case "record":
      return toRecord(value, type);
    default:
      return value;
  }
}

function toInteger(value: Value, name: IntegerName, type: HostType): Value {
  switch (value.kind) {
    case "int":
      return value.type === name ? value : int(value.value, name);
    case "float":
      if (!Number.isFinite(value.value)) return unknown("a conversion of infinity or NaN to an integer", type);
      return name === "bool" ? int(value.value === 0 ? 0 : 1, name) : truncated(value.value, name, type);
    case "range": {
      const [lo, hi] = isFloat(value.type) ? [Math.trunc(value.lo), lastInteger(value.lo, value.hi)] : [value.lo, value.hi];
      const [least, most] = bounds(name);
      return lo < least || hi > most ? range(least, most, name) : range(lo, hi, name);
    }
    case "pointer":
      return name === "bool" ? int(value.target === undefined ? 0 : 1, name) : value;
    case "unknown":
      return { ...value, type };
    default:
      return unknown(reasonOf(value), type);
  }
}

/** Beyond the type's range nothing says what comes out. */
function truncated(value: number, name: IntegerName, type: HostType): Value {
  const whole = Math.trunc(value);
  const [least, most] = bounds(name);
  return whole < least || whole > most ? unknown("a number that its type does not hold", type) : int(BigInt(whole), name);
}

/** The greatest integer that truncating a float of [lo, hi) gives. */
function lastInteger(lo: number, hi: number): number {
  const last = Math.trunc(hi);
  return last === hi && last > Math.trunc(lo) ? last - 1 : last;
}

function toRecord(value: Value, type: HostType & { readonly kind: "record" }): Value {
  const { name } = type.record;
  if (name === "dim3" && (value.kind === "int" || value.kind === "unknown" || value.kind === "range" || value.kind === "float"))
    return dim3(value);
  if (name === "dim3" && value.kind === "record" && value.name !== "dim3") {
    return dim3(value.members.get("x")?.value, value.members.get("y")?.value, value.members.get("z")?.value);
  }
  return value.kind === "unknown" ? unknown(value.reason, type, value.inputs) : value;
}

const unsignedInt: HostType = { kind: "integer", name: "uint" };

/** A `dim3`; members left out are 1. */
export function dim3(x?: Value, y?: Value, z?: Value): RecordValue {
  return record("dim3", [
    ["x", x ?? int(1), unsignedInt],
    ["y", y ?? int(1), unsignedInt],
    ["z", z ?? int(1), unsignedInt],
  ]);
}

/** A record of fresh cells. */
export function record(
  name: string,
  members: readonly (readonly [name: string, value: Value, type: HostType | undefined])[],
  type?: HostType,
): RecordValue {
  return {
    kind: "record",
    name,
    type,
    members: new Map(members.map(([member, value, of]) => [member, new Cell(convert(value, of), of, member)])),
  };
}

/** `float4`, `uint2` and so on from their components; those left out are 0. */
export function vectorValue(name: string, values: readonly Value[]): RecordValue | undefined {
  const shape = vectorComponents(name);
  if (shape === undefined) return undefined;
  const names = ["x", "y", "z", "w"].slice(0, shape.count);
  return record(
    name,
    names.map((member, k) => [member, values[k] ?? int(0), shape.component] as const),
  );
}

const one = int(1);

/** A `dim3`, or a number that converts to one. */
export function dimensions(value: Value): readonly [x: Value, y: Value, z: Value] {
  if (value.kind === "record") {
    const [x, y, z] = ["x", "y", "z"].map((name) => value.members.get(name)?.value);
    if (x !== undefined) return [convert(x, unsignedInt), convert(y ?? one, unsignedInt), convert(z ?? one, unsignedInt)];
    return [unknownOf(value), unknownOf(value), unknownOf(value)];
  }
  if (value.kind === "unknown" && (value.type === undefined || value.type.kind === "record")) return [value, value, value];
  return [convert(value, unsignedInt), one, one];
}
