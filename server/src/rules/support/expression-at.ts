/** The expression that stands at a place of the user's text. */

import type { LaunchFact } from "../../analysis/facts.ts";
import { isLibraryHeader } from "../../analysis/headers/index.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { Place, Reading } from "../../syntax/reading.ts";
import type { RuleContext } from "../rule.ts";
import type { SyntaxIndex } from "./syntax-index.ts";

/** One that may be an access to memory. */
export function expressionAt(syntax: SyntaxIndex, reading: Reading, place: Place): Expression | undefined {
  const candidates = [...syntax.expressions("subscript"), ...syntax.expressions("unary"), ...syntax.expressions("member")];
  return candidates.find((node) => standsAt(node, reading, place));
}

/** What accesses memory is called there, and written elsewhere. */
export const isCallAt = ({ program, syntax }: RuleContext, place: Place): boolean =>
  syntax.expressions("call").some((node) => standsAt(node, program.reading, place));

/** A structure of a library as a whole, in a launch of the kernel: how it lies in memory is no matter of the program. */
export function isLibraryRecordAt({ program, syntax }: RuleContext, place: Place, { kernel, substitution }: LaunchFact): boolean {
  const { reading, semantics } = program;
  const access = expressionAt(syntax, reading, place);
  const isOfKernel = access && semantics.enclosingFunction(access) === kernel?.declaration;
  const type = access && semantics.typeOf(access, isOfKernel ? substitution : undefined);
  if (type?.kind !== "record") return false;
  const { start, end } = type.record.declaration;
  return isLibraryHeader(reading.files[reading.locate(start, end).file] ?? "");
}

function standsAt(node: Expression, reading: Reading, { file, start, end }: Place): boolean {
  const at = reading.locate(node.start, node.end);
  return at.file === file && at.start === start && at.end === end;
}
