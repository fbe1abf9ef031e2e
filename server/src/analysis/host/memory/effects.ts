/** What calls that cannot be followed may change. */

import type { Content } from "@warplens/sim-engine";
import { type Allocation, Cell, type Place, type Value } from "../values/model.ts";
import { unknown } from "../values/values.ts";
import { type Argument, type Interpreter, lookUpLocal } from "./interpreter.ts";
import { type Outcome, unknownContent } from "./journal.ts";
import { targetOf } from "./pointees.ts";

/** A variable that somebody was given a reference to may hold anything now. */
export function forgetPlace(host: Interpreter, place: Place, reason: string): void {
  if (place instanceof Cell) forgetCell(host, place, reason);
  else forgetContent(host, place.allocation, reason);
}

/** Everything the arguments point at may hold anything now. */
export function forgetTargets(host: Interpreter, args: readonly Argument[], reason: string): void {
  for (const { value } of args) {
    mayBeWritten(host, value);
    forgetTarget(host, value, reason);
  }
}

export function forgetTarget(host: Interpreter, value: Value, reason: string, depth = 0): void {
  if (value.kind === "record" && depth < deepestPointers)
    for (const { value: member } of value.members.values()) forgetTarget(host, member, reason, depth + 1);
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
  if (value.kind === "container") {
    forgetContent(host, value.storage, reason);
    host.journal.summarise(value.storage, { ...value.storage.summary, bytes: undefined });
    host.journal.set(cell, { ...value, size: unknown(reason) });
    return;
  }
  if (value.kind === "lambda" || value.kind === "function") return;
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

/** Nothing is known any more of what was changed, and undone. */
export function forgetChanged(host: Interpreter, { cells, allocations }: Outcome, reason: string): void {
  for (const cell of cells.keys()) host.journal.set(cell, unknown(reason, cell.type));
  for (const allocation of allocations.keys()) forgetContent(host, allocation, reason);
}

/** Text that could not be read may change whatever it names; of a macro's call numbers are taken to be copied, as of a function's. */
export function forgetNamed(host: Interpreter, text: string): void {
  const isCall = /^\s*[A-Za-z_]\w*\s*\(/.test(text);
  const reason = "source text that could not be read";
  for (const name of new Set(text.match(/[A-Za-z_]\w*/g) ?? [])) {
    const place = lookUpLocal(host, name);
    if (place instanceof Cell) forgetTarget(host, place.value, reason);
    if (place !== undefined && !(isCall && place instanceof Cell && place.value.kind !== "container")) forgetPlace(host, place, reason);
  }
}
