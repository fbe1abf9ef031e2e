/** The ranges that algorithms work on. */
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { sizeOf } from "../memory/read-write.ts";
import { Allocation, type Place, type PointerValue } from "../values/model.ts";
import { integerOf } from "../values/values.ts";

export interface Span {
  readonly allocation: Allocation;
  readonly begin: number | undefined;
  /** Bytes; undefined when not known. */
  readonly bytes: number | undefined;
  readonly elementBytes: number | undefined;
  readonly to: PointerValue["to"];
}

/** [first, last), an execution policy in front ignored. */
export function spanOf(
  host: Interpreter,
  args: readonly Argument[],
): { readonly span: Span; readonly rest: readonly Argument[] } | undefined {
  const start = args.findIndex(({ value }) => value.kind === "pointer");
  const first = args[start]?.value;
  const last = args[start + 1]?.value;
  if (first?.kind !== "pointer" || !(first.target instanceof Allocation)) return undefined;
  const elementBytes = sizeOf(host, first.to) ?? first.target.summary.elementBytes;
  const count = last === undefined ? undefined : last.kind === "pointer" ? undefined : integerOf(last);
  const bytes =
    last?.kind === "pointer" && last.offset !== undefined && first.offset !== undefined
      ? last.offset - first.offset
      : count === undefined || elementBytes === undefined
        ? undefined
        : count * elementBytes;
  return { span: { allocation: first.target, begin: first.offset, bytes, elementBytes, to: first.to }, rest: args.slice(start + 2) };
}

/** Elements that are gone through. */
const mostElements = 4096;

/** The places of a span's elements; undefined where it is not known which these are, or there are too many. */
export function placesOf({ allocation, begin, bytes, elementBytes, to }: Span): Place[] | undefined {
  if (begin === undefined || bytes === undefined || !elementBytes || bytes / elementBytes > mostElements) return undefined;
  return Array.from({ length: bytes / elementBytes }, (_, k) => ({
    allocation,
    offset: begin + k * elementBytes,
    type: to ?? allocation.element,
  }));
}
