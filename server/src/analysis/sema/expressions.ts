/** Types of expressions, with C++'s conversions. */
import type { Expression, FunctionDeclaration, Name } from "../../syntax/ast.ts";
import { boundPart } from "./bindings.ts";
import { deducedClass } from "./class-arguments.ts";
import type { Argument, Context, Found, Info } from "./context.ts";
import { conversionFunction } from "./conversions.ts";
import { findField } from "./layout.ts";
import { enumType } from "./named-types.ts";
import { elementOf } from "./ranges.ts";
import { lambdaResult } from "./returned-types.ts";
import { lastName } from "./scope.ts";
import { bindParameters, packElement, packNames } from "./template-values.ts";
import { traitConstant } from "./traits.ts";
import {
  arrayOf,
  boolType,
  decay,
  emptySubstitution,
  floatType,
  integerType,
  intType,
  isArithmetic,
  isTypeValue,
  literalType,
  pointerTo,
  promote,
  qualified,
  recordType,
  referred,
  sameUnqualified,
  sizeType,
  substituted,
  unqualified,
  usualArithmetic,
  voidType,
} from "./type-tools.ts";
import type { RecordInstance, Substitution, Type } from "./types.ts";

const value = (type: Type | undefined): Info | undefined => type && { type: unqualified(type), lvalue: false };
const object = (type: Type | undefined): Info | undefined => type && { type: referred(type), lvalue: true };
/** What a call gives: an lvalue for a reference, a value otherwise. */
const result = (type: Type | undefined): Info | undefined =>
  type && (type.kind === "reference" ? { type: type.to, lvalue: !type.rvalue } : { type, lvalue: false });

const comparisons = new Set(["==", "!=", "<", ">", "<=", ">=", "&&", "||"]);

/** The type and value category of an expression; undefined when not known. */
export function infoOf(context: Context, written: Expression, substitution: Substitution | undefined): Info | undefined {
  const expression = context.clarify(written);
  switch (expression.kind) {
    case "integer":
      return value(literalType(expression));
    case "float":
      return value(floatLiteral(expression.suffix));
    case "char":
      return value(integerType("char"));
    case "string":
      return { type: arrayOf(qualified(integerType("char"), { const: true }), expression.value.length + 1), lvalue: true };
    case "bool":
      return value(boolType);
    case "null":
      return value(pointerTo(voidType));
    case "name":
      return nameInfo(context, expression.name, substitution);
    case "this": {
      const record = thisRecord(context, expression.start, substitution);
      return record && value(pointerTo(qualified(recordType(record), { const: inConstMember(context, expression.start) })));
    }
    case "parenthesized":
      return context.info(expression.inner, substitution);
    case "unary":
      return unaryInfo(context, expression, substitution);
    case "postfix": {
      const operand = context.info(expression.operand, substitution);
      return operand && (operatorResult(context, expression.op, [expression.operand, zero], substitution) ?? value(operand.type));
    }
    case "binary":
      return binaryInfo(context, expression, substitution);
    case "assign": {
      const left = context.info(expression.left, substitution);
      if (left?.type.kind === "record")
        return operatorResult(context, `${expression.op}=`, [expression.left, expression.right], substitution) ?? object(left.type);
      return left && object(left.type);
    }
    case "conditional":
      return conditionalInfo(context, expression, substitution);
    case "call":
      return callInfo(context, expression, substitution);
    case "subscript":
      return subscriptInfo(context, expression, substitution);
    case "member":
      return memberInfo(context, expression, substitution);
    case "cast":
      return result(
        context.typeFrom(expression.type, substitution, expression.operands[0] && context.info(expression.operands[0], substitution)),
      );
    case "list": {
      const values = expression.elements.map((each) => each.value);
      return expression.type
        ? value(context.typeFrom(expression.type, substitution) ?? deducedClass(context, expression.type, values, substitution))
        : undefined;
    }
    case "sizeof":
      return value(sizeType);
    case "new": {
      const type = context.typeFrom(expression.type, substitution);
      return type && value(pointerTo(type));
    }
    case "lambda":
      return { type: { kind: "lambda", lambda: expression, substitution: substitution ?? emptySubstitution }, lvalue: false };
    case "pack":
      return context.info(expression.pattern, substitution);
    case "fold":
      return foldInfo(context, expression, substitution);
    case "requires":
      return value(boolType);
    case "delete":
      return { type: voidType, lvalue: false };
    case "unknown":
      return undefined;
  }
}

