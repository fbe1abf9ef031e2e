/**
 * What tells a line from others wherever it moves to, as GitHub's code scanning computes it: an upload whose fingerprints differ
 * from those is warned about, and without any an alert is a new one after each edit above it.
 * https://github.com/github/codeql-action/blob/main/src/fingerprints.ts
 */

/** Characters that a hash is about: those from the start of the line on, blanks apart. */
const span = 100;
const factor = 37;
const endOfFile = 0xffff;
const half = 2 ** 32;

/**
 * A hash for each line, with how many lines before had the same: `a23a3dc5e078b07b:1`. It is the polynomial of the next 100
 * characters in 37, modulo 2^64; line ends are `\n`, and zeros follow the end of the text.
 */
export function lineHashes(text: string): string[] {
  const { characters, starts } = unblanked(text);
  const hashes: string[] = [];
  const seen = new Map<string, number>();
  const [dropHigh, dropLow] = powerOfFactor(span);
  let high = 0;
  let low = 0;
  let next = 0;
  for (const start of starts) {
    for (; next < start + span; next++) {
      const come = characters[next] ?? 0;
      const gone = characters[next - span] ?? 0;
      const sum = low * factor + come - dropLow * gone;
      const carry = Math.floor(sum / half);
      low = sum - carry * half;
      high = modulo(high * factor - dropHigh * gone + carry);
    }
    const hash = hexadecimal(high, low);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    hashes.push(`${hash}:${count}`);
  }
  return hashes;
}

/** The text's characters without blanks, with one kind of line end; and where in them the lines start. */
function unblanked(text: string): { readonly characters: Uint16Array; readonly starts: readonly number[] } {
  const characters = new Uint16Array(text.length + 1);
  const starts = [0];
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x09) continue;
    const isReturn = code === 0x0d;
    // A line feed behind blanks behind a return is one of its own.
    if (code === 0x0a && text.charCodeAt(at - 1) === 0x0d) continue;
    characters[length++] = isReturn ? 0x0a : code;
    if (isReturn || code === 0x0a) starts.push(length);
  }
  characters[length++] = endOfFile;
  return { characters: characters.subarray(0, length), starts };
}

/** The high and the low half of a power of the factor, modulo 2^64. */
function powerOfFactor(exponent: number): readonly [high: number, low: number] {
  let [high, low] = [0, 1];
  for (let i = 0; i < exponent; i++) {
    const product = low * factor;
    const carry = Math.floor(product / half);
    [high, low] = [modulo(high * factor + carry), product - carry * half];
  }
  return [high, low];
}

const modulo = (value: number): number => value - Math.floor(value / half) * half;

const hexadecimal = (high: number, low: number): string =>
  high === 0 ? low.toString(16) : `${high.toString(16)}${low.toString(16).padStart(8, "0")}`;
