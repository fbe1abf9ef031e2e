/** What is thrown, and which handler takes it. */
import type { Expression, ParameterDeclaration, Statement } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { forgetChanged } from "../memory/effects.ts";
import { hostType } from "../memory/host-types.ts";
import { type Completion, declareLocal, followed, type Interpreter, type Thrown } from "../memory/interpreter.ts";
import { joinValues, type Mark, type Outcome } from "../memory/journal.ts";
import { derivesFromStandard, raise } from "../memory/thrown.ts";
import { passed } from "../resolve/construct.ts";
import { instanceOf, isOrDerives } from "../resolve/methods.ts";
import { Cell, type HostType } from "../values/model.ts";
import { sameHostType, typeOfValue } from "../values/type-of-value.ts";
import { unknown } from "../values/values.ts";
import { eitherWay, speculate, tryOut } from "./branches.ts";

const exit: Completion = { kind: "exit" };

/** `throw e;`, `throw;` */
export function runThrow(host: Interpreter, written: Expression | undefined): Completion {
  if (written === undefined) raise(host, host.handled ?? { value: unknown("an exception") });
  else {
    const value = host.evaluate(written);
    if (host.exited) return exit;
    if (value.kind === "record") host.frame.temporaries.delete(value);
    const type = host.semantics.typeOf(written, host.frame.substitution) ?? typeOfValue(value);
    raise(host, { value, type, name: className(withoutParentheses(written)) });
  }
  return exit;
}

/** The class that an expression makes an object of: `std::runtime_error("...")`. */
function className(e: Expression): string | undefined {
  if (e.kind === "call") return e.callee.kind === "name" ? lastName(e.callee.name) : undefined;
  const type = e.kind === "cast" || e.kind === "list" ? e.type : undefined;
  return type?.kind === "named" ? lastName(type.name) : undefined;
}

/** What is thrown goes to the first handler that takes it, or on; where that is not known, to any that may. */
export function runTry(host: Interpreter, { body, handlers, caught }: Statement & { readonly kind: "try" }): Completion {
  const { scopes } = host.frame;
  const depth = scopes.length;
  const { mayThrow } = host;
  host.mayThrow = false;
  const mark = host.journal.hold();
  const isFollowed = handlers.some((handler) => host.holdsLaunch.has(handler));
  const completion = isFollowed ? followed(host, () => host.execute(body)) : host.execute(body);
  const { thrown } = host;
  if (host.mayThrow) {
    scopes.length = depth;
    caughtAnyway(host, mark, handlers);
    host.mayThrow = mayThrow;
    return completion;
  }
  host.mayThrow = mayThrow;
  host.journal.release(mark);
  if (!host.exited || thrown === undefined) {
    for (const handler of handlers) speculate(host, handler);
    return completion;
  }
  scopes.length = depth;
  const ways: (() => Completion)[] = [];
  let isTaken = false;
  for (const [k, handler] of handlers.entries()) {
    const [parameter] = caught[k] ?? [];
    const takes = parameter === undefined || isTaker(host, parameter, thrown);
    if (takes === false) continue;
    ways.push(() => handle(host, handler, parameter, thrown));
    isTaken = takes === true;
    if (isTaken) break;
  }
  const on = (): Completion => {
    raise(host, thrown);
    return exit;
  };
  if (!isTaken) ways.push(on);
  host.exited = false;
  host.thrown = undefined;
  const [first, ...others] = ways;
  return others.reduce<() => Completion>(
    (one, other) => () => eitherWay(host, unknown("which handler is meant"), one, other),
    first ?? (() => undefined),
  )();
}

/**
 * Something may have been thrown by the body, anywhere. Where a handler goes on behind it, what the body has done is done or not, and what
 * that handler does.
 */
function caughtAnyway(host: Interpreter, mark: Mark, handlers: readonly Statement[]): void {
  const { exited, thrown } = host;
  const done = host.journal.undo(mark);
  const before = host.journal.hold();
  host.exited = false;
  forgetDone(host, done);
  const goingOn: Outcome[] = [];
  for (const handler of handlers) {
    const [left, outcome] = tryOut(host, () => host.execute(handler));
    if (left?.kind === "return") host.frame.otherResults.push(left.value);
    else if (left?.kind !== "exit") goingOn.push(outcome);
  }
  host.journal.undo(before);
  if (goingOn.length === 0) host.journal.redo(done);
  else forgetDone(host, done);
  for (const outcome of goingOn) forgetDone(host, outcome);
  host.exited = exited;
  host.thrown = thrown;
}

/** Pointers lead where they did, or where they were set to, as far as that is one place. */
function forgetDone(host: Interpreter, done: Outcome): void {
  const reason = "whether something is thrown is not known";
  const pointers = [...done.cells]
    .filter(([, { kind }]) => kind === "pointer")
    .map(([cell, value]) => [cell, joinValues(cell.value, value, reason)] as const);
  forgetChanged(host, done, reason);
  for (const [cell, value] of pointers) host.journal.set(cell, value);
}

function handle(host: Interpreter, handler: Statement, parameter: ParameterDeclaration | undefined, thrown: Thrown): Completion {
  const { handled } = host;
  host.handled = thrown;
  host.frame.scopes.push(new Map());
  if (parameter?.name !== undefined) {
    const type = hostType(host, parameter.type);
    const of = type?.kind === "reference" ? type.to : type;
    declareLocal(host, parameter.name, new Cell(passed(host, thrown.value, of), of, parameter.name));
  }
  const completion = host.execute(handler);
  host.frame.scopes.pop();
  host.handled = handled;
  return completion;
}

/** Whether a handler takes what is thrown; undefined where that is not known. */
function isTaker(host: Interpreter, { type: written }: ParameterDeclaration, { value, type, name = "" }: Thrown): boolean | undefined {
  const node = written.kind === "reference" ? written.to : written;
  const record = instanceOf(value);
  const isStandard = derivesFromStandard(name, name);
  if (node.kind === "named" && host.globals.record(node.name) === undefined) {
    const base = lastName(node.name);
    if (derivesFromStandard(base, base) === undefined) return undefined;
    if (record) return derivesByName(host, record.declaration, base);
    return isPlain(type) ? false : derivesFromStandard(name, base);
  }
  const wanted = hostType(host, node);
  if (wanted?.kind === "record" && record) return isOrDerives(host, record, lastName(wanted.record.declaration.name));
  if (record || isStandard) return wanted === undefined ? undefined : false;
  if (wanted?.kind === "record") return isPlain(type) ? false : undefined;
  if (wanted?.kind === "pointer" && value.kind === "string") return wanted.to.kind === "integer" && wanted.to.name === "char";
  return isPlain(wanted) && isPlain(type) ? sameHostType(wanted, type) : undefined;
}

const isPlain = (type: HostType | undefined): boolean =>
  type?.kind === "integer" || type?.kind === "floating" || type?.kind === "pointer" || type?.kind === "enum";

/** Whether a class of the program derives from one of the library's exceptions. */
function derivesByName(
  host: Interpreter,
  declaration: NonNullable<ReturnType<Interpreter["globals"]["record"]>>,
  wanted: string,
  depth = 0,
): boolean {
  return declaration.bases.some(({ type }) => {
    if (type.kind !== "named" || depth > 8) return false;
    const base = host.globals.record(type.name);
    return base ? derivesByName(host, base, wanted, depth + 1) : derivesFromStandard(lastName(type.name), wanted) === true;
  });
}
