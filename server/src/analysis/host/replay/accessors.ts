/** Operators of classes that only pick an element: `m[i]` stands for `m.data[i]`, and `m(r, c)` for `m.data[r * m.columns + c]`. */

import type { Expression, FunctionDeclaration } from "../../../syntax/ast.ts";
import { withoutParentheses } from "../../../syntax/terms.ts";
import { lastName } from "../../sema/scope.ts";
import { placeOf } from "../resolve/places.ts";
import { Cell, type RecordValue } from "../values/model.ts";
import type { Machine } from "./machine.ts";
import { declared } from "./numbers.ts";

/** The element that an object's operator gives, written out where the object is; undefined where that is not all that it does. */
export function behindOperator(machine: Machine, e: Expression): Expression | undefined {
  if (e.kind !== "subscript" && e.kind !== "call") return undefined;
  const base = withoutParentheses(e.kind === "subscript" ? e.base : e.callee);
  const record = recordNamed(machine, base);
  const [operator, given] = e.kind === "subscript" ? ["operator[]", e.indices] : ["operator()", e.arguments];
  const fn = record && pickerOf(machine, record, operator, given.length);
  const picked = fn && returnedBy(fn);
  if (!record || !picked) return undefined;
  const names = new Map(fn.parameters.flatMap(({ name }, k) => (name && given[k] ? [[name, given[k]] as const] : [])));
  return new Writer(record, base, names).written(picked);
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
  const owner = type?.kind === "record" ? type.record.declaration.name?.parts.at(-1)?.text : undefined;
  const all = owner === undefined ? [] : host.globals.methods(owner, operator);
  const [first, second] = all.filter(({ parameters, templateParameters }) => parameters.length === count && !templateParameters);
  return second && !(first?.const ?? false) !== (second.const ?? false) ? undefined : second && first?.const ? second : first;
}

function returnedBy({ body }: FunctionDeclaration): Expression | undefined {
  const [only, more] = body?.body ?? [];
  return only?.kind === "return" && !more ? only.value : undefined;
}

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

  written(e: Expression): Expression | undefined {
    switch (e.kind) {
      case "integer":
        return e;
      case "parenthesized":
        return this.#with(e, { inner: e.inner });
      case "unary":
        return e.op === "*" || e.op === "-" ? this.#with(e, { operand: e.operand }) : undefined;
      case "binary":
        return this.#with(e, { left: e.left, right: e.right });
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
