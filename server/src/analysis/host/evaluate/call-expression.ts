/** Call expressions: functions of the program, lambdas, methods, types used as functions, and the libraries. */

import type { Expression, FunctionDeclaration, Name } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import type { RecordInstance, Substitution } from "../../sema/types.ts";
import { algorithms } from "../library/algorithms.ts";
import { future } from "../library/concurrency.ts";
import { callContainer } from "../library/containers.ts";
import { isOfStandardNamespace, libraryFunction } from "../library/index.ts";
import { callString } from "../library/strings.ts";
import { callVariant } from "../library/tuples.ts";
import { waitAsked } from "../memory/device-requests.ts";
import { forgetContent, forgetPlace, forgetTargets } from "../memory/effects.ts";
import { hostType, templateValues } from "../memory/host-types.ts";
import { type Argument, type CallExpression, followed, type Interpreter, lookUpLocal } from "../memory/interpreter.ts";
import { read, write } from "../memory/read-write.ts";
import { called } from "../memory/watch.ts";
import { deducedClass, overloads } from "../resolve/class-arguments.ts";
import { isConstant, isOfConst } from "../resolve/constness.ts";
import { constructFrom, fromList, ownOf } from "../resolve/construct.ts";
import { instanceOf, isOrDerives, type Methods, methodsOf, qualifier } from "../resolve/methods.ts";
import { chooseLambda, chooseOverload, specialised } from "../resolve/overload.ts";
import { integralConstant } from "../resolve/overloaded.ts";
import { arrowTarget, elementCall, placeOf } from "../resolve/places.ts";
import { convert } from "../values/convert.ts";
import {
  Cell,
  type ContainerValue,
  type FunctionValue,
  type Place,
  type PointerValue,
  type TemplateValue,
  type Value,
} from "../values/model.ts";
import { templateConstant } from "../values/template-constant.ts";
import { int, nullPointer, unknown, voidValue } from "../values/values.ts";
import { evaluateArguments } from "./arguments.ts";
import { destroy, elementsMove, elementsPass, temporary } from "./destroy.ts";
import { callFunction, callLambda } from "./function-call.ts";

export function evaluateCall(host: Interpreter, e: CallExpression): Value {
  const { callee } = e;
  if (callee.kind === "name") return callName(host, e, callee.name);
  if (callee.kind === "member") return callMember(host, e, callee);
  if (callee.kind === "parenthesized" && e.arguments.length === 1) {
    const cast = castByName(host, callee.inner, e.arguments[0]);
    if (cast !== undefined) return cast;
  }
  return callValue(
    host,
    followed(host, () => host.evaluate(callee)),
    e,
  );
}

/** `(T)(y)`, read as a call: a cast where T is a type and no value. */
function castByName(host: Interpreter, inner: Expression, operand: Expression | undefined): Value | undefined {
  if (inner.kind !== "name" || operand === undefined || placeOf(host, inner) !== undefined) return undefined;
  if (host.globals.functions(inner.name, host.frame.path).length > 0) return undefined;
  const type = hostType(host, { kind: "named", start: inner.start, end: inner.end, name: inner.name });
  return type === undefined ? undefined : convert(host.evaluate(operand), type);
}

