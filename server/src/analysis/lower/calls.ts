/** Calls: everything is inlined, down to the built-in functions. */
import type { Expression, FunctionDeclaration, LaunchConfiguration, Node } from "../../syntax/ast.ts";
import type { Resolved, ResolvedLambda } from "../sema/context.ts";
import type { CaptureField } from "../sema/layouts.ts";
import { recipeOf } from "../sema/library/index.ts";
import { functionResult, lambdaResult } from "../sema/returned-types.ts";
import { lastName } from "../sema/scope.ts";
import { decay, isClass, pointerTo, referred, voidType } from "../sema/type-tools.ts";
import type { LambdaExpression } from "../sema/types.ts";
import { runInitialisers } from "./aggregates.ts";
import { bindParameters } from "./arguments.ts";
import { ignore } from "./builtins/operands.ts";
import { runRecipe } from "./builtins/run.ts";
import { type Called, type Frame, type Lowering, nothing, type Place } from "./emit/lowering.ts";
import { load, part, spaceOf, store } from "./emit/memory.ts";
import { constantOf, scalarOf } from "./emit/scalars.ts";
import { asBase, asDerived, selfPlace } from "./names.ts";
import { isDispatched, overridersOf } from "./overriders.ts";
import { objectOf } from "./places.ts";
import { callsOf, depthOf } from "./recursive.ts";
import { calleeText, unknown } from "./unknown.ts";

const depthLimit = 48;

export function lowerCall(lowering: Lowering, call: Expression & { kind: "call" }, into: Place | undefined): Called {
  const { context, frame } = lowering;
  if (call.launch) return launchChild(lowering, call, call.launch);
  const args = context.expandPacks(call.arguments, frame.substitution);
  const expanded = args === call.arguments ? call : { ...call, arguments: args };
  const resolved = context.guard(() => context.resolveCall(expanded, frame.substitution));
  if (!resolved) return unresolvedCall(lowering, expanded, into);
  if ("lambda" in resolved) return invokeLambda(lowering, resolved, expanded.arguments, lambdaObject(lowering, expanded), call, into);
  const run = isDispatched(lowering, resolved, expanded) ? overrider(lowering, resolved, expanded) : resolved;
  const self = resolved.record ? selfOf(lowering, expanded, resolved) : undefined;
  return lowering.invoke(run, expanded.arguments, self && run.record ? asDerived(lowering, self, run.record) : self, call, into);
}

/**
 * The virtual function that is run. Nothing says of which class objects are: of several it is one that asks others in turn, as the scene asks
 * its shapes, and of those asked one that does not; else the first.
 */
function overrider(lowering: Lowering, resolved: Resolved, call: Expression & { kind: "call" }): Resolved {
  const name = lastName(resolved.function.name);
  const all = overridersOf(lowering, resolved, call);
  const derived = all.length === 1 ? all : all.filter(({ record }) => record !== resolved.record);
  const free = derived.filter((each) => underWay(lowering.frame, each.function) === 0);
  const chosen = free.find((each) => callsOf(each.function, name) > 0) ?? free[0] ?? derived[0];
  if (!chosen) return resolved;
  lowering.assume(
    `the virtual function ${name}`,
    `that of ${chosen.record?.name}`,
    derived.length === 1
      ? "no other class has one in its place; that it is looked up is not counted"
      : `which of ${derived.length} is run is decided at run time; that it is looked up is not counted`,
  );
  return chosen;
}

/** A kernel launched by a kernel is another launch: what is given to it is computed, and no more. */
function launchChild(lowering: Lowering, call: Expression & { kind: "call" }, { grid, block, shared }: LaunchConfiguration): Called {
  for (const each of [grid, block, shared, ...call.arguments]) if (each) ignore(lowering, each);
  lowering.assume(
    `launch of ${calleeText(call)}`,
    "not followed",
    "a kernel launched by a kernel is not simulated with it, nor are the instructions that launch it",
  );
  return nothing;
}

/** The object a member function is called on. */
function selfOf(lowering: Lowering, call: Expression & { kind: "call" }, resolved: Resolved): Place | undefined {
  let callee = lowering.context.clarify(call.callee);
  while (callee.kind === "parenthesized") callee = lowering.context.clarify(callee.inner);
  let object: Place;
  if (callee.kind === "member") {
    if (resolved.function.name.parts.at(-1)?.text === "operator()" && lastName(callee.name) !== "operator()")
      object = lowering.place(callee);
    else object = objectOf(lowering, callee);
  } else if (callee.kind === "name" && lastName(resolved.function.name) === lastName(callee.name)) object = selfPlace(lowering, callee);
  else object = lowering.place(callee);
  return resolved.record ? asBase(lowering, object, resolved.record) : object;
}

