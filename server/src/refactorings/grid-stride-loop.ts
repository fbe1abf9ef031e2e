import type { Fix, RuleContext } from "../rules/rule.ts";
import { codeOf, indentationAt, textAt, writtenBetween } from "../rules/support/edits.ts";
import { type Variable, Variables, type Write } from "../rules/support/variables.ts";
import type { Expression, FunctionDeclaration, Node } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/terms.ts";
import { walk } from "../syntax/walk.ts";
import { defineRefactoring } from "./refactoring.ts";
import { mapping } from "./support/examples.ts";
import { type Guarded, guarded } from "./support/guarded.ts";

const indexed = "  int i = blockIdx.x * blockDim.x + threadIdx.x;";

export default defineRefactoring({
  id: "grid-stride-loop",
  summary:
    "Makes a loop that goes on by the grid's size of a kernel that has a thread for each element, so that a grid of any size does all of the work.",
  where:
    "At the index, or the comparison, of a kernel that begins with `int i = blockIdx.x * blockDim.x + threadIdx.x;` and then does all it does under `if (i < n)`, or behind `if (i >= n) return;`, without a barrier or another return, and without changing what is declared before the index.",
  guide: { document: "best-practices", section: "10.3" },
  example: {
    before: mapping(`${indexed}\n  if (i < n) out[i] = 2 * in[i];`),
    cursor: "int i = blockIdx",
    after: mapping("  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];"),
  },
  *offers(context) {
    for (const kernel of new Set(context.launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      const found = kernel.at.file === 0 ? guarded(context, kernel.declaration) : undefined;
      const fix = found && !carriesOver(context, kernel.declaration, found) ? looped(context, found) : undefined;
      if (found && fix) yield { at: [found.declaration, found.guard.condition as Expression], fix };
    }
  },
});

/**
 * Whether the work for one element may leave something to that for the next, in a variable that stands outside it: a thread of the launch
 * as it is has one element, so trying does not tell.
 */
function carriesOver({ syntax, program: { semantics } }: RuleContext, { body }: FunctionDeclaration, { work }: Guarded): boolean {
  if (!body) return true;
  const variables = new Variables(syntax, semantics);
  const isWork = ({ start, end }: Node): boolean => work.some((each) => each.start <= start && end <= each.end);
  const carries = (variable: Variable): boolean => {
    if (isWork(variable)) return false;
    const { constant, device, managed } = variable.specifiers;
    if (constant || device || managed) return false;
    const type = semantics.declaredType(variable);
    const writes = variables.writes(variable);
    if (variable.type.kind === "pointer" || type?.kind === "pointer")
      return writes.some(({ at }) => targetsOf(at).some((target) => variables.of(target) === variable));
    // What a reference stands for, or an array is, may be written by another name.
    return writes.length > 0 || variable.type.kind === "reference" || (type?.kind === "array" && !type.of.const);
  };
  const mentioned = new Set<Variable>();
  walk(body, (node) => {
    const variable = node.kind === "name" ? variables.of(node) : undefined;
    if (variable) mentioned.add(variable);
    return true;
  });
  return [...mentioned].some(carries);
}

/** What a write may change as a whole. */
function targetsOf(at: Write["at"]): Expression[] {
  if (at.kind === "assign") return [withoutParentheses(at.left)];
  if (at.kind === "postfix" || at.kind === "unary") return [withoutParentheses(at.operand)];
  return at.kind === "call" ? at.arguments.map(withoutParentheses) : [at];
}

function looped({ program: { reading } }: RuleContext, { declaration, guard, index, limit, work, returns }: Guarded): Fix | undefined {
  const [from, last] = [writtenBetween(reading, declaration), writtenBetween(reading, work.at(-1) ?? guard)];
  const [first] = work;
  const begin = first && writtenBetween(reading, first);
  const indentation = from && indentationAt(reading, from);
  if (!from || !last || !begin || from.file !== 0 || last.file !== 0 || indentation === undefined) return undefined;
  // What stands between the index and the work is not kept: no remark, or directive, is lost with it.
  const dropped = textAt(reading, { file: 0, start: from.end, end: begin.start });
  if (/\/[/*]|^\s*#/m.test(dropped)) return undefined;
  const start = textAt(reading, from).replace(/;\s*$/, "");
  const head = `for (${start}; ${index} < ${codeOf(reading, limit)}; ${index} += gridDim.x * blockDim.x)`;
  const title = "Go on by the grid's size in a loop";
  if (!returns) return { title, safe: false, edits: [{ span: { file: 0, start: from.start, end: begin.start }, newText: `${head} ` }] };
  const lines = textAt(reading, { file: 0, start: begin.start, end: last.end }).replaceAll(/\n(?=[^\n])/g, "\n  ");
  return {
    title,
    safe: false,
    edits: [{ span: { file: 0, start: from.start, end: last.end }, newText: `${head} {\n${indentation}  ${lines}\n${indentation}}` }],
  };
}
