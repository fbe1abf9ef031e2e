/** Lines of a document as they are shown beside their figures. */
import { visible } from "../foreign-text.ts";
import type { View } from "./view.ts";

/** Characters of a line of source that are shown. */
const longestLine = 400;

/** @param numbers 1-based @returns the trimmed text of each */
export function sourceLines({ document }: Pick<View, "document">, numbers: readonly string[]): Record<string, string> {
  const text = (line: number): string =>
    visible(document.getText({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } }).trim(), longestLine);
  return Object.fromEntries(numbers.map((number) => [number, text(Number(number) - 1)]));
}
