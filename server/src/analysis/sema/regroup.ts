/**
 * Operands and operators that the grammar, which knows no names, took for something else, put together as C++ does: `i < n >> 1` and
 * `i < n ? a : b > (c)` come with template arguments of `i`, `(low) - 1` with a cast to a type `low`.
 */

import type { Expression } from "../../syntax/ast.ts";
import { precedences } from "../../syntax/operators.ts";
import { leftChain } from "../../syntax/terms.ts";
import type { Context } from "./context.ts";
import { isVariable, type NameLike, namesTemplate, namesValue } from "./name-kinds.ts";

type Call = Expression & { kind: "call" };

/** What an expression is made of, from left to right. What stands in front or behind belongs to one operand alone. */
type Token =
  | { readonly kind: "operand"; readonly expression: Expression }
  | { readonly kind: "prefix"; readonly wrap: (operand: Expression) => Expression }
  | { readonly kind: "operator"; readonly op: string };

/** Which expressions hold something misread, so that each part of a long sum is looked at once. */
interface Known {
  readonly holding: WeakMap<Expression, boolean>;
  /** Names that nobody declares and whose arguments a `>` follows: nothing but a shift is written so. */
  readonly shifted: WeakSet<Expression>;
}

const knownOf = new WeakMap<Context, Known>();

/** The expression as C++ groups it; undefined where the grammar's grouping holds. */
export function regrouped(context: Context, expression: Expression): Expression | undefined {
  let known = knownOf.get(context);
  if (!known) knownOf.set(context, (known = { holding: new WeakMap(), shifted: new WeakSet() }));
  if (!holdsMisread(context, known, expression)) return undefined;
  const tokens = new Tokens(context, known);
  return tokens.take(expression, false) ? grouped(tokens.found) : undefined;
}

/** The operands that stand at the left and right ends of an expression, or at its operators: those that may be misread with it. */
function outer(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "binary":
      return expression.op === "," ? [] : [expression.left, expression.right];
    case "conditional":
      return [expression.condition];
    case "unary":
    case "postfix":
      return [expression.operand];
    case "cast":
      return expression.style === "c" ? expression.operands.slice(0, 1) : [];
    case "subscript":
    case "member":
      return [expression.base];
    case "call":
      return expression.launch ? [] : [expression.callee];
    case "assign":
      return expression.op === "" ? [expression.left] : [];
    default:
      return [];
  }
}

function holdsMisread(context: Context, known: Known, root: Expression): boolean {
  const { holding } = known;
  const pending: Expression[] = [root];
  for (let at = pending.at(-1); at; at = pending.at(-1)) {
    const parts = outer(at);
    const unknown = parts.filter((part) => !holding.has(part));
    if (unknown.length > 0 && !holding.has(at)) {
      pending.push(...unknown);
      continue;
    }
    pending.pop();
    if (!holding.has(at)) holding.set(at, isMisread(context, known, at) || parts.some((part) => holding.get(part)));
  }
  return holding.get(root) ?? false;
}

function isMisread(context: Context, known: Known, expression: Expression): boolean {
  switch (expression.kind) {
    case "name":
    case "member":
      return comparedWith(expression) !== undefined && isVariable(context, expression) === true;
    case "cast":
      return castValue(context, expression) !== undefined;
    case "binary": {
      const ends = expression.op === ">" ? lastOperands(expression.left) : [];
      const name = ends.at(-1);
      if ((name?.kind !== "name" && name?.kind !== "member") || !comparedWith(name) || isVariable(context, name) !== undefined)
        return false;
      known.shifted.add(name);
      for (const each of ends) known.holding.set(each, true);
      return true;
    }
    default:
      return false;
  }
}

/** What stands at the right end of an expression: itself, its last operand, and that one's. */
function lastOperands(expression: Expression): Expression[] {
  const found = [expression];
  for (let at: Expression | undefined = expression; at; ) {
    at =
      at.kind === "binary"
        ? at.right
        : at.kind === "unary"
          ? at.operand
          : at.kind === "cast" && at.style === "c"
            ? at.operands[0]
            : undefined;
    if (at) found.push(at);
  }
  return found;
}

/** What was taken for a name's template arguments, as the values that they may be. */
function comparedWith({ name }: NameLike): Expression[] | undefined {
  const given = name.parts.at(-1)?.templateArguments;
  if (!given || given.length === 0) return undefined;
  const values = given.flatMap(({ expression, pack }) => (expression && !pack ? [expression] : []));
  return values.length === given.length ? values : undefined;
}

/** What was read as the type of a cast in front of `-x`, `*x` and so on, as the value that it is: `a`, `a[i]`, `a * b`. */
function castValue(context: Context, { style, type, value, operands }: Expression & { kind: "cast" }): Expression | undefined {
  const [operand] = operands;
  if (style !== "c" || operand?.kind !== "unary" || !/^[-+*&]$/.test(operand.op)) return undefined;
  let root = type;
  while (root.kind !== "named") {
    if (root.kind === "pointer" || root.kind === "reference") root = root.to;
    else if (root.kind === "array") root = root.of;
    else if (root.kind === "function") root = root.result;
    else return undefined;
  }
  if (!namesValue(context, root.name)) return undefined;
  return value ?? (root === type ? { kind: "name", name: root.name, start: root.start, end: root.end } : undefined);
}

