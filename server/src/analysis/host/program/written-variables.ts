/**
 * Which `__device__` and `__managed__` variables a kernel may store to, judged by names: one counts as stored to unless each place that
 * names it in code that the kernel may run only reads it.
 */

import type { Expression, FunctionDeclaration, TypeNode } from "../../../syntax/ast.ts";
import { type AnyNode, walk } from "../../../syntax/walk.ts";
import { recipeOf } from "../../sema/library/index.ts";
import { lastName } from "../../sema/scope.ts";
import type { Globals } from "./globals.ts";

type Code = FunctionDeclaration | Expression;

/** A function, and no type of one. */
const isFunction = (node: AnyNode): node is FunctionDeclaration => node.kind === "function" && "nameSpan" in node;

interface Uses {
  /** Names that are not its own, in order: those that may be stored to, or are given to who may store to them. */
  readonly stored: readonly string[];
  /** Those whose value is copied, by what it is copied to: of a number nothing is stored, of a pointer or an array there may be. */
  readonly copied: readonly string[];
  /** Those that calls are given the value of, each as `function name`. */
  readonly given: readonly string[];
  /** Those whose address is taken, but for an atomic operation. */
  readonly addressed: readonly string[];
  /** All others that it names: functions, methods, classes. */
  readonly named: readonly string[];
  /** It calls what is not a function by its name. */
  readonly callsAny: boolean;
}

/** By declaration, or by lambda. */
const known = new WeakMap<object, Uses>();

/** A declaration may get another body. */
const keyOf = (code: Code): object => (code.kind === "function" ? (code.body ?? code) : code);

function usesOf(code: Code): Uses {
  const found = known.get(keyOf(code));
  if (found) return found;
  const made = collect(code);
  known.set(keyOf(code), made);
  return made;
}

function collect(code: Code): Uses {
  const parents = new Map<AnyNode, AnyNode>();
  const mentions: { readonly node: AnyNode; readonly name: string; readonly isPlain: boolean }[] = [];
  const named = new Set<string>();
  const stored = new Set<string>();
  const local = new Map<string, number>();
  const called: string[] = [];
  let callsAny = false;
  const declared = (name: string | undefined, start: number): void => {
    if (name !== undefined) local.set(name, Math.min(start, local.get(name) ?? start));
  };
  const body = code.kind === "function" || code.kind === "lambda" ? code.body : undefined;
  if (code.kind === "function" || code.kind === "lambda") for (const { name } of code.parameters) declared(name, -1);
  if (body?.kind === "block")
    for (const each of body.body)
      if (each.kind === "declaration")
        for (const inner of each.declarations) if (inner.kind === "variable") declared(lastName(inner.name), inner.start);
  walk(code, (node, parent) => {
    if (parent) parents.set(node, parent);
    if (node.kind === "name")
      mentions.push({ node, name: lastName(node.name), isPlain: node.name.parts.length === 1 && !node.name.global });
    if (node.kind === "name" || node.kind === "named") for (const { text } of node.name.parts) named.add(text);
    if (node.kind === "member") named.add(lastName(node.name));
    if (isFunction(node) && node !== code) named.add(lastName(node.name));
    if (node.kind === "call") {
      if (node.callee.kind === "name") called.push(lastName(node.callee.name));
      else if (node.callee.kind !== "member") callsAny = true;
    }
    // Text that could not be read may do anything with what it names.
    if (node.kind === "unknown" && "text" in node)
      for (const name of node.text.match(/[A-Za-z_]\w*/g) ?? []) {
        stored.add(name);
        named.add(name);
      }
    return true;
  });
  if (code.kind === "function")
    for (const { values } of code.initialisers ?? [])
      for (const value of values) if (value.kind === "name") stored.add(lastName(value.name));
  const copied = new Set<string>();
  const given = new Set<string>();
  const addressed = new Set<string>();
  for (const { node, name, isPlain } of mentions) {
    const since = isPlain ? local.get(name) : undefined;
    if (since !== undefined && since <= node.start) continue;
    const use = useOf(node, parents, code);
    if (use === "stored" || use === "addressed") stored.add(name);
    if (use === "addressed") addressed.add(name);
    if (use === "copied") copied.add(name);
    if (typeof use === "object") given.add(`${use.to} ${name}`);
  }
  const types = code.kind === "function" ? (code.templateParameters ?? []).map((each) => each.name) : [];
  if (called.some((name) => local.has(name) || types.includes(name))) callsAny = true;
  return { stored: [...stored], copied: [...copied], given: [...given], addressed: [...addressed], named: [...named], callsAny };
}

