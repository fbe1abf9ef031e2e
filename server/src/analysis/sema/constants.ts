/** Constant expressions, `constexpr` functions among them, within a budget of steps. */
import type { Expression, ParameterDeclaration, VariableDeclaration } from "../../syntax/ast.ts";
import { arithmetic } from "./constant-arithmetic.ts";
import { bindArguments, builtInCall, runFunction, runLambda } from "./constant-calls.ts";
import { initialised, made, memberCell, objectAt, valueAs } from "./constant-objects.ts";
import {
  type Cell,
  convertConstant,
  deeper,
  NotConstant,
  notConstant,
  ObjectValue,
  type Run,
  scalarOf,
  spend,
  type Value,
  wholeBudget,
} from "./constant-run.ts";
import type { Constant, Context, Resolved } from "./context.ts";
import { conversionFunction } from "./conversions.ts";
import { firstReturn } from "./returned-types.ts";
import { type Entity, lastName } from "./scope.ts";
import { bindParameters, packElement, packNames } from "./template-values.ts";
import { traitConstant } from "./traits.ts";
import { decay, isFloating, isInteger, isPack, promote, substituted, underlying } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

export function constantOf(context: Context, expression: Expression, substitution: Substitution | undefined): Constant | undefined {
  try {
    return scalar({ context, evaluate, scalar, initialised, substitution, locals: new Map(), budget: wholeBudget() }, expression);
  } catch (error) {
    if (error instanceof NotConstant) return undefined;
    if (!(error instanceof RangeError)) throw error;
    // The stack's end, or an integer larger than the machine's memory.
    context.recursion.end();
    return undefined;
  }
}

const typeOf = (run: Run, expression: Expression): Type | undefined => run.context.info(expression, run.substitution)?.type;

/** A number, or what an object without a state of its own converts to: `std::integral_constant<int, 3>{}`, whatever holds it. */
function scalar(run: Run, expression: Expression): Constant {
  try {
    const value = evaluate(run, expression);
    return value instanceof ObjectValue ? convertedObject(run, value) : scalarOf(value);
  } catch (error) {
    const converted = error instanceof NotConstant ? conversionOf(run, expression) : undefined;
    if (converted === undefined) throw error;
    return scalarOf(runFunction(run, converted.function, converted.substitution, []));
  }
}

/** What an object converts to where a number is needed. */
function convertedObject(run: Run, object: ObjectValue): Constant {
  const found = conversionFunction(run.context, object.record, undefined)?.resolved;
  if (!found?.function.body) throw notConstant;
  return scalarOf(runFunction(run, found.function, found.substitution, [], object));
}

function conversionOf(run: Run, written: Expression): Resolved | undefined {
  const expression = run.context.clarify(written);
  if (!/^(name|call|cast|list|member)$/.test(expression.kind)) return undefined;
  const type = typeOf(run, expression);
  const object = type?.kind === "reference" ? type.to : type;
  if (object?.kind !== "record") return undefined;
  const found = conversionFunction(run.context, object.record, undefined)?.resolved;
  return found?.function.body && found.function.specifiers.constexpr ? found : undefined;
}

