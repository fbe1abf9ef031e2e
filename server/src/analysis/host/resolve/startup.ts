/** Variables that are made before `main` is entered, where that does more than to give them a value: objects that register themselves. */
import type { Declaration, Expression, Statement } from "../../../syntax/ast.ts";
import { walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance } from "../../sema/types.ts";
import { hostType } from "../memory/host-types.ts";
import { followed, type Interpreter } from "../memory/interpreter.ts";
import { type GlobalVariable, isDeclaredOnly } from "../program/globals.ts";
import { basesOf, constructorsOf } from "./methods.ts";
import { globalCell, globalFrame } from "./names.ts";

/** Makes them in the order in which they are written; all others are made at their first use. */
export function startVariables(host: Interpreter): void {
  followed(host, () => {
    for (const variable of host.globals.inOrder()) if (doesMore(host, variable)) globalCell(host, variable);
  });
}

function doesMore(host: Interpreter, { declaration, path }: GlobalVariable): boolean {
  const { constexpr, device, constant, managed } = declaration.specifiers;
  if (constexpr || device || constant || managed || declaration.templateParameters || isDeclaredOnly(declaration)) return false;
  // Of a class template only what is used is made.
  if (path.some((name) => host.globals.isTemplate(name))) return false;
  if (declaration.init?.values.some((value) => callsProgram(host, value, path))) return true;
  const { frame } = host;
  host.frame = globalFrame(path);
  const type = declaration.type.kind === "named" ? hostType(host, declaration.type) : undefined;
  host.frame = frame;
  return type?.kind === "record" && callsWhenMade(host, type.record, path);
}

/** Bases of bases that are gone through. */
const mostBases = 8;

/** Whether a constructor of a class, or of a base of it, calls a function of the program. */
function callsWhenMade(host: Interpreter, record: RecordInstance, path: readonly string[], depth = 0): boolean {
  const { functions } = constructorsOf(host, record);
  const isCalling = functions.some(({ body, initialisers = [] }) =>
    [...(body ? [body] : []), ...initialisers.flatMap(({ values }) => values)].some((code) => callsProgram(host, code, path)),
  );
  return isCalling || (depth < mostBases && basesOf(host, record).some((base) => callsWhenMade(host, base, path, depth + 1)));
}

function callsProgram(host: Interpreter, code: Expression | Statement | Declaration, path: readonly string[]): boolean {
  let found = false;
  walk(code, (node) => {
    if (node.kind !== "call" || found) return !found;
    const { callee } = node;
    if (callee.kind === "lambda" || callee.kind === "parenthesized") found = true;
    else if (callee.kind === "name" && !/^(std|thrust)$/.test(callee.name.parts[0]?.text ?? ""))
      found =
        host.globals.functions(callee.name, path).some(({ body }) => body !== undefined) || host.globals.isVariable(lastName(callee.name));
    // A list of the program's that something is put into.
    else if (callee.kind === "member" && /^(push_(back|front)|emplace(_back|_front)?|insert)$/.test(lastName(callee.name))) found = true;
    return !found;
  });
  return found;
}
