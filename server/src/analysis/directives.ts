/**
 * What the user says that the source does not (contract.md, "Options that say what the source cannot"):
 * `// warplens: block=(256) grid=(4096) n=1<<20 index=uniform(0, n)` above a kernel or a launch, `--launch`, `--assume`.
 */
import type { Content, Dim3 } from "@warplens/sim-engine";

/** Values for one launch; what is absent stays as the source has it. */
export interface Directive {
  readonly grid?: Dim3;
  readonly block?: Dim3;
  readonly cluster?: Dim3;
  /** Dynamic shared memory in bytes. */
  readonly shared?: number;
  /** Registers a thread, as a compiler reported them. */
  readonly registers?: number;
  /** By parameter: a number, or what an array holds. */
  readonly parameters: ReadonlyMap<string, number | Content>;
}

export type DirectiveReading = { readonly directive: Directive } | { readonly problem: string };

const configuration: ReadonlySet<string> = new Set(["grid", "block", "cluster", "shared", "registers"]);

/** Reads `key=value key=value`; values may use keys before them. */
export function readDirective(text: string): DirectiveReading {
  const parameters = new Map<string, number | Content>();
  const scope = new Map<string, number>();
  const found: { grid?: Dim3; block?: Dim3; cluster?: Dim3; shared?: number; registers?: number } = {};
  const pairs = splitPairs(text);
  if (pairs === undefined) return { problem: `not of the form KEY=VALUE KEY=VALUE: \`${text.trim()}\`` };
  for (const [key, written] of pairs) {
    if (!configuration.has(key)) {
      const value = readValue(written, scope);
      if (value === undefined)
        return {
          problem: `\`${key}=${written}\`: neither a number nor constant(c), linear(stride[, start]), uniform(lo, hi) or permutation(n)`,
        };
      parameters.set(key, value);
      if (typeof value === "number") scope.set(key, value);
      continue;
    }
    if (key === "shared" || key === "registers") {
      const value = readNumber(written, scope);
      if (value === undefined || value < 0 || !Number.isInteger(value)) return { problem: `\`${key}=${written}\`: not a whole number` };
      found[key] = value;
      continue;
    }
    const dimensions = readDimensions(written, scope);
    if (dimensions === undefined) return { problem: `\`${key}=${written}\`: not (X), (X,Y) or (X,Y,Z) with whole numbers from 1` };
    if (key === "grid" || key === "block" || key === "cluster") found[key] = dimensions;
  }
  return { directive: { ...found, parameters } };
}

/** The text behind `warplens:` in a comment; undefined for other comments. */
export function directiveText(comment: string): string | undefined {
  const match = /^(?:\/\/+|\/\*+)\s*warplens:\s*([\s\S]*?)\s*(?:\*\/)?$/.exec(comment);
  return match?.[1];
}

export type LaunchOption = { readonly kernel: string; readonly directive: Directive } | { readonly problem: string };

/** `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES` */
export function readLaunchOption(text: string): LaunchOption {
  const match = /^\s*([A-Za-z_][\w:]*?)\s*:(?!:)\s*([\s\S]*)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined)
    return { problem: `a launch is written KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES, not \`${text}\`` };
  const reading = readDirective(match[2]);
  return "problem" in reading
    ? { problem: `the launch of ${match[1]}: ${reading.problem}` }
    : { kernel: match[1], directive: reading.directive };
}

export type AssumeOption =
  | { readonly kernel?: string; readonly parameter: string; readonly value: number | Content }
  | { readonly problem: string };

/** `KERNEL.PARAM=VALUE` or `PARAM=VALUE` */
export function readAssumeOption(text: string): AssumeOption {
  const match = /^\s*(?:([A-Za-z_][\w:]*)\.)?([A-Za-z_]\w*)\s*=\s*([\s\S]+)$/.exec(text);
  const [, kernel, parameter, written] = match ?? [];
  if (parameter === undefined || written === undefined)
    return { problem: `an assumption is written KERNEL.PARAM=VALUE or PARAM=VALUE, not \`${text}\`` };
  const value = readValue(written, new Map());
  if (value === undefined)
    return {
      problem: `\`${written.trim()}\` is neither a number nor constant(c), linear(stride[, start]), uniform(lo, hi) or permutation(n)`,
    };
  return { parameter, value, ...(kernel === undefined ? {} : { kernel }) };
}

/** Several directives for one launch: later ones go before earlier ones. */
export function mergeDirectives(directives: readonly Directive[]): Directive {
  const parameters = new Map(directives.flatMap((directive) => [...directive.parameters]));
  return Object.assign({}, ...directives, { parameters }) as Directive;
}

