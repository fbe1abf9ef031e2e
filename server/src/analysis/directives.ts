/**
 * What the user says that the source does not (contract.md, "Options that say what the source cannot"):
 * `// warplens: block=(256) grid=(4096) n=1<<20 index=uniform(0, n)` above a kernel or a launch, `--launch`, `--assume`.
 */
import { type Content, type Dim3, mostSharedBytes } from "@warplens/sim-engine";
import { precedences } from "../syntax/operators.ts";

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
  /** What needs the values of scalar parameters that only the launch knows: `index=uniform(0, n)`. */
  readonly open?: readonly OpenValue[];
}

/** A value with names of parameters in it. */
export interface OpenValue {
  readonly key: string;
  readonly written: string;
  readonly names: readonly string[];
}

export type DirectiveReading = { readonly directive: Directive } | Unreadable;

/** What is wrong with a text of the user's, and where in it: an offset. */
export interface Unreadable {
  readonly problem: string;
  readonly at: number;
}

/** Keys that are no parameters. */
export const launchKeys = ["grid", "block", "cluster", "shared", "registers"] as const;
const configuration: ReadonlySet<string> = new Set(launchKeys);

/** What every GPU that is modelled has for its limits (CUDA C++ Programming Guide, technical specifications). */
const mostThreads = 1024;
const mostSides = { grid: [2 ** 31 - 1, 65535, 65535], block: [1024, 1024, 64], cluster: [16, 16, 16] } as const;
const mostBlocksPerCluster = 16;
/** Registers of a thread. */
export const mostRegisters = 255;

/** Characters of a directive. */
const longest = 10_000;

/** Reads `key=value key=value`; values may use keys before them and, to be resolved with a launch, other parameters. */
export function readDirective(text: string): DirectiveReading {
  if (text.length > longest) return { problem: `longer than ${longest} characters`, at: 0 };
  const pairs = splitPairs(text);
  if (pairs === undefined)
    return { problem: `not of the form KEY=VALUE KEY=VALUE: \`${text.trim()}\``, at: text.length - text.trimStart().length };
  const scope = new Map<string, number>();
  const values = new Map<string, Value>();
  const open: OpenValue[] = [];
  const given = new Set<string>();
  for (const [key, written, at] of pairs) {
    if (given.has(key)) return { problem: `\`${key}\` is given twice`, at };
    given.add(key);
    const value = readKey(key, written, scope);
    if (value !== undefined) {
      const problem = beyond(key, value, `\`${key}=${written}\`: `);
      if (problem !== undefined) return { problem, at };
      values.set(key, value);
      if (typeof value === "number" && !configuration.has(key)) scope.set(key, value);
      continue;
    }
    const names = openNames(key, written, scope);
    if (names === undefined || names.length === 0 || key === "registers") return { problem: misread(key, written), at };
    open.push({ key, written, names });
  }
  return { directive: { ...directiveOf(values), ...(open.length > 0 ? { open } : {}) } };
}

/**
 * The value of an open key once its parameters are known. The names of it that have no value are the problem; or what it is not,
 * with the values they have.
 */
export function resolveOpen(
  { key, written, names }: OpenValue,
  scope: ReadonlyMap<string, number>,
): { value: Value } | { problem: string } {
  const unknown = names.filter((name) => !scope.has(name));
  if (unknown.length > 0) return { problem: `\`${key}=${written}\`: the value of ${unknown.join(", ")} is not known` };
  const value = readKey(key, written, scope);
  const problem = value === undefined ? misread(key, written) : beyond(key, value, `\`${key}=${written}\`: `);
  if (value !== undefined && problem === undefined) return { value };
  return { problem: `${problem}, with ${names.map((name) => `${name} = ${scope.get(name)}`).join(", ")}` };
}

/** A directive with its open grid, block, cluster and shared memory resolved; open parameters stay open. */
export function resolveConfiguration(
  directive: Directive,
  scope: ReadonlyMap<string, number>,
): { readonly directive: Directive } | { readonly problem: string } {
  const values = new Map<string, Value>();
  for (const open of directive.open ?? []) {
    if (!configuration.has(open.key)) continue;
    const resolved = resolveOpen(open, scope);
    if ("problem" in resolved) return resolved;
    values.set(open.key, resolved.value);
  }
  const { parameters: _, ...found } = directiveOf(values);
  return { directive: { ...directive, ...found } };
}

type Value = number | Dim3 | Content;

/** Undefined where the text is not what the key wants. */
function readKey(key: string, written: string, scope: ReadonlyMap<string, number>): Value | undefined {
  if (!configuration.has(key)) return readValue(written, scope);
  if (key !== "shared" && key !== "registers") return readDimensions(written, scope);
  const value = readNumber(written, scope);
  return value === undefined || value < 0 || !Number.isInteger(value) ? undefined : value;
}