function evaluate(run: Run, written: Expression): Value {
  spend(run);
  const expression = run.context.clarify(written);
  switch (expression.kind) {
    case "integer":
      return expression.value;
    case "float":
      return expression.suffix.startsWith("f") ? Math.fround(expression.value) : expression.value;
    case "char":
      return BigInt(expression.value);
    case "bool":
      return expression.value;
    case "parenthesized":
      return evaluate(run, expression.inner);
    case "name":
      return nameValue(run, expression);
    case "unary":
      return unaryValue(run, expression);
    case "postfix": {
      const cell = place(run, expression.operand);
      const old = cell.value;
      step(run, cell, expression.operand, expression.op);
      return old;
    }
    case "binary":
      return binaryValue(run, expression);
    case "assign": {
      const cell = place(run, expression.left);
      if (typeOf(run, expression.left)?.kind === "record") {
        if (expression.op !== "") throw notConstant;
        cell.value = valueAs(run, typeOf(run, expression.left), expression.right);
        return cell.value;
      }
      const right = scalar(run, expression.right);
      const value =
        expression.op === ""
          ? right
          : arithmetic(expression.op, current(cell), right, typeOf(run, expression.left), typeOf(run, expression.right));
      cell.value = convertConstant(value, typeOf(run, expression.left));
      return cell.value;
    }
    case "conditional":
      return evaluate(run, Number(scalar(run, expression.condition)) ? expression.then : expression.else);
    case "cast": {
      const type = run.context.typeFrom(expression.type, run.substitution);
      const [operand] = expression.operands;
      if (type?.kind === "record")
        return made(
          run,
          type.record,
          expression.operands.map((value) => ({ value })),
          false,
        );
      if (!type || expression.operands.length > 1 || !(isInteger(underlying(type)) || isFloating(type))) throw notConstant;
      return convertConstant(operand ? scalar(run, operand) : 0n, type);
    }
    case "list": {
      const type = expression.type && run.context.typeFrom(expression.type, run.substitution);
      if (type?.kind === "record") return made(run, type.record, expression.elements, true);
      const values = expression.elements.map((each) => evaluate(run, each.value));
      return values.length <= 1 && type && type.kind !== "array" ? convertConstant((values[0] as Constant) ?? 0n, type) : values;
    }
    case "sizeof":
      return sizeValue(run, expression);
    case "call":
      return callValue(run, expression);
    case "subscript":
      return operatorValue(run, "[]", [expression.base, ...expression.indices]) ?? place(run, expression).value;
    case "this":
      return run.self;
    case "requires":
      return isValid(run, expression);
    case "member":
      return memberValue(run, expression);
    case "fold":
      return foldValue(run, expression);
    default:
      throw notConstant;
  }
}

/** Whether each of what a `requires` asks for has a type. */
function isValid(run: Run, { tested }: Expression & { kind: "requires" }): Constant {
  if (tested.body.kind !== "block" || run.substitution === undefined) throw notConstant;
  return tested.body.body.every((each) => each.kind === "expression" && typeOf(run, each.expression) !== undefined);
}

function current(cell: Cell): Constant {
  return scalarOf(cell.value);
}

function step(run: Run, cell: Cell, operand: Expression, op: string): void {
  const value = current(cell);
  cell.value =
    typeof value === "number"
      ? value + (op === "++" ? 1 : -1)
      : convertConstant(BigInt(value) + (op === "++" ? 1n : -1n), typeOf(run, operand));
}

/** What an assignment or subscript stores to. */
function place(run: Run, written: Expression): Cell {
  const expression = run.context.clarify(written);
  if (expression.kind === "parenthesized") return place(run, expression.inner);
  if (expression.kind === "name") {
    const [entity] = run.context.find(expression.name, run.substitution).entities;
    const cell = entity && "declaration" in entity ? run.locals.get(entity.declaration) : undefined;
    if (cell) return cell;
    return ownMember(run, entity) ?? { value: nameValue(run, expression) };
  }
  if (expression.kind === "member") {
    const cell = memberCell(run, expression);
    if (cell) return cell;
    return { value: memberValue(run, expression) };
  }
  if (expression.kind === "subscript") {
    const element = elementCell(run, expression);
    if (element) return element;
    const base = place(run, expression.base).value;
    const index = Number(scalar(run, expression.indices[0] ?? expression));
    if (!Array.isArray(base) || index < 0 || index >= base.length) throw notConstant;
    return {
      get value(): Value {
        return base[index];
      },
      set value(value: Value) {
        base[index] = value;
      },
    };
  }
  throw notConstant;
}

/** What an object's own `[]` refers to, where that is all that it returns. */
function elementCell(run: Run, expression: Expression & { kind: "subscript" }): Cell | undefined {
  const type = typeOf(run, expression.base);
  if (type?.kind !== "record") return undefined;
  const operands = [expression.base, ...expression.indices];
  const args = operands.map((each) => ({ info: run.context.info(each, run.substitution), expression: each }));
  const resolved = run.context.resolveOperator("[]", args, expression.start, run.substitution);
  const body = resolved?.record && run.context.readBody(resolved.function);
  const returned = body?.body.length === 1 ? firstReturn(run.context, body, resolved?.substitution)?.value : undefined;
  if (!resolved || !returned || run.context.resultType(resolved.function, resolved.substitution)?.kind !== "reference") return undefined;
  const inner: Run = { ...run, substitution: resolved.substitution, locals: new Map(), self: objectAt(run, expression.base) };
  bindArguments(
    inner,
    resolved.function.parameters,
    expression.indices.map((each) => evaluate(run, each)),
  );
  return deeper(run, () => place(inner, returned));
}

