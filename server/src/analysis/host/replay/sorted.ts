/** Numbers and pairs that are brought into order, where nothing tells equal ones apart. */
import { bitsOf, hasBothZeros, isFloat, isUnsigned } from "../values/values.ts";
import { isWideUnsigned, type NumberName } from "./arithmetic.ts";

type Sortable = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Numbers of a type, in memory. */
export interface Numbers {
  readonly type: NumberName;
  readonly values: Sortable | BigInt64Array;
}

/** Whether `sortInPlace` sorts them. @param types of the members of a record */
export function isSortable(types: readonly NumberName[]): boolean {
  const isShort = (type: NumberName): boolean => !isFloat(type) && bitsOf(type) <= 32;
  return types.length === 1 || (types.length === 2 && types.every(isShort));
}

/**
 * Sorts numbers, or pairs of integers of at most 32 bits one member after the other.
 * @param lists each of a member of the records, of types that `isSortable`
 * @returns false where numbers are held as others than they are: nothing is sorted
 */
export function sortInPlace([first, second]: readonly Numbers[]): boolean {
  if (!first) return true;
  if (second) return sortPairs(first, second);
  const { type, values } = first;
  // Of 64 bits without a sign these are the greatest.
  if (isWideUnsigned(type) && values.some((value) => value < 0)) return false;
  // Which of two zeros comes first is the library's own business.
  if (isFloat(type) && hasBothZeros(values)) return false;
  values.sort();
  return true;
}

const hasNoSign = (type: NumberName): boolean => !isFloat(type) && isUnsigned(type);

/** As one integer each, the first member above the second. */
function sortPairs(first: Numbers, second: Numbers): boolean {
  const [above, below] = [first.values, second.values];
  if (above instanceof BigInt64Array || below instanceof BigInt64Array) return false;
  const pairs = new BigInt64Array(above.length);
  const halves = new Int32Array(pairs.buffer);
  // The upper half is compared with its sign, the lower without one.
  const [flipAbove, flipBelow] = [hasNoSign(first.type) ? 1 << 31 : 0, hasNoSign(second.type) ? 0 : 1 << 31];
  for (let k = 0; k < above.length; k++) {
    halves[2 * k] = (below[k] ?? 0) ^ flipBelow;
    halves[2 * k + 1] = (above[k] ?? 0) ^ flipAbove;
  }
  pairs.sort();
  const [bringAbove, bringBelow] = [first, second].map(({ type }) =>
    hasNoSign(type) ? (half: number) => half >>> 0 : (half: number) => half,
  );
  for (let k = 0; k < above.length; k++) {
    above[k] = bringAbove?.((halves[2 * k + 1] ?? 0) ^ flipAbove) ?? 0;
    below[k] = bringBelow?.((halves[2 * k] ?? 0) ^ flipBelow) ?? 0;
  }
  return true;
}
