/**
 * Destructors. Most give back what the object has, which nobody sees any more: these are not run. One that changes something besides the
 * object (a counter, a variable that it has a reference to) is, where it is known when.
 */
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { forgetChanged } from "../memory/effects.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { deepest, destructorOf, isFelt } from "../resolve/felt.ts";
import { basesOf, instanceOf, methodsOf } from "../resolve/methods.ts";
import { Cell, type RecordValue, type Value } from "../values/model.ts";
import { tryOut } from "./branches.ts";

/** The object ends: what its destructors change besides it is changed. */
export function destroy(host: Interpreter, self: Cell, record: RecordInstance | undefined = instanceOf(self.value), depth = 0): void {
  const { value } = self;
  if (value.kind !== "record" || record === undefined || depth > deepest || !isFelt(host, record)) return;
  const fn = destructorOf(host, record);
  if (fn?.body)
    host.call({ function: fn, arguments: [], self, substitution: methodsOf(host, record, lastName(fn.name)).substitutionOf(fn) });
  for (const member of membersOf(record, value).reverse()) destroy(host, member, undefined, depth + 1);
  for (const base of basesOf(host, record).reverse()) destroy(host, self, base, depth + 1);
}

/** An object that is no variable: of what ends at a time that is not followed it is not known what its destructor has changed. */
export function passing(host: Interpreter, value: Value): Value {
  const record = instanceOf(value);
  if (record === undefined || value.kind !== "record" || !isFelt(host, record)) return value;
  const [, outcome] = tryOut(host, () => {
    destroy(host, new Cell(value, value.type));
    return undefined;
  });
  for (const own of value.members.values()) outcome.cells.delete(own);
  forgetChanged(host, outcome, "an object that ends changes it");
  return value;
}

/** Members of its own class that are objects. */
function membersOf({ declaration }: RecordInstance, { members }: RecordValue): Cell[] {
  return (declaration.members ?? []).flatMap((member) => {
    const isObject = member.kind === "variable" && !member.specifiers.static && member.type.kind === "named";
    const cell = isObject ? members.get(lastName(member.name)) : undefined;
    return cell && instanceOf(cell.value) ? [cell] : [];
  });
}
