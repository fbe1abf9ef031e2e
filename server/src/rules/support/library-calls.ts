/** Calls of functions that the program does not define. */
import type { Expression } from "../../syntax/ast.ts";

export type Call = Expression & { readonly kind: "call" };

/** The plain name a call calls, `std::` set aside. */
export function libraryName({ callee }: Call): string | undefined {
  if (callee.kind !== "name") return undefined;
  const { parts } = callee.name;
  const qualified = parts.length === 2 && parts[0]?.text === "std";
  return parts.length === 1 || qualified ? parts.at(-1)?.text : undefined;
}
