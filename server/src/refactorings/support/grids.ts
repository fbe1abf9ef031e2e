/** How many blocks a kernel's launches ask for, where that is to be changed. */
import type { RuleContext, SimulatedLaunch } from "../../rules/rule.ts";
import { numberOf } from "../../rules/support/math-calls.ts";
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";

/** Lanes of a warp. */
const warpSize = 32;

/**
 * The numbers of blocks of all launches; undefined where one is not said as a number, or
 * not in this file, or its blocks are not rows of whole warps.
 */
export function gridsOf({ program, launches }: RuleContext, kernel: FunctionDeclaration): Expression[] | undefined {
  const own = launches.filter(({ fact }) => fact.kernel?.declaration === kernel);
  const grids = own.map(({ fact: { expression, at }, report }: SimulatedLaunch) => {
    const [x, y, z] = report.block;
    const grid = expression?.kind === "call" ? expression.launch?.grid : undefined;
    const isRow = x % warpSize === 0 && y === 1 && z === 1 && report.grid[1] === 1 && report.grid[2] === 1;
    return grid && isRow && at.file === 0 && numberOf(program.semantics, grid) === "integer" ? grid : undefined;
  });
  const known = grids.filter((grid) => grid !== undefined);
  return known.length > 0 && known.length === grids.length ? [...new Set(known)] : undefined;
}
