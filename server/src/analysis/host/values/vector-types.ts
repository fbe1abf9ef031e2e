import type { FloatName, IntegerName } from "../../sema/types.ts";
import type { HostType } from "./model.ts";
import { isFloat } from "./values.ts";

const components: Readonly<Record<string, IntegerName | FloatName>> = {
  char: "schar",
  uchar: "uchar",
  short: "short",
  ushort: "ushort",
  int: "int",
  uint: "uint",
  long: "long",
  ulong: "ulong",
  longlong: "longlong",
  ulonglong: "ulonglong",
  float: "float",
  double: "double",
};

/** CUDA's built-in vector types: `float4` has 4 floats. Undefined for other names. */
export function vectorComponents(name: string): { readonly component: HostType; readonly count: number } | undefined {
  const match = /^([a-z]+)([1-4])$/.exec(name);
  const base = match?.[1] === undefined ? undefined : components[match[1]];
  if (match === null || base === undefined) return undefined;
  const component: HostType = isFloat(base) ? { kind: "floating", name: base } : { kind: "integer", name: base };
  return { component, count: Number(match[2]) };
}
