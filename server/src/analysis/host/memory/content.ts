/** What arrays hold, in a few words: from cells to `Content`, and back to the value of one element. */
import type { Content, ContentPart, ScalarType } from "@warplens/sim-engine";
import type { FloatName, IntegerName } from "../../sema/types.ts";
import { convert } from "../values/convert.ts";
import { drawnReason } from "../values/inputs.ts";
import type { Allocation, Band, Cell, HostType, Line, Summary, Value } from "../values/model.ts";
import { float, int, isFloat, nullPointer, numberOf, range, unknown } from "../values/values.ts";
import { isSameContent, unknownContent, zeroContent } from "./journal.ts";

/** The number of elements up to which contents are given one by one. */
const exactElements = 4096;

/** The value of element `index` of an array with this content; a `range` where only that is known. */
export function valueAt(summary: Summary, index: number | undefined, type: HostType | undefined): Value {
  const { content, band } = summary;
  if (band !== undefined && band.content === content && index !== undefined)
    return span(band.lo.start + band.lo.stride * index, band.hi.start + band.hi.stride * index, type);
  switch (content.kind) {
    case "zero":
      return zeroOf(type);
    case "constant":
      return typed(content.value, type);
    case "linear": {
      if (index !== undefined) return typed(content.start + content.stride * index, type);
      const last = elementCount(summary);
      if (last === undefined || last < 1) break;
      const end = content.start + content.stride * (last - 1);
      return span(Math.min(content.start, end), Math.max(content.start, end), type);
    }
    case "cyclic": {
      const { start, stride, modulus } = content;
      return index === undefined ? span(0, modulus - 1, type) : typed(modulo(start + stride * index, modulus), type);
    }
    case "uniform": {
      const number = numberOfSummary(summary, index);
      if (number !== undefined) return typed(number, type);
      return span(content.lo, isIntegral(type) ? content.hi - 1 : content.hi, type);
    }
    case "permutation": {
      const number = numberOfSummary(summary, index);
      return number === undefined ? span(0, content.n - 1, type) : typed(number, type);
    }
    case "computed":
      if (index !== undefined) return typed(content.by.at(index), type);
      break;
    case "values": {
      const value = index === undefined ? undefined : content.values[index];
      if (value !== undefined && content.drawn) return { ...unknown(drawnReason, type), likely: value };
      if (value !== undefined) return typed(value, type);
      break;
    }
    case "bytes":
      if (type?.kind === "integer") return int(repeated(content.value), type.name);
      break;
    case "parts": {
      const { elementBytes } = summary;
      const offset = index === undefined || elementBytes === undefined ? undefined : index * elementBytes;
      const part = offset === undefined ? undefined : content.parts.find(({ from, to }) => offset >= from && offset < to);
      if (part === undefined || offset === undefined || !elementBytes) break;
      return valueAt({ ...summary, content: part.content }, (offset - part.origin) / elementBytes, type);
    }
    case "records":
    case "written":
    case "unknown":
      break;
  }
  return unknown(summary.reason ?? "memory of which the content is not known", type);
}

/** The number itself, where more is known than how they are spread. */
const numberOfSummary = ({ content, numbers }: Summary, index: number | undefined): number | undefined =>
  index === undefined || numbers?.of !== content ? undefined : numbers.values[index];

function repeated(byte: number): bigint {
  return BigInt(byte & 255) * 0x0101010101010101n;
}

function typed(value: number, type: HostType | undefined): Value {
  const made = Number.isInteger(value) && !(type?.kind === "floating") ? int(value, "long") : float(value);
  return type === undefined ? made : convert(made, type);
}

function span(lo: number, hi: number, type: HostType | undefined): Value {
  const name: IntegerName | FloatName =
    type?.kind === "integer" || type?.kind === "floating" ? type.name : Number.isInteger(lo) && Number.isInteger(hi) ? "long" : "double";
  return range(lo, hi, name);
}

function isIntegral(type: HostType | undefined): boolean {
  return type?.kind !== "floating";
}

