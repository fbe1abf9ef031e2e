import { type CstNode, child } from "./parser/cst.ts";

/**
 * `a < b && c > (d)` is read as a call of a template `a<b && c>`. Such a `<` is given to the parser as `>`, which binds
 * alike but opens no list of arguments; what the operator is, the converter reads from the text as written.
 */
export function comparisonsReadAsTemplates(root: CstNode, text: string): string {
  const opening: number[] = [];
  const templates = new Set<string>();
  const pending: CstNode[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const list = node.type === "template_function" || node.type === "template_method" ? child(node, "arguments") : undefined;
    const name = list && child(node, "name");
    if (list && name && list.children.some(isLogical)) opening.push(list.start);
    else if (node.type === "template_declaration") templates.add(declaredName(node, text));
    else if (node.type.endsWith("_specifier") && node.field !== "type") types(node, text, templates);
    for (const each of node.children) if (each.children.length) pending.push(each);
  }
  const misread = opening.filter((at) => !templates.has(/[A-Za-z_]\w*\s*$/.exec(text.slice(Math.max(0, at - 100), at))?.[0].trim() ?? ""));
  if (!misread.length) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const start of misread.sort((a, b) => a - b)) {
    pieces.push(text.slice(at, start), ">");
    at = start + 1;
  }
  return pieces.join("") + text.slice(at);
}

function isLogical(node: CstNode): boolean {
  const operator = node.type === "binary_expression" ? child(node, "operator")?.type : undefined;
  return operator === "&&" || operator === "||";
}

function types(node: CstNode, text: string, into: Set<string>): void {
  const name = child(node, "name");
  if (name) into.add(text.slice(name.start, name.end));
}

/** The name of the function a template declares. */
function declaredName(node: CstNode, text: string): string {
  let at: CstNode | undefined = node.children.find((each) => each.type === "function_definition" || each.type === "declaration");
  while (at) {
    const inner: CstNode | undefined =
      child(at, "declarator") ?? (at.type === "reference_declarator" ? at.children.findLast((each) => each.named) : undefined);
    if (!inner) break;
    at = inner;
  }
  return at ? text.slice(at.start, at.end) : "";
}
