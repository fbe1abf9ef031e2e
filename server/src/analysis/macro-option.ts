/** A macro as options and settings give it. */
import type { Unreadable } from "./directives.ts";

export interface MacroOption {
  readonly name: string;
  readonly value?: string;
}

/** `NAME` or `NAME=VALUE`. What stands behind a line's end is in no directive any more. */
export function readMacroOption(text: string): MacroOption | Unreadable {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=([^\r\n]*))?$/.exec(text) ?? [];
  if (name === undefined) return { problem: `not a macro: ${inOneLine(text)}; write NAME or NAME=VALUE, in one line`, at: 0 };
  return value === undefined ? { name } : { name, value };
}

/** Line ends, and what would not show, as blanks. */
const inOneLine = (text: string): string => text.slice(0, 200).replace(/[\p{C}\s]+/gu, " ");

/** What of such texts can be read. */
export const macrosIn = (texts: readonly string[]): MacroOption[] =>
  texts.flatMap((text) => {
    const macro = readMacroOption(text);
    return "problem" in macro ? [] : [macro];
  });
