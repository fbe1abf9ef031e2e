/** Running constexpr functions and the library's. */
import type { Expression, FunctionDeclaration, ParameterDeclaration, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import { convertConstant, copied, deeper, notConstant, ObjectValue, type Run, scalarOf, spend, type Value } from "./constant-run.ts";
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
  const values = args.map(scalarOf);
  const [a, b] = values;
  if ((name === "min" || name === "max") && a !== undefined && b !== undefined) return (name === "min") === a < b ? a : b;
  if (name === "abs" && a !== undefined && typeof a !== "boolean") return a < 0 ? -a : a;
  const numeric = libraryFunctions[name];
  if (numeric) return numeric(...values.map(Number));
  throw notConstant;
}

/** @param self the object whose member function it is */
export function runFunction(
  run: Run,
  called: FunctionDeclaration,
  substitution: Substitution,
  args: readonly Value[],
  self?: ObjectValue,
): Value {
  if (called.specifiers.constexpr) run.budget.promised = true;
  return deeper(run, () => {
    const result = run.context.resultType(called, substitution);
    const inner: Run = { ...run, substitution, locals: new Map(), self, result };
    bindArguments(inner, called.parameters, args);
    return returnedBy(inner, run.context.readBody(called));
  });
}

/** A lambda sees the variables around it, which it captures. */
export function runLambda(run: Run, lambda: LambdaExpression, substitution: Substitution, args: readonly Value[]): Value {
  return deeper(run, () => {
    const result = lambdaResult(run.context, lambda, substitution);
    const inner: Run = { ...run, substitution, locals: new Map(run.locals), result };
    bindArguments(inner, lambda.parameters, args);
    return returnedBy(inner, lambda.body);
  });
}

export function bindArguments(run: Run, parameters: readonly ParameterDeclaration[], args: readonly Value[]): void {
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.pack) {
      run.locals.set(parameter, { value: args.slice(index) });
      return;
    }
    const value = args[index] ?? (parameter.default && run.evaluate(run, parameter.default));
    const type = run.context.declaredType(parameter, run.substitution);
    run.locals.set(parameter, { value: kept(value, type) });
  }
}

/** A value as a type keeps it: numbers converted, objects on their own where it is no reference. */
const kept = (value: Value, type: Type | undefined): Value => {
  if (value === undefined || Array.isArray(value)) return value;
  if (value instanceof ObjectValue) return type?.kind === "reference" ? value : copied(value);
  return convertConstant(value, type);
};

function returnedBy(run: Run, body: Statement | undefined): Value {
  const outcome = body && execute(run, body);
  if (outcome?.kind !== "return" || outcome.value === undefined || Array.isArray(outcome.value)) throw notConstant;
  return outcome.value instanceof ObjectValue ? outcome.value : convertConstant(outcome.value, run.result);
}

type Outcome = { readonly kind: "return"; readonly value: Value } | { readonly kind: "break" | "continue" } | undefined;

export function execute(run: Run, statement: Statement): Outcome {
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
      return { kind: "return", value: statement.value && returnedValue(run, statement.value) };
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
    case "range-for":
      return executeRange(run, statement);
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

/** `return {a, b};` makes what the function returns. */
const returnedValue = (run: Run, value: Expression): Value =>
  value.kind === "list" && !value.type && run.result?.kind === "record"
    ? run.initialised(run, run.result, { style: "copy", values: [value] })
    : run.evaluate(run, value);

function initialValue(run: Run, declaration: VariableDeclaration): Value {
  const type = run.context.declaredType(declaration, run.substitution);
  const { init } = declaration;
  if (type?.kind === "reference") {
    const [named] = init?.values ?? [];
    if (!named) throw notConstant;
    return run.evaluate(run, named);
  }
  if (type?.kind === "array" && !init) return Array.from({ length: Math.min(type.size ?? 0, 4096) }, () => undefined);
  if (type && type.kind !== "record" && type.kind !== "array" && !(isInteger(underlying(type)) || isFloating(type))) throw notConstant;
  return init || type?.kind === "record" ? run.initialised(run, type, init) : undefined;
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

function executeRange(run: Run, loop: Statement & { kind: "range-for" }): Outcome {
  const range = run.evaluate(run, loop.range);
  // An array in a class of its own is gone through like one.
  const [only, ...more] = range instanceof ObjectValue ? [...range.members.values()] : [];
  const elements = only && !more.length ? only.value : range;
  if (!Array.isArray(elements) || loop.variable.bindings) throw notConstant;
  const isReference = loop.variable.type.kind === "reference";
  for (const [index, element] of elements.entries()) {
    spend(run);
    const cell = { value: isReference ? element : copied(element) };
    run.locals.set(loop.variable, cell);
    const outcome = execute(run, loop.body);
    if (isReference) elements[index] = cell.value;
    if (outcome?.kind === "return") return outcome;
    if (outcome?.kind === "break") return undefined;
  }
  return undefined;
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
