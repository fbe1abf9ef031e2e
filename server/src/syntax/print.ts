/** S-expressions of the tree, for tests and for looking at it: `(binary + (name a) (integer 1))`. */
export function print(node: object): string {
  if (Array.isArray(node)) return node.map((each) => printValue(each)).join(" ");
  const { kind, ...rest } = node as Record<string, unknown>;
  if (kind === "integer" || kind === "float" || kind === "char") return String(rest.text);
  const parts: string[] = typeof kind === "string" ? [kind] : [];
  for (const [key, value] of Object.entries(rest)) {
    if (positional.has(key) || value === undefined || value === false || (Array.isArray(value) && !value.length && key !== "body"))
      continue;
    if (isEmptyObject(value)) continue;
    if (value === true) parts.push(key);
    else if (unlabelled.has(key) && kind !== "fold") parts.push(printValue(value));
    else parts.push(`${key}:${printValue(value)}`);
  }
  return `(${parts.join(" ")})`;
}

/** Where a node stands is another test's matter. */
const positional = new Set(["start", "end", "nameSpan", "maybeFunction"]);
const unlabelled = new Set([
  "op",
  "left",
  "right",
  "operand",
  "operands",
  "name",
  "value",
  "values",
  "inner",
  "expression",
  "declarations",
  "statement",
  "to",
  "of",
]);

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(" ")}]`;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return /^[\w:~]+$|^[-+*/%<>=!&|^~,.]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if ("parts" in value && Array.isArray(value.parts)) return printName(value as unknown as PrintableName);
  return print(value);
}

interface PrintableName {
  readonly parts: readonly {
    readonly text: string;
    readonly templateArguments?: readonly {
      readonly kind: string;
      readonly type?: object;
      readonly expression?: object;
      readonly pack?: boolean;
    }[];
  }[];
  readonly global: boolean;
}

function printName({ parts, global }: PrintableName): string {
  const written = parts.map(({ text, templateArguments }) => {
    if (!templateArguments) return text;
    return `${text}<${templateArguments.map((each) => print(each.kind === "type" ? (each.type ?? {}) : (each.expression ?? {})) + (each.pack ? "..." : "")).join(", ")}>`;
  });
  return (global ? "::" : "") + written.join("::");
}