function callName(host: Interpreter, e: CallExpression, name: Name): Value {
  const text = lastName(name);
  const local = name.parts.length === 1 ? lookUpLocal(host, text) : undefined;
  if (local !== undefined) return callValue(host, read(host, local), e);
  const inClass = name.parts.length > 1 ? callStatic(host, e, name) : callOwn(host, e, name);
  if (inClass !== undefined) return inClass;
  const candidates = host.globals.functions(name, host.frame.path);
  const standard = ["std", "thrust"].includes(name.parts.length > 1 ? (name.parts[0]?.text ?? "") : "");
  if (candidates.length > 0 && !standard) {
    // Headers overload the library's names for their own types: `floorf(float2)`.
    const strict =
      libraryFunction(text) !== undefined &&
      !isOfStandardNamespace(text) &&
      !candidates.some((fn) => fn.body !== undefined && host.holdsLaunch.has(fn.body));
    const called = callCandidates(host, candidates, evaluateArguments(host, e.arguments), name, strict);
    if (called !== undefined) return called;
  }
  // `std::numeric_limits<T>::max()`
  const constant = name.parts.length > 1 && e.arguments.length === 0 ? host.semantics.constant(e, host.frame.substitution) : undefined;
  if (constant !== undefined) return templateConstant(constant, text);
  const library = libraryFunction(text);
  if (library !== undefined) {
    const args = evaluateArguments(host, e.arguments);
    called(host, text, true, args);
    const made = followed(host, () => library(host, args, e));
    if (algorithms.has(text)) elementsMove(host, args);
    return /^make_(unique|shared)$/.test(text) ? temporary(host, made) : made;
  }
  if (standard && candidates.length > 0) {
    const called = callCandidates(host, candidates, evaluateArguments(host, e.arguments), name, false);
    if (called !== undefined) return called;
  }
  const variable = placeOf(host, e.callee);
  if (variable !== undefined) return callValue(host, read(host, variable), e);
  const node = { kind: "named", start: e.start, end: e.end, name } as const;
  const args = evaluateArguments(host, e.arguments);
  const type = hostType(host, node) ?? deducedClass(host, node, args);
  if (type !== undefined) return followed(host, () => temporary(host, constructFrom(host, type, args, true)));
  const linked = host.linker?.definition(text) ?? methodAround(host, text);
  if (linked !== undefined) return callFunction(host, { function: linked, arguments: args, templateArguments: templateValues(host, name) });
  waitAsked(host, text, args, e);
  // It may take by reference what it is given: numbers and pointers are taken to be copied.
  for (const { place, value } of args)
    if (place && (value.kind === "container" || text === "from_chars")) forgetPlace(host, place, `what \`${text}\` stored`);
    else if (place && text === "advance" && value.kind === "pointer") write(host, place, { ...value, offset: undefined, reach: undefined });
  return callUnknown(host, text, args);
}

/** A method that is defined outside of the class around, where the class itself does not tell. */
function methodAround(host: Interpreter, name: string): FunctionDeclaration | undefined {
  const around = host.frame.path.at(-1);
  return around === undefined ? undefined : host.linker?.definition(name, around);
}

/** `f(...)` in a method, where its class, or that of the object, has such a method: names of the class come before all others. */
function callOwn(host: Interpreter, e: CallExpression, name: Name): Value | undefined {
  const around = classAround(host.frame.substitution);
  const self = selfFor(host, around);
  // The method of the object's own class, where that overrides the one of the class around.
  for (const record of [self && instanceOf(self.value), around]) {
    const methods = record && methodsOf(host, record, lastName(name));
    if (methods === undefined || methods.functions.length === 0) continue;
    const isConst = () => host.frame.function?.const === true;
    return callMethods(host, methods, evaluateArguments(host, e.arguments), templateValues(host, name), self, isConst);
  }
  return undefined;
}

/** The class in which the code under way stands, where it is known. */
function classAround(substitution: Substitution | undefined): RecordInstance | undefined {
  for (let at = substitution; at; at = at.outer) if (at.record) return at.record;
  return undefined;
}

/** The object under way, where it is one of a class, or of one that derives from it: a static method of another has none. */
function selfFor(host: Interpreter, record: RecordInstance | undefined): Cell | undefined {
  const { self } = host.frame;
  const own = self && instanceOf(self.value);
  return own && (record === undefined || isOrDerives(host, own, record.declaration.name?.parts.at(-1)?.text)) ? self : undefined;
}

/** `Class<N>::f(...)`, the class named by itself, by an alias or by a template parameter. */
function callStatic(host: Interpreter, e: CallExpression, name: Name): Value | undefined {
  const record = qualifier(host, name);
  const methods = record && methodsOf(host, record, lastName(name));
  if (methods === undefined || methods.functions.length === 0) return undefined;
  return callMethods(host, methods, evaluateArguments(host, e.arguments), templateValues(host, name), selfFor(host, record));
}

function callMethods(
  host: Interpreter,
  methods: Methods,
  args: readonly Argument[],
  templateArguments: readonly TemplateValue[],
  self: Cell | undefined,
  isConst: () => boolean = () => false,
): Value | undefined {
  const fn = chooseOverload(
    host,
    specialised(host, forObject(methods.functions, isConst), templateArguments),
    args,
    templateArguments.length,
    false,
    methods.substitutionOf,
  );
  if (fn === undefined) return undefined;
  return callFunction(host, { function: fn, arguments: args, templateArguments, self, substitution: methods.substitutionOf(fn) });
}

/** Overloads that may be called on an object; of those that fit alike the first is meant, which is one that may change it. */
function forObject(functions: readonly FunctionDeclaration[], isConst: () => boolean): readonly FunctionDeclaration[] {
  const [looking, changing] = [functions.filter((fn) => fn.const), functions.filter((fn) => !fn.const)];
  if (looking.length === 0 || changing.length === 0) return functions;
  return isConst() ? [...looking, ...changing.filter(({ specifiers }) => specifiers.static)] : [...changing, ...looking];
}