const zero: Expression = { kind: "integer", value: 0n, suffix: "", text: "0", start: -1, end: -1 };

function floatLiteral(suffix: string): Type | undefined {
  if (suffix === "" || suffix === "l" || suffix === "f64") return floatType("double");
  if (suffix === "f" || suffix === "f32") return floatType("float");
  return undefined;
}

function nameInfo(context: Context, name: Name, substitution: Substitution | undefined): Info | undefined {
  const found = context.find(name, substitution);
  const [entity] = found.entities;
  const owner = found.record?.substitution ?? substitution;
  switch (entity?.kind) {
    case "variable": {
      const arguments_ = name.parts.at(-1)?.templateArguments;
      if (arguments_ && entity.declaration.templateParameters) {
        const values = context.templateValues(arguments_, entity.declaration.templateParameters, substitution);
        const bound = values && bindParameters(context, entity.declaration.templateParameters, values, found.record?.substitution);
        return bound && object(context.declaredType(entity.declaration, bound));
      }
      // Of several declarations (a static member and its definition) one may say more.
      for (const each of found.entities) {
        const type = each.kind === "variable" ? context.declaredType(each.declaration, owner) : undefined;
        if (type)
          return object(found.record && !isStatic(each) && inConstMember(context, name.start) ? qualified(type, { const: true }) : type);
      }
      return undefined;
    }
    case "parameter":
      return object(context.declaredType(entity.declaration, substitution));
    case "enumerator":
      return value(enumType(context, entity.declaration, owner));
    case "template-parameter": {
      const bound = substituted(lastName(name), substitution);
      if (bound !== undefined && isTypeValue(bound)) return bound.kind === "function" ? { type: bound, lvalue: true } : undefined;
      return entity.parameter.kind === "value"
        ? value(context.typeFrom(entity.parameter.type, substitution) ?? constantType(bound))
        : undefined;
    }
    case "binding":
      return object(bindingType(context, entity.declaration, entity.index, substitution));
    case "capture": {
      const init = entity.capture.init && context.info(entity.capture.init, substitution);
      return init && object(entity.capture.byReference ? init.type : decay(init.type));
    }
    case "function": {
      const declarations = found.entities.flatMap((each) => (each.kind === "function" ? [each.declaration] : []));
      const written = name.parts.at(-1)?.templateArguments;
      return {
        type: {
          kind: "function",
          declarations,
          ...(written && { explicit: { arguments: written, substitution } }),
          ...(found.record && { record: found.record }),
        },
        lvalue: true,
      };
    }
    case "built-in constant":
      return value(entity.type);
    case undefined: {
      const trait = traitConstant(context, name, substitution);
      // The library's own templates name their parameters without a scope.
      return value(trait?.type ?? (name.start < 0 ? constantType(substituted(lastName(name), substitution)) : undefined));
    }
    default:
      return undefined;
  }
}

const isStatic = (entity: Found["entities"][number]): boolean =>
  entity.kind === "variable" && entity.declaration.specifiers.static === true;

const constantType = (bound: unknown): Type | undefined =>
  typeof bound === "boolean" ? boolType : typeof bound === "bigint" ? intType : typeof bound === "number" ? floatType("double") : undefined;

function bindingType(
  context: Context,
  declaration: (Found["entities"][number] & { kind: "binding" })["declaration"],
  index: number,
  substitution: Substitution | undefined,
): Type | undefined {
  const init = declaration.init?.values[0];
  const range = context.scopes.ranges.get(declaration);
  const type = range ? elementOf(context, range, substitution) : init && context.info(init, substitution)?.type;
  return type && boundPart(context, type, declaration, index)?.type;
}

/** The record whose member function holds an offset. */
export function thisRecord(context: Context, offset: number, substitution: Substitution | undefined): RecordInstance | undefined {
  for (let at: ReturnType<Context["scopes"]["at"]> | undefined = context.scopes.at(offset); at; at = at.parent) {
    if (at.kind === "record" && at.owner && "members" in at.owner) return context.currentRecord(at.owner, substitution);
  }
  return undefined;
}

