/** Where a file launches kernels, and what leads there: found before anything runs. */

import type { Declaration, Expression, FunctionDeclaration, Statement, TypeNode, VariableDeclaration } from "../../../syntax/ast.ts";
import type { Reading } from "../../../syntax/reading.ts";
import { type AnyNode, walk } from "../../../syntax/walk.ts";
import { lastName } from "../../sema/scope.ts";

export interface LaunchSites {
  /** Launch expressions in the order they are written. */
  readonly sites: readonly Expression[];
  /** Statements, expressions and declarations a launch can be reached from. */
  readonly holders: WeakSet<Statement | Expression | Declaration>;
  /** Functions that contain launch sites themselves, by site. */
  readonly owners: ReadonlyMap<Expression, FunctionDeclaration>;
  /** Functions that lead to launches and that no other function of the file calls. */
  readonly roots: readonly FunctionDeclaration[];
  /** Some function copies or sets memory of the device. */
  readonly copies: boolean;
  /** Names of functions that lead to launches. */
  readonly launching: ReadonlySet<string>;
  /** Some of them are called by code that does not name them: destructors and operators. */
  readonly unnamed: boolean;
  /** Whether a function may call, at any depth, one of others. */
  reaches(from: FunctionDeclaration, to: ReadonlySet<FunctionDeclaration | undefined>): boolean;
}

const launchingCalls: ReadonlySet<string> = new Set([
  "cudaLaunchKernel",
  "cudaLaunchCooperativeKernel",
  "cudaLaunchKernelEx",
  "cudaLaunchKernelExC",
  "cudaGraphAddKernelNode",
]);

const callOperator = "operator()";

type TextOf = Reading["textOf"];

/** A function with a body, and the words of all of it: which names it may call is judged by them. */
interface Candidate {
  readonly fn: FunctionDeclaration;
  readonly words: ReadonlySet<string>;
  readonly launches: boolean;
}

/**
 * Finds launches, and what leads to them through calls by name. `ownerOf` names the class a function is a method of; `isVariable` says of
 * what a name of the file may be that of a variable or a data member; `elsewhere` names functions of other files that launch; `variables` are
 * those outside of functions that begin with a value, in which lambdas may launch.
 */
export function findLaunchSites(
  functions: readonly FunctionDeclaration[],
  reading: Pick<Reading, "textOf" | "order">,
  ownerOf: (fn: FunctionDeclaration) => string | undefined,
  isVariable: (name: string) => boolean,
  elsewhere: ReadonlySet<string> = new Set(),
  variables: readonly VariableDeclaration[] = [],
): LaunchSites {
  const textOf: TextOf = (start, end) => reading.textOf(start, end);
  const all = functions.flatMap((fn) => (fn.body ? candidateOf(fn, fn.body, textOf) : []));
  const tables = variables.filter(({ start, end }) => textOf(start, end).includes("<<<"));
  // Who names one of them may launch.
  const named = tables.map(({ name }) => lastName(name));
  const launching = launchingNames(all, ownerOf, new Set([...elsewhere, ...named]));
  const leading = all.filter(({ fn }) => launching.has(functionName(fn)));
  const lambdas = leading.flatMap(({ fn }) => launchingLambdas(fn, textOf));
  for (const name of lambdas) if (name !== undefined) launching.add(name);
  const isPassedOn = tables.length > 0 || lambdas.includes(undefined) || leading.some(({ fn }) => passesOn(fn, launching));
  const local =
    isPassedOn || launching.has(callOperator)
      ? localNames(
          leading.map(({ fn }) => fn),
          new Set([...launching, callOperator]),
        )
      : undefined;
  const mayBeObject = (name: string): boolean => local !== undefined && (local.has(name) || isVariable(name));
  const sites: Expression[] = [];
  const holders = new WeakSet<Statement | Expression | Declaration>();
  const owners = new Map<Expression, FunctionDeclaration>();
  const called = new Set<string>();
  const calls = new Map<string, Set<string>>();
  for (const table of tables) markHolders(table, launching, local && mayBeObject, holders, (site) => sites.push(site));
  for (const { fn } of leading) {
    if (fn.body === undefined) continue;
    markHolders(fn.body, launching, local && mayBeObject, holders, (site) => {
      sites.push(site);
      owners.set(site, fn);
    });
    const names = calledNames(fn, launching);
    calls.set(functionName(fn), new Set([...(calls.get(functionName(fn)) ?? []), ...names]));
    for (const name of names) if (name !== functionName(fn)) called.add(name);
  }
  sites.sort((a, b) => reading.order(a.start) - reading.order(b.start));
  const roots = leading.filter(({ fn }) => !called.has(functionName(fn))).map(({ fn }) => fn);
  return {
    sites,
    holders,
    owners,
    roots,
    copies: all.some(({ words }) => [...words].some((word) => /^cudaMem(?:cpy|set)/.test(word))),
    launching,
    unnamed: [...launching].some((name) => /^(~|operator\b)/.test(name) && name !== callOperator),
    reaches: (from, to) =>
      reaches(calls, functionName(from), new Set([...to].flatMap((fn) => (fn === undefined ? [] : [functionName(fn)])))),
  };
}

