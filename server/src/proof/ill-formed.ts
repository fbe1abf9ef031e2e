/** What a compiler would refuse although it parses, as far as names and types are known. */

import type { Program } from "../analysis/facts.ts";
import type { Context, Info } from "../analysis/sema/context.ts";
import { lastName } from "../analysis/sema/scope.ts";
import { isArithmetic, isFloating } from "../analysis/sema/type-tools.ts";
import type { Type } from "../analysis/sema/types.ts";
import type { Declaration, Expression, FunctionDeclaration, Statement, VariableDeclaration } from "../syntax/ast.ts";
import type { Item } from "../syntax/item.ts";
import { type AnyNode, walk } from "../syntax/walk.ts";

/**
 * What is wrong with the code of `after` that was not with that of `before`: the first such thing in words. Names that nobody declares, as
 * their headers are not there, are so in both.
 */
export function newlyIllFormed(before: Program, after: Program): string | undefined {
  const changed = changedItems(before, after);
  const [was, is] = [faultsOf(before, changed.before), faultsOf(after, changed.after)];
  for (const [fault, count] of is) if (count > (was.get(fault) ?? 0)) return fault;
  return undefined;
}

/** The declarations that differ, and those that mention what these declare. */
function changedItems(before: Program, after: Program): { readonly before: readonly Item[]; readonly after: readonly Item[] } {
  const [old, now] = [before, after].map(({ items }) => new Set(items.map(({ text }) => text))) as [Set<string>, Set<string>];
  const others = [...before.items.filter(({ text }) => !now.has(text)), ...after.items.filter(({ text }) => !old.has(text))];
  const declared = others.flatMap(({ declarations }) => declarations.flatMap((each) => nameOf(each) ?? []));
  const isMeant = (item: Item): boolean => others.includes(item) || declared.some((name) => item.words.has(name));
  return { before: before.items.filter(isMeant), after: after.items.filter(isMeant) };
}

const nameOf = (declaration: Declaration): string | undefined =>
  "name" in declaration ? (typeof declaration.name === "string" ? declaration.name : declaration.name?.parts.at(-1)?.text) : undefined;

function faultsOf({ semantics: { context } }: Program, items: readonly Item[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { declarations } of items) {
    for (const declaration of declarations) {
      walk(declaration, (node) => {
        // A name that nobody declares may be used more often: whoever declares it does so for all uses.
        for (const fault of faultsAt(context, node)) counts.set(fault, node.kind === "name" ? 1 : (counts.get(fault) ?? 0) + 1);
        return true;
      });
    }
  }
  return counts;
}

function* faultsAt(context: Context, node: AnyNode): Generator<string> {
  switch (node.kind) {
    case "name":
      yield* undeclared(context, node);
      return;
    case "call":
      yield* wrongArguments(context, node);
      return;
    case "assign":
      yield* wrongAssignment(context, node);
      return;
    case "variable":
      yield* wrongValue(context, node);
      return;
    case "binary":
      yield* wrongOperands(context, node.op, [node.left, node.right]);
      return;
    case "subscript":
      yield* wrongSubscript(context, node);
      return;
    case "unary":
      if (node.op === "*" && isNumber(typeOf(context, node.operand))) yield "`*` of what is no pointer";
      return;
    case "member":
      yield* wrongMember(context, node);
      return;
    case "block":
      yield* declaredTwice(node);
      return;
    case "function":
      if ("name" in node) yield* wrongReturns(context, node);
      return;
    default:
  }
}

/** What libraries and compilers declare, and macros of headers that are not there. */
const notOurs = /^(__\w+|cu[a-z]*[A-Z_]\w*|[A-Z][A-Z0-9_]*)$/;

function* undeclared(context: Context, { name }: Expression & { readonly kind: "name" }): Generator<string> {
  const [only, ...more] = name.parts;
  if (!only || more.length > 0 || notOurs.test(only.text)) return;
  if (context.find(name, undefined).entities.length === 0 && !context.namedType(name, undefined)) yield `\`${only.text}\` is not declared`;
}

function* wrongArguments(context: Context, call: Expression & { readonly kind: "call" }): Generator<string> {
  const callee = context.clarify(call.callee);
  if (context.clarify(call).kind !== "call" || callee.kind !== "name" || call.arguments.some(({ kind }) => kind === "pack")) return;
  const { entities } = context.find(callee.name, undefined);
  const functions = entities.flatMap((each): FunctionDeclaration[] => (each.kind === "function" ? [each.declaration] : []));
  if (functions.length === 0 || functions.length < entities.length) return;
  const name = lastName(callee.name);
  const given = call.arguments.length;
  if (!functions.some((each) => takes(each, given))) yield `\`${name}\` takes another number of arguments than ${given}`;
  const [only, ...others] = functions;
  if (!only || others.length > 0 || only.templateParameters) return;
  for (const [k, { type }] of only.parameters.entries()) {
    const value = call.arguments[k];
    if (value && !converts(context, value, context.typeFrom(type, undefined))) yield `an argument of \`${name}\` is of another type`;
  }
}

function takes({ parameters, variadic }: FunctionDeclaration, count: number): boolean {
  const isPack = parameters.some(({ pack, type }) => pack === true || type.kind === "unknown");
  const needed = parameters.filter((each) => each.default === undefined).length;
  return isPack || variadic || (count >= needed && count <= parameters.length);
}

