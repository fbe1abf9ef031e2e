/** What calls that cannot be followed may change. */

import type { Content } from "@warplens/sim-engine";
import { type Allocation, Cell, type Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";
import type { Argument, Interpreter } from "./interpreter.ts";
import { unknownContent } from "./journal.ts";
import { targetOf } from "./pointees.ts";

/** Everything the arguments point at may hold anything now. */
export function forgetTargets(host: Interpreter, args: readonly Argument[], reason: string): void {
  for (const { value } of args) {
    mayBeWritten(host, value);
    forgetTarget(host, value, reason);
  }
}

export function forgetTarget(host: Interpreter, value: Value, reason: string): void {
  const target = targetOf(value);
  if (target === undefined) return;
  if (target instanceof Cell) forgetCell(host, target, reason);
  else if (value.kind !== "container") forgetContent(host, target.allocation, reason);
}

function forgetCell(host: Interpreter, cell: Cell, reason: string): void {
  const { value } = cell;
  if (value.kind === "record") {
    for (const member of value.members.values()) if (member.value.kind !== "record") forgetCell(host, member, reason);
    return;
  }
  if (value.kind === "container" || value.kind === "lambda" || value.kind === "function") return;
  const next = unknown(reason, cell.type);
  host.journal.set(cell, cell.name === undefined ? next : host.inputs.held(next, cell.name, cell.type));
}

/**
 * Somebody may have written to what a value points at, and to what pointers that lie there point at: of none of it is it certain any more
 * that nobody has.
 */
export function mayBeWritten(host: Interpreter, value: Value, depth = 0): void {
  if (depth > deepestPointers) return;
  if (value.kind === "record") for (const { value: member } of value.members.values()) mayBeWritten(host, member, depth + 1);
  const target = targetOf(value);
  if (target === undefined) return;
  if (target instanceof Cell) {
    mayBeWritten(host, target.value, depth + 1);
    return;
  }
  const { allocation } = target;
  const content = withoutFresh(allocation.summary.content);
  if (content !== allocation.summary.content) host.journal.summarise(allocation, { ...allocation.summary, content });
  for (const { value: held } of allocation.cells.values()) if (mayPoint(held)) mayBeWritten(host, held, depth + 1);
}

/** The same of what pointers that lie where a value points at point at. */
export function pointeesMayBeWritten(host: Interpreter, value: Value): void {
  const target = targetOf(value);
  if (target === undefined || target instanceof Cell) return;
  for (const { value: held } of target.allocation.cells.values()) if (mayPoint(held)) mayBeWritten(host, held);
}

/** Pointers that are followed, one in what another points at. */
const deepestPointers = 3;

const mayPoint = ({ kind }: Value): boolean => kind === "pointer" || kind === "record";

function withoutFresh(content: Content): Content {
  if (content.kind === "unknown") return content.fresh ? unknownContent : content;
  if (content.kind === "written") return content.since ? content : { ...content, since: true };
  if (content.kind !== "parts") return content;
  const parts = content.parts.map((part) => ({ ...part, content: withoutFresh(part.content) }));
  return parts.some((part, k) => part.content !== content.parts[k]?.content) ? { kind: "parts", parts } : content;
}

export function forgetContent(host: Interpreter, allocation: Allocation, reason: string): void {
  if (allocation.summary.content.kind === "unknown" && allocation.cells.size === 0 && allocation.summary.reason === reason) return;
  host.journal.summarise(allocation, { ...allocation.summary, content: unknownContent, reason }, new Map());
}
