/** Copies and fills of memory, by byte range. */
import type { Content } from "@warplens/sim-engine";
import { type Allocation, Cell, type HostType, type Value } from "../values/model.ts";
import { integerOf, unknown } from "../values/values.ts";
import { joinContents, overlaid, upTo, zeroOf } from "./content.ts";
import { forgetContent, forgetTarget, mayBeWritten, pointeesMayBeWritten } from "./effects.ts";
import type { Interpreter } from "./interpreter.ts";
import { unknownContent, zeroContent } from "./journal.ts";
import { noteStore } from "./loop-trace.ts";
import { targetOf } from "./pointees.ts";
import { copied, isOfOtherKind, isOfOtherSize, read, reinterpreted, write } from "./read-write.ts";

/** memcpy: `bytes` unknown is taken as all. */
export function copyMemory(host: Interpreter, to: Value, from: Value, bytes: Value): void {
  const target = targetOf(to);
  const source = targetOf(from);
  if (target === undefined) return;
  // A pointer that is copied to the device lets kernels write where it points.
  if (source instanceof Cell) mayBeWritten(host, source.value);
  else pointeesMayBeWritten(host, from);
  if (source === undefined) {
    mayBeWritten(host, to);
    if (from.kind === "string" || from.kind === "unknown")
      forgetTarget(host, to, from.kind === "unknown" ? from.reason : "a copied string");
    return;
  }
  if (target instanceof Cell) {
    const value =
      source instanceof Cell ? source.value : read(host, { allocation: source.allocation, offset: source.offset, type: target.type });
    write(host, target, reinterpreted(value, target.type));
    return;
  }
  if (source instanceof Cell) {
    write(host, { allocation: target.allocation, offset: target.offset, type: source.type ?? target.allocation.element }, source.value);
    return;
  }
  copyRange(host, target.allocation, target.offset, source.allocation, source.offset, integerOf(bytes));
}

function copyRange(
  host: Interpreter,
  to: Allocation,
  toOffset: number | undefined,
  from: Allocation,
  fromOffset: number | undefined,
  bytes: number | undefined,
): void {
  const { summary } = from;
  const own = summary.as ?? from.element;
  const isOfOwn = !isOther(host, own, to.element);
  // Memory of several types of numbers is not told apart.
  if (summary.content.kind !== "zero" && isOther(host, own, to.summary.as ?? to.element) && !isBlank(to)) {
    forgetContent(host, to, "numbers of several types");
    return;
  }
  const as = { as: isOfOwn ? undefined : own };
  const elementBytes = summary.elementBytes ?? to.summary.elementBytes;
  const shape = elementBytes === undefined ? {} : { elementBytes };
  const reason = summary.reason === undefined ? {} : { reason: summary.reason };
  if (toOffset === undefined || fromOffset === undefined) {
    host.journal.summarise(
      to,
      { ...to.summary, ...shape, ...as, content: joined(to, summary.content), reason: "part of it was copied from elsewhere" },
      new Map(),
    );
    return;
  }
  const moved = new Map<number, Cell>();
  const end = fromOffset + (bytes ?? Number.POSITIVE_INFINITY);
  for (const [offset, cell] of from.cells) {
    if (offset >= fromOffset && offset < end)
      moved.set(offset - fromOffset + toOffset, new Cell(copied(cell.value), cell.type, undefined, true));
  }
  // Behind its end nobody knows what stands.
  const held =
    summary.bytes !== undefined && end > summary.bytes && bytes !== undefined ? upTo(summary.content, summary.bytes) : summary.content;
  if (isWhole(to, toOffset, bytes)) {
    const content = shifted(held, fromOffset - toOffset, elementBytes);
    host.journal.summarise(to, { ...to.summary, ...shape, ...as, ...reason, content }, moved);
    return;
  }
  const limit = toOffset + (bytes ?? Number.POSITIVE_INFINITY);
  const kept = new Map([...to.cells].filter(([offset]) => offset < toOffset || offset >= limit));
  for (const [offset, cell] of moved) kept.set(offset, cell);
  const part = { from: toOffset, to: limit, origin: toOffset - fromOffset, content: held };
  host.journal.summarise(
    to,
    { ...to.summary, ...shape, ...as, ...reason, content: overlaid(to.summary.content, part, to.summary.bytes) },
    kept,
  );
}

