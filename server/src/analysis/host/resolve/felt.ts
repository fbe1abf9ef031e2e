/** Destructors that change something besides the object that ends: a counter, a variable that it has a reference to. */

import type { Expression, FunctionDeclaration, Node } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { basesOf, methodsOf } from "./methods.ts";
import { changedBy } from "./order.ts";

/** Objects in each other that are looked at. */
export const deepest = 8;

export function destructorOf(host: Interpreter, record: RecordInstance): FunctionDeclaration | undefined {
  const name = record.declaration.name?.parts.at(-1)?.text;
  return name === undefined ? undefined : methodsOf(host, record, `~${name}`).functions.find(({ role }) => role === "destructor");
}

/** Of classes that are no instances of a template: what those hold depends on its arguments. */
const felt = new WeakMap<Node, boolean>();

/** Whether somebody sees, besides, that an object of the class ends. */
export function isFelt(host: Interpreter, record: RecordInstance, depth = 0): boolean {
  const { declaration, substitution } = record;
  const isOnlyOne = record.arguments.length === 0;
  const known = isOnlyOne ? felt.get(declaration) : undefined;
  if (known !== undefined || depth > deepest) return known ?? false;
  if (isOnlyOne) felt.set(declaration, false);
  const fn = destructorOf(host, record);
  const isSeen =
    (fn !== undefined && changesOthers(host, fn, ownNames(record))) ||
    basesOf(host, record).some((base) => isFelt(host, base, depth + 1)) ||
    (declaration.members ?? []).some((member) => {
      const type =
        member.kind === "variable" && !member.specifiers.static && member.type.kind === "named"
          ? hostType(host, member.type, substitution)
          : undefined;
      return type?.kind === "record" && isFelt(host, type.record, depth + 1);
    });
  if (isOnlyOne) felt.set(declaration, isSeen);
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

function changesOthers(host: Interpreter, fn: FunctionDeclaration, own: ReadonlySet<string>, depth = 0): boolean {
  if (!fn.body) return false;
  if (depth > deepest) return true;
  const local = new Set(fn.parameters.flatMap(({ name, type }) => (name === undefined || type.kind === "reference" ? [] : [name])));
  let found = false;
  walk(fn.body, (node) => {
    if (node.kind === "variable" && node.type.kind !== "reference") local.add(lastName(node.name));
    const target = changedBy(node);
    if (target && !isOwn(target, own, local)) found = true;
    if (node.kind === "call" && changesByCall(host, node, own, local, depth)) found = true;
    return !found;
  });
  return found;
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
