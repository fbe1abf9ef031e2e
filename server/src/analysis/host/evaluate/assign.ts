/** What an assignment does to what stands on its left. */
import { blank } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { copiedMember, read, write } from "../memory/read-write.ts";
import { assignsItself, declaresAssignment, isMoveAssigned } from "../memory/record-kinds.ts";
import { construct, leaveEmpty, ownOf, passed } from "../resolve/construct.ts";
import { isCopyFelt, isHeldFelt, isTakenFrom } from "../resolve/felt.ts";
import { basesOf, instanceOf } from "../resolve/methods.ts";
import { callOperator } from "../resolve/overloaded.ts";
import { Cell, type ContainerType, type Place, type RecordValue, type Value } from "../values/model.ts";
import { pointer } from "../values/values.ts";
import { destroy, elementsMove, elementsPass, passing } from "./destroy.ts";

export function assignTo(host: Interpreter, place: Place, right: Argument): void {
  const { type } = place;
  const old = read(host, place);
  if (type?.kind === "container" && type.name !== "unique_ptr") {
    write(host, place, rehoused(host, type, right.value, old));
    if (right.isMoved && right.place) leaveEmpty(host, right.place, right.value);
    if (old.kind === "container") elementsPass(host, old);
    const now = read(host, place);
    if (now.kind === "container") elementsMove(host, [{ value: pointer(now.storage, type.element) }]);
  } else if (old.kind === "pointer" && (old.owner || type?.kind === "container")) assignOwner(host, place, old, right);
  else if (old.kind !== "record" || !assignObject(host, place, old, right))
    write(host, place, type?.kind === "container" ? construct(host, type, [ownOf(host, right)], false) : passed(host, right.value, type));
}

/** A container's new elements, under the old name. */
function rehoused(host: Interpreter, type: ContainerType, value: Value, old: Value): Value {
  const made = construct(host, type, [value], false);
  if (made.kind !== "container" || old.kind !== "container" || made.storage === old.storage) return made;
  made.storage.name = old.storage.name;
  return made;
}

/** What a smart pointer has owned ends. */
function assignOwner(host: Interpreter, place: Place, old: Value & { readonly kind: "pointer" }, right: Argument): void {
  const value = ownOf(host, right);
  const { type } = place;
  if (type?.kind === "container") write(host, place, construct(host, type, [value], false));
  else write(host, place, value.kind === "pointer" && old.owner ? { ...value, owner: { ...old.owner, ...value.owner } } : value);
  if (value.kind !== "pointer" || value.target !== old.target) destroy(host, new Cell(old));
}

/** By the class's own operator, else member by member where their classes have any; false where the object is just another then. */
function assignObject(host: Interpreter, place: Place, old: RecordValue, right: Argument): boolean {
  const record = instanceOf(old);
  if (record === undefined || old.open) return false;
  const from = right.value;
  const isSame = from.kind === "record" && from.name === old.name;
  if (isSame ? assignsItself(record) : declaresAssignment(record))
    return callOperator(host, "=", [{ value: old, place }, right]) !== undefined;
  if (!isSame) return false;
  // An object that the expression has made, and its members with it, may be taken over.
  const isGivenAway = right.isMoved === true || host.frame.temporaries.has(from);
  if (!isCopyFelt(host, record) && !(isGivenAway && isMoveAssigned(record) && isTakenFrom(host, record))) {
    if (isHeldFelt(host, record)) passing(host, old);
    return false;
  }
  if (basesOf(host, record).some((base) => isCopyFelt(host, base))) {
    write(host, place, blank(host, old.type, false, "how its base is assigned is not followed"));
    return true;
  }
  for (const [name, cell] of old.members) {
    const other = from.members.get(name);
    if (other && cell.type?.kind === "array") write(host, cell, copiedMember(other));
    else if (other) assignTo(host, cell, { value: other.value, place: other, isMoved: isGivenAway && isMoveAssigned(record) });
  }
  return true;
}