/** Zero-initialised: numbers 0, pointers null; undefined members are made by whoever knows the record. */
export function zeroOf(type: HostType | undefined): Value {
  switch (type?.kind) {
    case "integer":
      return int(0, type.name);
    case "floating":
      return float(0, type.name);
    case "enum":
      return int(0, type.underlying);
    case "pointer":
      return { ...nullPointer, to: type.to };
    case undefined:
      return int(0);
    default:
      return unknown("a zeroed value of a type that is not known", type);
  }
}

function elementCount(summary: Summary): number | undefined {
  return summary.bytes === undefined || !summary.elementBytes ? undefined : Math.floor(summary.bytes / summary.elementBytes);
}

/** The interval of all values, inclusive. */
export function contentInterval(content: Content, integral: boolean, elements: number | undefined): readonly [number, number] | undefined {
  switch (content.kind) {
    case "zero":
      return [0, 0];
    case "constant":
      return [content.value, content.value];
    case "uniform":
      return [content.lo, integral ? content.hi - 1 : content.hi];
    case "permutation":
      return [0, content.n - 1];
    case "cyclic":
      return [0, content.modulus - 1];
    case "linear": {
      if (elements === undefined) return undefined;
      const end = content.start + content.stride * (elements - 1);
      return [Math.min(content.start, end), Math.max(content.start, end)];
    }
    case "values": {
      // What stands for the program's numbers does not tell between which these lie.
      return content.drawn ? undefined : intervalOf(content.values);
    }
    case "parts": {
      const intervals = content.parts.map((part) => contentInterval(part.content, integral, elements));
      return intervals.reduce((all, each) => all && each && ([Math.min(all[0], each[0]), Math.max(all[1], each[1])] as const));
    }
    default:
      return undefined;
  }
}

/** Between which numbers many lie is asked again and again, and they do not change. */
const intervals = new WeakMap<ArrayLike<number>, readonly [number, number] | undefined>();

function intervalOf(values: ArrayLike<number>): readonly [number, number] | undefined {
  if (intervals.has(values)) return intervals.get(values);
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) {
    const value = values[k] ?? 0;
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  const interval = lo <= hi ? ([lo, hi] as const) : undefined;
  intervals.set(values, interval);
  return interval;
}

/** A number; undefined of an integer that no double holds. */
export function exactNumber(value: Value): number | undefined {
  const number = numberOf(value);
  return value.kind === "int" && !Number.isSafeInteger(number) ? undefined : number;
}

/** The content of an array every element of which was stored this value (a range: independently). */
export function contentOf(value: Value): Content {
  const exact = exactNumber(value);
  if (exact !== undefined) return exact === 0 ? zeroContent : { kind: "constant", value: exact };
  if (value.kind === "pointer" && value.target === undefined) return zeroContent;
  if (value.kind === "range") return { kind: "uniform", lo: value.lo, hi: isFloat(value.type) ? value.hi : value.hi + 1, bounds: true };
  return unknownContent;
}

/** Parts a content is made of at most: others are forgotten first. */
const mostParts = 16;

/** A content of `bytes` with a part of it set to something else. */
export function overlaid(content: Content, part: ContentPart, bytes = Number.POSITIVE_INFINITY): Content {
  const whole: ContentPart = { from: 0, to: bytes, origin: 0, content };
  const parts = (content.kind === "parts" ? content.parts : [whole]).flatMap((each): ContentPart[] => [
    { ...each, to: Math.min(each.to, part.from) },
    { ...each, from: Math.max(each.from, part.to) },
  ]);
  const all = [...parts, { ...part, to: Math.min(part.to, bytes) }].filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
  const joined: ContentPart[] = [];
  for (const each of all) {
    const last = joined.at(-1);
    const goesOn = last?.to === each.from && /^(zero|constant)$/.test(each.content.kind) && isSameContent(last.content, each.content);
    if (last && goesOn) joined[joined.length - 1] = { ...last, to: each.to };
    else joined.push(each);
  }
  const [only] = joined;
  if (joined.length === 1 && only && only.from === 0 && only.to >= bytes && /^(zero|constant)$/.test(only.content.kind))
    return only.content;
  return joined.length > mostParts ? unknownContent : { kind: "parts", parts: joined };
}

