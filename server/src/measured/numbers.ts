/** Numbers and units as Nsight Compute prints them. */

/** What parts a whole number from its fraction: the profiler takes it, and what groups thousands, from the user's locale. */
export type DecimalMark = "." | ",";

/** A comma that does not stand before three digits, or that stands behind points, groups no thousands. */
const commaFraction = /^-?(?:\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:[.\s'’]\d{3})+,\d+)$/;

/** Whether a cell is a number with a comma before its fraction. */
export const hasCommaFraction = (cell: string): boolean => commaFraction.test(cell);

/** A number; undefined where the cell holds none, which is what "n/a", "nan" and nothing mean too. */
export function numberOf(cell: string, mark: DecimalMark): number | undefined {
  const plain = plainOf(cell, mark);
  const number = /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** How far a number as it is printed may be from what was rounded to it: half of its last digit. */
export function roundingOf(cell: string, mark: DecimalMark): number {
  const [, decimals = "", exponent = "0"] = /^[^.e]*(?:\.(\d+))?(?:e(.+))?$/i.exec(plainOf(cell, mark)) ?? [];
  return 10 ** (Number(exponent) - decimals.length) / 2;
}

/** Without what groups thousands, and with a point before the fraction. */
function plainOf(cell: string, mark: DecimalMark): string {
  // Of metrics with several instances they follow in brackets: `14 (6; 8)`.
  const [own = ""] = cell.split(" (", 1);
  return own.replaceAll(mark === "." ? /[,\s'’]/g : /[.\s'’]/g, "").replace(",", ".");
}

/** Whether a cell says that there is no number. */
export const isAbsent = (cell: string): boolean => /^(?:|-|n\/a|(?:\(!\) )?[-+]?(?:nan|inf))$/i.test(cell.trim());

/** What a figure is told in. */
export type Unit = "ns" | "%" | "bytes" | "GB/s" | "count";

const prefixes: ReadonlyMap<string | undefined, number> = new Map([
  ["", 1],
  ["K", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
]);
const seconds: ReadonlyMap<string | undefined, number> = new Map([
  ["s", 1],
  ["second", 1],
  ["ms", 1e-3],
  ["msecond", 1e-3],
  ["us", 1e-6],
  ["usecond", 1e-6],
  ["µs", 1e-6],
  ["ns", 1e-9],
  ["nsecond", 1e-9],
]);
/** What is counted: the word says no more than the metric's name does. */
const counted = /^([KMGTP]?)(?:inst|sector|request|warp|thread|cycle|register|block|wavefront)?$/;

/** What a number in a printed unit has to be multiplied with; undefined where it is no such unit. */
export function factorOf(printed: string, wanted: Unit): number | undefined {
  const [over = "", under] = printed.split("/");
  const bytes = prefixes.get(/^([KMGTP]?)bytes?$/.exec(over)?.[1]);
  const time = seconds.get(wanted === "ns" ? over : under);
  switch (wanted) {
    case "ns":
      return under === undefined && time !== undefined ? time * 1e9 : undefined;
    case "%":
      return printed === "%" || printed === "" ? 1 : undefined;
    case "bytes":
      return bytes;
    case "GB/s":
      return bytes !== undefined && time !== undefined ? bytes / time / 1e9 : undefined;
    case "count":
      return prefixes.get(counted.exec(over)?.[1]);
  }
}
