/** Calling functions of the program: overloads, template arguments, parameters, results. */

import type { FunctionDeclaration, ParameterDeclaration } from "../../../syntax/ast.ts";
import { recipeOf } from "../../sema/library/index.ts";
import { lastName } from "../../sema/scope.ts";
import type { Substitution } from "../../sema/types.ts";
import { forgetPlace, forgetTargets } from "../memory/effects.ts";
import { hostType } from "../memory/host-types.ts";
import {
  type Argument,
  type Call,
  type Completion,
  depthLimit,
  type Frame,
  followed,
  type Interpreter,
  recursionLimit,
} from "../memory/interpreter.ts";
import { joinValues } from "../memory/journal.ts";
import { noLeaves } from "../memory/loop-trace.ts";
import { waited } from "../memory/watch.ts";
import { constructFrom, fromDirect, fromExpression, ownOf, passed, refer, runConstructorOn } from "../resolve/construct.ts";
import { autoValues, deduce } from "../resolve/deduce.ts";
import { instanceOf, isOrDerives } from "../resolve/methods.ts";
import { callOperator } from "../resolve/overloaded.ts";
import { packOf } from "../resolve/packs.ts";
import { Cell, type HostType, type LambdaValue, type Place, type Value } from "../values/model.ts";
import { unknown, voidValue } from "../values/values.ts";
import { evaluateArguments } from "./arguments.ts";
import { settle } from "./branches.ts";
import { destroy, ending, endTemporaries, membersPass, passing, temporary } from "./destroy.ts";
import { combine } from "./operators.ts";

/** Runs a function of the program; one without a body is unknown, and so is what its pointers lead to. */
export function callFunction(host: Interpreter, call: Call): Value {
  const fn = call.function.body === undefined ? (definitionOf(host, call.function) ?? call.function) : call.function;
  const { unit } = host;
  host.unit = host.linker?.unitOf(fn) ?? unit;
  const value = callDefinition(host, fn, call);
  host.unit = unit;
  return value;
}

function definitionOf(host: Interpreter, fn: FunctionDeclaration): FunctionDeclaration | undefined {
  return recipeOf(fn) === undefined ? host.linker?.definition(lastName(fn.name), host.globals.classOf(fn)) : undefined;
}

function callDefinition(host: Interpreter, fn: FunctionDeclaration, call: Call): Value {
  if (fn.body === undefined) {
    const recipe = recipeOf(fn);
    const [first, second] = call.arguments;
    if (recipe?.kind === "operator" && first && second)
      return callOperator(host, recipe.op, [first, second]) ?? combine(host, recipe.op, first.value, second.value);
    waited(host);
    const reason = `\`${lastName(fn.name)}\` is defined in another file`;
    forgetTargets(host, call.arguments, reason);
    for (const [k, { type }] of fn.parameters.entries()) {
      const place = call.arguments[k]?.place;
      if (place && type.kind === "reference" && !type.to.const) forgetPlace(host, place, reason);
    }
    return unknown(
      `the result of \`${lastName(fn.name)}\`, which is defined in another file`,
      hostType(host, fn.result, call.substitution),
    );
  }
  const calls = host.active.get(fn) ?? 0;
  // A recursion of which nobody knows where it ends would be followed both ways at each level.
  if (calls > 0) host.recursions += 1;
  if (host.frame.depth >= depthLimit || host.recursions > recursionLimit || (calls > 0 && host.uncertainty > 0)) {
    waited(host);
    host.events?.doubt("calls too deep in each other are left out");
    forgetTargets(host, call.arguments, `what a recursion of \`${lastName(fn.name)}\` stored`);
    return unknown(`the result of a recursion of \`${lastName(fn.name)}\``);
  }
  const substitution = deduce(host, fn, call.templateArguments ?? [], call.arguments, call.substitution);
  const outer = host.frame;
  const scope = new Map<string, Place>();
  const frame: Frame = {
    function: fn,
    result: fn.result,
    substitution,
    scopes: [scope],
    self: call.self,
    path: host.globals.pathOf(fn),
    depth: outer.depth + 1,
    otherResults: [],
    returns: noLeaves(),
    uncertainty: host.uncertainty,
    cases: undefined,
    temporaries: new Set(),
  };
  host.frame = frame;
  followed(host, () => {
    bindAll(host, fn.parameters, call.arguments, scope);
    if (call.self?.value.kind === "record") initialiseMembers(host, fn, call.self, call.self.value.members);
    endTemporaries(host);
  });
  const areMade = !host.exited;
  host.active.set(fn, calls + 1);
  const completion = host.execute(fn.body);
  settle(host, frame.returns);
  if (host.exited && fn.role === "constructor" && call.self) membersPass(host, call.self, areMade);
  host.active.set(fn, calls);
  endParameters(host, fn.parameters, scope, call.arguments, outer, completion);
  const returnsReference = fn.result.kind === "reference";
  host.returned = returnsReference && completion?.kind === "return" && frame.otherResults.length === 0 ? completion.place : undefined;
  const type = fn.result.kind === "auto" || returnsReference ? undefined : hostType(host, fn.result);
  host.frame = outer;
  if (completion?.kind === "exit") {
    host.exited = true;
    return unknown("the program ends");
  }
  const value = result(host, completion?.kind === "return" ? completion.value : voidValue, frame.otherResults, type);
  return returnsReference ? value : temporary(host, value);
}

