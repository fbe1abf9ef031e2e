/** Declarations written as one line of C++, for what CUDA's own headers declare. Their nodes have negative offsets. */
import type {
  BuiltinTypeName,
  Declaration,
  Expression,
  FunctionDeclaration,
  Name,
  ParameterDeclaration,
  RecordDeclaration,
  Specifiers,
  TemplateArgument,
  TemplateParameter,
  TypeNode,
  VariableDeclaration,
} from "../../../syntax/ast.ts";

const nowhere = { start: -1, end: -1 } as const;
const device: Specifiers = { device: true, host: true };

const builtIns: ReadonlySet<string> = new Set<BuiltinTypeName>([
  "void",
  "bool",
  "char",
  "signed char",
  "unsigned char",
  "short",
  "unsigned short",
  "int",
  "unsigned int",
  "long",
  "unsigned long",
  "long long",
  "unsigned long long",
  "float",
  "double",
]);

export const nameOf = (text: string, templateArguments?: readonly TemplateArgument[]): Name => ({
  ...nowhere,
  global: false,
  parts: [templateArguments ? { text, templateArguments } : { text }],
});

export const literal = (value: number): Expression => ({
  ...nowhere,
  kind: "integer",
  value: BigInt(value),
  suffix: "",
  text: String(value),
});

/** A type as written: `const T*`, `unsigned long long`, `thread_block_tile<N>`, `void* const&`. */
export function typeNode(text: string): TypeNode {
  const source = text.trim();
  if (source.endsWith("&&")) return { ...nowhere, kind: "reference", to: typeNode(source.slice(0, -2)), rvalue: true };
  if (source.endsWith("&")) return { ...nowhere, kind: "reference", to: typeNode(source.slice(0, -1)), rvalue: false };
  if (source.endsWith("*")) return { ...nowhere, kind: "pointer", to: typeNode(source.slice(0, -1)) };
  const words = source.split(/\s+/);
  const constant = words.includes("const") ? { const: true } : {};
  const volatile = words.includes("volatile") ? { volatile: true } : {};
  const rest = words.filter((each) => each !== "const" && each !== "volatile").join(" ");
  const spelled = rest === "unsigned" ? "unsigned int" : rest;
  if (builtIns.has(spelled)) return { ...nowhere, ...constant, ...volatile, kind: "builtin", name: spelled as BuiltinTypeName };
  const template = /^(\w+)<(.*)>$/.exec(spelled);
  const name = template ? nameOf(template[1] ?? "", splitCommas(template[2] ?? "").map(templateArgument)) : nameOf(spelled);
  return { ...nowhere, ...constant, ...volatile, kind: "named", name };
}

const templateArgument = (text: string): TemplateArgument =>
  /^\d+$/.test(text)
    ? { ...nowhere, kind: "expression", expression: literal(Number(text)) }
    : { ...nowhere, kind: "type", type: typeNode(text), expression: { ...nowhere, kind: "name", name: nameOf(text) } };

function splitCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (char === "<" || char === "(") depth++;
    else if (char === ">" || char === ")") depth--;
    if (at === text.length || (char === "," && depth === 0)) {
      const part = text.slice(from, at).trim();
      if (part) parts.push(part);
      from = at + 1;
    }
  }
  return parts;
}

function parameter(text: string, index: number): ParameterDeclaration {
  const [type = "", value] = text.split("=").map((each) => each.trim());
  const pack = type.endsWith("...");
  const base: ParameterDeclaration = { ...nowhere, name: `p${index}`, type: typeNode(pack ? type.slice(0, -3) : type), specifiers: {} };
  const withDefault = value === undefined ? base : { ...base, default: literal(Number(value)) };
  return pack ? { ...withDefault, pack } : withDefault;
}

/** Template parameters as written: `T, unsigned N = 4`; a single word is a type. */
export const templateParameters = (text: string): TemplateParameter[] =>
  splitCommas(text).map((each): TemplateParameter => {
    const [left = "", value] = each.split("=").map((part) => part.trim());
    const pack = left.includes("...");
    const words = left.replace("...", " ").split(/\s+/);
    const name = words.at(-1) ?? "";
    if (words.length === 1)
      return value === undefined
        ? { ...nowhere, kind: "type", name, pack }
        : { ...nowhere, kind: "type", name, pack, default: typeNode(value) };
    const type = typeNode(words.slice(0, -1).join(" "));
    return value === undefined
      ? { ...nowhere, kind: "value", name, type, pack }
      : { ...nowhere, kind: "value", name, type, pack, default: literal(Number(value)) };
  });

/** The name of the function of a signature, as `functionFrom` reads it. */
export function nameIn(signature: string): string {
  const [, name] = /(operator\s*\S+?|~?\w+)\s*\(/.exec(signature) ?? [];
  if (name === undefined) throw new Error(`not a signature: ${signature}`);
  return name.replaceAll(" ", "");
}

/**
 * A function from `result name(type, type = default)`, in front of it `<T, int N>` for templates (`<T>` is understood
 * where `T` appears as a type).
 */
export function functionFrom(signature: string): FunctionDeclaration {
  const found = /^(?:<([^>]*)>\s*)?(.*?)\s*(operator\s*\S+?|~?\w+)\s*\((.*)\)\s*(const)?$/.exec(signature.trim());
  if (!found) throw new Error(`not a signature: ${signature}`);
  const [, template, result = "", name = "", parameters = "", constant] = found;
  const types = splitCommas(parameters);
  const generic = template ?? ([result, ...types].some((each) => /\bT\b/.test(each)) ? "T" : undefined);
  const variadic = types.at(-1) === "...";
  return {
    ...nowhere,
    kind: "function",
    name: nameOf(name.replaceAll(" ", "")),
    nameSpan: nowhere,
    result: typeNode(result),
    parameters: (variadic ? types.slice(0, -1) : types).map(parameter),
    variadic,
    specifiers: device,
    ...(generic === undefined ? {} : { templateParameters: templateParameters(generic) }),
    ...(constant ? { const: true } : {}),
    ...(name.startsWith("operator") ? { role: "operator" as const } : {}),
  };
}

export const field = (type: string, name: string): VariableDeclaration => ({
  ...nowhere,
  kind: "variable",
  name: nameOf(name),
  type: typeNode(type),
  specifiers: {},
});

/** A record with its fields and member functions; `align` in bytes where it is more than its members'. */
export function recordFrom(
  name: string,
  members: readonly Declaration[],
  more: { readonly align?: number; readonly template?: string; readonly base?: string } = {},
): RecordDeclaration {
  return {
    ...nowhere,
    kind: "record",
    tag: "struct",
    name: nameOf(name),
    bases: more.base ? [{ type: typeNode(more.base) }] : [],
    members,
    specifiers: more.align ? { align: literal(more.align) } : {},
    ...(more.template ? { templateParameters: templateParameters(more.template) } : {}),
  };
}
