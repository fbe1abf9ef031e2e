import type { Expression } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import { type Context, textOf } from "./context.ts";

const floatPattern = /^(0[xX][0-9a-fA-F.]*[pP][+-]?\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(\w*)$/;
const integerPattern = /^(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(\w*)$/;

/** `1.5f`, `0x1fULL`, `-3`: the grammar reads a sign into the literal, the tree has it as a unary operator. */
export function number(c: Context, node: CstNode, written = textOf(c, node)): Expression {
  const sign = written[0];
  if (sign === "-" || sign === "+") {
    const digits = written.slice(1).trimStart();
    return {
      start: node.start,
      end: node.end,
      kind: "unary",
      op: sign,
      operand: number(c, { ...node, start: node.end - digits.length }, digits),
    };
  }
  const digits = written.replaceAll("'", "");
  const own = ownSuffix.exec(digits);
  if (own?.[1] !== undefined && own[2] !== undefined) return ofOwnSuffix(c, node, own[1], own[2]);
  const integer = integerPattern.exec(digits);
  if (integer) {
    const body = integer[1] ?? "0";
    const suffix = integerSuffix(integer[2] ?? "");
    if (suffix !== undefined || !/^0[xX]/.test(body)) {
      if (!/^\d+$/.test(body) || !/^([fF]|[eE]\d)/.test(integer[2] ?? "")) {
        return {
          start: node.start,
          end: node.end,
          kind: "integer",
          value: integerValue(body),
          suffix: suffix ?? (integer[2] ?? "").toLowerCase(),
          text: written,
        };
      }
    }
  }
  const float = floatPattern.exec(digits);
  if (!float) return { start: node.start, end: node.end, kind: "unknown", text: written };
  return {
    start: node.start,
    end: node.end,
    kind: "float",
    value: floatValue(float[1] ?? "0"),
    suffix: (float[2] ?? "").toLowerCase(),
    text: written,
  };
}

/** A program's own suffix begins with `_`. */
const ownSuffix = /^([^_]+)(_\w*)$/;

/** `64_KiB` is `operator""_KiB(64ull)`. */
function ofOwnSuffix(c: Context, node: CstNode, digits: string, suffix: string): Expression {
  const { start, end } = node;
  const value = number(c, node, digits);
  return {
    start,
    end,
    kind: "call",
    callee: { start, end, kind: "name", name: { start, end, parts: [{ text: `operator""${suffix}` }], global: false } },
    arguments: [value.kind === "integer" ? { ...value, suffix: "ull" } : value],
  };
}

function integerSuffix(suffix: string): string | undefined {
  switch (suffix.toLowerCase()) {
    case "":
      return "";
    case "u":
      return "u";
    case "l":
    case "z":
      return "l";
    case "ul":
    case "lu":
    case "uz":
    case "zu":
      return "ul";
    case "ll":
      return "ll";
    case "ull":
    case "llu":
      return "ull";
    default:
      return undefined;
  }
}

function integerValue(body: string): bigint {
  if (/^0\d/.test(body)) return /^0[0-7]+$/.test(body) ? BigInt(`0o${body.slice(1)}`) : 0n;
  return BigInt(body);
}

function floatValue(body: string): number {
  if (!/^0[xX]/.test(body)) return Number(body);
  const [mantissa = "", exponent = "0"] = body.slice(2).split(/[pP]/);
  const [whole = "", fraction = ""] = mantissa.split(".");
  let value = 0;
  for (const digit of whole + fraction) value = value * 16 + Number.parseInt(digit, 16);
  return value * 2 ** (Number(exponent) - 4 * fraction.length);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
  e: "\x1b",
};

/** The characters a literal's body stands for. */
function withoutEscapes(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(/\\(x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n|[\s\S])/g, (_, code: string) => {
    if (code[0] === "x" && code.length > 1) return fromCode(Number.parseInt(code.slice(1), 16));
    if ((code[0] === "u" || code[0] === "U") && code.length > 1) return fromCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return fromCode(Number.parseInt(code, 8));
    if (code.endsWith("\n")) return "";
    return simpleEscapes[code] ?? code;
  });
}

const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");

/** `'a'`, `L'\n'`, and multi-character constants as GCC values them. */
export function character(c: Context, node: CstNode): Expression {
  const text = textOf(c, node);
  const body = withoutEscapes(text.slice(text.indexOf("'") + 1, text.endsWith("'") ? -1 : undefined));
  let value = 0;
  const points = [...body];
  for (const point of points)
    value = points.length === 1 ? (point.codePointAt(0) ?? 0) : (value << 8) | ((point.codePointAt(0) ?? 0) & 0xff) | 0;
  // A plain char is signed where CUDA runs.
  if (points.length === 1 && text[0] === "'" && value > 127 && value < 256) value -= 256;
  return { start: node.start, end: node.end, kind: "char", value, text };
}

/** A string literal, raw or not, or several written one after another. */
export function stringValue(c: Context, node: CstNode): string {
  if (node.type === "concatenated_string") {
    return node.children.map((each) => (each.type === "identifier" ? "" : stringValue(c, each))).join("");
  }
  const text = textOf(c, node);
  if (node.type === "raw_string_literal") {
    const open = text.indexOf("(");
    const delimiter = text.slice(text.indexOf('"') + 1, open);
    return text.slice(open + 1, text.length - delimiter.length - 2);
  }
  return withoutEscapes(text.slice(text.indexOf('"') + 1, text.endsWith('"') ? -1 : undefined));
}
