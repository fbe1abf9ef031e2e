/** Call expressions: functions of the program, lambdas, methods, types used as functions, and the libraries. */
import type { Expression, FunctionDeclaration, Name } from "../../syntax/ast.ts";
import { evaluateArguments } from "./arguments.ts";
import { callFunction, callLambda } from "./call.ts";
import { construct } from "./construct.ts";
import { convert } from "./convert.ts";
import { forgetTargets } from "./effects.ts";
import { hostType, templateValues } from "./host-types.ts";
import { type Argument, type CallExpression, type Interpreter, lookUpLocal } from "./interpreter.ts";
import { callContainer } from "./library/containers.ts";
import { libraryFunction } from "./library/index.ts";
import { placeOf } from "./lvalues.ts";
import { Cell, type FunctionValue, type Place, type Value } from "./model.ts";
import { lastText } from "./names.ts";
import { chooseOverload } from "./overload.ts";
import { read } from "./places.ts";
import { dereferenced } from "./targets.ts";
import { int, unknown, voidValue } from "./values.ts";

export function evaluateCall(host: Interpreter, e: CallExpression): Value {
  const { callee } = e;
  if (callee.kind === "name") return callName(host, e, callee.name);
  if (callee.kind === "member") return callMember(host, e, callee);
  if (callee.kind === "parenthesized" && e.arguments.length === 1) {
    const cast = castByName(host, callee.inner, e.arguments[0]);
    if (cast !== undefined) return cast;
  }
  return callValue(host, host.evaluate(callee), e);
}

/** `(T)(y)`, read as a call: a cast where T is a type and no value. */
function castByName(host: Interpreter, inner: Expression, operand: Expression | undefined): Value | undefined {
  if (inner.kind !== "name" || operand === undefined || placeOf(host, inner) !== undefined) return undefined;
  if (host.globals.functions(inner.name, host.frame.path).length > 0) return undefined;
  const type = hostType(host, { kind: "named", start: inner.start, end: inner.end, name: inner.name });
  return type === undefined ? undefined : convert(host.evaluate(operand), type);
}

function callName(host: Interpreter, e: CallExpression, name: Name): Value {
  const text = lastText(name);
  const local = name.parts.length === 1 ? lookUpLocal(host, text) : undefined;
  if (local !== undefined) return callValue(host, read(host, local), e);
  const candidates = host.globals.functions(name, host.frame.path);
  const standard = ["std", "thrust"].includes(name.parts.length > 1 ? (name.parts[0]?.text ?? "") : "");
  if (candidates.length > 0 && !standard) {
    // Headers overload the library's names for their own types: `floorf(float2)`.
    const strict = libraryFunction(text) !== undefined && !candidates.some((fn) => fn.body !== undefined && host.holdsLaunch.has(fn.body));
    const called = callCandidates(host, candidates, evaluateArguments(host, e.arguments), name, strict);
    if (called !== undefined) return called;
  }
  const library = libraryFunction(text);
  if (library !== undefined) return library(host, evaluateArguments(host, e.arguments), e);
  const variable = placeOf(host, e.callee);
  if (variable !== undefined) return callValue(host, read(host, variable), e);
  const type = hostType(host, { kind: "named", start: e.start, end: e.end, name });
  if (type !== undefined)
    return construct(
      host,
      type,
      e.arguments.map((argument) => host.evaluate(argument)),
      true,
    );
  const linked = host.linker?.definition(text);
  const args = evaluateArguments(host, e.arguments);
  return linked === undefined
    ? callUnknown(host, text, args)
    : callFunction(host, { function: linked, arguments: args, templateArguments: templateValues(host, name) });
}

function callCandidates(
  host: Interpreter,
  candidates: readonly FunctionDeclaration[],
  args: readonly Argument[],
  name: Name,
  strict: boolean,
): Value | undefined {
  const templateArguments = templateValues(host, name);
  const fn = chooseOverload(host, candidates, args, templateArguments.length, strict);
  if (fn === undefined) return undefined;
  const self = host.frame.self?.value;
  const member = self?.kind === "record" && host.globals.pathOf(fn).at(-1) === shortName(self.name) ? host.frame.self : undefined;
  const substitution = member === undefined ? undefined : host.frame.substitution;
  return callFunction(host, { function: fn, arguments: args, templateArguments, self: member, substitution });
}

