/** Longer rows of an array in shared memory, so that lanes which go down its columns take other banks. */
import type { AccessReport, SharedVariable } from "@warplens/sim-engine";
import type { Expression } from "../../syntax/ast.ts";
import type { Reading } from "../../syntax/reading.ts";
import type { Edit, Fix, RuleContext, SimulatedLaunch } from "../rule.ts";
import { paddingFor } from "./bank-padding.ts";
import { replace, textAt } from "./edits.ts";
import { type Tile, tileUses } from "./tile.ts";

/** Bytes of a word of a bank. */
const wordBytes = 4;
/** Bytes of shared memory that a block may have without being allowed more. */
const staticLimit = 48 << 10;

/** Elements that the rows of an array need more for an access; undefined where it has no rows, or they would not help. */
export function paddingOf(access: AccessReport | undefined, array: SharedVariable | undefined): number | undefined {
  const { dimensions = [], elementBytes = 0 } = array ?? {};
  const length = dimensions.at(-1);
  if (dimensions.length < 2 || !length || !access?.example) return undefined;
  // Wider accesses are served by parts of a warp, which one of them more lets begin at other banks, each where it is aligned.
  return access.bytesPerLane > wordBytes
    ? Math.max(1, Math.ceil(access.bytesPerLane / Math.max(1, elementBytes)))
    : paddingFor(access.example, length * elementBytes, elementBytes);
}

/** As many elements more in each row. Undefined where the array is used by more than subscripts, or would become too large. */
export function paddedRows(
  { program, syntax }: RuleContext,
  { array, variable, size }: Tile,
  { report }: SimulatedLaunch,
  elements: number,
): Fix | undefined {
  const { reading, semantics } = program;
  const [rows = 0, length = 0] = array.dimensions;
  const { resources, dynamicSharedBytes } = report;
  const bytes = resources.staticSharedBytes + dynamicSharedBytes + rows * elements * array.elementBytes;
  if (bytes > staticLimit || !tileUses({ syntax, semantics }, variable)) return undefined;
  const edit = lengthened(reading, size, elements);
  return edit && { title: `Pad \`${array.name}\` to [${rows}][${length + elements}]`, safe: true, edits: [edit] };
}

/** Where a macro spells the length, at its use: others may use it for something else. */
function lengthened(reading: Reading, size: Expression, elements: number): Edit | undefined {
  const use = reading.expansion(size.start, size.end);
  if (!use) return replace(reading, size, longer(reading.textOf(size.start, size.end), elements));
  if (use.start !== size.start || use.end !== size.end || use.place.file !== 0) return undefined;
  const text = textAt(reading, use.place);
  const isOne = /^(integer|name|parenthesized)$/.test(size.kind);
  return { span: use.place, newText: `${isOne ? text : `(${text})`} + ${elements}` };
}

const longer = (size: string, elements: number): string =>
  /^\d+$/.test(size) ? `${Number(size) + elements}` : /^[\w.:]+$/.test(size) ? `${size} + ${elements}` : `(${size}) + ${elements}`;
