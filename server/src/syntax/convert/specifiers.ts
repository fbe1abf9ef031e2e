import type { Expression, Specifiers } from "../ast.ts";
import type { CstNode } from "../parser/cst.ts";
import { type AnnotationKind, type Context, textOf } from "./context.ts";

type Mutable = { -readonly [Key in keyof Specifiers]: Specifiers[Key] };

const flags: ReadonlyMap<string, keyof Specifiers> = new Map([
  ["__global__", "global"],
  ["__device__", "device"],
  ["__host__", "host"],
  ["__shared__", "shared"],
  ["__constant__", "constant"],
  ["__managed__", "managed"],
  ["__grid_constant__", "gridConstant"],
  ["static", "static"],
  ["extern", "extern"],
  ["inline", "inline"],
  ["__inline", "inline"],
  ["__inline__", "inline"],
  ["__forceinline", "inline"],
  ["__forceinline__", "inline"],
  ["__noinline__", "noinline"],
  ["constexpr", "constexpr"],
  ["consteval", "constexpr"],
  ["volatile", "volatile"],
  ["virtual", "virtual"],
  ["explicit", "explicit"],
] as const);

/** The specifiers among a declaration's direct children, and the attributes written before its name. */
export function specifiers(c: Context, node: CstNode, nameAt: number): Specifiers {
  const found: Mutable = {};
  for (const each of node.children) {
    if (each.start > nameAt) break;
    if (each.named ? !qualifying.has(each.type) : !flags.has(each.type)) continue;
    const text = each.named ? textOf(c, each) : each.type;
    const flag = flags.get(text) ?? (each.type === "explicit_function_specifier" ? "explicit" : undefined);
    if (flag) Object.assign(found, { [flag]: true });
  }
  for (const { kind, operands } of c.annotations.attributes(node.start, nameAt)) attribute(found, kind, () => c.operands(...operands));
  return found;
}

const qualifying = new Set(["type_qualifier", "storage_class_specifier", "explicit_function_specifier"]);

function attribute(found: Mutable, kind: AnnotationKind, read: () => readonly Expression[]): void {
  switch (kind) {
    case "align":
      assign(found, "align", read()[0]);
      break;
    case "launch-bounds":
      found.launchBounds = read();
      break;
    case "cluster-dims":
      found.clusterDims = read();
      break;
    case "max-registers":
      assign(found, "maxRegisters", read()[0]);
      break;
    case "device":
    case "host":
    case "global":
    case "inline":
    case "friend":
    case "explicit":
      found[kind] = true;
      break;
  }
}

function assign(found: Mutable, key: "align" | "maxRegisters", value: Expression | undefined): void {
  if (value) found[key] = value;
}

/** The alignment an attribute right behind a declaration gives: `float a[4] __attribute__((aligned(16)))`. */
export function alignBehind(c: Context, end: number): Expression | undefined {
  const attribute = c.annotations.attributesBehind(end).find((each) => each.kind === "align");
  return attribute && c.operands(...attribute.operands)[0];
}