function shortName(name: string): string {
  return name.split("<")[0]?.split("::").at(-1) ?? name;
}

/** Calls what an expression evaluated to. */
function callValue(host: Interpreter, value: Value, e: CallExpression): Value {
  const args = evaluateArguments(host, e.arguments);
  return apply(host, value, args);
}

export function apply(host: Interpreter, value: Value, args: readonly Argument[]): Value {
  if (value.kind === "lambda") return callLambda(host, value, args);
  if (value.kind === "function") return applyFunction(host, value, args);
  if (value.kind === "record") {
    const made = callMethod(host, new Cell(value), "operator()", args);
    if (made !== undefined) return made;
  }
  forgetTargets(host, args, "a call that cannot be followed");
  return unknown("the result of a call that cannot be followed");
}

function applyFunction(host: Interpreter, value: FunctionValue, args: readonly Argument[]): Value {
  const fn = chooseOverload(host, value.candidates, args, value.templateArguments.length);
  return fn === undefined
    ? unknown("a call that fits no function")
    : callFunction(host, { function: fn, arguments: args, templateArguments: value.templateArguments });
}

function callMember(host: Interpreter, e: CallExpression, callee: Expression & { readonly kind: "member" }): Value {
  const name = lastText(callee.name);
  let place: Place | undefined = placeOf(host, callee.base);
  let object = place === undefined ? host.evaluate(callee.base) : read(host, place);
  if (callee.arrow) {
    const target = dereferenced(host, object);
    if (target !== undefined) {
      place = target;
      object = read(host, target);
    }
  }
  if (object.kind === "container") {
    const direct = placeOf(host, e);
    return direct === undefined ? callContainer(host, object, place, name, evaluateArguments(host, e.arguments)) : read(host, direct);
  }
  const args = evaluateArguments(host, e.arguments);
  if (object.kind === "string") return callString(object.text, name);
  if (object.kind === "pointer" && (name === "get" || name === "data")) return object;
  if (object.kind === "record") {
    const member = object.members.get(name);
    if (member !== undefined) return apply(host, member.value, args);
    const self = place instanceof Cell ? place : new Cell(object, object.type);
    const made = callMethod(host, self, name, args);
    if (made !== undefined) return made;
  }
  forgetTargets(host, args, `a call of the method \`${name}\` that cannot be followed`);
  return unknown(object.kind === "unknown" ? object.reason : `the result of the method \`${name}\``);
}

/** A method of a record of the program, its bases among them. */
function callMethod(host: Interpreter, self: Cell, name: string, args: readonly Argument[]): Value | undefined {
  if (self.value.kind !== "record") return undefined;
  const { type } = self.value;
  const record = type?.kind === "record" ? type.record : undefined;
  const names = [shortName(self.value.name)];
  for (let k = 0; k < names.length && k < 8; k++) {
    const fn = chooseOverload(host, host.globals.methods(names[k] ?? "", name), args);
    if (fn !== undefined) return callFunction(host, { function: fn, arguments: args, self, substitution: record?.substitution });
    const declaration =
      k === 0 ? record?.declaration : host.globals.record({ start: 0, end: 0, global: false, parts: [{ text: names[k] ?? "" }] });
    for (const base of declaration?.bases ?? []) if (base.type.kind === "named") names.push(lastText(base.type.name));
  }
  return undefined;
}

function callString(text: string, name: string): Value {
  if (name === "c_str" || name === "data") return { kind: "string", text };
  if (name === "size" || name === "length") return int(text.length, "ulong");
  if (name === "empty") return int(Number(text === ""), "bool");
  return unknown(`the string method \`${name}\``);
}

const statusFunction = /^(cuda[A-Z]|cu[A-Z][a-z]|cublas|cufft|curand(?!_)|cusparse|cusolver|cudnn|nccl|nvml|nvtx|hip[A-Z])/;

/** A function nobody knows: what its arguments point at is lost. The libraries of CUDA report success. */
function callUnknown(host: Interpreter, name: string, args: readonly Argument[]): Value {
  forgetTargets(host, args, `what \`${name}\` stored`);
  if (statusFunction.test(name)) return int(0);
  if (/^(?:print|log|show|report|usage|assert|check|verify)/i.test(name)) return voidValue;
  return unknown(`the result of \`${name}\`, which is declared in no file that was found`);
}
