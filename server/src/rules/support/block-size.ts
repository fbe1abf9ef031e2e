/** Another number of threads a block, where a launch says it by a number. */
import type { Expression, Node } from "../../syntax/ast.ts";
import { walk } from "../../syntax/walk.ts";
import type { Edit, Fix, RuleContext, SimulatedLaunch } from "../rule.ts";
import { all, replace } from "./edits.ts";
import { Variables } from "./variables.ts";

/**
 * The launch with blocks of `threads`: each number of threads in its configuration, `32` and the `31` of rounding up, is exchanged, or the
 * number that the variable is given which stands for it. Undefined where the configuration says it otherwise.
 */
export function withBlockOf(context: RuleContext, launch: SimulatedLaunch, threads: number): Fix | undefined {
  const { program, syntax } = context;
  const { expression } = launch.fact;
  const [now] = launch.report.block;
  if (expression?.kind !== "call" || !expression.launch?.block || !expression.launch.grid) return undefined;
  const { grid, block } = expression.launch;
  const variables = new Variables(syntax, program.semantics);
  const edits: (Edit | undefined)[] = [];
  const seen = new Set<Node>();
  const exchange = (node: Expression): number => {
    let found = 0;
    walk(node, (each) => {
      if (each.kind === "integer") {
        const is = Number(each.value);
        if (is !== now && is !== now - 1) return true;
        found++;
        edits.push(replace(program.reading, each, `${is === now ? threads : threads - 1}${each.suffix}`));
      }
      const variable = each.kind === "name" ? variables.of(each) : undefined;
      const initial = variable && variables.writes(variable).length === 0 ? variables.initial(variable) : undefined;
      if (!variable || !initial) return true;
      if (seen.has(variable)) found++;
      else {
        seen.add(variable);
        found += exchange(initial);
      }
      return true;
    });
    return found;
  };
  if (exchange(block) === 0 || exchange(grid) === 0) return undefined;
  const complete = all(...edits);
  return complete && { title: `Launch blocks of ${threads} threads`, safe: false, edits: complete };
}