function inConstMember(context: Context, offset: number): boolean {
  for (let at: ReturnType<Context["scopes"]["at"]> | undefined = context.scopes.at(offset); at; at = at.parent) {
    if (at.kind === "function" && at.owner) return (at.owner as FunctionDeclaration).const === true;
  }
  return false;
}

export const argumentsOf = (context: Context, expressions: readonly Expression[], substitution: Substitution | undefined): Argument[] =>
  context.expandPacks(expressions, substitution).map((expression) => ({ info: context.info(expression, substitution), expression }));

function operatorResult(
  context: Context,
  operator: string,
  operands: readonly Expression[],
  substitution: Substitution | undefined,
): Info | undefined {
  const args = argumentsOf(context, operands, substitution);
  if (
    !args.some(
      (each) => each.info && (each.info.type.kind === "record" || each.info.type.kind === "enum" || each.info.type.kind === "lambda"),
    )
  )
    return undefined;
  const resolved = context.resolveOperator(operator, args, operands[0]?.start ?? -1, substitution);
  return resolved && result(context.resultType(resolved.function, resolved.substitution));
}

function unaryInfo(context: Context, expression: Expression & { kind: "unary" }, substitution: Substitution | undefined): Info | undefined {
  const { op, operand } = expression;
  const inner = context.info(operand, substitution);
  if (!inner) return op === "!" ? value(boolType) : undefined;
  const user = operatorResult(context, op, [operand], substitution);
  if (user) return user;
  switch (op) {
    case "*": {
      const pointer = decay(inner.type);
      if (pointer.kind === "function") return inner;
      return pointer.kind === "pointer" ? object(pointer.to) : undefined;
    }
    case "&":
      return value(pointerTo(inner.type));
    case "!":
      return value(boolType);
    case "++":
    case "--":
      return object(inner.type);
    default:
      return isArithmetic(inner.type) ? value(promote(inner.type)) : inner.type.kind === "pointer" ? value(inner.type) : undefined;
  }
}

function binaryInfo(
  context: Context,
  expression: Expression & { kind: "binary" },
  substitution: Substitution | undefined,
): Info | undefined {
  const { op } = expression;
  const user = operatorResult(context, op, [expression.left, expression.right], substitution);
  if (user) return user;
  if (op === ",") return context.info(expression.right, substitution);
  if (comparisons.has(op)) return value(boolType);
  const left = context.info(expression.left, substitution);
  const right = context.info(expression.right, substitution);
  if (!left || !right) return undefined;
  if (op === "<<" || op === ">>") return isArithmetic(left.type) ? value(promote(left.type)) : undefined;
  const [a, b] = [decay(left.type), decay(right.type)];
  if (a.kind === "pointer" && b.kind === "pointer") return op === "-" ? value(integerType("long")) : undefined;
  if (a.kind === "pointer") return value(a);
  if (b.kind === "pointer") return op === "+" ? value(b) : undefined;
  return value(usualArithmetic(arithmeticValue(context, a), arithmeticValue(context, b)));
}

/** A record with a conversion function to an arithmetic type, as that type. */
const arithmeticValue = (context: Context, type: Type): Type =>
  type.kind === "record" ? (conversionFunction(context, type.record, undefined)?.type ?? type) : type;

function conditionalInfo(
  context: Context,
  expression: Expression & { kind: "conditional" },
  substitution: Substitution | undefined,
): Info | undefined {
  const left = context.info(expression.then, substitution);
  const right = context.info(expression.else, substitution);
  if (!left || !right) return left ?? right;
  if (sameUnqualified(left.type, right.type)) {
    const type = left.type.const ? left.type : right.type;
    return left.lvalue && right.lvalue ? { type, lvalue: true } : value(decay(type));
  }
  const both = usualArithmetic(left.type, right.type);
  if (both) return value(both);
  const [a, b] = [decay(left.type), decay(right.type)];
  if (a.kind === "pointer" && b.kind === "pointer") return value(a.to.kind === "void" || (b.to.const && !a.to.const) ? b : a);
  if (a.kind === "pointer") return value(a);
  if (b.kind === "pointer") return value(b);
  if (a.kind === "void" || b.kind === "void") return value(voidType);
  return value(context.conversionRank({ type: b, lvalue: false }, a) !== undefined ? a : b);
}

