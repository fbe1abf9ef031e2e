/** The expression that stands at a place of the user's text. */
import type { Expression } from "../../syntax/ast.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import type { SyntaxIndex } from "./syntax-index.ts";

/** One that may be an access to memory. */
export function expressionAt(syntax: SyntaxIndex, reading: Reading, { file, start, end }: Place): Expression | undefined {
  const candidates = [...syntax.expressions("subscript"), ...syntax.expressions("unary"), ...syntax.expressions("member")];
  return candidates.find((node) => {
    const at = reading.locate(node.start, node.end);
    return at.file === file && at.start === start && at.end === end;
  });
}