/**
 * What is passed by value ends as g++ has it, with the expression that calls; a temporary that is passed is the parameter itself. What is
 * passed by reference may have been taken over in the call. Arguments that nobody has written are the library's: they end with the call.
 */
function endParameters(
  host: Interpreter,
  parameters: readonly ParameterDeclaration[],
  scope: ReadonlyMap<string, Place>,
  args: readonly Argument[],
  outer: Frame,
  completion: Completion,
): void {
  const returned = completion?.kind === "return" ? completion.value : undefined;
  const { temporaries } = outer;
  const made = new Set(temporaries);
  const later: Value[] = [];
  let isOrderKnown = true;
  ending(host, () => {
    for (const [k, { name, type, pack }] of parameters.entries()) {
      const place = name === undefined || pack ? undefined : scope.get(name);
      if (!(place instanceof Cell)) continue;
      const argument = args[k];
      const given = argument?.value;
      if (type.kind === "reference" || place.value === returned) {
        if (given?.kind === "pointer" && place.value !== given) temporaries.delete(given);
      } else if (given && argument.place === undefined && temporaries.has(given)) replace(temporaries, given, place.value);
      else {
        // Arguments are made the last first, operands as their operator has it: which temporaries came before this one is not told.
        if (args.some(({ value, expression }, other) => other !== k && made.has(value) && (other < k || !expression))) isOrderKnown = false;
        if (argument?.expression === undefined && isOrderKnown) destroy(host, place);
        else later.unshift(place.value);
      }
    }
    for (const value of later)
      if (isOrderKnown) temporaries.add(value);
      else passing(host, value);
  });
}

/** One value in the stead of another, at the same point of the order. */
function replace(values: Set<Value>, old: Value, by: Value): void {
  const all = [...values];
  values.clear();
  for (const value of all) values.add(value === old ? by : value);
}

/** What was returned on the way followed, unless another way may have returned something else than an error code. */
function result(host: Interpreter, value: Value, others: readonly Value[], type: HostType | undefined): Value {
  let joined = value;
  // A turn that stands for others returns what each of them does.
  const isAny = host.loops.some(({ abstract }) => abstract);
  for (const other of others)
    if (isAny || !saysError(other)) joined = joinValues(joined, other, "it depends on a condition that is not known");
  return type?.kind === "void" ? voidValue : passed(host, joined, type);
}

function saysError(value: Value): boolean {
  if (value.kind === "void" || value.kind === "string") return true;
  if (value.kind === "pointer") return value.target === undefined;
  return value.kind === "int" && Math.abs(Number(value.value)) <= 1;
}

