import type { PieceText } from "./convert/piece-text.ts";
import { type CstNode, child } from "./parser/cst.ts";

/** What one declaration tells of angle brackets. */
export interface Angles {
  /** Where lists of template arguments open that hold `&&` or `||`: offsets of the nodes. */
  readonly doubtful: readonly { readonly at: number; readonly name: string }[];
  /** Names of templates. */
  readonly templates: readonly string[];
}

/**
 * `a < b && c > (d)` is read as a call of a template `a<b && c>`. Such a `<` is given to the parser as `>`, which binds
 * alike but opens no list of arguments; what the operator is, the converter reads from the text as written. It is no template's
 * where the file declares no template of that name.
 */
export function anglesOf(piece: CstNode, text: PieceText): Angles {
  const doubtful: { at: number; name: string }[] = [];
  const templates = new Set<string>();
  const pending: CstNode[] = [piece];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const list = node.type === "template_function" || node.type === "template_method" ? child(node, "arguments") : undefined;
    const name = list && child(node, "name");
    if (list && name && list.children.some(isLogical)) {
      const before = text.slice(Math.max(0, list.start - 100), list.start);
      doubtful.push({ at: list.start, name: /(?<!\w)[A-Za-z_]\w*$/.exec(before.trimEnd())?.[0] ?? "" });
    } else if (node.type === "template_declaration") templates.add(declaredName(node, text));
    else if (node.type.endsWith("_specifier") && node.field !== "type") types(node, text, templates);
    for (const each of node.children) if (each.children.length && !each.piece) pending.push(each);
  }
  return { doubtful, templates: [...templates] };
}

function isLogical(node: CstNode): boolean {
  const operator = node.type === "binary_expression" ? child(node, "operator")?.type : undefined;
  return operator === "&&" || operator === "||";
}

function types(node: CstNode, text: PieceText, into: Set<string>): void {
  const name = child(node, "name");
  if (name) into.add(text.slice(name.start, name.end));
}

/** The name of the function a template declares. */
function declaredName(node: CstNode, text: PieceText): string {
  let at: CstNode | undefined = node.children.find((each) => each.type === "function_definition" || each.type === "declaration");
  while (at) {
    const inner: CstNode | undefined =
      child(at, "declarator") ?? (at.type === "reference_declarator" ? at.children.findLast((each) => each.named) : undefined);
    if (!inner) break;
    at = inner;
  }
  return at ? text.slice(at.start, at.end) : "";
}
