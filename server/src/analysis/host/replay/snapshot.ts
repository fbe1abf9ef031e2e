/** What an array holds at one time, for formulas that are asked for elements when the program has gone on. */
import type { Content } from "@warplens/sim-engine";
import { valueAt } from "../memory/content.ts";
import type { Allocation, HostType } from "../values/model.ts";
import { numberOf } from "../values/values.ts";
import type { Known } from "./arithmetic.ts";

export interface Snapshot {
  readonly type: HostType;
  readonly at: (index: number) => Known;
  /** The same for the same elements. */
  readonly text: () => string;
  /** Formulas that rest on each other, where reading it asks for some. */
  readonly depth: number;
}

/** Undefined where some element is not known. */
export function snapshotOf({ summary, cells }: Allocation, type: HostType, elementBytes: number): Snapshot | undefined {
  const { bytes, content } = summary;
  const count = bytes === undefined ? Number.POSITIVE_INFINITY : Math.floor(bytes / elementBytes);
  const apart = new Map<number, number>();
  for (const [offset, cell] of cells) {
    const value = numberOf(cell.value);
    if (value === undefined || !isHeld(value) || offset % elementBytes !== 0) return undefined;
    apart.set(offset / elementBytes, value);
  }
  const isWhole = apart.size >= count;
  if (!isWhole && !isKnown(content, type, elementBytes, summary.elementBytes)) return undefined;
  const rest = isWhole ? (): Known => undefined : elementsOf(content, (index) => numberOf(valueAt(summary, index, type)));
  return {
    type,
    at: (index) => (index >= 0 && index < count ? (apart.size > 0 ? (apart.get(index) ?? rest(index)) : rest(index)) : undefined),
    text: () => JSON.stringify([count, digest([...apart].flat()), textOf(content)]),
    depth: depthOf(content),
  };
}

const isHeld = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

/** Each element is known, as a number of this type. */
function isKnown(content: Content, type: HostType, bytes: number, stored: number | undefined): boolean {
  switch (content.kind) {
    case "zero":
      return true;
    case "constant":
    case "linear":
    case "cyclic":
    case "computed":
      return stored === bytes;
    case "values":
      return stored === bytes && !content.drawn;
    case "bytes":
      return type.kind === "integer";
    case "parts": {
      // What stands between parts is not known.
      let to = 0;
      for (const part of content.parts) {
        if (part.from > to || !isKnown(part.content, type, bytes, stored)) return false;
        to = part.to;
      }
      return content.parts.length > 0;
    }
    default:
      return false;
  }
}

function elementsOf(content: Content, otherwise: (index: number) => Known): (index: number) => Known {
  if (content.kind === "computed") return (index) => content.by.at(index);
  if (content.kind === "values") return (index) => content.values[index];
  return otherwise;
}

function textOf(content: Content): unknown {
  if (content.kind === "values") return [content.kind, content.values.length, digest(content.values)];
  if (content.kind === "parts") return content.parts.map((part) => ({ ...part, content: textOf(part.content) }));
  return content;
}

/** FNV-1a of the bits of numbers. */
function digest(values: ArrayLike<number>): number {
  const bits = new DataView(new ArrayBuffer(8));
  let sum = 2166136261;
  for (let k = 0; k < values.length; k++) {
    bits.setFloat64(0, values[k] ?? 0);
    sum = Math.imul(sum ^ bits.getInt32(0), 16777619);
    sum = Math.imul(sum ^ bits.getInt32(4), 16777619);
  }
  return sum;
}

/** What a formula that the evaluator has made says of itself besides. */
export interface Deep {
  readonly depth: number;
}

function depthOf(content: Content): number {
  if (content.kind === "computed") return (content.by as Partial<Deep>).depth ?? 1;
  return content.kind === "parts" ? Math.max(0, ...content.parts.map((part) => depthOf(part.content))) : 0;
}
