/** Where a file launches kernels, and what leads there: found before anything runs. */
import type { Declaration, Expression, FunctionDeclaration, Statement } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";

export interface LaunchSites {
  /** Launch expressions in the order they are written. */
  readonly sites: readonly Expression[];
  /** Statements, expressions and declarations a launch can be reached from. */
  readonly holders: WeakSet<Statement | Expression | Declaration>;
  /** Functions that contain launch sites themselves, by site. */
  readonly owners: ReadonlyMap<Expression, FunctionDeclaration>;
  /** Functions that lead to launches and that no other function of the file calls. */
  readonly roots: readonly FunctionDeclaration[];
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
        launching.add(functionName(fn));
      }
      return true;
    });
  }
  // Callers of launching functions lead to launches too; a few rounds reach them all.
  for (let round = 0, grown = launching.size > 0; grown && round < 12; round++) {
    grown = false;
    for (const fn of functions) if (markHolders(fn, launching, holders) && !launching.has(functionName(fn))) {
      launching.add(functionName(fn));
      grown = true;
    }
  }
  sites.sort((a, b) => a.start - b.start);
  return { sites, holders, owners, roots: rootsOf(functions, launching) };
}

export function functionName(fn: FunctionDeclaration): string {
  return fn.name.parts.at(-1)?.text ?? "";
}

function rootsOf(functions: readonly FunctionDeclaration[], launching: ReadonlySet<string>): FunctionDeclaration[] {
  const called = new Set<string>();
  for (const fn of functions) {
    if (fn.body === undefined || !launching.has(functionName(fn))) continue;
    walk(fn.body, (node) => {
      if (node.kind === "call" && calledName(node) !== functionName(fn)) called.add(calledName(node) ?? "");
      return true;
    });
  }
  return functions.filter((fn) => fn.body !== undefined && launching.has(functionName(fn)) && !called.has(functionName(fn)));
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

