/** What a template parameter stands for as a value. */
import type { TemplateValue, Value } from "./model.ts";
import { float, int, unknown } from "./values.ts";

export function templateConstant(value: TemplateValue | readonly unknown[], name: string): Value {
  if (typeof value === "bigint") return int(value, value >= -2147483648n && value <= 2147483647n ? "int" : "long");
  if (typeof value === "boolean") return int(Number(value), "bool");
  if (typeof value === "number") return float(value);
  if (typeof value === "object" && "kind" in value && value.kind === "function" && "declarations" in value)
    return { kind: "function", candidates: value.declarations, name, templateArguments: [] };
  return unknown(`the template parameter \`${name}\` is no value`);
}