function callCandidates(
  host: Interpreter,
  candidates: readonly FunctionDeclaration[],
  args: readonly Argument[],
  name: Name,
  strict: boolean,
): Value | undefined {
  const templateArguments = templateValues(host, name);
  const fn = chooseOverload(host, specialised(host, candidates, templateArguments), args, templateArguments.length, strict);
  if (fn === undefined) return undefined;
  return callFunction(host, { function: fn, arguments: args, templateArguments });
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
    if (value.name === overloads) {
      const all = [...value.members.values()].flatMap((cell) => (cell.value.kind === "lambda" ? [cell.value] : []));
      const chosen = chooseLambda(host, all, args);
      if (chosen) return callLambda(host, chosen, args);
    }
    const made = callMethod(host, new Cell(value, value.type), "operator()", args) ?? integralConstant(host, value);
    if (made !== undefined) return made;
  }
  called(host, "", false);
  forgetTargets(host, args, "a call that cannot be followed");
  return unknown("the result of a call that cannot be followed");
}

function applyFunction(host: Interpreter, value: FunctionValue, args: readonly Argument[]): Value {
  const fn = chooseOverload(host, specialised(host, value.candidates, value.templateArguments), args, value.templateArguments.length);
  return fn === undefined
    ? unknown("a call that fits no function")
    : callFunction(host, { function: fn, arguments: args, templateArguments: value.templateArguments });
}

function callMember(host: Interpreter, e: CallExpression, callee: Expression & { readonly kind: "member" }): Value {
  const name = lastName(callee.name);
  const { place, object } = followed(host, () => objectOf(host, callee));
  if (place?.type?.kind === "container" && place.type.name === "variant" && isOfVariant.has(name))
    return callVariant({ value: object, place }, name);
  if (object.kind === "container") return followed(host, () => callOfContainer(host, object, place, name, e));
  if (name.startsWith("~") && place) {
    destroy(host, place instanceof Cell ? place : new Cell(object, place.type));
    return voidValue;
  }
  const args = evaluateArguments(host, e.arguments);
  if (object.kind === "string") return callString(host, object.text, place, name, args);
  if (object.kind === "pointer" && !callee.arrow) return callSmartPointer(host, object, place, name, args);
  if (object.kind === "record") {
    if (object.name === future) return name === "get" ? (object.members.get("value")?.value ?? voidValue) : voidValue;
    const member = object.members.get(name);
    if (member !== undefined) return apply(host, member.value, args);
    const self = place instanceof Cell ? place : new Cell(object, object.type);
    const made = callMethod(
      host,
      self,
      name,
      args,
      templateValues(host, callee.name),
      () => isOfConst(place) || isConstant(host, callee.base, callee.arrow),
    );
    if (made !== undefined) return made;
  }
  // A container of several, nobody knows which: it may be any of them that is another now.
  if (place !== undefined && "offset" in place && place.offset === undefined && place.type?.kind === "container")
    forgetContent(host, place.allocation, "one of several containers, of which nobody knows which, was changed");
  called(host, name, false);
  forgetTargets(host, args, `a call of the method \`${name}\` that cannot be followed`);
  return unknown(object.kind === "unknown" ? object.reason : `the result of the method \`${name}\``);
}

/** What a method is called on, and where that stands. */
function objectOf(
  host: Interpreter,
  { base, arrow }: Expression & { readonly kind: "member" },
): { readonly place: Place | undefined; readonly object: Value } {
  const place = placeOf(host, base);
  const object = place === undefined ? host.evaluate(base) : read(host, place);
  const target = arrow ? arrowTarget(host, { value: object, ...(place === undefined ? {} : { place }) }) : undefined;
  return target === undefined ? { place, object } : { place: target, object: read(host, target) };
}

function callOfContainer(host: Interpreter, object: ContainerValue, place: Place | undefined, name: string, e: CallExpression): Value {
  const direct = elementCall(host, e);
  if (direct !== undefined) {
    host.returned = direct;
    return read(host, direct);
  }
  const given = elementArguments(host, object, name, e);
  if (name === "clear") destroy(host, new Cell(object));
  // Which of its elements end, and whether those that stay are copied, is not followed.
  else if (ending.test(name) || (moving.test(name) && object.type.element?.kind === "record")) elementsPass(host, object);
  // Its arguments may have changed it.
  const now = place === undefined ? object : read(host, place);
  return callContainer(host, now.kind === "container" ? now : object, place, name, given);
}