function* wrongAssignment(context: Context, { op, left, right }: Expression & { readonly kind: "assign" }): Generator<string> {
  const to = context.info(left, undefined);
  if (!to || !isScalar(to.type)) return;
  if (to.type.const) yield "what is constant is assigned to";
  if (op === "") {
    if (!converts(context, right, { ...to.type, const: false })) yield "what is assigned is of another type";
  } else yield* wrongOperands(context, op, [left, right]);
}

function* wrongValue(context: Context, variable: VariableDeclaration): Generator<string> {
  const { init, bindings, maybeFunction } = variable;
  const [value, ...more] = init?.values ?? [];
  if (!value || more.length > 0 || bindings || maybeFunction) return;
  const type = context.declaredType(variable, undefined);
  if (type && isScalar(type) && !converts(context, value, { ...type, const: false }))
    yield `\`${lastName(variable.name)}\` gets a value of another type`;
}

function* wrongReturns(context: Context, fn: FunctionDeclaration): Generator<string> {
  if (!fn.body || fn.templateParameters || fn.role) return;
  const type = context.resultType(fn, undefined);
  if (!type || !(isScalar(type) || type.kind === "void")) return;
  const returned: Expression[] = [];
  walk(fn.body, (node) => {
    if (node.kind === "lambda" || node.kind === "record") return false;
    if (node.kind === "return" && node.value) returned.push(node.value);
    return true;
  });
  for (const value of returned) if (type.kind !== "void" && !converts(context, value, type)) yield "what is returned is of another type";
}

const ofIntegers = /^(%|&|\||\^|<<|>>)$/;

function* wrongOperands(context: Context, op: string, operands: readonly [Expression, Expression]): Generator<string> {
  const types = operands.map((each) => typeOf(context, each));
  const [left, right] = types;
  if (!left || !right || !isScalar(left) || !isScalar(right)) return;
  const pointers = types.filter((type) => isPointer(type)).length;
  const isWrong = ofIntegers.test(op)
    ? pointers > 0 || isFloating(left) || isFloating(right)
    : op === "*" || op === "/"
      ? pointers > 0
      : op === "+"
        ? pointers === 2 || (pointers === 1 && (isFloating(left) || isFloating(right)))
        : op === "-" && isPointer(right) && !isPointer(left);
  if (isWrong) yield `\`${op}\` of such types`;
}

function* wrongSubscript(context: Context, { base, indices }: Expression & { readonly kind: "subscript" }): Generator<string> {
  const [index, ...more] = indices;
  const [of, by] = [typeOf(context, base), index && typeOf(context, index)];
  if (more.length > 0 || !of || !by || !isScalar(by)) return;
  if (isNumber(of) && isNumber(by)) yield "an element of what is no array";
  if (isPointer(of) && (isFloating(by) || isPointer(by))) yield "an index that is no integer";
}

function* wrongMember(context: Context, { base, arrow, name }: Expression & { readonly kind: "member" }): Generator<string> {
  const member = lastName(name);
  const type = typeOf(context, base);
  if (!type || name.parts.length > 1) return;
  if (isNumber(type) || (type.kind === "pointer" && !arrow)) yield `\`${member}\` of what has no members`;
  if (type.kind !== "record" || arrow || type.record.declaration.bases.length > 0) return;
  if (context.layout(type.record) && context.member(type.record, member).entities.length === 0) yield `there is no member \`${member}\``;
}

function* declaredTwice({ body }: Statement & { readonly kind: "block" }): Generator<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.kind !== "declaration") continue;
    for (const declaration of statement.declarations) {
      const name = declaration.kind === "variable" && !declaration.specifiers.extern ? nameOf(declaration) : undefined;
      if (name === undefined || name === "") continue;
      if (names.has(name)) yield `\`${name}\` is declared twice`;
      names.add(name);
    }
  }
}

/** Whether a value becomes what is wanted; so it is taken to where either is not known, or is of a type of the program's. */
function converts(context: Context, value: Expression, to: Type | undefined): boolean {
  const from = value.kind === "list" ? undefined : context.info(value, undefined);
  if (!from || !to || !isScalar(to) || !isScalar(decayed(from.type))) return true;
  return context.conversionRank({ ...from, type: decayed(from.type) }, to, isNull(value)) !== undefined;
}

const isNull = (value: Expression): boolean =>
  value.kind === "null" ||
  (value.kind === "integer" && value.value === 0n) ||
  (value.kind === "parenthesized" && isNull(value.inner)) ||
  (value.kind === "cast" && value.operands.length === 1 && value.operands.every(isNull));

const decayed = (type: Info["type"]): Type => (type.kind === "array" ? { kind: "pointer", to: type.of } : type);

function typeOf(context: Context, expression: Expression): Type | undefined {
  const type = context.info(expression, undefined)?.type;
  return type && decayed(type);
}

const isPointer = (type: Type | undefined): boolean => type?.kind === "pointer";
const isNumber = (type: Type | undefined): boolean => type !== undefined && isArithmetic(type) && type.kind !== "enum";
const isScalar = (type: Type): boolean => isNumber(type) || (type.kind === "pointer" && type.to.kind !== "function");
