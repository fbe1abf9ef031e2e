/** Keeps in a local variable what a loop stores to one place of memory in every turn. */
import type { Expression, Node } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { all, excerpt, indentationAt, insertBefore, isBehindPragma, replace } from "./edits.ts";
import { freshName } from "./fresh-name.ts";
import { type Loop, loopsAround } from "./loops.ts";
import { unqualified } from "./ranges.ts";
import { Variables } from "./variables.ts";

/**
 * `auto sum = c[i];` before the outermost loop in which nothing of `c[i]` changes, `c[i] = sum;` behind it, and `sum` in between. Undefined
 * where the loop may be left by a return, may meet other threads, or mentions the array otherwise, or what is stored is volatile: then each
 * store may matter. Undefined, too, where a pragma stands above the loop, from which a declaration would part it.
 */
export function accumulatedInRegister({ program, syntax }: RuleContext, access: Expression): Fix | undefined {
  const { reading, semantics } = program;
  if (access.kind === "member" || unqualified(semantics.typeOf(access))?.volatile) return undefined;
  const variables = new Variables(syntax, semantics);
  const loop = loopsAround(syntax, access)
    .filter((each) => isFixedIn(access, each, variables))
    .at(-1);
  const outer = loop && syntax.parent(loop);
  if (!loop || outer?.role !== "statement" || outer.node.kind !== "block") return undefined;
  const spelled = (node: Node): string => excerpt(reading, node, 1000).replaceAll(/\s/g, "");
  const own = spelled(access);
  const base = baseOf(access);
  const array = base && variables.of(base);
  const uses: Expression[] = [];
  let mayMatter = false;
  walk(loop, (node) => {
    if (/^(return|goto|asm|lambda|throw)$/.test(node.kind)) mayMatter = true;
    if (node.kind === "call" && /sync|fence|atomic/i.test(spelled(node.callee))) mayMatter = true;
    if ((node.kind === "subscript" || node.kind === "unary") && spelled(node) === own) {
      uses.push(node);
      return false;
    }
    if (node.kind === "name" && array && variables.of(node) === array) mayMatter = true;
    return true;
  });
  const at = reading.locate(loop.start, loop.end);
  const indentation = indentationAt(reading, at);
  if (mayMatter || uses.length === 0 || indentation === undefined || isBehindPragma(reading, at)) return undefined;
  const name = freshName(reading.sources[at.file] ?? "", ["sum", "total"]);
  const text = excerpt(reading, access, 1000);
  const end = { start: loop.end - 1, end: loop.end };
  const edits = all(
    insertBefore(reading, loop, `auto ${name} = ${text};\n${indentation}`),
    ...uses.map((use) => replace(reading, use, name)),
    replace(reading, end, `${reading.textOf(end.start, end.end)}\n${indentation}${text} = ${name};`),
  );
  return edits && { title: `Sum up \`${text}\` in a local variable`, safe: false, edits };
}

/** Nothing that the address is made of gets a value in the loop, or is declared there. */
function isFixedIn(access: Expression, loop: Loop, variables: Variables): boolean {
  let isFixed = true;
  const within = ({ start, end }: Node): boolean => start >= loop.start && end <= loop.end;
  const base = baseOf(access);
  walk(access, (node) => {
    if (/^(call|assign|postfix|lambda)$/.test(node.kind)) isFixed = false;
    const variable = node.kind === "name" ? variables.of(node) : undefined;
    if (!variable) return true;
    // To store to what the pointer points to does not change where.
    const isOwn = (at: Expression): boolean => node !== base || changes(at)?.kind === "name";
    if (within(variable) || variables.writes(variable).some(({ at }) => within(at) && isOwn(at))) isFixed = false;
    return true;
  });
  return isFixed;
}

const changes = (at: Expression): Expression | undefined =>
  at.kind === "assign" ? at.left : at.kind === "postfix" || at.kind === "unary" ? at.operand : undefined;

/** `c` of `c[i]` and `*c`. */
function baseOf(access: Expression): Expression | undefined {
  if (access.kind === "subscript") return baseOf(access.base);
  if (access.kind === "unary" && access.op === "*") return baseOf(access.operand);
  return access.kind === "name" ? access : undefined;
}