/** `a=b c = d(e, f)` as pairs: a value ends where, outside parentheses, white space and another `key=` follow. */
function splitPairs(text: string): readonly (readonly [key: string, value: string])[] | undefined {
  const starts = [...text.matchAll(/([A-Za-z_]\w*)\s*=(?!=)/g)].filter((match) => depthAt(text, match.index) === 0);
  if (starts.length === 0 || text.slice(0, starts[0]?.index).trim() !== "") return undefined;
  return starts.map((match, k) => {
    const end = starts[k + 1]?.index ?? text.length;
    const value = text
      .slice(match.index + match[0].length, end)
      .replace(/[\s,;]+$/, "")
      .trim();
    return [match[1] ?? "", value] as const;
  });
}

function depthAt(text: string, index: number): number {
  let depth = 0;
  for (let k = 0; k < index; k++) depth += text[k] === "(" ? 1 : text[k] === ")" ? -1 : 0;
  return depth;
}

function readDimensions(text: string, scope: ReadonlyMap<string, number>): Dim3 | undefined {
  const inner = /^\(([\s\S]*)\)$/.exec(text.trim())?.[1] ?? text;
  const sides = splitArguments(inner).map((side) => readNumber(side, scope));
  if (sides.length < 1 || sides.length > 3) return undefined;
  const [x, y = 1, z = 1] = sides;
  if (x === undefined || sides.some((side) => side === undefined || side < 1 || !Number.isInteger(side))) return undefined;
  return [x, y, z];
}

function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let k = 0; k < text.length; k++) {
    if (text[k] === "(") depth += 1;
    else if (text[k] === ")") depth -= 1;
    else if (text[k] === "," && depth === 0) {
      parts.push(text.slice(start, k));
      start = k + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function readValue(text: string, scope: ReadonlyMap<string, number>): number | Content | undefined {
  const call = /^\s*(constant|linear|uniform|permutation)\s*\(([\s\S]*)\)\s*$/.exec(text);
  if (call?.[1] === undefined || call[2] === undefined) return readNumber(text, scope);
  const values = splitArguments(call[2]).map((part) => readNumber(part, scope));
  const [a, b] = values;
  if (a === undefined || values.some((value) => value === undefined) || values.length > 2) return undefined;
  switch (call[1]) {
    case "constant":
      return a === 0 ? { kind: "zero" } : { kind: "constant", value: a };
    case "linear":
      return { kind: "linear", stride: a, start: b ?? 0 };
    case "uniform":
      return b === undefined || b <= a ? undefined : { kind: "uniform", lo: a, hi: b };
    default:
      return a < 1 ? undefined : { kind: "permutation", n: a };
  }
}

const precedence: Readonly<Record<string, number>> = { "|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6 };

/** An arithmetic expression of numbers and names in scope, with C's precedence; `/` of whole numbers truncates. */
function readNumber(text: string, scope: ReadonlyMap<string, number>): number | undefined {
  const tokens = text.match(/0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|<<|>>|\S/g) ?? [];
  let at = 0;
  const primary = (): number | undefined => {
    const token = tokens[at++];
    if (token === undefined) return undefined;
    if (token === "-") return negated(primary());
    if (token === "+") return primary();
    if (token === "(") {
      const inner = expression(0);
      return tokens[at++] === ")" ? inner : undefined;
    }
    if (/^[\d.]/.test(token)) {
      // Suffixes of literals mean nothing here.
      if (/^(?:[uUlL]+|[fF])$/.test(tokens[at] ?? "")) at += 1;
      return Number(token);
    }
    return scope.get(token);
  };
  const expression = (least: number): number | undefined => {
    let left = primary();
    for (;;) {
      const op = tokens[at];
      const level = op === undefined ? undefined : precedence[op];
      if (op === undefined || level === undefined || level <= least) return left;
      at += 1;
      left = apply(op, left, expression(level));
    }
  };
  const value = expression(0);
  return at === tokens.length && value !== undefined && Number.isFinite(value) ? value : undefined;
}

function negated(value: number | undefined): number | undefined {
  return value === undefined ? undefined : -value;
}

function apply(op: string, a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) : a / b;
    case "%":
      return a % b;
    case "<<":
      return a * 2 ** b;
    case ">>":
      return Math.floor(a / 2 ** b);
    case "&":
      return Number(BigInt(Math.trunc(a)) & BigInt(Math.trunc(b)));
    case "|":
      return Number(BigInt(Math.trunc(a)) | BigInt(Math.trunc(b)));
    default:
      return Number(BigInt(Math.trunc(a)) ^ BigInt(Math.trunc(b)));
  }
}