/** A member of the object whose function is run, by its name alone. */
function ownMember(run: Run, entity: Entity | undefined): Cell | undefined {
  if (entity?.kind !== "variable" || entity.home.kind !== "record" || entity.declaration.specifiers.static) return undefined;
  return run.self?.members.get(lastName(entity.declaration.name));
}

/** A pack of parameters stands for the element that is being read. */
function parameterValue(run: Run, { value }: Cell, declaration: ParameterDeclaration): Value {
  if (!declaration.pack) return value;
  const index = substituted("#", run.substitution);
  if (!Array.isArray(value) || typeof index !== "bigint") throw notConstant;
  return value[Number(index)];
}

/** What a program's own operator gives; undefined where it is a built-in one. */
function operatorValue(run: Run, op: string, operands: readonly Expression[]): Value {
  const types = operands.map((each) => typeOf(run, each));
  if (!types.some((type) => type?.kind === "record")) return undefined;
  const args = operands.map((expression, index) => ({ info: types[index] && { type: types[index], lvalue: true }, expression }));
  const resolved = run.context.resolveOperator(op, args, operands[0]?.start ?? -1, run.substitution);
  if (!resolved?.function.body) return undefined;
  const [first, ...rest] = operands;
  const self = resolved.record && first ? objectAt(run, first) : undefined;
  const values = (resolved.record ? rest : operands).map((each) => evaluate(run, each));
  return runFunction(run, resolved.function, resolved.substitution, values, self);
}

function nameValue(run: Run, expression: Expression & { kind: "name" }): Value {
  const { context, substitution } = run;
  const { name } = expression;
  const found = context.find(name, substitution);
  for (const entity of found.entities) {
    switch (entity.kind) {
      case "enumerator":
        return enumeratorValue({ ...run, substitution: found.record?.substitution ?? substitution }, entity);
      case "template-parameter": {
        const value = substituted(lastName(name), substitution);
        if (value === undefined || typeof value === "object") throw notConstant;
        return value;
      }
      case "built-in constant":
        return entity.value;
      case "parameter": {
        const cell = run.locals.get(entity.declaration);
        if (cell) return parameterValue(run, cell, entity.declaration);
        throw notConstant;
      }
      case "variable": {
        const cell = run.locals.get(entity.declaration) ?? ownMember(run, entity);
        if (cell) return cell.value;
        const written = name.parts.at(-1)?.templateArguments;
        const values =
          written &&
          entity.declaration.templateParameters &&
          context.templateValues(written, entity.declaration.templateParameters, substitution);
        const own = values && bindParameters(context, entity.declaration.templateParameters ?? [], values, found.record?.substitution);
        const known = variableValue(run, entity.declaration, own ?? found.record?.substitution ?? substitution);
        if (known !== undefined) return known;
        break;
      }
      default:
        break;
    }
  }
  const trait = found.entities.length === 0 ? traitConstant(context, name, substitution) : undefined;
  if (trait) return trait.value;
  // The library's own templates name their parameters without a scope.
  const own = name.start < 0 ? substituted(lastName(name), substitution) : undefined;
  if (own !== undefined && typeof own !== "object") return own;
  throw notConstant;
}

