/** The next value of a knob in either direction, and values as they are typed. */

export type StepKind = "threads" | "doubling" | "one" | "real" | "registers" | "bytes";

/** @param direction 1 or -1 */
export function stepped(kind: StepKind, value: number, direction: 1 | -1): number {
  const multiple = (of: number, least: number): number =>
    Math.max(least, direction > 0 ? (Math.floor(value / of) + 1) * of : (Math.ceil(value / of) - 1) * of);
  switch (kind) {
    case "threads":
      // Below a warp by halves: nobody wants 31.
      return value <= 32 && direction < 0 ? Math.max(1, Math.floor(value / 2)) : value < 32 ? Math.min(32, value * 2) : multiple(32, 32);
    case "doubling":
      return direction > 0 ? Math.max(1, value * 2) : Math.max(1, Math.floor(value / 2));
    case "real":
      return direction > 0 ? value * 2 || 1 : value / 2;
    case "one":
      return value + direction;
    case "registers":
      return multiple(8, 8);
    case "bytes":
      return multiple(1024, 0);
  }
}

/** A number, `1<<20` or `2*1024`; undefined of anything else. */
export function typed(text: string): number | undefined {
  const plain = text.replace(/[\s_,]/g, "");
  const [, left, op, right] = /^(.+?)(<<|\*|\^)(.+)$/.exec(plain) ?? [];
  const number = (word: string | undefined): number | undefined =>
    word !== undefined && /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word) ? Number(word) : undefined;
  if (op === undefined) return number(plain);
  const [a, b] = [number(left), number(right)];
  if (a === undefined || b === undefined) return undefined;
  const value = op === "<<" ? a * 2 ** b : op === "*" ? a * b : a ** b;
  return Number.isFinite(value) ? value : undefined;
}
