/** Operators and conversions that classes of the program define. */
import type { FunctionDeclaration, RecordDeclaration } from "../../../syntax/ast.ts";
import { isPack, isTypeValue } from "../../sema/type-tools.ts";
import { hostType } from "../memory/host-types.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { convert } from "../values/convert.ts";
import { Cell, type HostType, type RecordValue, type Value } from "../values/model.ts";
import { templateConstant } from "../values/template-constant.ts";
import { isConstantArgument } from "./constness.ts";
import { instanceOf } from "./methods.ts";
import { chooseOverload } from "./overload.ts";

/** `op` on operands of which one is an object: by its method, else by a function; undefined where neither is defined. */
export function callOperator(host: Interpreter, op: string, operands: readonly Argument[]): Value | undefined {
  if (!operands.some(({ value }) => isObject(value))) return undefined;
  const name = `operator${op}`;
  const [first, ...rest] = operands;
  if (first !== undefined && isObject(first.value)) {
    const self = first.place instanceof Cell ? first.place : new Cell(first.value, first.value.type);
    const made = host.callMethod(self, name, rest, () => isConstantArgument(host, first));
    if (made !== undefined) return made;
  }
  const named = { start: 0, end: 0, global: false, parts: [{ text: name }] };
  const fn = chooseOverload(host, host.globals.functions(named, host.frame.path), operands, 0, true);
  return fn?.body === undefined ? undefined : host.call({ function: fn, arguments: operands });
}

function isObject(value: Value): value is RecordValue {
  return value.kind === "record" && !value.open;
}

/** What a conversion of an object's class makes of it, where it has one to just another class; undefined where it has none. */
export function convertedToClass(host: Interpreter, value: RecordValue, type: HostType & { readonly kind: "record" }): Value | undefined {
  const own = instanceOf(value);
  if (own === undefined || own.name === type.record.name) return undefined;
  const fn = conversions(host, own.declaration, 0).find(({ result }) => {
    const made = hostType(host, result, own.substitution);
    return made?.kind === "record" && made.record.name === type.record.name;
  });
  return fn && host.call({ function: fn, arguments: [], self: new Cell(value, value.type), substitution: own.substitution });
}

/** As `convert`, where the value may be an object with a conversion: a device buffer that passes for its pointer. */
export function converted(host: Interpreter, value: Value, type: HostType | undefined): Value {
  if (!isObject(value) || type === undefined || type.kind === "record") return convert(value, type);
  const target = type.kind === "reference" ? type.to : type;
  const fn = target.kind === "record" ? undefined : conversionOf(host, value, target);
  if (fn === undefined) return convert(integralConstant(host, value) ?? value, type);
  const substitution = value.type?.kind === "record" ? value.type.record.substitution : undefined;
  return convert(host.call({ function: fn, arguments: [], self: new Cell(value, value.type), substitution }), type);
}

/** The object as a number or pointer, where it has just one conversion to any. */
export function scalarOf(host: Interpreter, value: Value): Value {
  if (!isObject(value)) return value;
  const fn = conversionOf(host, value, undefined);
  if (fn === undefined) return integralConstant(host, value) ?? value;
  const substitution = value.type?.kind === "record" ? value.type.record.substitution : undefined;
  return host.call({ function: fn, arguments: [], self: new Cell(value, value.type), substitution });
}

/** What an `std::integral_constant`, or an object of a class that derives from one, stands for. */
export function integralConstant(host: Interpreter, value: Value): Value | undefined {
  const record = instanceOf(value);
  const owner = record && host.semantics.context.member(record, "value").record;
  if (owner?.template.name?.parts.at(-1)?.text !== "integral_constant" || owner.template.start >= 0) return undefined;
  const [type, constant] = owner.arguments;
  if (constant === undefined) return undefined;
  const known = templateConstant(constant, "value");
  return type !== undefined && !isPack(type) && isTypeValue(type) ? convert(known, type) : known;
}

function conversionOf(host: Interpreter, value: RecordValue, target: HostType | undefined): FunctionDeclaration | undefined {
  if (value.type?.kind !== "record") return undefined;
  const { declaration, substitution } = value.type.record;
  const all = declaration === undefined ? [] : conversions(host, declaration, 0);
  if (target === undefined) return all.length === 1 ? all[0] : undefined;
  const kinds = all.map((fn) => ({ fn, type: hostType(host, fn.result, substitution) }));
  const exact = kinds.find(({ type }) => type?.kind === target.kind && sameName(type, target));
  return (exact ?? kinds.find(({ type }) => type?.kind === target.kind) ?? (target.kind === "pointer" ? undefined : kinds[0]))?.fn;
}

function sameName(a: HostType, b: HostType): boolean {
  return a.kind === "pointer" && b.kind === "pointer" ? sameName(a.to, b.to) : "name" in a && "name" in b && a.name === b.name;
}

function conversions(host: Interpreter, declaration: RecordDeclaration, depth: number): FunctionDeclaration[] {
  const own = (declaration.members ?? []).filter(
    (member): member is FunctionDeclaration => member.kind === "function" && member.role === "conversion" && member.body !== undefined,
  );
  if (depth > 4) return own;
  const inherited = declaration.bases.flatMap(({ type }) => {
    const base = type.kind === "named" ? host.globals.record({ ...type.name, parts: type.name.parts.slice(-1) }) : undefined;
    return base === undefined ? [] : conversions(host, base, depth + 1);
  });
  return [...own, ...inherited];
}
