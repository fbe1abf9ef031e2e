/** What shows a fault, as the public report has it: no places, which the finding and its related ones have. */
import type { Violation } from "@warplens/sim-engine";

type Index = readonly [number, number, number];

export interface Witness {
  readonly block: Index;
  readonly thread: Index;
  /** The memory: its name, its bytes where they are known, where in it (bytes from its start), and how many bytes are touched. */
  readonly object?: { readonly name: string; readonly bytes?: number };
  readonly offset?: number;
  readonly width?: number;
  /** The other thread: it accesses the same bytes, or does not come to the barrier. */
  readonly other?: { readonly block: Index; readonly thread: Index };
}

export function witnessOf(violation: Violation): Witness {
  const { block, thread } = violation.by;
  if (violation.kind === "divergent-barrier")
    return { block, thread, other: { block: violation.missingBlock ?? block, thread: violation.missing } };
  if (violation.kind === "overflow" || violation.kind === "division-by-zero") return { block, thread };
  const { object, offset, width } = violation;
  const other =
    violation.kind === "shared-race" || violation.kind === "global-race"
      ? { other: { block: violation.other.block, thread: violation.other.thread } }
      : {};
  return {
    block,
    thread,
    object: { name: object.name, ...(object.bytes === undefined ? {} : { bytes: object.bytes }) },
    offset,
    width,
    ...other,
  };
}
