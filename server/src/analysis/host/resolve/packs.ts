/** Parameter packs, of functions and of templates: patterns evaluated once for each element. */
import type { Expression } from "../../../syntax/ast.ts";
import { packElement, packNames } from "../../sema/template-values.ts";
import { type Argument, type Interpreter, lookUpLocal } from "../memory/interpreter.ts";
import { Cell, type Place, type RecordValue, type Value } from "../values/model.ts";
import { bool, truth, unknown, unknownOf, voidValue } from "../values/values.ts";

/** The name of the record a parameter pack is bound to. */
const packName = "...";

/** What a parameter pack holds: a record with members "0", "1", ... */
export function packOf(args: readonly Argument[]): RecordValue {
  const members = new Map(args.map(({ value, place }, k) => [String(k), place instanceof Cell ? place : new Cell(value)] as const));
  return { kind: "record", name: packName, type: undefined, members };
}

/** Elements of a pack that are gone through. */
const mostElements = 1024;

/** Runs for each element of the packs a node mentions, in which they stand for that element; undefined where it mentions none. */
export function forEachElement<T>(host: Interpreter, node: object, run: () => T): T[] | undefined {
  const { frame } = host;
  const local = localPacks(host, node);
  const bound = packNames(node, frame.substitution);
  const [length] = [...local.values()].map(({ members }) => members.size).concat(bound.map((each) => each.length));
  if (length === undefined || length > mostElements) return undefined;
  const made: T[] = [];
  for (let k = 0; k < length; k++) {
    const scope = new Map<string, Place>();
    for (const [name, { members }] of local) {
      const element = members.get(String(k));
      if (element !== undefined) scope.set(name, element);
    }
    const substitution = bound.length === 0 ? frame.substitution : packElement(bound, k, frame.substitution);
    host.frame = { ...frame, substitution, scopes: [...frame.scopes, scope] };
    made.push(run());
    host.frame = frame;
  }
  return made;
}

/** The function parameter packs that a node mentions. */
function localPacks(host: Interpreter, node: object): Map<string, RecordValue> {
  const packs = new Map<string, RecordValue>();
  for (const name of namesIn(node)) {
    const place = lookUpLocal(host, name);
    if (place instanceof Cell && place.value.kind === "record" && place.value.name === packName) packs.set(name, place.value);
  }
  return packs;
}

const known = new WeakMap<object, ReadonlySet<string>>();

function namesIn(node: object): ReadonlySet<string> {
  const found = known.get(node);
  if (found) return found;
  const names = new Set<string>();
  const pending: object[] = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ("text" in next && typeof next.text === "string") names.add(next.text);
    for (const each of Object.values(next)) if (typeof each === "object" && each !== null) pending.push(each);
  }
  known.set(node, names);
  return names;
}

type Elements = (Expression & { readonly kind: "list" })["elements"];

/** What an expression that was made of an element of a pack is worth. */
const worth = new WeakMap<Expression, Value>();

export const evaluatedBefore = (e: Expression): Value | undefined => worth.get(e);

/** The elements of a braced list, `args...` as one for each: evaluated already. Undefined where it is not known how many there are. */
export function expandedElements(host: Interpreter, elements: Elements): Elements | undefined {
  if (!elements.some(({ value }) => value.kind === "pack")) return elements;
  const expanded: Elements[number][] = [];
  for (const element of elements) {
    const { value } = element;
    if (value.kind !== "pack") {
      expanded.push(element);
      continue;
    }
    const values = forEachElement(host, value.pattern, () => host.evaluate(value.pattern));
    if (values === undefined) return undefined;
    for (const each of values) {
      const made: Expression = { start: value.start, end: value.end, kind: "unknown", text: "" };
      worth.set(made, each);
      expanded.push({ value: made });
    }
  }
  return expanded;
}

/** `sizeof...(pack)`. */
export function packLength(host: Interpreter, name: string): number | undefined {
  const node = { text: name };
  const [local] = localPacks(host, node).values();
  return local?.members.size ?? packNames(node, host.frame.substitution)[0]?.length;
}

type Fold = Expression & { readonly kind: "fold" };

/** `(f(args), ...)`, `(... + args)`, `(0 + ... + args)`. */
export function evaluateFold(
  host: Interpreter,
  { op, left, right }: Fold,
  combine: (op: string, left: Value, right: Value) => Value,
): Value {
  const pattern = right !== undefined && (left === undefined || mentionsPack(host, right)) ? right : left;
  if (pattern === undefined) return unknown("a parameter pack");
  const first = pattern === right && left !== undefined ? host.evaluate(left) : undefined;
  let stopped = false;
  const values = forEachElement(host, pattern, () => {
    if (stopped) return voidValue;
    const value = host.evaluate(pattern);
    // What follows is not evaluated once the result is known.
    if (op === "&&" || op === "||") stopped = truth(host.scalar(value)) === (op === "||");
    return value;
  });
  if (values === undefined) return unknown("a parameter pack");
  const last = pattern === left && right !== undefined ? host.evaluate(right) : undefined;
  const all = [...(first ? [first] : []), ...values, ...(last ? [last] : [])];
  if (op === ",") return all.at(-1) ?? voidValue;
  if (op === "&&" || op === "||") return all.map((each) => host.scalar(each)).reduce((a, b) => logical(op, a, b), bool(op === "&&"));
  const fromRight = last !== undefined || right === undefined;
  if (fromRight) all.reverse();
  return all.length === 0 ? unknown("a fold of an empty pack") : all.reduce((a, b) => (fromRight ? combine(op, b, a) : combine(op, a, b)));
}

const mentionsPack = (host: Interpreter, node: object): boolean =>
  localPacks(host, node).size > 0 || packNames(node, host.frame.substitution).length > 0;

function logical(op: "&&" | "||", a: Value, b: Value): Value {
  if (b.kind === "void" || truth(a) === (op === "||")) return a;
  const [x, y] = [truth(a), truth(b)];
  if (y === (op === "||")) return bool(y);
  return x === undefined || y === undefined ? unknownOf(a, b) : bool(y);
}