function misread(key: string, written: string): string {
  const text = `\`${key}=${written}\``;
  if (!configuration.has(key))
    return `${text}: neither a number nor constant(c), linear(stride[, start]), uniform(lo, hi) or permutation(n)`;
  return `${text}: ${key === "shared" || key === "registers" ? "not a whole number" : "not (X), (X,Y) or (X,Y,Z) with whole numbers from 1"}`;
}

/** What no GPU allows of a value, behind `where`. */
function beyond(key: string, value: Value, where: string): string | undefined {
  if (key === "registers") return Number(value) > mostRegisters ? `${where}a thread has up to ${mostRegisters} registers` : undefined;
  if (key === "shared")
    return Number(value) > mostSharedBytes
      ? `${where}no GPU gives a block as much; up to ${mostSharedBytes} bytes are looked at`
      : undefined;
  if ((key !== "grid" && key !== "block" && key !== "cluster") || !Array.isArray(value)) return undefined;
  const sides = value as Dim3;
  const most = mostSides[key];
  const product = sides[0] * sides[1] * sides[2];
  const what = key === "block" ? "threads" : "blocks";
  if (sides.some((side, axis) => side > (most[axis] ?? 0))) return `${where}a ${key} has up to (${most.join(", ")}) ${what}`;
  const together = key === "block" ? mostThreads : key === "cluster" ? mostBlocksPerCluster : Number.POSITIVE_INFINITY;
  return product > together ? `${where}a ${key} of ${product} ${what}, more than the ${together} it can have` : undefined;
}

function directiveOf(values: ReadonlyMap<string, Value>): Directive {
  const entries = [...values];
  const found = Object.fromEntries(entries.filter(([key]) => configuration.has(key)));
  const parameters = new Map(
    entries.flatMap(([key, value]) => (configuration.has(key) || Array.isArray(value) ? [] : [[key, value as number | Content] as const])),
  );
  return { ...found, parameters };
}

/** Stands for any parameter while it is only asked whether a text is an expression. */
const anyNumber = 1_000_003;

/** The names in a value that nothing in scope gives; undefined where it would be no value whatever they were. */
function openNames(key: string, written: string, scope: ReadonlyMap<string, number>): string[] | undefined {
  const inner = configuration.has(key) ? withoutParentheses(written) : contentCall(written)?.inner;
  const parts = inner === undefined ? [written] : splitArguments(inner);
  const found = parts.flatMap(tokensOf).filter((token) => /^[A-Za-z_]/.test(token) && !scope.has(token));
  const names = [...new Set(found)];
  const probe = new Map([...scope, ...names.map((name) => [name, anyNumber] as const)]);
  return parts.every((part) => readNumber(part, probe) !== undefined) ? names : undefined;
}

/** The text behind `warplens:` in a comment; undefined for other comments. */
export function directiveText(comment: string): string | undefined {
  const opening = /^(?:\/\/+|\/\*+)\s*warplens:/.exec(comment)?.[0];
  return opening && comment.slice(opening.length, comment.endsWith("*/") ? -2 : undefined).trim();
}

export interface LaunchOption {
  readonly kernel: string;
  readonly directive: Directive;
}

/** `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES` */
export function readLaunchOption(text: string): LaunchOption | Unreadable {
  const [opening = "", kernel] = /^\s*([A-Za-z_][\w:]*?)\s*:(?!:)/.exec(text) ?? [];
  if (kernel === undefined) return { problem: "a launch is written KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES", at: 0 };
  const reading = readDirective(text.slice(opening.length));
  return "problem" in reading ? { ...reading, at: opening.length + reading.at } : { kernel, directive: reading.directive };
}

export interface AssumeOption {
  /** Absent where it is for every kernel. */
  readonly kernel?: string;
  readonly parameter: string;
  readonly directive: Directive;
}

/** `KERNEL.PARAM=VALUE` or `PARAM=VALUE` */
export function readAssumeOption(text: string): AssumeOption | Unreadable {
  const [opening = "", kernel, parameter] = /^\s*(?:([A-Za-z_][\w:]*)\.)?([A-Za-z_]\w*)\s*=/.exec(text) ?? [];
  if (parameter === undefined) return { problem: "an assumption is written KERNEL.PARAM=VALUE or PARAM=VALUE", at: 0 };
  const start = text.indexOf(parameter, kernel === undefined ? 0 : text.indexOf(".") + 1);
  if (configuration.has(parameter))
    return { problem: `\`${parameter}\` is a launch's: --launch 'KERNEL: ${parameter}=...' says it`, at: start };
  const written = text.slice(opening.length);
  if (written.trim() === "") return { problem: `\`${parameter}=\` has no value`, at: opening.length };
  const pairs = splitPairs(`${parameter}=${written}`);
  const place = (at: number): number => (at === 0 ? start : opening.length + at - parameter.length - 1);
  const [, second] = pairs ?? [];
  if (second) return { problem: `one value an option: \`${second[0]}\` needs one of its own`, at: place(second[2]) };
  const reading = readDirective(`${parameter}=${written}`);
  if ("problem" in reading) return { ...reading, at: place(reading.at) };
  return { parameter, directive: reading.directive, ...(kernel === undefined ? {} : { kernel }) };
}