function lambdaObject(lowering: Lowering, call: Expression & { kind: "call" }): Place {
  const callee = lowering.context.clarify(call.callee);
  return callee.kind === "member" && lastName(callee.name) === "operator()" ? objectOf(lowering, callee) : lowering.place(callee);
}

/** Nothing is known of the function: a value that only feeds data is unknown, anything else cannot be simulated. */
function unresolvedCall(lowering: Lowering, call: Expression & { kind: "call" }, into: Place | undefined): Called {
  const name = calleeText(call);
  // `p->~T()` of what has no destructor of its own.
  if (call.callee.kind === "member" && name.startsWith("~")) {
    lowering.effect(call.callee.base);
    return nothing;
  }
  const type = lowering.tryTypeOf(call);
  // `std::numeric_limits<T>::max()` and its like.
  const known = type && scalarOf(type) ? lowering.context.constant(call, lowering.frame.substitution) : undefined;
  if (known !== undefined && type) return { kind: "value", op: constantOf(lowering, known, type) };
  const byAddress = call.arguments.some((each) => {
    const argument = lowering.tryTypeOf(each);
    return argument && (argument.kind === "pointer" || argument.kind === "array" || isClass(argument));
  });
  if (into || byAddress || (type && !scalarOf(type))) return lowering.fail(`${name} is not known`, call);
  for (const each of call.arguments) lowering.effect(each);
  return { kind: "value", op: unknown(lowering, `the result of ${name} is not known`, type ?? { kind: "integer", name: "int" }, call) };
}

/** Runs a function on arguments: a built-in's recipe, or the body inlined. */
export function invoke(
  lowering: Lowering,
  resolved: Resolved,
  args: readonly Expression[],
  self: Place | undefined,
  node: Node,
  into?: Place,
): Called {
  const { context } = lowering;
  const { function: declaration } = resolved;
  const recipe = recipeOf(declaration);
  if (recipe) return runRecipe(lowering, recipe, resolved, args, self, node, into);
  const name = lastName(declaration.name);
  if (!declaration.body) {
    if (declaration.defaulted) return defaulted(lowering, args, self, node);
    return lowering.fail(`the body of ${name} is not known`, node);
  }
  const resultType =
    context.resultType(declaration, resolved.substitution) ??
    functionResult(context, declaration, resolved.substitution) ??
    lowering.fail(`what ${name} returns is not known`, node);
  const isConstructor = declaration.role === "constructor";
  const variables = new Map<object, Place | readonly Place[]>();
  bindParameters(lowering, declaration.parameters, args, resolved, variables, siblingsOf(lowering, resolved));
  return inlined(
    lowering,
    {
      owner: declaration,
      name,
      substitution: resolved.substitution,
      variables,
      resultType: isConstructor ? voidType : resultType,
      ...(self && resolved.record ? { self } : {}),
    },
    node,
    into,
    () => {
      if (isConstructor && self) runInitialisers(lowering, declaration, self);
      if (declaration.body) lowering.statement(declaration.body);
    },
  );
}

function defaulted(lowering: Lowering, args: readonly Expression[], self: Place | undefined, node: Node): Called {
  const [only] = args;
  if (self && only) {
    lowering.initialise(self, only);
    return { kind: "place", place: self };
  }
  if (self) lowering.defaultInitialise(self, node);
  return { kind: "void" };
}

function siblingsOf(lowering: Lowering, resolved: Resolved): readonly FunctionDeclaration[] {
  const { function: declaration, record } = resolved;
  const name = lastName(declaration.name);
  const found = record
    ? lowering.context.member(record, name)
    : { entities: lowering.context.scopes.own(homeOf(lowering, declaration), name) };
  return found.entities.flatMap((each) => (each.kind === "function" ? [each.declaration] : []));
}

const homeOf = (lowering: Lowering, declaration: FunctionDeclaration): Parameters<Lowering["context"]["scopes"]["own"]>[0] =>
  lowering.context.scopes.scopeOf.get(declaration)?.parent ?? lowering.context.scopes.root;

/** What a lambda holds; a pointer to one that captures nothing will do where it is called. */
function capturedFields(lowering: Lowering, lambda: LambdaExpression, object: Place, node: Node): readonly CaptureField[] {
  if (object.type.kind === "lambda") return lowering.context.captures(lambda, object.type.substitution)?.fields ?? [];
  return lambda.captures.length === 0 && !lambda.captureDefault ? [] : lowering.fail("a lambda that is not at hand is called", node);
}