type Use = "read" | "copied" | "stored" | "addressed" | { readonly to: string };

/** What becomes of a variable where it is named. What is not known to read it may store to it. */
function useOf(named: AnyNode, parents: ReadonlyMap<AnyNode, AnyNode>, code: Code): Use {
  let node = named;
  for (let parent = parents.get(node); parent; node = parent, parent = parents.get(node)) {
    switch (parent.kind) {
      case "parenthesized":
        continue;
      case "member":
        continue;
      case "subscript":
        if (parent.base === node) continue;
        return "read";
      case "conditional":
        if (parent.condition === node) return "read";
        continue;
      case "unary":
        if (parent.op === "*") continue;
        if (parent.op === "&") return isAtomic(parents.get(parent)) ? "stored" : "addressed";
        return /^[-+!~]$/.test(parent.op) ? "read" : "stored";
      case "binary":
        if (parent.op === ",") {
          if (parent.left === node) return "read";
          continue;
        }
        // A pointer is still one with a number added.
        return /^[-+]$/.test(parent.op) ? "copied" : "read";
      case "assign":
        return parent.left === node ? "stored" : "copied";
      case "call": {
        if (parent.callee === node) return node === named ? "read" : "stored";
        const name = parent.callee.kind === "name" || parent.callee.kind === "member" ? lastName(parent.callee.name) : undefined;
        return name === undefined ? "stored" : { to: name };
      }
      case "cast":
        return isCopy(parent.type) ? "copied" : "stored";
      case "variable":
        return isCopy(parent.type) || parent.type.kind === "auto" ? "copied" : "stored";
      case "return":
        return returnsCopy(parent, parents, code) ? "copied" : "stored";
      case "asm":
        return parent.inputs.some(({ value }) => value === node) ? "copied" : "stored";
      case "if":
      case "for":
      case "while":
      case "do":
      case "switch":
      case "expression":
      case "sizeof":
        return "read";
      default:
        return "stored";
    }
  }
  return "stored";
}

const isAtomic = (node: AnyNode | undefined): boolean =>
  node?.kind === "call" && node.callee.kind === "name" && /^atomic[A-Z]\w*$/.test(lastName(node.callee.name));

/** Whether a thing of a type is another one than what it is made of: an object may keep a reference. */
const isCopy = (type: TypeNode): boolean =>
  type.kind === "builtin" ||
  type.kind === "pointer" ||
  (type.kind === "named" && /^(u?int\w*_t|size_t|ptrdiff_t)$/.test(lastName(type.name)));

function returnsCopy(node: AnyNode, parents: ReadonlyMap<AnyNode, AnyNode>, code: Code): boolean {
  for (let each: AnyNode | undefined = node; each; each = parents.get(each)) {
    if (each.kind === "lambda") return each.result === undefined || isCopy(each.result);
    if (isFunction(each)) return isCopy(each.result);
  }
  return code.kind === "function" && isCopy(code.result);
}

/** What of a function's body `writtenVariables` goes by, of some names. */
export function usesAmong(fn: FunctionDeclaration, names: ReadonlySet<string>): string {
  const { stored, copied, given, addressed, named, callsAny } = usesOf(fn);
  const among = (all: readonly string[]): string => all.filter((each) => names.has(each.split(" ").at(-1) ?? "")).join();
  return [...[stored, copied, given, addressed, named].map(among), callsAny].join(";");
}

