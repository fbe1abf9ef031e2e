/** Evaluates the host code of a file and reports the launches in it. */
import type { Declaration, Expression, FunctionDeclaration, Statement, TranslationUnit } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import type { AnalysisSettings } from "../facts.ts";
import type { Semantics } from "../sema/index.ts";
import { callFunction } from "./call.ts";
import { evaluateExpression } from "./expressions.ts";
import { blank, hostType } from "./host-types.ts";
import { Globals } from "./globals.ts";
import { Inputs } from "./inputs.ts";
import { type Argument, type Interpreter, OutOfSteps } from "./interpreter.ts";
import { LaunchLog } from "./launch-log.ts";
import { Allocation, Cell, Journal, unknownContent } from "./memory.ts";
import { globalFrame } from "./names.ts";
import { executeStatement } from "./statements.ts";
import { int, pointer, unknown, type Value } from "./values.ts";

/** What launches what: found once a file, before anything runs. */
export interface LaunchSites {
  /** Launch expressions in the order they are written. */
  readonly sites: readonly Expression[];
  /** Statements, expressions and declarations a launch can be reached from. */
  readonly holders: WeakSet<Statement | Expression | Declaration>;
  /** Functions that contain launch sites themselves, by site. */
  readonly functions: ReadonlyMap<Expression, FunctionDeclaration>;
}

const launchingCalls: ReadonlySet<string> = new Set(["cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelEx", "cudaLaunchKernelExC"]);

/** Finds launches, and what leads to them through calls by name. */
export function findLaunchSites(functions: readonly FunctionDeclaration[]): LaunchSites {
  const sites: Expression[] = [];
  const holders = new WeakSet<Statement | Expression | Declaration>();
  const owners = new Map<Expression, FunctionDeclaration>();
  const launching = new Set<string>();
  for (const fn of functions) {
    if (fn.body === undefined) continue;
    walk(fn.body, (node) => {
      if (node.kind === "call" && isLaunch(node)) {
        sites.push(node);
        owners.set(node, fn);
        launching.add(lastText(fn));
      }
      return true;
    });
  }
  // Callers of launching functions lead to launches too; a few rounds reach them all.
  for (let round = 0, grown = launching.size > 0; grown && round < 12; round++) {
    grown = false;
    for (const fn of functions) if (markHolders(fn, launching, holders) && !launching.has(lastText(fn))) {
      launching.add(lastText(fn));
      grown = true;
    }
  }
  sites.sort((a, b) => a.start - b.start);
  return { sites, holders, functions: owners };
}

function lastText(fn: FunctionDeclaration): string {
  return fn.name.parts.at(-1)?.text ?? "";
}

export function isLaunch(node: Expression & { readonly kind: "call" }): boolean {
  return node.launch !== undefined || launchingCalls.has(calledName(node) ?? "");
}

function calledName(node: Expression & { readonly kind: "call" }): string | undefined {
  const { callee } = node;
  return callee.kind === "name" || callee.kind === "member" ? callee.name.parts.at(-1)?.text : undefined;
}

/** Marks what lies around launches and calls that launch; whether there is any. */
function markHolders(fn: FunctionDeclaration, launching: ReadonlySet<string>, holders: WeakSet<Statement | Expression | Declaration>): boolean {
  if (fn.body === undefined) return false;
  const parents = new Map<object, object>();
  let found = false;
  walk(fn.body, (node, parent) => {
    if (parent !== undefined) parents.set(node, parent);
    if (node.kind !== "call" || !(isLaunch(node) || launching.has(calledName(node) ?? ""))) return true;
    found = true;
    for (let at: object | undefined = node; at !== undefined; at = parents.get(at)) holders.add(at as Statement);
    return true;
  });
  return found;
}

export interface RunOptions {
  /** Values for inputs by name, see `inputs.ts`. */
  readonly assumed?: ReadonlyMap<string, number>;
  /** Do not let the program end early. */
  readonly survivesExits?: boolean;
  /** The number of arguments is not known. */
  readonly unknownArguments?: boolean;
}

export interface RunResult {
  readonly log: LaunchLog;
  /** Why inputs are not known, by name. */
  readonly reasons: ReadonlyMap<string, string>;
  readonly outOfSteps: boolean;
  readonly steps: number;
}

