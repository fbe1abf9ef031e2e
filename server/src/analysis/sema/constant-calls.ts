/** Running constexpr functions and the library's. */
import type { FunctionDeclaration, ParameterDeclaration, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import { convertConstant, deeper, listValue, notConstant, type Run, spend, type Value } from "./constant-run.ts";
import type { Constant } from "./context.ts";
import { lambdaResult } from "./returned-types.ts";
import { isFloating, isInteger, underlying } from "./type-tools.ts";
import type { LambdaExpression, Substitution, Type } from "./types.ts";

/** Library functions that are worth evaluating before a program runs. */
const libraryFunctions: Readonly<Record<string, (...args: number[]) => number>> = {
  sqrt: Math.sqrt,
  sqrtf: Math.sqrt,
  ceil: Math.ceil,
  ceilf: Math.ceil,
  floor: Math.floor,
  floorf: Math.floor,
  pow: Math.pow,
  powf: Math.pow,
  exp: Math.exp,
  expf: Math.exp,
  log: Math.log,
  logf: Math.log,
  log2: Math.log2,
  log2f: Math.log2,
  fabs: Math.abs,
  fabsf: Math.abs,
  sin: Math.sin,
  cos: Math.cos,
};

export function builtInCall(name: string, args: readonly Value[]): Constant {
  const values = args.map((each): Constant => {
    if (each === undefined || Array.isArray(each)) throw notConstant;
    return each;
  });
  const [a, b] = values;
  if ((name === "min" || name === "max") && a !== undefined && b !== undefined) return (name === "min") === a < b ? a : b;
  if (name === "abs" && a !== undefined && typeof a !== "boolean") return a < 0 ? -a : a;
  const numeric = libraryFunctions[name];
  if (numeric) return numeric(...values.map(Number));
  throw notConstant;
}

export function runFunction(run: Run, called: FunctionDeclaration, substitution: Substitution, args: readonly Value[]): Value {
  if (called.specifiers.constexpr) run.budget.promised = true;
  return deeper(run, () => {
    const inner: Run = { ...run, substitution, locals: new Map() };
    bindArguments(inner, called.parameters, args);
    const body = run.context.readBody(called);
    return returnedBy(inner, body, run.context.resultType(called, substitution));
  });
}

/** A lambda sees the variables around it, which it captures. */
export function runLambda(run: Run, lambda: LambdaExpression, substitution: Substitution, args: readonly Value[]): Value {
  return deeper(run, () => {
    const inner: Run = { ...run, substitution, locals: new Map(run.locals) };
    bindArguments(inner, lambda.parameters, args);
    return returnedBy(inner, lambda.body, lambdaResult(run.context, lambda, substitution));
  });
}

function bindArguments(run: Run, parameters: readonly ParameterDeclaration[], args: readonly Value[]): void {
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.pack) throw notConstant;
    const value = args[index] ?? (parameter.default && run.evaluate(run, parameter.default));
    const type = run.context.declaredType(parameter, run.substitution);
    run.locals.set(parameter, { value: value === undefined || Array.isArray(value) ? value : convertConstant(value, type) });
  }
}

function returnedBy(run: Run, body: Statement | undefined, type: Type | undefined): Value {
  const outcome = body && execute(run, body);
  if (outcome?.kind !== "return" || outcome.value === undefined || Array.isArray(outcome.value)) throw notConstant;
  return convertConstant(outcome.value, type);
}

type Outcome = { readonly kind: "return"; readonly value: Value } | { readonly kind: "break" | "continue" } | undefined;

function execute(run: Run, statement: Statement): Outcome {
  spend(run);
  switch (statement.kind) {
    case "block":
      for (const each of statement.body) {
        const outcome = execute(run, each);
        if (outcome) return outcome;
      }
      return undefined;
    case "declaration":
      for (const declaration of statement.declarations) {
        if (declaration.kind !== "variable") continue;
        run.locals.set(declaration, { value: initialValue(run, declaration) });
      }
      return undefined;
    case "expression":
      run.evaluate(run, statement.expression);
      return undefined;
    case "return":
      return { kind: "return", value: statement.value && run.evaluate(run, statement.value) };
    case "if": {
      if (statement.init) execute(run, statement.init);
      if (statement.condition.kind === "variable") throw notConstant;
      const branch = Number(run.scalar(run, statement.condition)) ? statement.then : statement.else;
      return branch && execute(run, branch);
    }
    case "for":
    case "while":
    case "do":
      return executeLoop(run, statement);
    case "break":
    case "continue":
      return { kind: statement.kind };
    case "switch":
      return executeSwitch(run, statement);
    case "empty":
      return undefined;
    default:
      throw notConstant;
  }
}

function initialValue(run: Run, declaration: VariableDeclaration): Value {
  const type = run.context.declaredType(declaration, run.substitution);
  const [init] = declaration.init?.values ?? [];
  if (type?.kind === "array")
    return declaration.init ? listValue(run, declaration, type) : Array.from({ length: Math.min(type.size ?? 0, 4096) }, () => undefined);
  if (type && !(isInteger(underlying(type)) || isFloating(type))) throw notConstant;
  if (!init) return undefined;
  const value = init.kind === "list" ? listValue(run, declaration, type) : run.evaluate(run, init);
  return value === undefined || Array.isArray(value) ? value : convertConstant(value, type);
}

function executeLoop(run: Run, loop: Statement & { kind: "for" | "while" | "do" }): Outcome {
  if (loop.kind === "for" && loop.init) execute(run, loop.init);
  const holds = (): boolean => {
    if (!loop.condition) return true;
    if (loop.condition.kind === "variable") throw notConstant;
    return Number(run.scalar(run, loop.condition)) !== 0;
  };
  for (let first = true; ; first = false) {
    spend(run);
    if (!(first && loop.kind === "do") && !holds()) return undefined;
    const outcome = execute(run, loop.body);
    if (outcome?.kind === "return") return outcome;
    if (outcome?.kind === "break") return undefined;
    if (loop.kind === "for" && loop.step) run.evaluate(run, loop.step);
  }
}

function executeSwitch(run: Run, statement: Statement & { kind: "switch" }): Outcome {
  if (statement.condition.kind === "variable" || statement.body.kind !== "block") throw notConstant;
  const value = run.scalar(run, statement.condition);
  const { body } = statement.body;
  let at = body.findIndex(
    (each) => each.kind === "case" && each.value && BigInt(run.scalar(run, each.value) as bigint) === BigInt(value as bigint),
  );
  if (at < 0) at = body.findIndex((each) => each.kind === "case" && !each.value);
  if (at < 0) return undefined;
  for (const each of body.slice(at)) {
    if (each.kind === "case") continue;
    const outcome = execute(run, each);
    if (outcome?.kind === "break") return undefined;
    if (outcome) return outcome;
  }
  return undefined;
}