/** Several directives for one launch: later ones go before earlier ones. */
export function mergeDirectives(directives: readonly Directive[]): Directive {
  const parameters = new Map(directives.flatMap((directive) => [...directive.parameters]));
  const open = directives.flatMap((directive, index) =>
    (directive.open ?? []).filter(({ key }) => !directives.slice(index + 1).some((later) => gives(later, key))),
  );
  return Object.assign({}, ...directives, { parameters, open }) as Directive;
}

const gives = ({ parameters, open, ...found }: Directive, key: string): boolean =>
  key in found || parameters.has(key) || (open ?? []).some((value) => value.key === key);

/** `a=b c = d(e, f)` as pairs: a value ends where, outside parentheses, white space and another `key=` follow. */
function splitPairs(text: string): readonly (readonly [key: string, value: string, at: number])[] | undefined {
  const starts = pairStarts(text);
  if (starts.length === 0 || text.slice(0, starts[0]?.index).trim() !== "") return undefined;
  return starts.map((match, k) => {
    const end = starts[k + 1]?.index ?? text.length;
    const value = text
      .slice(match.index + match[0].length, end)
      .replace(/(?<![\s,;])[\s,;]+$/, "")
      .trim();
    return [match[1] ?? "", value, match.index] as const;
  });
}

/** Where, outside parentheses, `key =` stands. */
function pairStarts(text: string): RegExpExecArray[] {
  let depth = 0;
  let at = 0;
  return [...text.matchAll(/(?<!\w)([A-Za-z_]\w*)\s*=(?!=)/g)].filter(({ index }) => {
    for (; at < index; at++) depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    return depth === 0;
  });
}

const withoutParentheses = (text: string): string => /^\(([\s\S]*)\)$/.exec(text.trim())?.[1] ?? text;

function readDimensions(text: string, scope: ReadonlyMap<string, number>): Dim3 | undefined {
  const sides = splitArguments(withoutParentheses(text)).map((side) => readNumber(side, scope));
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

/** `uniform(0, n)` as its kind and what stands in the parentheses. */
function contentCall(text: string): { readonly kind: string; readonly inner: string } | undefined {
  const [, kind, inner] = /^\s*(constant|linear|uniform|permutation)\s*\(([\s\S]*)\)\s*$/.exec(text) ?? [];
  return kind === undefined || inner === undefined ? undefined : { kind, inner };
}

function readValue(text: string, scope: ReadonlyMap<string, number>): number | Content | undefined {
  const call = contentCall(text);
  if (call === undefined) return readNumber(text, scope);
  const values = splitArguments(call.inner).map((part) => readNumber(part, scope));
  const [a, b] = values;
  if (a === undefined || values.some((value) => value === undefined) || values.length > 2) return undefined;
  switch (call.kind) {
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

const arithmetic: ReadonlySet<string> = new Set(["|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%"]);

/** Suffixes of literals belong to their numbers, and mean nothing here. */
const tokensOf = (text: string): readonly string[] =>
  text.match(/0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[uUlL]+|[fF])?|[A-Za-z_]\w*|<<|>>|\S/g) ?? [];

/** Parentheses and signs within each other. */
const deepest = 200;

/** An arithmetic expression of numbers and names in scope, with C's precedence; `/` of whole numbers truncates. */
function readNumber(text: string, scope: ReadonlyMap<string, number>): number | undefined {
  const tokens = tokensOf(text);
  let at = 0;
  let depth = 0;
  const primary = (): number | undefined => {
    if (++depth > deepest) return undefined;
    const value = operand();
    depth--;
    return value;
  };
  const operand = (): number | undefined => {
    const token = tokens[at++];
    if (token === undefined) return undefined;
    if (token === "-") return negated(primary());
    if (token === "+") return primary();
    if (token === "(") {
      const inner = expression(0);
      return tokens[at++] === ")" ? inner : undefined;
    }
    if (/^[\d.]/.test(token)) {
      return Number(/^0x/i.test(token) ? token.replace(/(?<![ul])[ul]+$/i, "") : token.replace(/(?<![ulf])[ulf]+$/i, ""));
    }
    return scope.get(token);
  };
  const expression = (least: number): number | undefined => {
    let left = primary();
    for (;;) {
      const op = tokens[at];
      const level = op === undefined || !arithmetic.has(op) ? undefined : precedences[op];
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
  if (a === undefined || b === undefined || !Number.isFinite(a) || !Number.isFinite(b)) return undefined;
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