/** Takes an expression apart into what it is made of. */
class Tokens {
  readonly found: Token[] = [];
  readonly #context: Context;
  readonly #known: Known;

  constructor(context: Context, known: Known) {
    this.#context = context;
    this.#known = known;
  }

  /**
   * @param whole whether operators are gone through though nothing in them was misread: those of template arguments, at whose end more follows
   * @returns false when nothing sensible comes of it
   */
  take(expression: Expression, whole: boolean): boolean {
    if (!whole && !this.#known.holding.get(expression) && !holdsMisread(this.#context, this.#known, expression))
      return this.#operand(expression);
    switch (expression.kind) {
      case "binary": {
        if (expression.op === ",") return this.#operand(expression);
        // A long sum stands to the left.
        const sums = leftChain(expression, ({ op }) => op !== ",");
        return (
          this.take((sums[0] ?? expression).left, whole) &&
          sums.every(({ op, right }) => {
            // What binds tighter than `>` need not bind tighter than `>>`.
            const isRest = this.found.at(-1)?.kind === "operator";
            return this.#operator(op) && this.take(right, whole || isRest);
          })
        );
      }
      case "conditional":
        return (
          this.take(expression.condition, whole) &&
          this.#operator("?") &&
          this.#operand(expression.then) &&
          this.#operator(":") &&
          this.take(expression.else, whole)
        );
      case "unary":
        return this.#prefix((operand) => ({ ...expression, operand, end: operand.end })) && this.take(expression.operand, false);
      case "cast":
        return this.#cast(expression);
      case "postfix":
        return this.take(expression.operand, false) && this.#behind((operand) => ({ ...expression, operand, start: operand.start }));
      case "subscript":
        return this.take(expression.base, false) && this.#behind((base) => ({ ...expression, base, start: base.start }));
      case "member":
        if (this.#isCompared(expression)) return this.#comparison(expression);
        return this.take(expression.base, false) && this.#behind((base) => ({ ...expression, base, start: base.start }));
      case "name":
        return this.#isCompared(expression) ? this.#comparison(expression) : this.#operand(expression);
      case "call":
        return this.#call(expression);
      case "assign":
        // The rest of `>=`.
        return this.take(expression.left, false) && this.#operator("=") && this.take(expression.right, true);
      default:
        return this.#operand(expression);
    }
  }

  #isCompared(name: NameLike): boolean {
    return isMisread(this.#context, this.#known, name) || this.#known.shifted.has(name);
  }

  /** `i<n>`: the `>` is an operator whose operand follows, but where it ends the arguments of a template in `n`. */
  #comparison(name: NameLike): boolean {
    const from = this.found.length;
    return (
      this.#compared(name) &&
      (this.#templateFrom(from, (template, given) => withArguments(template, given, name.end)) ?? this.#push({ kind: "operator", op: ">" }))
    );
  }

  #compared(name: NameLike): boolean {
    const values = comparedWith(name) ?? [];
    const parts = name.name.parts.map(({ templateArguments: _, ...part }) => part);
    const bare = { ...name, name: { ...name.name, parts }, end: values[0]?.start ?? name.end };
    return this.#operand(bare) && values.every((value, index) => this.#operator(index === 0 ? "<" : ",") && this.take(value, true));
  }

  /**
   * `f < 3, 4` at the end of what was taken, where `f` names a template: an operand with these arguments. Undefined where there is none
   * behind the token `from`.
   */
  #templateFrom(from: number, made: (template: NameLike, given: readonly Expression[]) => Expression): boolean | undefined {
    for (let at = this.found.length - 3; at > from; at--) {
      const [name, less] = [this.found[at], this.found[at + 1]];
      if (name?.kind !== "operand" || less?.kind !== "operator" || less.op !== "<") continue;
      const { expression } = name;
      if ((expression.kind !== "name" && expression.kind !== "member") || !isTemplate(this.#context, expression)) continue;
      const given = grouped(this.found.slice(at + 2));
      if (!given) return false;
      this.found.length = at;
      return this.#operand(made(expression, commaList(given)));
    }
    return undefined;
  }

  /** `x < f<3>()`: a template's name before the last `<` has what was taken for the last arguments. */
  #call(call: Call): boolean {
    const { callee } = call;
    if ((callee.kind !== "name" && callee.kind !== "member") || !this.#isCompared(callee))
      return this.take(callee, false) && this.#behind((callee) => ({ ...call, callee, start: callee.start }));
    const from = this.found.length;
    if (!this.#compared(callee)) return false;
    const template = this.#templateFrom(from, (name, given) => callOfTemplate(name, given, call.arguments, call.end));
    if (template !== undefined) return template;
    const inner = commaJoined(call.arguments);
    return (
      inner !== undefined &&
      this.#push({ kind: "operator", op: ">" }) &&
      this.#operand({ kind: "parenthesized", inner, start: inner.start - 1, end: call.end })
    );
  }

  #cast(cast: Expression & { kind: "cast" }): boolean {
    const [operand] = cast.operands;
    if (!operand || cast.style !== "c") return this.#operand(cast);
    const inner = operand.kind === "unary" ? castValue(this.#context, cast) : undefined;
    if (!inner || operand.kind !== "unary")
      return this.#prefix((operand) => ({ ...cast, operands: [operand], end: operand.end })) && this.take(operand, false);
    // `(a) && b` is a cast of an address of an address.
    const twice = operand.op === "&" && operand.operand.kind === "unary" && operand.operand.op === "&" ? operand.operand : undefined;
    return (
      this.#operand({ kind: "parenthesized", inner, start: inner.start - 1, end: inner.end + 1 }) &&
      this.#operator(twice ? "&&" : operand.op) &&
      this.take((twice ?? operand).operand, false)
    );
  }

  #operator(op: string): boolean {
    const last = this.found.at(-1);
    if (last?.kind !== "operator") return op !== "=" && this.#push({ kind: "operator", op });
    // Behind what was taken for the end of template arguments: the rest of `>>`, or a sign.
    if (op === ">" || op === "=") {
      this.found.pop();
      return this.#push({ kind: "operator", op: `>${op}` });
    }
    return /^[-+*&]$/.test(op) && this.#prefix((operand) => ({ kind: "unary", op, operand, start: operand.start - 1, end: operand.end }));
  }

  #operand(expression: Expression): boolean {
    const last = this.found.at(-1);
    return last?.kind !== "operand" && this.#push({ kind: "operand", expression });
  }

  #prefix(wrap: (operand: Expression) => Expression): boolean {
    return this.found.at(-1)?.kind !== "operand" && this.#push({ kind: "prefix", wrap });
  }

