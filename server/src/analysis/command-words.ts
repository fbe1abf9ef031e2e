/** A command's words, as a shell would part them: quotes and backslashes. A quote that nothing closes goes to the end. */
export const splitWords = (command: string): string[] => parted(command).words;

/** The quote of a command that nothing closes; empty where there is none. */
export const openQuote = (command: string): string => parted(command).quote;

function parted(command: string): { readonly words: string[]; readonly quote: string } {
  const words: string[] = [];
  let word = "";
  /** A word has begun: it may be empty, as `""` is. */
  let begun = false;
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    let character = command[at] ?? "";
    if (quote === "" && blank.test(character)) {
      if (begun) words.push(word);
      word = "";
      begun = false;
      continue;
    }
    begun = true;
    if (character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else {
      if (character === "\\" && quote !== "'" && at + 1 < command.length) character = command[++at] ?? "";
      word += character;
    }
  }
  return { words: begun ? [...words, word] : words, quote };
}

const blank = /\s/;
