/** Directives, `// warplens: n=1<<20 index=uniform(0, n)`, as text. */

const directive = /^\s*\/\/\s*warplens:\s/;

/** The directive with a value in it, in the place of the one that it has; undefined of a line that is none. */
export function withValue(line: string, name: string, value: string): string | undefined {
  if (!directive.test(line)) return undefined;
  for (const { index, length } of wordsOf(line))
    if (line.startsWith(`${name}=`, index)) return `${line.slice(0, index)}${name}=${value}${line.slice(index + length)}`;
  return `${line.trimEnd()} ${name}=${value}`;
}

/** Words, which blanks part outside of parentheses. */
function* wordsOf(line: string): Generator<{ readonly index: number; readonly length: number }> {
  let depth = 0;
  let start: number | undefined;
  for (let index = 0; index <= line.length; index++) {
    const character = line[index] ?? " ";
    if (character === "(") depth++;
    else if (character === ")") depth--;
    const isBlank = depth <= 0 && /\s/.test(character);
    if (!isBlank) start ??= index;
    else if (start !== undefined) {
      yield { index: start, length: index - start };
      start = undefined;
    }
  }
  if (start !== undefined) yield { index: start, length: line.length - start };
}
