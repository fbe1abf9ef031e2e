import type { Fix, RuleContext } from "../rules/rule.ts";
import { excerpt, indentationAt, textAt, writtenBetween } from "../rules/support/edits.ts";
import type { Expression } from "../syntax/ast.ts";
import { defineRefactoring } from "./refactoring.ts";
import { mapping } from "./support/examples.ts";
import { type Guarded, guarded } from "./support/guarded.ts";

const indexed = "  int i = blockIdx.x * blockDim.x + threadIdx.x;";

export default defineRefactoring({
  id: "grid-stride-loop",
  summary:
    "Makes a loop that goes on by the grid's size of a kernel that has a thread for each element, so that a grid of any size does all of the work.",
  where:
    "At the index, or the comparison, of a kernel that begins with `int i = blockIdx.x * blockDim.x + threadIdx.x;` and then does all it does under `if (i < n)`, or behind `if (i >= n) return;`, without a barrier or another return.",
  guide: { document: "best-practices", section: "10.3" },
  example: {
    before: mapping(`${indexed}\n  if (i < n) out[i] = 2 * in[i];`),
    cursor: "int i = blockIdx",
    after: mapping("  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i];"),
  },
  *offers(context) {
    for (const kernel of new Set(context.launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      const found = kernel.at.file === 0 ? guarded(context, kernel.declaration) : undefined;
      const fix = found && looped(context, found);
      if (found && fix) yield { at: [found.declaration, found.guard.condition as Expression], fix };
    }
  },
});

function looped({ program: { reading } }: RuleContext, { declaration, guard, index, limit, work, returns }: Guarded): Fix | undefined {
  const [from, last] = [writtenBetween(reading, declaration), writtenBetween(reading, work.at(-1) ?? guard)];
  const [first] = work;
  const begin = first && writtenBetween(reading, first);
  const indentation = from && indentationAt(reading, from);
  if (!from || !last || !begin || from.file !== 0 || last.file !== 0 || indentation === undefined) return undefined;
  const start = textAt(reading, from).replace(/;\s*$/, "");
  const head = `for (${start}; ${index} < ${excerpt(reading, limit, 1000)}; ${index} += gridDim.x * blockDim.x)`;
  const title = "Go on by the grid's size in a loop";
  if (!returns) return { title, safe: false, edits: [{ span: { file: 0, start: from.start, end: begin.start }, newText: `${head} ` }] };
  const lines = textAt(reading, { file: 0, start: begin.start, end: last.end }).replaceAll(/\n(?=[^\n])/g, "\n  ");
  return {
    title,
    safe: false,
    edits: [{ span: { file: 0, start: from.start, end: last.end }, newText: `${head} {\n${indentation}  ${lines}\n${indentation}}` }],
  };
}
