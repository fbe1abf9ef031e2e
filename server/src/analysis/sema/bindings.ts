/** What the names of a structured binding stand for. */
import type { VariableDeclaration } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import type { Type } from "./types.ts";

const elementPart = (context: Context, { of }: Type & { kind: "array" }, index: number) => ({
  type: of,
  offset: index * (context.sizeOf(of) ?? 0),
});

/** The part of an object that one of a binding's names is, and where it lies in it. */
export function boundPart(
  context: Context,
  whole: Type,
  { bindings }: VariableDeclaration,
  index: number,
): { readonly type: Type; readonly offset: number } | undefined {
  if (whole.kind === "array") return elementPart(context, whole, index);
  if (whole.kind !== "record") return undefined;
  const fields = context.layout(whole.record)?.fields ?? [];
  const [only] = fields;
  // An array in a class of its own, as `std::array` is, is taken apart like one.
  if (only?.type.kind === "array" && fields.length === 1 && (bindings?.length ?? 0) > 1) {
    const element = elementPart(context, only.type, index);
    return { ...element, offset: only.offset + element.offset };
  }
  return fields[index];
}
