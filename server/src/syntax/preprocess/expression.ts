import { ofIntegers, precedences } from "../operators.ts";
import { CHARACTER, IDENTIFIER, NUMBER, PUNCTUATION } from "./lexer.ts";
import type { Token } from "./macros.ts";

interface Value {
  readonly value: bigint;
  readonly unsigned: boolean;
}

const TRUE: Value = { value: 1n, unsigned: false };
const FALSE: Value = { value: 0n, unsigned: false };
const truth = (value: boolean): Value => (value ? TRUE : FALSE);

/**
 * Whether an `#if` holds, from its tokens after expansion (with `defined` already answered). 64-bit arithmetic, as
 * compilers do; names that are left are 0. What cannot be read does not hold, and what is `cut` because it is nested too deeply.
 */
export function holds(tokens: readonly Token[]): { readonly holds: boolean; readonly cut: boolean } {
  const evaluator = new Evaluator(
    tokens.map((each) =>
      each.kind === IDENTIFIER && each.text in spelledOut ? { ...each, kind: PUNCTUATION, text: spelledOut[each.text] ?? each.text } : each,
    ),
  );
  const result = evaluator.conditional();
  return { holds: result !== undefined && result.value !== 0n, cut: evaluator.cut };
}

const spelledOut: Readonly<Record<string, string>> = {
  not: "!",
  and: "&&",
  or: "||",
  compl: "~",
  bitand: "&",
  bitor: "|",
  xor: "^",
  not_eq: "!=",
};

export const deepestCondition = 200;

class Evaluator {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  cut = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  conditional(): Value | undefined {
    if (this.#isTooDeep()) return undefined;
    this.#depth++;
    const condition = this.#binary(1);
    if (!this.#take("?")) {
      this.#depth--;
      return condition;
    }
    const then = this.conditional();
    if (!this.#take(":")) return undefined;
    const otherwise = this.conditional();
    this.#depth--;
    return condition && (condition.value !== 0n ? then : otherwise);
  }

  #binary(minimum: number): Value | undefined {
    let left = this.#unary();
    for (;;) {
      const op = this.#tokens[this.#at]?.text ?? "";
      const precedence = precedences[op] ?? 0;
      if (precedence < minimum || precedence === 0) return left;
      this.#at++;
      const right = this.#binary(precedence + 1);
      // Only the side that counts must have a value: `defined(X) && X / 0`.
      if (op === "&&" && left?.value === 0n) left = FALSE;
      else if (op === "||" && left && left.value !== 0n) left = TRUE;
      else left = left && right && apply(op, left, right);
    }
  }

  #unary(): Value | undefined {
    if (this.#isTooDeep()) return undefined;
    const next = this.#tokens[this.#at];
    if (!next) return undefined;
    this.#at++;
    switch (next.text) {
      case "!": {
        const operand = this.#nested();
        return operand && truth(operand.value === 0n);
      }
      case "-": {
        const operand = this.#nested();
        return operand && wrap(-operand.value, operand.unsigned);
      }
      case "~": {
        const operand = this.#nested();
        return operand && wrap(~operand.value, operand.unsigned);
      }
      case "+":
        return this.#nested();
      case "(": {
        const inner = this.conditional();
        return this.#take(")") ? inner : undefined;
      }
      default:
        return primary(next);
    }
  }

  #nested(): Value | undefined {
    this.#depth++;
    const operand = this.#unary();
    this.#depth--;
    return operand;
  }

  #isTooDeep(): boolean {
    if (this.#depth <= deepestCondition) return false;
    this.cut = true;
    return true;
  }

  #take(text: string): boolean {
    if (this.#tokens[this.#at]?.text !== text) return false;
    this.#at++;
    return true;
  }
}

function primary(next: Token): Value | undefined {
  if (next.kind === NUMBER) return number(next.text);
  if (next.kind === CHARACTER) {
    const body = next.text.slice(next.text.indexOf("'") + 1, -1);
    return { value: BigInt((body.length === 1 ? body.codePointAt(0) : escapes[body]) ?? 0), unsigned: false };
  }
  // A call of a function-like macro that does not exist (`__has_foo(x)`) has no value; a name is 0.
  return next.kind === IDENTIFIER ? truth(next.text === "true") : undefined;
}

const escapes: Readonly<Record<string, number>> = { "\\0": 0, "\\n": 10, "\\t": 9, "\\r": 13, "\\\\": 92, "\\'": 39 };

function number(text: string): Value | undefined {
  const match = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)$/.exec(text.replaceAll("'", ""));
  if (!match) return undefined;
  const body = match[1] ?? "0";
  const value = /^0[0-7]+$/.test(body) ? BigInt(`0o${body.slice(1)}`) : /^0\d+$/.test(body) ? 0n : BigInt(body);
  const unsigned = /u/i.test(match[2] ?? "") || value > 0x7fffffffffffffffn;
  return { value: BigInt.asUintN(64, value), unsigned };
}

const wrap = (value: bigint, unsigned: boolean): Value => ({
  value: unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value),
  unsigned,
});

function apply(op: string, left: Value, right: Value): Value | undefined {
  const unsigned = left.unsigned || right.unsigned;
  const a = wrap(left.value, unsigned).value;
  const b = wrap(right.value, unsigned).value;
  switch (op) {
    case "||":
      return truth(a !== 0n || b !== 0n);
    case "&&":
      return truth(a !== 0n && b !== 0n);
    case "<<":
    case ">>": {
      const value = ofIntegers(op, left.value, b, 64);
      return typeof value === "bigint" ? wrap(value, left.unsigned) : undefined;
    }
    default: {
      const value = ofIntegers(op, a, b, 64);
      return typeof value === "bigint" ? wrap(value, unsigned) : value === undefined ? undefined : truth(value);
    }
  }
}
