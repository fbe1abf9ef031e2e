/** Destructors that launch, or that change something besides the object that ends (a counter, a variable that it has a reference to), and copies that are more than that. */

import type { Expression, FunctionDeclaration, RecordDeclaration, Statement, TypeNode } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { isCopiedByMembers } from "../memory/record-kinds.ts";
import type { HostType, Value } from "../values/model.ts";
import { basesOf, instanceOf, methodsOf } from "./methods.ts";
import { changedBy } from "./order.ts";

/** Objects in each other that are looked at. */
export const deepest = 8;

export function destructorOf(host: Interpreter, record: RecordInstance): FunctionDeclaration | undefined {
  const name = record.declaration.name?.parts.at(-1)?.text;
  return name === undefined ? undefined : methodsOf(host, record, `~${name}`).functions.find(({ role }) => role === "destructor");
}

/** Whether somebody sees, besides, that an object of the class ends. */
export function isFelt(host: Interpreter, record: RecordInstance, depth = 0): boolean {
  const known = host.felt.ends.get(record);
  if (known !== undefined || depth > deepest) return known ?? false;
  host.felt.ends.set(record, false);
  const isSeen =
    isDestructorFelt(host, record) ||
    basesOf(host, record).some((base) => isFelt(host, base, depth + 1)) ||
    isHeldFelt(host, record, depth);
  host.felt.ends.set(record, isSeen);
  return isSeen;
}

/** The same of its destructor alone. */
export function isDestructorFelt(host: Interpreter, record: RecordInstance): boolean {
  const fn = destructorOf(host, record);
  if (fn === undefined) return false;
  const known = host.felt.destructors.get(record);
  if (known !== undefined) return known;
  host.felt.destructors.set(record, false);
  const isSeen = changesOthers(host, fn, ownNames(record));
  host.felt.destructors.set(record, isSeen);
  return isSeen;
}

/** The same of what its own members hold. */
export const isHeldFelt = (host: Interpreter, record: RecordInstance, depth = 0): boolean =>
  objectsIn(record.declaration).some((node) => isEndFelt(host, hostType(host, node, record.substitution), depth + 1));

/** The types of members that may be objects, those of a union among them: the class ends these itself. */
function objectsIn({ members = [] }: RecordDeclaration): TypeNode[] {
  return members.flatMap((member) => {
    if (member.kind === "record" && member.name === undefined) return objectsIn(member);
    return member.kind === "variable" && !member.specifiers.static && /^(named|array)$/.test(member.type.kind) ? [member.type] : [];
  });
}

/** The same of anything of a type: of arrays and containers their elements, of a smart pointer what it owns. */
export function isEndFelt(host: Interpreter, type: HostType | undefined, depth = 0): boolean {
  if (type?.kind === "record") return isFelt(host, type.record, depth);
  if (type?.kind === "array") return isEndFelt(host, type.of, depth);
  if (type?.kind !== "container") return false;
  // What is called then, only the pointer itself may tell.
  if (type.shared || (type.deleter && type.deleter.kind !== "record")) return true;
  return type.deleter ? isCallFelt(host, undefined, type.deleter) : isEndFelt(host, type.element, depth);
}

/** Whether a call of what ends something changes more than that: a lambda, a function, an object of a class. */
export function isCallFelt(host: Interpreter, called: Value | undefined, type: HostType | undefined): boolean {
  if (called?.kind === "lambda") return changesOthers(host, called.expression, new Set());
  if (called?.kind === "function") return called.candidates.some((fn) => changesOthers(host, fn, new Set()));
  const record = (called && instanceOf(called)) ?? (type?.kind === "record" ? type.record : undefined);
  return record !== undefined && methodsOf(host, record, "operator()").functions.some((fn) => changesOthers(host, fn, new Set()));
}

/** Whether an object of the class that is taken over is left with less: lists, texts and what smart pointers own are not there any more. */
export const isTakenFrom = (host: Interpreter, record: RecordInstance, depth = 0): boolean =>
  depth <= deepest &&
  (basesOf(host, record).some((base) => isTakenFrom(host, base, depth + 1)) ||
    objectsIn(record.declaration).some((node) => {
      const type = hostType(host, node, record.substitution);
      return (
        type?.kind === "container" ||
        (type?.kind === "record" && (type.record.name === "string" || isTakenFrom(host, type.record, depth + 1)))
      );
    }));