export function callLambda(host: Interpreter, lambda: LambdaValue, args: readonly Argument[]): Value {
  if (host.frame.depth >= depthLimit) return unknown("calls nested too deeply");
  const { unit } = host;
  if (lambda.owner !== undefined) host.unit = host.linker?.unitOf(lambda.owner) ?? unit;
  const outer = host.frame;
  const scope = new Map<string, Place>(lambda.captured);
  const frame: Frame = {
    function: outer.function,
    result: lambda.expression.result,
    substitution: lambdaSubstitution(host, lambda, args),
    scopes: [...lambda.scopes.map((s) => new Map(s)), scope],
    self: lambda.self,
    path: outer.path,
    depth: outer.depth + 1,
    otherResults: [],
    returns: noLeaves(),
    uncertainty: host.uncertainty,
    cases: undefined,
    temporaries: new Set(),
  };
  host.frame = frame;
  followed(host, () => bindAll(host, lambda.expression.parameters, args, scope));
  const completion = host.execute(lambda.expression.body);
  settle(host, frame.returns);
  endParameters(host, lambda.expression.parameters, scope, args, outer, completion);
  const written = lambda.expression.result;
  const returnsReference = written?.kind === "reference";
  host.returned = returnsReference && completion?.kind === "return" && frame.otherResults.length === 0 ? completion.place : undefined;
  const type = written === undefined || written.kind === "auto" || returnsReference ? undefined : hostType(host, written);
  host.unit = unit;
  host.frame = outer;
  if (completion?.kind === "exit") host.exited = true;
  const value = result(host, completion?.kind === "return" ? completion.value : voidValue, frame.otherResults, type);
  return returnsReference ? value : temporary(host, value);
}

/** Of a generic lambda: what its `auto` parameters are this time. */
function lambdaSubstitution(
  host: Interpreter,
  { expression, substitution }: LambdaValue,
  args: readonly Argument[],
): Substitution | undefined {
  const values = autoValues(host, expression.parameters, args);
  return values.size === 0 ? substitution : host.substitutions.of(expression, values, substitution);
}

function bindAll(
  host: Interpreter,
  parameters: readonly ParameterDeclaration[],
  args: readonly Argument[],
  scope: Map<string, Place>,
): void {
  for (const [k, parameter] of parameters.entries())
    if (parameter.name !== undefined)
      scope.set(parameter.name, parameter.pack ? new Cell(packOf(args.slice(k))) : bind(host, parameter, args[k]));
}

function bind(host: Interpreter, parameter: ParameterDeclaration, argument: Argument | undefined): Place {
  const { name = "" } = parameter;
  if (parameter.type.kind === "reference" && argument?.place !== undefined) return argument.place;
  const auto = parameter.type.kind === "auto" || (parameter.type.kind === "reference" && parameter.type.to.kind === "auto");
  const declared = auto ? undefined : hostType(host, parameter.type);
  const type = declared?.kind === "reference" ? declared.to : declared;
  const cell = new Cell(voidValue, type, name);
  // What a reference is of may be of a class that derives from the one it is declared for.
  const isWhole =
    parameter.type.kind === "reference" &&
    argument?.value.kind === "record" &&
    type?.kind === "record" &&
    isDerived(host, argument.value, type);
  // What a reference is of stays whose it is.
  const isKept = parameter.type.kind === "reference" && argument?.value.kind === "record";
  if (argument !== undefined) cell.value = isWhole ? argument.value : passed(host, isKept ? argument.value : ownOf(host, argument), type);
  else if (parameter.default !== undefined) cell.value = fromExpression(host, type, parameter.default, name);
  else cell.value = unknown(`the parameter \`${name}\``, type);
  if (cell.value.kind === "unknown") cell.value = host.inputs.held(cell.value, name, type);
  return cell;
}

function isDerived(host: Interpreter, value: Value, type: HostType & { readonly kind: "record" }): boolean {
  const record = instanceOf(value);
  return record !== undefined && isOrDerives(host, record, type.record.declaration.name?.parts.at(-1)?.text);
}

/** `: a(x), b{y}, Base(z)` of a constructor. */
function initialiseMembers(host: Interpreter, fn: FunctionDeclaration, self: Cell, members: ReadonlyMap<string, Cell>): void {
  for (const { name, values, braced } of fn.initialisers ?? []) {
    endTemporaries(host);
    const text = lastName(name);
    const cell = members.get(text);
    if (cell === undefined) {
      const type = hostType(host, { kind: "named", start: name.start, end: name.end, name });
      if (type?.kind === "record") runConstructorOn(host, self, type.record, evaluateArguments(host, values));
      continue;
    }
    const [first, second] = values;
    const type = cell.type;
    if (first && refer(host, self.value, text, first)) continue;
    if (first && !second && !(braced && type)) host.journal.set(cell, fromDirect(host, type, first, cell.name));
    else if (type && first && !braced && type.kind !== "array")
      host.journal.set(cell, constructFrom(host, type, evaluateArguments(host, values), true));
    else if (type) {
      const elements = values.map((value) => ({ value }));
      host.journal.set(cell, fromExpression(host, type, { kind: "list", start: fn.start, end: fn.start, elements }, cell.name));
    }
  }
}