/** Methods of the variant itself, rather than of what it holds. */
const isOfVariant = new Set(["index", "valueless_by_exception"]);

/** Methods that keep what they are given. */
const keeping = /^(push_(back|front)|emplace(_back|_front)?|insert)$/;

const isKept = ({ value }: Argument): boolean => value.kind === "record" || (value.kind === "pointer" && value.owner !== undefined);

/** Methods by which elements end, and such by which they come to other places. */
const ending = /^(resize|assign|pop_(back|front)|erase|fill)$/;
const moving = /^(insert|emplace|(push|emplace)_(back|front)|reserve|shrink_to_fit)$/;

/** The arguments of a container's method; where it appends, what they make an element of. */
function elementArguments(host: Interpreter, { type }: ContainerValue, name: string, e: CallExpression): readonly Argument[] {
  const [only] = e.arguments;
  const { element } = type;
  if (name === "push_back" && only?.kind === "list" && only.type === undefined) return [{ value: fromList(host, element, only) }];
  if (name === "assign" && only?.kind === "list" && e.arguments.length === 1) return [{ value: fromList(host, type, only) }];
  const args = evaluateArguments(host, e.arguments);
  if (keeping.test(name) && !(name === "emplace_back" && element))
    return args.map((each) => (isKept(each) ? { value: ownOf(host, each) } : each));
  if (name !== "emplace_back" || element === undefined) return args;
  return [{ value: constructFrom(host, element, args, true) }];
}

/** A method of a record of the program, its bases among them. */
export function callMethod(
  host: Interpreter,
  self: Cell,
  name: string,
  args: readonly Argument[],
  templateArguments: readonly TemplateValue[] = [],
  isConst?: () => boolean,
): Value | undefined {
  const record = instanceOf(self.value);
  return record && callMethods(host, methodsOf(host, record, name), args, templateArguments, self, isConst);
}

/** Of `std::unique_ptr` and its kin, which are the pointers they hold. */
function callSmartPointer(host: Interpreter, held: PointerValue, place: Place | undefined, name: string, args: readonly Argument[]): Value {
  const { owner: _owner, ...object } = held;
  const owner = held.owner ?? (place?.type?.kind === "container" ? { shared: place.type.shared === true } : undefined);
  if (name === "reset" || name === "release") {
    const next = name === "release" ? nullPointer : (args[0]?.value ?? nullPointer);
    if (place !== undefined) write(host, place, next.kind === "pointer" && owner ? { ...next, owner } : next);
    if (name === "release") return object;
    destroy(host, new Cell(held));
    return voidValue;
  }
  if (name === "get" || name === "data") return object;
  if (place !== undefined && name !== "use_count") write(host, place, unknown(`the method \`${name}\` of a pointer`, place.type));
  return unknown(`the method \`${name}\` of a pointer`);
}

/** Their names tell whether they wait for the device. */
const ofRuntime = /^cuda[A-Z]/;

/** The runtime's and the driver's: what they return is 0 unless something is wrong. */
const runtimeFunction = /^(cuda[A-Z]|cu[A-Z][a-z])/;
/** Of libraries beside them, which return a status too: that they succeed is told. */
const statusFunction = /^(cublas|cufft|curand(?!_)|cusparse|cusolver|cudnn|nccl|nvml|nvtx|hip[A-Z])/;

/** What memory holds is the same behind them: they say where it is to be, how it is used, or write it to a file. */
const keepsMemory =
  /^(cudaMem(Prefetch|Advise)\w*|cudaStreamAttachMemAsync|cudaHostUnregister|cuMem(Prefetch|Advise|HostUnregister)\w*|(posix_)?madvise|mun?lock|fwrite|write|memcmp)$/;
/** They store what they find out where their first argument points, and nothing elsewhere. */
const tellsOfMemory = /^(cudaPointerGetAttributes|cudaMemRangeGetAttribute|cudaIpcGetMemHandle|cuPointerGetAttribute)$/;

/** A function nobody knows: what its arguments point at is lost. */
function callUnknown(host: Interpreter, name: string, args: readonly Argument[]): Value {
  called(host, name, ofRuntime.test(name), args);
  if (!keepsMemory.test(name)) forgetTargets(host, tellsOfMemory.test(name) ? args.slice(0, 1) : args, `what \`${name}\` stored`);
  if (runtimeFunction.test(name)) return int(0);
  if (statusFunction.test(name)) {
    host.inputs.succeeds(name);
    return int(0);
  }
  return unknown(`the result of \`${name}\`, which is declared in no file that was found`);
}