function callInfo(context: Context, expression: Expression & { kind: "call" }, substitution: Substitution | undefined): Info | undefined {
  const resolved = context.guard(() => context.resolveCall(expression, substitution));
  if (!resolved) {
    const name = expression.callee.kind === "name" ? traitConstant(context, expression.callee.name, substitution) : undefined;
    return name ? value(name.type) : result(pointedResult(context, expression.callee, substitution));
  }
  if ("lambda" in resolved) return result(lambdaResult(context, resolved.lambda, resolved.substitution));
  return result(context.resultType(resolved.function, resolved.substitution));
}

/** What is returned by a function of which only the type is known, that of a pointer to it. */
function pointedResult(context: Context, callee: Expression, substitution: Substitution | undefined): Type | undefined {
  const type = context.info(callee, substitution)?.type;
  const called = type?.kind === "pointer" ? type.to : type;
  return called?.kind === "function" ? called.result : undefined;
}

function subscriptInfo(
  context: Context,
  expression: Expression & { kind: "subscript" },
  substitution: Substitution | undefined,
): Info | undefined {
  const base = context.info(expression.base, substitution);
  if (!base) return undefined;
  if (base.type.kind === "record") return operatorResult(context, "[]", [expression.base, ...expression.indices], substitution);
  const pointer = decay(base.type);
  if (pointer.kind === "pointer") return object(pointer.to);
  // `2[p]`
  const index = expression.indices[0] && context.info(expression.indices[0], substitution);
  const swapped = index && decay(index.type);
  return swapped?.kind === "pointer" ? object(swapped.to) : undefined;
}

/** The record a member access reaches into, with the constness of the object. */
export function memberBase(
  context: Context,
  expression: Expression & { kind: "member" },
  substitution: Substitution | undefined,
): { readonly record: RecordInstance; readonly const: boolean } | undefined {
  let type = context.info(expression.base, substitution)?.type;
  for (let step = 0; expression.arrow && type?.kind === "record" && step < 4; step++) {
    const arrow = context.resolveOperator("->", [{ info: { type, lvalue: true } }], expression.start, substitution);
    const next = arrow && context.resultType(arrow.function, arrow.substitution);
    type = next && referred(next);
  }
  if (!type) return undefined;
  if (expression.arrow) {
    const pointer = decay(type);
    type = pointer.kind === "pointer" ? pointer.to : undefined;
  }
  return type?.kind === "record" ? { record: type.record, const: type.const ?? false } : undefined;
}

function memberInfo(
  context: Context,
  expression: Expression & { kind: "member" },
  substitution: Substitution | undefined,
): Info | undefined {
  const base = memberBase(context, expression, substitution);
  if (!base) return undefined;
  const text = lastName(expression.name);
  const field = findField(context, base.record, text);
  if (field) {
    const lvalue = expression.arrow || field.type.kind === "reference" || (context.info(expression.base, substitution)?.lvalue ?? true);
    return { type: field.type.kind === "reference" ? field.type.to : qualified(field.type, { const: base.const }), lvalue };
  }
  const found = context.member(base.record, text);
  const [entity] = found.entities;
  if (entity?.kind === "variable") return object(context.declaredType(entity.declaration, found.record?.substitution));
  if (entity?.kind === "enumerator") return value(enumType(context, entity.declaration, found.record?.substitution));
  if (entity?.kind === "function")
    return {
      type: { kind: "function", declarations: found.entities.flatMap((each) => (each.kind === "function" ? [each.declaration] : [])) },
      lvalue: true,
    };
  return undefined;
}

function foldInfo(context: Context, expression: Expression & { kind: "fold" }, substitution: Substitution | undefined): Info | undefined {
  if (comparisons.has(expression.op)) return value(boolType);
  const pattern = [expression.left, expression.right].find((each) => each && packNames(each, substitution).length > 0);
  if (!pattern) return undefined;
  const packs = packNames(pattern, substitution);
  const rest = pattern === expression.left ? expression.right : expression.left;
  const infos = Array.from({ length: packs[0]?.length ?? 0 }, (_, index) => context.info(pattern, packElement(packs, index, substitution)));
  if (rest) infos.unshift(context.info(rest, substitution));
  if (infos.length === 0) return value(voidType);
  if (expression.op === ",") return infos.at(-1);
  return infos.reduce((all, each) => (all && each ? (value(usualArithmetic(all.type, each.type)) ?? all) : undefined));
}