/** Runs one function of the file from fresh memory: `main` with its arguments, any other with unknown ones. */
export function runFunction(unit: TranslationUnit, semantics: Semantics, settings: AnalysisSettings, sites: LaunchSites, entry: FunctionDeclaration, options: RunOptions = {}): RunResult {
  const host = interpreterFor(unit, semantics, settings, sites, options);
  let outOfSteps = false;
  try {
    const self = selfOf(host, entry);
    callFunction(host, { function: entry, arguments: argumentsOf(host, entry, options), ...(self === undefined ? {} : { self }) });
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    outOfSteps = true;
  }
  return { log: host.launches, reasons: host.inputs.reasons, outOfSteps, steps: host.steps };
}

function interpreterFor(unit: TranslationUnit, semantics: Semantics, settings: AnalysisSettings, sites: LaunchSites, options: RunOptions): Interpreter {
  const host: Interpreter = {
    evaluate: (expression) => evaluateExpression(host, expression),
    execute: (statement) => executeStatement(host, statement),
    semantics, settings,
    journal: new Journal(),
    globals: new Globals(unit),
    inputs: new Inputs(options.assumed ?? new Map()),
    launches: new LaunchLog(),
    statics: new Map(),
    loops: [],
    frame: { ...globalFrame([]), depth: -1 },
    steps: 0,
    exited: false,
    speculation: 0,
    uncertainty: 0,
    visited: new WeakSet(),
    survivesExits: options.survivesExits === true,
    holdsLaunch: sites.holders,
  };
  return host;
}

function argumentsOf(host: Interpreter, entry: FunctionDeclaration, options: RunOptions): Argument[] {
  if (lastText(entry) === "main") return mainArguments(host, options);
  return entry.parameters.filter((parameter) => !parameter.pack).map((parameter): Argument => {
    const name = parameter.name ?? "";
    const type = hostType(host, parameter.type.kind === "reference" ? parameter.type.to : parameter.type);
    const reason = `a parameter of \`${lastText(entry)}\`, which nothing in this file calls with known values`;
    if (parameter.default !== undefined) {
      const value = host.evaluate(parameter.default);
      if (value.kind !== "unknown") return { value };
    }
    if (type?.kind === "pointer") return { value: pointer(new Allocation(name, "device", type.to.kind === "void" ? undefined : type.to, { bytes: undefined, why: unknown(reason), content: unknownContent, reason, ...elementShape(host, type.to) }), type.to) };
    const value = blank(host, type, false, reason, name);
    return { value: value.kind === "unknown" ? value : value };
  });
}

function elementShape(host: Interpreter, type: Parameters<Semantics["sizeOf"]>[0]): { readonly elementBytes?: number } {
  const elementBytes = host.semantics.sizeOf(type);
  return elementBytes === undefined ? {} : { elementBytes };
}

function mainArguments(host: Interpreter, options: RunOptions): Argument[] {
  const words = ["program", ...host.settings.argv];
  const guess = options.unknownArguments === true && host.settings.argv.length === 0;
  const argv = new Allocation("argv", "host", undefined, { bytes: guess ? undefined : words.length * 8, content: unknownContent, reason: "the program's arguments", elementBytes: 8 });
  for (const [k, text] of words.entries()) argv.cells.set(k * 8, new Cell({ kind: "string", text }, undefined, undefined, true));
  const argc: Value = guess ? unknown("the program's arguments") : int(words.length);
  return [{ value: argc }, { value: pointer(argv, { kind: "pointer", to: { kind: "integer", name: "char" } }) }];
}

/** A method runs on an object of which nothing is known. */
function selfOf(host: Interpreter, entry: FunctionDeclaration): Cell | undefined {
  const owner = host.globals.pathOf(entry).at(-1);
  if (owner === undefined) return undefined;
  const name = { start: entry.start, end: entry.start, global: false, parts: [{ text: owner }] };
  if (host.globals.record(name, host.globals.pathOf(entry)) === undefined) return undefined;
  const type = hostType(host, { kind: "named", start: entry.start, end: entry.start, name });
  return new Cell(blank(host, type, false, `a member of \`${owner}\``), type, "this");
}

export type { LaunchEntry } from "./launch-log.ts";