/** A constant's value: `const` with a constant initialiser, or `constexpr`. */
function variableValue(run: Run, declaration: VariableDeclaration, substitution: Substitution | undefined): Value {
  if (declaration.specifiers.shared || declaration.specifiers.constant || declaration.specifiers.device || declaration.specifiers.volatile)
    return undefined;
  const [init] = declaration.init?.values ?? [];
  if (!init && !declaration.specifiers.constexpr) return undefined;
  const type = run.context.declaredType(declaration, substitution);
  const element = type?.kind === "array" ? type.of : type;
  if (!declaration.specifiers.constexpr && !element?.const) return undefined;
  if (type?.kind === "pointer" || type?.kind === "reference" || (type?.kind === "record" && !declaration.specifiers.constexpr))
    return undefined;
  const isScalar = type?.kind !== "record" && declaration.init?.values.length === 1 && init !== undefined && init.kind !== "list";
  if (isScalar && run.locals.size === 0) {
    // The same wherever it is asked for: constants that rest on each other are worth what they are worth once.
    const known = run.context.constant(init, substitution);
    if (known === undefined) throw notConstant;
    return convertConstant(known, type);
  }
  const inner: Run = { ...run, substitution, locals: declaration.specifiers.constexpr || element?.const ? run.locals : new Map() };
  return deeper(run, () => (isScalar ? valueAs(inner, type, init) : initialised(inner, type, declaration.init)));
}

function enumeratorValue(run: Run, entity: Entity & { kind: "enumerator" }): Constant {
  // One more than the one before, from the last that is given a value: that is worked out once.
  for (let index = entity.index; index >= 0; index--) {
    const written = entity.declaration.enumerators[index]?.value;
    if (!written) continue;
    const value = run.context.constant(written, run.substitution);
    if (value === undefined || typeof value === "number") throw notConstant;
    return BigInt(value) + BigInt(entity.index - index);
  }
  return BigInt(entity.index);
}

function unaryValue(run: Run, expression: Expression & { kind: "unary" }): Value {
  const { op, operand } = expression;
  if (op === "++" || op === "--") {
    const cell = place(run, operand);
    step(run, cell, operand, op);
    return cell.value;
  }
  if (op === "*" && run.context.clarify(operand).kind === "this") return run.self;
  const own = operatorValue(run, op, [operand]);
  if (own !== undefined) return own;
  if (op === "&" || op === "*") throw notConstant;
  const value = scalar(run, operand);
  if (op === "!") return !Number(value);
  if (typeof value === "number") {
    if (op === "-") return -value;
    if (op === "+") return value;
    throw notConstant;
  }
  const type = typeOf(run, operand);
  const promoted = type && promote(type);
  const whole = BigInt(value);
  return convertConstant(op === "-" ? -whole : op === "~" ? ~whole : whole, promoted);
}

function binaryValue(run: Run, expression: Expression & { kind: "binary" }): Value {
  const { op } = expression;
  if (op === "&&") return Boolean(Number(scalar(run, expression.left))) && Boolean(Number(scalar(run, expression.right)));
  if (op === "||") return Boolean(Number(scalar(run, expression.left))) || Boolean(Number(scalar(run, expression.right)));
  if (op === ",") {
    evaluate(run, expression.left);
    return evaluate(run, expression.right);
  }
  const own = operatorValue(run, op, [expression.left, expression.right]);
  if (own !== undefined) return own;
  // A long sum stands to the left, as deep as it has terms.
  const sums = [expression];
  for (let left = run.context.clarify(expression.left); isSum(left); left = run.context.clarify(left.left)) {
    spend(run);
    sums.push(left);
  }
  let value = scalar(run, (sums.at(-1) ?? expression).left);
  for (const { op, left, right } of sums.reverse())
    value = arithmetic(op, value, scalar(run, right), typeOf(run, left), typeOf(run, right));
  return value;
}

/** An operator that takes the values of both its operands. */
const isSum = (expression: Expression): expression is Expression & { kind: "binary" } =>
  expression.kind === "binary" && expression.op !== "&&" && expression.op !== "||" && expression.op !== ",";

function sizeValue(run: Run, expression: Expression & { kind: "sizeof" }): Constant {
  if (expression.packName !== undefined) {
    const value = substituted(expression.packName, run.substitution);
    if (value === undefined || !isPack(value)) throw notConstant;
    return BigInt(value.length);
  }
  const { operand } = expression;
  // `sizeof(x)` where x is a type was read as an expression, or the other way about.
  const type =
    (expression.type && run.context.typeFrom(expression.type, run.substitution)) ??
    (operand && (typeOf(run, operand) ?? namedBy(run, operand))) ??
    (expression.type?.kind === "named" ? typeOf(run, { ...expression.type, kind: "name", name: expression.type.name }) : undefined);
  const bytes = type && (expression.align ? run.context.alignOf(type) : run.context.sizeOf(type));
  if (bytes === undefined) throw notConstant;
  return BigInt(bytes);
}

