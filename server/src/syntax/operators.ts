/** C++'s binary operators: how tightly they bind, and what they make of integers. */

/** The higher, the tighter; what is no binary operator that expressions are made of is not in it. */
export const precedences: Readonly<Record<string, number>> = {
  "||": 1,
  "&&": 2,
  "|": 3,
  "^": 4,
  "&": 5,
  "==": 6,
  "!=": 6,
  "<": 7,
  ">": 7,
  "<=": 7,
  ">=": 7,
  "<=>": 8,
  "<<": 9,
  ">>": 9,
  "+": 10,
  "-": 10,
  "*": 11,
  "/": 11,
  "%": 11,
  ".*": 12,
  "->*": 12,
};

/**
 * `a op b` of integers that were converted to one type, before the result is wrapped to it.
 * @param bits how wide the type is that is shifted: a count beyond it has no meaning
 * @returns undefined where C++ says nothing, as of a division by zero, and for any operator that is none of integers
 */
export function ofIntegers(op: string, a: bigint, b: bigint, bits: number): bigint | boolean | undefined {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return b < 0n || b >= BigInt(bits) ? undefined : a << b;
    case ">>":
      return b < 0n || b >= BigInt(bits) ? undefined : a >> b;
    default:
      return compared(op, a, b);
  }
}

/** `a op b` for the six comparisons; undefined for any other operator. NaN is unequal to everything. */
export function compared<T extends number | bigint>(op: string, a: T, b: T): boolean | undefined {
  switch (op) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    default:
      return undefined;
  }
}

/** `a op b` of floating-point numbers, before the result is rounded to their type; undefined for operators they do not have. */
export function ofFloats(op: string, a: number, b: number): number | boolean | undefined {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    default:
      return compared(op, a, b);
  }
}