/** The bytes before one; of others nothing is known. */
export const upTo = (content: Content, end: number): Content =>
  overlaid(content, { from: end, to: Number.POSITIVE_INFINITY, origin: 0, content: unknownContent });

/** Content of which each element may be from either. */
export function joinContents(a: Content, b: Content, integral: boolean, elements: number | undefined): Content {
  if (isSameContent(a, b)) return a;
  const left = contentInterval(a, integral, elements);
  const right = contentInterval(b, integral, elements);
  if (left === undefined || right === undefined) return unknownContent;
  const lo = Math.min(left[0], right[0]);
  const hi = Math.max(left[1], right[1]);
  return between(lo, hi, integral);
}

/** Known elements, by index. */
export interface Samples {
  readonly indices: readonly number[];
  readonly values: readonly number[];
  readonly integral: boolean;
  /** They are of the type `float`. */
  readonly single: boolean;
}

/** The exact numbers of an allocation by element index, in order; undefined when any cell holds something else. */
export function samplesOf(cells: ReadonlyMap<number, Cell>, elementBytes: number): Samples | undefined {
  const offsets = [...cells.keys()];
  // Most arrays are filled from the first element on.
  if (offsets.some((offset, k) => k > 0 && offset < (offsets[k - 1] ?? 0))) offsets.sort((a, b) => a - b);
  const indices: number[] = [];
  const values: number[] = [];
  let integral = true;
  let single = true;
  for (const offset of offsets) {
    const cell = cells.get(offset);
    if (cell === undefined) continue;
    const value = exactNumber(cell.value);
    if (value === undefined || offset % elementBytes !== 0) return undefined;
    if (cell.value.kind === "float") integral = false;
    if (cell.value.kind !== "float" || cell.value.type !== "float") single = false;
    indices.push(offset / elementBytes);
    values.push(value);
  }
  return { indices, values, integral, single };
}

/** zero, constant or linear when all samples are just that, as numbers of their type (three at least for linear); undefined otherwise. */
export function exactPattern({ indices, values, integral, single }: Samples): Content | undefined {
  const [first, second] = values;
  if (first === undefined) return undefined;
  const isSame = integral ? (a: number, b: number) => a === b : Object.is;
  if (values.every((value) => isSame(value, first))) return isSame(first, 0) ? zeroContent : { kind: "constant", value: first };
  if (second === undefined || values.length < 3) return undefined;
  const [from = 0, next = 1] = indices;
  const stride = (second - first) / (next - from);
  const start = first - stride * from;
  const round = single ? Math.fround : (value: number) => value;
  const isLine = values.every((value, k) => isSame(value, round(start + stride * (indices[k] ?? 0))));
  return isLine ? { kind: "linear", stride, start } : undefined;
}

/** Whether all elements of a line, to the last, are numbers of the type as they are: then none of them was rounded on the way. */
export function isUnrounded({ start, stride }: Line, last: number, single: boolean): boolean {
  let scale = 1;
  while (!(Number.isInteger(start * scale) && Number.isInteger(stride * scale))) {
    scale *= 2;
    if (scale > 2 ** 30) return false;
  }
  return Math.max(Math.abs(start), Math.abs(start + stride * last)) * scale <= (single ? 2 ** 24 : 2 ** 53);
}

/**
 * `(start + stride * i) % modulus` where the first elements say so and no value reaches the modulus; undefined otherwise.
 * @param range what any element may be, by the expression that is stored
 */
export function cyclicPattern({ indices, values, integral }: Samples, range: Value): Content | undefined {
  const [i0 = 0, i1 = 0] = indices;
  const [first = 0, second = 0] = values;
  if (!integral || range.kind !== "range" || range.lo !== 0 || !Number.isInteger(range.hi) || values.length < 4 || i1 !== i0 + 1)
    return undefined;
  const modulus = range.hi + 1;
  const stride = modulo(second - first, modulus);
  const start = modulo(first - stride * i0, modulus);
  if (stride === 0 || !values.every((value, k) => value === modulo(start + stride * (indices[k] ?? 0), modulus))) return undefined;
  return { kind: "cyclic", start, stride, modulus };
}