function namedBy(run: Run, operand: Expression): Type | undefined {
  const inner = operand.kind === "parenthesized" ? operand.inner : operand;
  return inner.kind === "name" ? run.context.namedType(inner.name, run.substitution) : undefined;
}

function memberValue(run: Run, expression: Expression & { kind: "member" }): Value {
  const base = typeOf(run, expression.base);
  const record = base && (expression.arrow ? decay(base) : base);
  const type = record?.kind === "pointer" ? record.to : record;
  if (type?.kind !== "record") throw notConstant;
  const found = run.context.member(type.record, lastName(expression.name));
  const [entity] = found.entities;
  if (entity?.kind === "variable" && entity.declaration.specifiers.static)
    return variableValue(run, entity.declaration, found.record?.substitution);
  if (entity?.kind === "enumerator") return enumeratorValue(run, entity);
  const cell = memberCell(run, expression);
  if (!cell) throw notConstant;
  return cell.value;
}

function foldValue(run: Run, expression: Expression & { kind: "fold" }): Value {
  const pattern = [expression.left, expression.right].find((each) => each && packNames(each, run.substitution).length > 0);
  if (!pattern) throw notConstant;
  const rest = pattern === expression.left ? expression.right : expression.left;
  const packs = packNames(pattern, run.substitution);
  const values = Array.from({ length: packs[0]?.length ?? 0 }, (_, index) =>
    scalar({ ...run, substitution: packElement(packs, index, run.substitution) }, pattern),
  );
  if (rest) values.unshift(scalar(run, rest));
  const { op } = expression;
  if (op === "&&") return values.every((each) => Number(each) !== 0);
  if (op === "||") return values.some((each) => Number(each) !== 0);
  const [first] = values;
  if (first === undefined) throw notConstant;
  return values.slice(1).reduce((all, each) => arithmetic(op, all, each, undefined, undefined), first);
}

function callValue(run: Run, expression: Expression & { kind: "call" }): Value {
  const { context } = run;
  const resolved = context.resolveCall(expression, run.substitution);
  if (!resolved) {
    const trait = expression.callee.kind === "name" ? traitConstant(context, expression.callee.name, run.substitution) : undefined;
    if (trait) return trait.value;
    throw notConstant;
  }
  const args = context
    .expandPacks(expression.arguments, run.substitution)
    .map((each) => evaluate({ ...run, substitution: context.ownSubstitution(each) ?? run.substitution }, each));
  if ("lambda" in resolved) return runLambda(run, resolved.lambda, resolved.substitution, args);
  const { function: called } = resolved;
  if (!called.body) {
    const value = builtInCall(lastName(called.name), args);
    return value === undefined ? undefined : convertConstant(value, context.resultType(called, resolved.substitution));
  }
  const self = resolved.record && calledOn(run, expression);
  if (!called.specifiers.constexpr && (context.readBody(called)?.body.length ?? 0) > 8) throw notConstant;
  return runFunction(run, called, resolved.substitution, args, self);
}

/** The object that a member function is called on: one that has no constant value may have functions that do not ask for it. */
function calledOn(run: Run, call: Expression & { kind: "call" }): ObjectValue | undefined {
  let callee = run.context.clarify(call.callee);
  while (callee.kind === "parenthesized") callee = run.context.clarify(callee.inner);
  const isMember = callee.kind === "name" && run.context.find(callee.name, run.substitution).entities[0]?.kind === "function";
  if (isMember) return run.self;
  try {
    const named = callee.kind === "member" && typeOf(run, callee)?.kind === "function" ? callee.base : callee;
    return objectAt(run, named);
  } catch (error) {
    if (error instanceof NotConstant) return undefined;
    throw error;
  }
}
