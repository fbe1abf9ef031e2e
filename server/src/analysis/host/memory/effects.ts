/** What calls that cannot be followed may change. */

import { type Allocation, Cell, type Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";
import type { Argument, Interpreter } from "./interpreter.ts";
import { unknownContent } from "./journal.ts";
import { targetOf } from "./pointees.ts";

/** Everything the arguments point at may hold anything now. */
export function forgetTargets(host: Interpreter, args: readonly Argument[], reason: string): void {
  for (const { value } of args) forgetTarget(host, value, reason);
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

export function forgetContent(host: Interpreter, allocation: Allocation, reason: string): void {
  if (allocation.summary.content.kind === "unknown" && allocation.cells.size === 0 && allocation.summary.reason === reason) return;
  host.journal.summarise(allocation, { ...allocation.summary, content: unknownContent, reason }, new Map());
}