function reaches(calls: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: ReadonlySet<string>): boolean {
  const seen = new Set([from]);
  for (const name of seen) {
    if (to.has(name)) return true;
    for (const next of calls.get(name) ?? []) seen.add(next);
  }
  return false;
}

function candidateOf(fn: FunctionDeclaration, body: NonNullable<FunctionDeclaration["body"]>, textOf: TextOf): Candidate {
  const known = candidates.get(body);
  if (known) return known;
  // Default arguments and initialisers of members may launch as well.
  const text = textOf(fn.start, body.end);
  const words = new Set(text.match(/[A-Za-z_]\w*/g));
  const candidate = { fn, words, launches: text.includes("<<<") || meets(words, launchingCalls) };
  candidates.set(body, candidate);
  return candidate;
}

const candidates = new WeakMap<object, Candidate>();

/** Names of functions that lead to launches, through calls by name. */
function launchingNames(
  candidates: readonly Candidate[],
  ownerOf: (fn: FunctionDeclaration) => string | undefined,
  elsewhere: ReadonlySet<string>,
): Set<string> {
  const launching = new Set([...elsewhere, ...candidates.filter(({ launches }) => launches).map(({ fn }) => functionName(fn))]);
  for (let before = -1; before !== launching.size; ) {
    before = launching.size;
    for (const { fn, words, launches } of candidates) {
      if (!launches && !meets(words, launching)) continue;
      launching.add(functionName(fn));
      // Objects of the class are called without naming the operator.
      const owner = functionName(fn) === callOperator ? ownerOf(fn) : undefined;
      if (owner !== undefined) launching.add(owner);
    }
  }
  return launching;
}

/** The functions of a file that may lead to launches of it, judged by the words in them: what they do is host code's matter. */
export function leadingFunctions(
  functions: readonly FunctionDeclaration[],
  textOf: TextOf,
  ownerOf: (fn: FunctionDeclaration) => string | undefined,
  elsewhere: ReadonlySet<string>,
): ReadonlySet<FunctionDeclaration> {
  const all = functions.flatMap((fn) => (fn.body ? candidateOf(fn, fn.body, textOf) : []));
  const launching = launchingNames(all, ownerOf, elsewhere);
  return new Set(all.flatMap(({ fn }) => (launching.has(functionName(fn)) ? fn : [])));
}

function meets(words: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  const [few, many] = words.size < names.size ? [words, names] : [names, words];
  for (const word of few) if (many.has(word)) return true;
  return false;
}

export function functionName(fn: FunctionDeclaration): string {
  return lastName(fn.name);
}

function isLaunch(node: Expression & { readonly kind: "call" }): boolean {
  return node.launch !== undefined || launchingCalls.has(calledName(node) ?? "");
}

function calledName(node: Expression & { readonly kind: "call" }): string | undefined {
  const { callee } = node;
  return callee.kind === "name" || callee.kind === "member" ? callee.name.parts.at(-1)?.text : undefined;
}

/** Variables that hold a lambda with a launch in it; undefined for one that is put in a list, a container or a class, or passed on. */
function launchingLambdas(fn: FunctionDeclaration, textOf: TextOf): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  if (fn.body === undefined) return names;
  walk(fn.body, (node, parent) => {
    if (node.kind !== "lambda" || !textOf(node.start, node.end).includes("<<<")) return true;
    names.push(parent?.kind === "variable" ? parent.name.parts.at(-1)?.text : undefined);
    return false;
  });
  return names;
}

