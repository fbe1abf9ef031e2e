/** Texts that differ in blanks alone: blanks are what comments have become, too. */

/** A literal, whose blanks count (a number's quotes part its digits), or a run of blanks. */
const literalsAndBlanks =
  /\b\d[\w.]*(?:'[\w.]+)+|(?:\b(?:u8|[uUL])?R"([^\s()\\]{0,16})\([\s\S]*?\)\1")|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'|\s+/g;

/**
 * A piece of a reading with every run of blanks as one blank, or as one line's end where a line ends in it. Two pieces that come out
 * equal mean the same, and part their words into the same lines.
 */
export const withoutExtraBlanks = (text: string): string =>
  text.trim().replace(literalsAndBlanks, (found) => (found.trim() !== "" ? found : found.includes("\n") ? "\n" : " "));

const isBlank = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= 32 || code === 0xa0 || code === 0xfeff || (code >= 0x2000 && /\s/.test(text[at] ?? ""));
};

/** For each offset of one text, its end among them, the offset in another that differs from it in blanks alone. */
export function alignment(before: string, after: string): Int32Array {
  const offsets = new Int32Array(before.length + 1);
  let to = 0;
  for (let at = 0; at < before.length; at++) {
    if (isBlank(before, at)) offsets[at] = Math.min(to, after.length);
    else {
      while (to < after.length && isBlank(after, to)) to++;
      offsets[at] = to++;
    }
  }
  offsets[before.length] = after.length;
  return offsets;
}