export const modulo = (value: number, modulus: number): number => ((value % modulus) + modulus) % modulus;

/** The band that cells known to ranges lie in, where their bounds grow along lines that are not level; undefined otherwise. */
export function bandOf(cells: ReadonlyMap<number, Cell>, elementBytes: number): Band | undefined {
  const ranges = [...cells].flatMap(([offset, { value }]) => (value.kind === "range" ? [{ index: offset / elementBytes, value }] : []));
  ranges.sort((a, b) => a.index - b.index);
  if (ranges.length < 4 || ranges.length < cells.size - 1) return undefined;
  const lo = lineThrough(ranges.map(({ index, value }) => [index, value.lo]));
  const hi = lineThrough(ranges.map(({ index, value }) => [index, value.hi]));
  if (lo === undefined || hi === undefined || (lo.stride === 0 && hi.stride === 0)) return undefined;
  const content: Content = { kind: "linear", start: (lo.start + hi.start) / 2, stride: (lo.stride + hi.stride) / 2 };
  return { content, lo, hi };
}

function lineThrough(points: readonly (readonly [x: number, y: number])[]): Line | undefined {
  const [[x0, y0] = [0, 0], [x1, y1] = [1, 0]] = points;
  const stride = (y1 - y0) / (x1 - x0);
  const start = y0 - stride * x0;
  const slack = 1e-9 * Math.max(1, Math.abs(y1));
  return points.every(([x, y]) => Math.abs(start + stride * x - y) <= slack) ? { start, stride } : undefined;
}

/** What an allocation holds as a whole: its cells one by one where they are all there is, else the summary. */
export function wholeContent(allocation: Allocation, elementBytes: number): Content {
  const { summary, cells } = allocation;
  if (cells.size === 0) return summary.content;
  const elements = summary.bytes === undefined ? undefined : Math.floor(summary.bytes / elementBytes);
  const samples = samplesOf(cells, elementBytes);
  if (samples === undefined) return bandOf(cells, elementBytes)?.content ?? spanOfCells(allocation, elements, elementBytes);
  const complete = elements !== undefined && samples.values.length >= elements;
  if (complete) return exactPattern(samples) ?? permutationOf(samples) ?? { kind: "values", values: samples.values };
  const fits = samples.values.every((value, k) => {
    const base = valueAt(
      { ...summary, elementBytes },
      samples.indices[k],
      samples.single ? { kind: "floating", name: "float" } : undefined,
    );
    if (base.kind === "range") return value >= base.lo && value <= base.hi;
    return numberOf(base) === value;
  });
  if (fits) return summary.content;
  if (summary.content.kind === "values" && elements !== undefined) {
    const values = Array.from(summary.content.values);
    for (const [k, index] of samples.indices.entries()) values[index] = samples.values[k] ?? 0;
    // Elements that were added behind the others may leave gaps.
    return values.length === elements && !values.includes(undefined as never)
      ? { ...summary.content, values }
      : inRuns(summary, samples, elementBytes);
  }
  if (elements !== undefined && elements <= exactElements && /^(zero|constant|linear|cyclic)$/.test(summary.content.kind)) {
    const values = Array.from({ length: elements }, (_, k) => numberOf(valueAt(summary, k, undefined)) ?? 0);
    for (const [k, index] of samples.indices.entries()) values[index] = samples.values[k] ?? 0;
    return { kind: "values", values };
  }
  // `level[source] = 0` after a loop over all: a search begins there.
  if (/^(zero|constant|linear|cyclic|computed|parts)$/.test(summary.content.kind)) {
    const made = inRuns(summary, samples, elementBytes);
    if (made.kind === "parts") return made;
  }
  // What ends row pointers (`starts[n] = at`) stands where nothing was known.
  const isNew = (index: number): boolean => valueAt({ ...summary, elementBytes }, index, undefined).kind === "unknown";
  if (summary.content.kind === "parts" && samples.indices.some(isNew)) return inRuns(summary, samples, elementBytes);
  // Elements set apart here and there do not change what the array is like, as long as they are few.
  if (summary.content.kind !== "unknown" && elements !== undefined && samples.values.length * 64 <= elements) return summary.content;
  if (summary.content.kind !== "unknown" && elements !== undefined && samples.values.length * 8 <= elements) {
    return summary.content.kind === "linear"
      ? summary.content
      : joinContents(summary.content, rangeOf(samples), samples.integral, elements);
  }
  return inRuns(summary, samples, elementBytes);
}

