/** Operators of classes that only pick an element: `m[i]` stands for `m.data[i]`, and `m(r, c)` for `m.data[r * m.columns + c]`. */

import type { Expression, FunctionDeclaration, ParameterDeclaration } from "../../../syntax/ast.ts";
import { isPure } from "../../../syntax/pure.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { methodsOf } from "../resolve/methods.ts";
import { placeOf } from "../resolve/places.ts";
import { Cell, type RecordValue } from "../values/model.ts";
import type { Machine } from "./machine.ts";
import { declared } from "./numbers.ts";

/**
 * The element that an object's operator gives a reference to, written out where the object is; undefined where that is not all that the operator
 * does, or where it could be another's: of a class with bases, or with overloads that pick otherwise.
 */
export function behindOperator(machine: Machine, e: Expression): Expression | undefined {
  if (e.kind !== "subscript" && e.kind !== "call") return undefined;
  const base = withoutParentheses(e.kind === "subscript" ? e.base : e.callee);
  const record = recordNamed(machine, base);
  const [operator, given] = e.kind === "subscript" ? ["operator[]", e.indices] : ["operator()", e.arguments];
  if (!record || !isInOrder(given)) return undefined;
  const fn = pickerOf(machine, record, operator, given.length);
  const picked = fn && returnedBy(fn);
  const parameters = fn?.parameters.map((parameter, k) => argumentFor(parameter, given[k])) ?? [];
  if (!picked || !parameters.every((each) => each !== undefined)) return undefined;
  const writer = new Writer(record, base, new Map(parameters));
  const written = writer.written(picked);
  return writer.hasUsedAll ? written : undefined;
}

function recordNamed(machine: Machine, base: Expression): RecordValue | undefined {
  let root = base;
  while (root.kind === "member") root = withoutParentheses(root.base);
  if (root.kind !== "name" || root.name.parts.length > 1 || declared(machine, lastName(root.name))) return undefined;
  const place = placeOf(machine.host, base);
  return place instanceof Cell && place.value.kind === "record" && !place.value.open ? place.value : undefined;
}

/** The operator; one for objects that are constant picks the same. */
function pickerOf({ host }: Machine, { type }: RecordValue, operator: string, count: number): FunctionDeclaration | undefined {
  if (type?.kind !== "record" || type.record.declaration.bases.length > 0) return undefined;
  const all = methodsOf(host, type.record, operator).functions;
  const picker = all.find((fn) => fn.result.kind === "reference" && !fn.result.to.const);
  if (!picker || picker.templateParameters || picker.parameters.length !== count) return undefined;
  return all.every((other) => other === picker || isAlike(other, picker)) ? picker : undefined;
}

/** They say the same but for what is constant. */
const isAlike = (a: FunctionDeclaration, b: FunctionDeclaration): boolean =>
  spelled([a.parameters, a.body, referred(a)]) === spelled([b.parameters, b.body, referred(b)]);

const referred = ({ result }: FunctionDeclaration) => ({ ...(result.kind === "reference" ? result.to : result), const: false });

const spelled = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (key, value: unknown) =>
    key === "start" || key === "end" || key === "nameSpan" ? undefined : typeof value === "bigint" ? `${value}` : value,
  );

function returnedBy({ body }: FunctionDeclaration): Expression | undefined {
  const [only, more] = body?.body ?? [];
  return only?.kind === "return" && !more ? only.value : undefined;
}

const wholeNumbers = /^(std::)?(size_t|ptrdiff_t|u?int(8|16|32|64)_t|uint)$/;

/** An argument as its parameter has it: a whole number of the parameter's type. */
function argumentFor({ name, type }: ParameterDeclaration, given: Expression | undefined): readonly [string, Expression] | undefined {
  const isWhole =
    type.kind === "builtin"
      ? !/float|double|void/.test(type.name)
      : type.kind === "named" && wholeNumbers.test(type.name.parts.map(({ text }) => text).join("::"));
  if (!name || !given || !isWhole) return undefined;
  return [name, { kind: "cast", style: "static", type, operands: [given], start: given.start, end: given.end }];
}

/** Nothing depends on which of them is evaluated first, nor on whether the object is looked at before. */
function isInOrder(given: readonly Expression[]): boolean {
  const [only, more] = given;
  const e = only && withoutParentheses(only);
  const counts = (e?.kind === "unary" || e?.kind === "postfix") && (e.op === "++" || e.op === "--") && e.operand.kind === "name";
  return (counts && !more) || given.every((each) => isPure(each));
}

const arithmetic = /^([+\-*/%&|^]|<<|>>)$/;

/** Writes an operator's body as the code around its call would. */
class Writer {
  readonly #record: RecordValue;
  readonly #object: Expression;
  readonly #given: ReadonlyMap<string, Expression>;
  /** An argument is evaluated once, whatever it does. */
  readonly #used = new Set<string>();

  constructor(record: RecordValue, object: Expression, given: ReadonlyMap<string, Expression>) {
    this.#record = record;
    this.#object = object;
    this.#given = given;
  }

  get hasUsedAll(): boolean {
    return this.#used.size === this.#given.size;
  }

  written(e: Expression): Expression | undefined {
    switch (e.kind) {
      case "integer":
        return e;
      case "parenthesized":
        return this.#with(e, { inner: e.inner });
      case "unary":
        return e.op === "*" || e.op === "-" ? this.#with(e, { operand: e.operand }) : undefined;
      case "binary":
        return arithmetic.test(e.op) ? this.#with(e, { left: e.left, right: e.right }) : undefined;
      case "subscript": {
        const [index] = e.indices;
        const at = index && e.indices.length === 1 ? this.written(index) : undefined;
        return at && this.#with({ ...e, indices: [at] }, { base: e.base });
      }
      case "member":
        return withoutParentheses(e.base).kind === "this" ? this.#memberOf(lastName(e.name), e) : undefined;
      case "name":
        return e.name.parts.length === 1 ? (this.#argument(lastName(e.name)) ?? this.#memberOf(lastName(e.name), e)) : undefined;
      default:
        return undefined;
    }
  }

  #with<T extends Expression>(e: T, parts: Readonly<Record<string, Expression>>): T | undefined {
    const written = Object.entries(parts).map(([name, part]) => [name, this.written(part)] as const);
    return written.every(([, part]) => part) ? { ...e, ...Object.fromEntries(written) } : undefined;
  }

  #argument(name: string): Expression | undefined {
    const given = this.#used.has(name) ? undefined : this.#given.get(name);
    if (!given) return undefined;
    this.#used.add(name);
    return { kind: "parenthesized", inner: given, start: given.start, end: given.end };
  }

  #memberOf(name: string, { start, end }: Expression): Expression | undefined {
    if (this.#given.has(name) || !this.#record.members.has(name)) return undefined;
    return { kind: "member", base: this.#object, arrow: false, name: { parts: [{ text: name }], global: false, start, end }, start, end };
  }
}