/** A lambda's body, its captures found in its object. */
function invokeLambda(
  lowering: Lowering,
  resolved: ResolvedLambda,
  args: readonly Expression[],
  object: Place,
  node: Node,
  into?: Place,
): Called {
  const { context } = lowering;
  const { lambda, substitution } = resolved;
  const resultType = lambdaResult(context, lambda, substitution) ?? lowering.fail("what a lambda returns is not known", node);
  const variables = new Map<object, Place | readonly Place[]>();
  let self: Place | undefined;
  for (const field of capturedFields(lowering, lambda, object, node)) {
    if (field.of === "this") {
      const pointer = load(lowering, part(lowering, object, field.offset, field.type));
      self = { pointer, type: field.type.kind === "pointer" ? field.type.to : field.type, space: spaceOf(pointer), node };
    } else if (field.byReference) {
      const pointer = load(lowering, part(lowering, object, field.offset, pointerTo(field.type)));
      variables.set(field.of, { pointer, type: field.type, space: spaceOf(pointer), node });
    } else variables.set(field.of, part(lowering, object, field.offset, field.type));
  }
  bindParameters(lowering, lambda.parameters, args, { substitution }, variables, []);
  return inlined(
    lowering,
    { owner: lambda, name: "a lambda", substitution, variables, resultType, ...(self ? { self } : {}) },
    node,
    into,
    () => lowering.statement(lambda.body),
  );
}

/** Lowers a body in a frame of its own and goes on behind it. */
function inlined(
  lowering: Lowering,
  shape: Pick<Frame, "owner" | "name" | "substitution" | "variables" | "resultType"> & { readonly self?: Place },
  node: Node,
  into: Place | undefined,
  body: () => void,
): Called {
  const { builder } = lowering;
  const caller = lowering.frame;
  const nested = underWay(caller, shape.owner, shape.substitution);
  if (nested > 0 && nested >= depthOf(shape.owner)) return leftOut(lowering, shape, nested, node);
  if (caller.depth >= depthLimit) return lowering.fail(`calls nest more than ${depthLimit} deep`, node);
  const { resultType } = shape;
  const exit = builder.newBlock();
  const result =
    resultType.kind === "void"
      ? undefined
      : resultType.kind === "reference"
        ? lowering.temporary(pointerTo(resultType.to), `${shape.name} result`, node)
        : (into ?? lowering.temporary(decay(resultType), `${shape.name} result`, node));
  lowering.frame = {
    ...shape,
    exit,
    labels: new Map(),
    breaks: [],
    continues: [],
    cases: [],
    caller,
    depth: caller.depth + 1,
    ...(result ? { result } : {}),
  };
  lowering.visit(node);
  lowering.at(node);
  body();
  builder.jump(exit);
  builder.block = exit;
  lowering.frame = caller;
  lowering.visit(node);
  lowering.at(node);
  if (!result) return { kind: "void" };
  if (resultType.kind === "reference") {
    const pointer = load(lowering, { ...result, node });
    return { kind: "place", place: { pointer, type: referred(resultType), space: spaceOf(pointer), node } };
  }
  return isClass(resultType) ? { kind: "place", place: { ...result, node } } : { kind: "value", op: load(lowering, { ...result, node }) };
}

/** How many of the calls that are being lowered are of a function, or of one instance of it. */
function underWay(frame: Frame, owner: Frame["owner"], substitution?: Frame["substitution"]): number {
  let count = 0;
  for (let at: Frame | undefined = frame; at; at = at.caller)
    if (at.owner === owner && (substitution === undefined || at.substitution === substitution)) count++;
  return count;
}

/** Deeper calls of a function that calls itself do nothing, and give zero. */
function leftOut(lowering: Lowering, { name, resultType }: Pick<Frame, "name" | "resultType">, depth: number, node: Node): Called {
  lowering.assume(
    `calls of ${name} in each other`,
    `${depth} at most`,
    "how deep they go is decided at run time: each is inlined, with registers in the place of a stack, and deeper ones are left out",
  );
  if (resultType.kind === "void") return nothing;
  if (resultType.kind === "reference") return lowering.fail(`${name} is recursive`, node);
  if (isClass(resultType)) return { kind: "place", place: lowering.temporary(decay(resultType), `${name} result`, node) };
  return { kind: "value", op: constantOf(lowering, 0, decay(resultType)) };
}

/** Stores what a `return` gives. */
export function lowerReturn(lowering: Lowering, value: Expression | undefined, node: Node): void {
  const { frame, builder } = lowering;
  if (value) {
    if (!frame.result) lowering.effect(value);
    else if (frame.resultType.kind === "reference") store(lowering, { ...frame.result, node }, lowering.place(value).pointer);
    else lowering.initialise({ ...frame.result, node }, value);
  }
  builder.jump(frame.exit);
  builder.block = builder.newBlock();
}
