/**
 * Text that others wrote (names, source, files' names, settings) on its way to where characters have a meaning of their own: to a
 * terminal, into Markdown, onto a label of the editor. Whatever shows such text takes it through here.
 */

/** Characters of a name or an expression that are shown; of a message. */
const longestName = 200;
const longestMessage = 2000;

/**
 * What does not show, or changes how the rest is shown: control characters (escape sequences of terminals begin with one), marks
 * that turn the direction of writing, characters without width, separators of lines, tags, halves of surrogate pairs.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034F|\u115F|\u1160|\u3164|\uFFA0/gu;

/** Text as one line in which everything shows: line ends and tabs are blanks, what would not show is written `\u{202e}`. */
export function visible(text: string, most = longestMessage): string {
  const line = shortened(text, most).replace(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, " ");
  const shown = line.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return shortened(shown, most);
}

/** Both ends of a text that is too long. @param most UTF-16 units, the ellipsis included */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const first = text.slice(0, Math.ceil((most - 1) / 2)).replace(/[\uD800-\uDBFF]$/, "");
  return `${first}…${text.slice(text.length - Math.floor((most - 1) / 2)).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

/** A name, or a piece of source, as it is shown among other text. */
export const visibleName = (name: string): string => visible(name, longestName);

/** A code span: nothing in it is Markdown, whatever it holds. Empty for nothing. */
export function code(text: string, most = longestName): string {
  const shown = visible(text, most);
  if (shown === "") return "";
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const blank = /^`|`$/.test(shown) || (/^ [\s\S]* $/.test(shown) && shown.trim() !== "") ? " " : "";
  return `${fence}${blank}${shown}${blank}${fence}`;
}

/** Markdown that shows the text as it is: no emphasis, link, image, HTML, formula or heading comes of it. */
export const literal = (text: string): string =>
  visible(text)
    .replace(/[\\`*_[\]<>&#$~|@]/g, "\\$&")
    // What is made a link without brackets: an address.
    .replace(/:(?=\/\/)/g, "\\:")
    .replace(/(?<=www)\./gi, "\\.")
    // At the beginning of a line: a list, a rule under a heading.
    .replace(/^(\s*\d*)([-+=.)])/, "$1\\$2");

/** A sentence of ours, in which backquotes mark code and the rest may be anybody's, as Markdown. */
export const prose = (text: string): string =>
  visible(text)
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 && part.length > 2 ? code(part.slice(1, -1)) : literal(part)))
    .join("");

/** A row of a table. @param cells Markdown of one line */
export const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;

/** A bar ends a cell even within code, unless an odd number of backslashes stands before it. */
const cell = (text: string): string =>
  text.replace(/(?<!\\)(\\*)\|/g, (_, before: string) => `${before}${before.length % 2 === 0 ? "\\" : ""}|`);

/** For labels and messages of the editor, which look for `$(icons)` and `[links](command:...)` in plain text. */
export const label = (text: string, most = longestMessage): string => visible(text, most).replaceAll("$(", "$ (").replaceAll("](", "] (");