/** Functions of the language and of CUDA that are given values. */
const takesValues =
  /^(__\w+|atomic[A-Z]\w*|printf|assert|[fl]*(abs|min|max)f?|(sqrt|rsqrt|exp2?|log2?|pow|sin|cos|tan|tanh|floor|ceil|round|fma|fmod)f?)$/;

const takesReference = ({ parameters }: FunctionDeclaration): boolean =>
  parameters.some(({ type }) => type.kind === "reference" && !type.to.const);

/** `operator+=(float3& a, float3 b)`: that its left side is stored to is seen where it stands. */
const operatorTakesReference = (fn: FunctionDeclaration, globals: Globals): boolean => {
  const isAssignment = /^operator\s*(\+\+|--|[-+*/%&|^]=|<<=|>>=)$/.test(lastName(fn.name)) && globals.classOf(fn) === undefined;
  return takesReference(isAssignment ? { ...fn, parameters: fn.parameters.slice(1) } : fn);
};

/** Names of variables, and others of such names that are no variables. */
export function writtenVariables(kernel: FunctionDeclaration, globals: Globals): ReadonlySet<string> {
  const written = new Set<string>();
  const variables = globals.ofDevice();
  const all = new Set(variables.map(({ declaration: { name } }) => lastName(name)));
  // What the values of these are copied to may lead back to them.
  const numbers = new Set(variables.flatMap(({ declaration: { name, type } }) => (isNumber(type, globals) ? [lastName(name)] : [])));
  for (const { name, type } of variables.map(({ declaration }) => declaration))
    if (!isNumber(type, globals)) numbers.delete(lastName(name));
  const { implicit, others, initial } = globals.deviceCode();
  // What no name tells of may be run whenever: constructors, destructors, operators, lambdas that the host has given.
  const seen = new Set<Code>([kernel, ...implicit]);
  const take = (name: string): void => {
    for (const fn of globals.functionsNamed(name)) seen.add(fn);
  };
  for (const node of initial) {
    const { stored, copied, given, named } = usesOf(node);
    // What is not a number's value there is an address.
    for (const name of [...stored, ...copied, ...given.map((each) => each.split(" ").at(-1) ?? "")]) written.add(name);
    for (const name of named) take(name);
  }
  // A pointer that one kernel keeps another may use.
  for (const code of [...implicit, ...others]) for (const name of usesOf(code).addressed) written.add(name);
  const isGivenOn = implicit.some((code) => code.kind === "function" && operatorTakesReference(code, globals));
  // What is called is put behind those that are gone through.
  for (const code of seen) {
    if (code.kind === "function" && isElsewhere(code)) return all;
    const { stored, copied, given, named, callsAny } = usesOf(code);
    for (const name of named) {
      take(name);
      if (isGivenOn) written.add(name);
    }
    if (callsAny) for (const each of others) if (each.kind === "function" && !each.specifiers.global) seen.add(each);
    for (const name of stored) written.add(name);
    for (const name of copied) if (!numbers.has(name)) written.add(name);
    for (const each of given) {
      const [to = "", name = ""] = each.split(" ");
      const functions = globals.functionsNamed(to);
      const isTaken = functions.length > 0 ? functions.some(takesReference) : !takesValues.test(to);
      if (isTaken || !numbers.has(name)) written.add(name);
    }
  }
  return written;
}

/** The body is in another file, where nobody looks. */
const isElsewhere = (fn: FunctionDeclaration): boolean =>
  fn.body === undefined && fn.specifiers.device === true && !fn.deleted && !fn.defaulted && recipeOf(fn) === undefined;

function isNumber(type: TypeNode, globals: Globals): boolean {
  if (type.kind === "builtin") return true;
  return type.kind === "named" && isCopy(type) && globals.record(type.name) === undefined;
}