/** Whether a function puts one that launches somewhere, or hands it on, other than by calling it. */
function passesOn(fn: FunctionDeclaration, launching: ReadonlySet<string>): boolean {
  let found = false;
  if (fn.body === undefined) return found;
  walk(fn.body, (node, parent) => {
    const isCalled = parent?.kind === "call" && parent.callee === node;
    if (node.kind === "name" && !isCalled && launching.has(lastName(node.name))) found = true;
    return !found;
  });
  return found;
}

/** Launching functions a function names: called, or passed on. */
function calledNames(fn: FunctionDeclaration, launching: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  if (fn.body === undefined) return names;
  walk(fn.body, (node) => {
    const name = node.kind === "name" || node.kind === "member" ? node.name.parts.at(-1)?.text : undefined;
    if (name !== undefined && launching.has(name)) names.add(name);
    return true;
  });
  return names;
}

/** What functions declare that may hold something to call which launches. */
function localNames(functions: readonly FunctionDeclaration[], launching: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  const lambdas = new Map<string, ReadonlySet<string>[]>();
  const add = (parameters: FunctionDeclaration["parameters"]): void => {
    for (const { name } of parameters) if (name !== undefined) names.add(name);
  };
  for (const { parameters, body } of functions) {
    add(parameters);
    if (body === undefined) continue;
    walk(body, (node) => {
      if (node.kind === "lambda") add(node.parameters);
      if (node.kind !== "variable") return true;
      const name = lastName(node.name);
      const held = node.bindings ? undefined : node.init?.values[0];
      if (held?.kind === "lambda" && node.type.kind === "auto") lambdas.set(name, [...(lambdas.get(name) ?? []), namesCalled(held)]);
      else for (const each of node.bindings ?? [name]) names.add(each);
      return true;
    });
  }
  // A lambda that calls none of them does nothing but what is written in it.
  for (let before = -1; before !== names.size; ) {
    before = names.size;
    for (const [name, all] of lambdas) if (all.some((called) => meets(called, launching) || meets(called, names))) names.add(name);
  }
  return names;
}

/** What a lambda calls or launches by name; what has none is one that may be anything. */
function namesCalled(lambda: Expression & { readonly kind: "lambda" }): ReadonlySet<string> {
  const called = new Set<string>();
  walk(lambda.body, (node) => {
    if (node.kind === "call") called.add(isLaunch(node) ? callOperator : (calledName(node) ?? callOperator));
    return true;
  });
  return called;
}

/** `mayBeObject`: given where there are objects that launch when they are called. */
function leadsOn(node: AnyNode, launching: ReadonlySet<string>, mayBeObject: ((name: string) => boolean) | undefined): boolean {
  switch (node.kind) {
    case "call": {
      const name = calledName(node);
      if (name !== undefined && launching.has(name)) return true;
      return mayBeObject !== undefined && (name === undefined || mayBeObject(name));
    }
    // An object whose constructor launches.
    case "variable":
    case "new":
    case "cast":
      return namesLaunching(node.type, launching);
    case "list":
      return node.type !== undefined && namesLaunching(node.type, launching);
    default:
      return false;
  }
}

function namesLaunching(type: TypeNode, launching: ReadonlySet<string>): boolean {
  if (type.kind === "array") return namesLaunching(type.of, launching);
  if (type.kind === "reference") return namesLaunching(type.to, launching);
  return type.kind === "named" && launching.has(lastName(type.name));
}

/** Marks what lies around launches and calls that launch, around those of objects that may among them. */
function markHolders(
  within: Statement | Declaration,
  launching: ReadonlySet<string>,
  mayBeObject: ((name: string) => boolean) | undefined,
  holders: WeakSet<Statement | Expression | Declaration>,
  found: (site: Expression) => void,
): void {
  const parents = new Map<object, object>();
  walk(within, (node, parent) => {
    if (parent !== undefined) parents.set(node, parent);
    const launch = node.kind === "call" && isLaunch(node);
    if (launch) found(node);
    if (launch || leadsOn(node, launching, mayBeObject))
      for (let at: object | undefined = node; at !== undefined && !holders.has(at as Statement); at = parents.get(at))
        holders.add(at as Statement);
    return true;
  });
}

/** The name of the kernel that an expression says, as far as one is to be seen. */
export function namedKernel(e: Expression): string {
  switch (e.kind) {
    case "name":
      return e.name.parts.at(-1)?.text ?? "kernel";
    case "parenthesized":
      return namedKernel(e.inner);
    case "member":
      return e.name.parts.at(-1)?.text ?? "kernel";
    case "unary":
      return namedKernel(e.operand);
    default:
      return "kernel";
  }
}