  #behind(wrap: (operand: Expression) => Expression): boolean {
    const last = this.found.pop();
    return last?.kind === "operand" && this.#push({ kind: "operand", expression: wrap(last.expression) });
  }

  #push(token: Token): true {
    this.found.push(token);
    return true;
  }
}

const isTemplate = (context: Context, expression: NameLike): boolean =>
  expression.kind === "member"
    ? isVariable(context, expression) !== true
    : !expression.name.parts.at(-1)?.templateArguments && namesTemplate(context, expression.name);

/** Puts tokens together by precedence; undefined when an operand is missing. */
function grouped(tokens: readonly Token[]): Expression | undefined {
  let at = 0;
  const op = (): string | undefined => {
    const next = tokens[at];
    return next?.kind === "operator" ? next.op : undefined;
  };
  const operand = (): Expression | undefined => {
    const next = tokens[at++];
    if (next?.kind === "operand") return next.expression;
    const inner = next?.kind === "prefix" ? operand() : undefined;
    return inner && next?.kind === "prefix" ? next.wrap(inner) : undefined;
  };
  const binary = (lowest: number): Expression | undefined => {
    let left = operand();
    for (let next = op(); left && next !== undefined && (precedences[next] ?? 0) >= lowest; next = op()) {
      at++;
      const right = binary((precedences[next] ?? 0) + 1);
      left = right && { kind: "binary", op: next, left, right, start: left.start, end: right.end };
    }
    return left;
  };
  const conditional = (): Expression | undefined => {
    const condition = binary(1);
    if (!condition || op() !== "?") return condition;
    at++;
    const then = conditional();
    if (!then || op() !== ":") return undefined;
    at++;
    const otherwise = conditional();
    return otherwise && { kind: "conditional", condition, then, else: otherwise, start: condition.start, end: otherwise.end };
  };
  const parts: Expression[] = [];
  do {
    if (parts.length > 0) at++;
    const part = conditional();
    if (!part) return undefined;
    parts.push(part);
  } while (op() === ",");
  return at === tokens.length ? commaJoined(parts) : undefined;
}

/** `f<a, b>(given)`, where `f` and its arguments were read apart. */
export function callOfTemplate(name: NameLike, by: readonly Expression[], given: readonly Expression[], end: number): Expression {
  return { kind: "call", callee: withArguments(name, by, by.at(-1)?.end ?? name.end), arguments: given, start: name.start, end };
}

function withArguments(name: NameLike, by: readonly Expression[], end: number): Expression {
  const templateArguments = by.map((expression) => ({
    kind: "expression" as const,
    expression,
    start: expression.start,
    end: expression.end,
  }));
  const parts = name.name.parts.map((part, index) => (index === name.name.parts.length - 1 ? { ...part, templateArguments } : part));
  return { ...name, name: { ...name.name, parts }, end };
}

/** What a comma joins, from left to right. */
export function commaList(expression: Expression): Expression[] {
  const found: Expression[] = [];
  let at = expression;
  for (; at.kind === "binary" && at.op === ","; at = at.left) found.push(at.right);
  return [...found, at].reverse();
}

/** Expressions joined by commas; undefined where there are none. */
export const commaJoined = (expressions: readonly Expression[]): Expression | undefined =>
  expressions.length === 0
    ? undefined
    : expressions.reduce((left, right) => ({ kind: "binary", op: ",", left, right, start: left.start, end: right.end }));