/** Known elements that follow each other, over what the rest holds. */
function inRuns(summary: Summary, { indices, values }: Samples, elementBytes: number): Content {
  let { content } = summary;
  for (let from = 0; from < indices.length; ) {
    let to = from + 1;
    while (to < indices.length && indices[to] === (indices[to - 1] ?? 0) + 1) to++;
    const [first = 0, last = 0] = [indices[from], indices[to - 1]];
    const run: Content = { kind: "values", values: values.slice(from, to) };
    const part = { from: first * elementBytes, to: (last + 1) * elementBytes, origin: first * elementBytes, content: run };
    content = overlaid(content, part, summary.bytes);
    if (content.kind !== "parts") return content;
    from = to;
  }
  return content;
}

/** Of cells of which some are known only to a range: the interval of them all, where there are no others. */
function spanOfCells({ summary, cells }: Allocation, elements: number | undefined, elementBytes: number): Content {
  const complete = elements !== undefined && cells.size >= elements;
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  let integral = true;
  for (const [offset, { value }] of cells) {
    const number = exactNumber(value);
    const [low, high] = value.kind === "range" ? [value.lo, value.hi] : [number, number];
    if (low === undefined || high === undefined || offset % elementBytes !== 0) return unknownContent;
    if (value.kind === "float" || (value.kind === "range" && isFloat(value.type))) integral = false;
    lo = Math.min(lo, low);
    hi = Math.max(hi, high);
  }
  const written = between(lo, hi, integral);
  if (complete) return written;
  return summary.content.kind === "unknown" ? unknownContent : joinContents(summary.content, written, integral, elements);
}

/** Uniform between the least and greatest sample. */
export function rangeOf({ values, integral }: Samples): Content {
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    lo = Math.min(lo, value);
    hi = Math.max(hi, value);
  }
  return between(lo, hi, integral);
}

/** Anything from `lo` to `hi`, both included. */
function between(lo: number, hi: number, integral: boolean): Content {
  if (lo === hi) return lo === 0 ? zeroContent : { kind: "constant", value: lo };
  return { kind: "uniform", lo, hi: integral ? hi + 1 : hi, bounds: true };
}

function permutationOf({ values, integral }: Samples): Content | undefined {
  if (!integral || values.length <= exactElements) return undefined;
  const seen = new Set(values);
  const n = values.length;
  return seen.size === n && values.every((v) => v >= 0 && v < n) ? { kind: "permutation", n } : undefined;
}

/** The engine's scalar type of a host type. */
export function scalarType(type: HostType | undefined): ScalarType | undefined {
  switch (type?.kind) {
    case "integer":
      return integerScalars[type.name];
    case "floating":
      return floatScalars[type.name];
    case "enum":
      return integerScalars[type.underlying];
    case "pointer":
    case "reference":
      return "ptr";
    default:
      return undefined;
  }
}

const integerScalars: Readonly<Record<IntegerName, ScalarType>> = {
  bool: "i1",
  char: "i8",
  schar: "i8",
  uchar: "i8",
  short: "i16",
  ushort: "i16",
  int: "i32",
  uint: "i32",
  long: "i64",
  ulong: "i64",
  longlong: "i64",
  ulonglong: "i64",
};
const floatScalars: Readonly<Record<FloatName, ScalarType>> = { float: "f32", double: "f64", half: "f16", bfloat16: "bf16" };
