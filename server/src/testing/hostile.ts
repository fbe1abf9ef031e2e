/** Names and pieces of source made to become something else where they are shown, and what a reader of Markdown makes of them. */
import { lexer, type Token, type Tokens, walkTokens } from "marked";

export const hostile: readonly string[] = [
  "` ![x](https://example.com/a.png) [c](command:workbench.action.terminal.new) `",
  "`` ` ``` ```` `",
  "`",
  "\\",
  "\\`[c](command:x)",
  "ends in \\",
  "a \\| ![x](https://example.com) | b || c \\\\| d",
  "**bold** _emphasis_ ~~gone~~ $formula$ $(sync~spin)",
  "<img src=x onerror=alert(1)> <a href='command:x'>c</a> <!-- &lt; &#60; -->",
  "https://example.com HTTP://example.com www.example.com WWW.example.com a@example.com <https://example.com> <a@example.com>",
  "[c](command:x) [c]: command:x [c] [c][] ![c] [^1]",
  "one\n\n# two\r\n- three\r```\n<b>four\n| --- |\n===",
  "# heading",
  "> quoted",
  "- item",
  "+ item",
  "1. item",
  "2) item",
  "===",
  "---",
  "| --- |",
  "    four blanks",
  "\tx",
  "~~~",
  "\u202Etxt.exe\u202C \u2066x\u2069 \u200Bzero\uFEFF \u061C \u{E0041}",
  "\u001B[31mred\u001B[2J\u001B]8;;https://example.com\u0007c\u001B]8;;\u0007 \u009B2J \u0000 \b \u007F",
  "\uD800 \uDC00 half",
  "::error::x %0A ::set-output name=x::y",
  "",
  " ",
  "x".repeat(100_000),
  "`".repeat(50_000),
  "\u202E".repeat(5000),
];

/** Nothing that hides, moves or colours other text. */
export const isVisible = (text: string): boolean => /^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u.test(text);

/** What a reader of Markdown sees: the text, and the kinds of what it is made of. */
export function read(markdown: string): { readonly text: string; readonly kinds: ReadonlySet<string> } {
  const tokens = lexer(markdown, { gfm: true });
  const kinds = new Set<string>();
  const texts: string[] = [];
  walkTokens(tokens, (token: Token) => {
    kinds.add(token.type);
    const isLeaf = token.type === "codespan" || token.type === "escape" || (token.type === "text" && !("tokens" in token && token.tokens));
    if (isLeaf && "text" in token) texts.push(String(token.text));
  });
  return { text: texts.join(""), kinds };
}

/** The rows of the one table that the Markdown is, cell by cell; undefined where it is anything else. */
export function tableRows(markdown: string): readonly (readonly string[])[] | undefined {
  const [table, ...rest] = lexer(markdown, { gfm: true });
  return table?.type === "table" && rest.length === 0
    ? (table as Tokens.Table).rows.map((cells) => cells.map(({ text }) => text))
    : undefined;
}