/** Whether a copy of an object of the class is more than copies of its members. */
export function isCopyFelt(host: Interpreter, record: RecordInstance, depth = 0): boolean {
  const known = host.felt.copies.get(record);
  if (known !== undefined || depth > deepest) return known ?? false;
  host.felt.copies.set(record, false);
  const isSeen =
    !isCopiedByMembers(record) ||
    basesOf(host, record).some((base) => isCopyFelt(host, base, depth + 1)) ||
    objectsIn(record.declaration).some((node) => {
      const type = hostType(host, node, record.substitution);
      return type?.kind === "record" && isCopyFelt(host, type.record, depth + 1);
    });
  host.felt.copies.set(record, isSeen);
  return isSeen;
}

/** Members that are the object's own: no references, no pointers, nothing static. */
function ownNames({ declaration }: RecordInstance): Set<string> {
  return new Set(
    (declaration.members ?? []).flatMap((member) =>
      member.kind === "variable" && !member.specifiers.static && member.type.kind !== "reference" ? [lastName(member.name)] : [],
    ),
  );
}

/** Calls that change nothing that host code goes by but what they free. */
const harmless = /^(cu|nccl|nvtx|free$|delete|f?printf$|puts$|fputs$|fclose$|exit$|abort$|std$)/;

/** Functions of the library that store where they are told to. */
const stores = /^(mem(cpy|move|set)|fill(_n)?|copy(_n)?|transform|swap|exchange|strn?cpy|sn?printf)$/;

function changesOthers(
  host: Interpreter,
  fn: { readonly body?: Statement; readonly parameters: FunctionDeclaration["parameters"] },
  own: ReadonlySet<string>,
  depth = 0,
): boolean {
  if (!fn.body) return false;
  if (depth > deepest) return true;
  const local = new Set(fn.parameters.flatMap(({ name, type }) => (name === undefined || type.kind === "reference" ? [] : [name])));
  let found = false;
  walk(fn.body, (node) => {
    if (node.kind === "variable" && node.type.kind !== "reference") local.add(lastName(node.name));
    const target = changedBy(node);
    if (target && !isOwn(target, own, local)) found = true;
    if (node.kind === "delete" && isDeleteFelt(host, node.operand)) found = true;
    if (node.kind === "call" && (host.holdsLaunch.has(node) || changesByCall(host, node, own, local, depth))) found = true;
    return !found;
  });
  return found;
}

/** Whether what is deleted is felt to end; of what is of no known type it may be. */
function isDeleteFelt(host: Interpreter, operand: Expression): boolean {
  const type = host.semantics.typeOf(operand, host.frame.substitution);
  return type?.kind === "pointer" && type.to.kind === "record" && isFelt(host, type.to.record);
}

function changesByCall(
  host: Interpreter,
  { callee, arguments: given }: Expression & { readonly kind: "call" },
  own: ReadonlySet<string>,
  local: ReadonlySet<string>,
  depth: number,
): boolean {
  // What a member points to is not the object's own.
  if (callee.kind === "member") return callee.arrow || !isOwn(callee.base, own, local);
  if (callee.kind !== "name") return false;
  const name = lastName(callee.name);
  const [fn] = host.globals.functions(callee.name, host.frame.path);
  if (fn?.body) return changesOthers(host, fn, new Set(), depth + 1);
  if (harmless.test(name)) return false;
  return own.has(name) || (stores.test(name) && !given.every((each) => isOwn(each, own, local)));
}

/** A variable of the destructor's own, or a member of the object that is its own. */
function isOwn(written: Expression, own: ReadonlySet<string>, local: ReadonlySet<string>): boolean {
  const e = withoutParentheses(written);
  if (e.kind === "name") return own.has(lastName(e.name)) || local.has(lastName(e.name));
  if (e.kind !== "member") return false;
  if (e.arrow && withoutParentheses(e.base).kind === "this") return own.has(lastName(e.name));
  return !e.arrow && isOwn(e.base, own, local);
}