/** Numbers that do not stand in memory as those of the other type do. */
const isOther = (host: Interpreter, a: HostType | undefined, b: HostType | undefined): boolean =>
  isOfOtherKind(a, b) || isOfOtherSize(host, a, b);

/** Whether nothing stands there that is told as numbers of a type. */
const isBlank = ({ summary: { content }, cells }: Allocation): boolean =>
  cells.size === 0 &&
  [content, ...(content.kind === "parts" ? content.parts.map((part) => part.content) : [])].every(({ kind }) =>
    /^(unknown|zero|bytes|parts|written)$/.test(kind),
  );

/** All of an allocation is set; or, where nothing is known of the rest, most of it. */
function isWhole({ summary }: Allocation, offset: number | undefined, bytes: number | undefined): boolean {
  const { bytes: size, content } = summary;
  if (offset !== 0) return false;
  return size === undefined || bytes === undefined || bytes >= size || (content.kind === "unknown" && bytes * 2 >= size);
}

function joined(to: Allocation, content: Content): Content {
  const { element, summary } = to;
  const count = summary.bytes === undefined || !summary.elementBytes ? undefined : summary.bytes / summary.elementBytes;
  return joinContents(summary.content, content, element?.kind !== "floating", count);
}

/** A content seen from another start. */
export function shifted(content: Content, bytes: number, elementBytes: number | undefined): Content {
  if (bytes === 0 || content.kind === "zero" || content.kind === "constant" || content.kind === "bytes" || content.kind === "uniform")
    return content;
  if (content.kind === "linear" && elementBytes !== undefined)
    return { ...content, start: content.start + (content.stride * bytes) / elementBytes };
  if (content.kind === "unknown") return content;
  return { kind: "parts", parts: [{ from: 0, to: Number.POSITIVE_INFINITY, origin: -bytes, content }] };
}

/** memset. */
export function fillMemory(host: Interpreter, to: Value, byte: Value, bytes: Value): void {
  const target = targetOf(to);
  if (target === undefined) return;
  const value = integerOf(byte);
  if (target instanceof Cell) {
    fillCell(host, target, value === 0);
    return;
  }
  const { allocation, offset } = target;
  const count = integerOf(bytes);
  const content: Content = value === undefined ? unknownContent : value === 0 ? zeroContent : { kind: "bytes", value: value & 255 };
  const reason = value === undefined ? { reason: "filled with a value that is not known" } : {};
  const whole = isWhole(allocation, offset, count);
  // What a turn fills that stands for others is looked at behind it.
  if (!host.loops.some((loop) => loop.abstract)) noteStore(host, allocation, offset, unknown("memset"));
  const kept =
    offset === undefined || whole
      ? new Map<number, Cell>()
      : new Map([...allocation.cells].filter(([at]) => at < offset || at >= offset + (count ?? Number.POSITIVE_INFINITY)));
  const all = (): Content =>
    offset === undefined
      ? joined(allocation, content)
      : overlaid(
          allocation.summary.content,
          { from: offset, to: offset + (count ?? Number.POSITIVE_INFINITY), origin: offset, content },
          allocation.summary.bytes,
        );
  host.journal.summarise(allocation, { ...allocation.summary, ...reason, content: whole ? content : all() }, kept);
}

function fillCell(host: Interpreter, cell: Cell, zero: boolean): void {
  if (cell.value.kind === "record") {
    for (const member of cell.value.members.values()) fillCell(host, member, zero);
    return;
  }
  if (cell.value.kind === "container") return;
  host.journal.set(cell, zero ? zeroOf(cell.type) : unknown("bytes filled by memset", cell.type));
}
