/** What loops over ranges run over. */
import type { Expression } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import { decay } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

/** For a range-for: the type of an element, by which `auto` is found; of a list, that of its first. */
export function elementOf(context: Context, range: Expression, substitution: Substitution | undefined): Type | undefined {
  if (range.kind !== "list" || range.type) return elementType(context, context.info(range, substitution)?.type);
  const [first] = range.elements;
  const type = first && context.info(first.value, substitution)?.type;
  return type && decay(type);
}

/** Of an array, or of what `begin()` points to. */
function elementType(context: Context, range: Type | undefined): Type | undefined {
  if (range?.kind === "array") return range.of;
  if (range?.kind !== "record") return undefined;
  const begin = context.member(range.record, "begin");
  const [entity] = begin.entities;
  const type = entity?.kind === "function" ? context.resultType(entity.declaration, begin.record?.substitution) : undefined;
  const pointer = type && decay(type);
  return pointer?.kind === "pointer" ? pointer.to : undefined;
}
