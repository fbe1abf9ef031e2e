/** Exchanges the roles of x and y in a kernel. */

import type { LaunchFact } from "../../analysis/facts.ts";
import { lastName } from "../../analysis/sema/scope.ts";
import type { Expression, Node } from "../../syntax/ast.ts";
import type { Edit, Fix, RuleContext } from "../rule.ts";
import { all, replace } from "./edits.ts";
import { type Variable, Variables } from "./variables.ts";

const indices: ReadonlySet<string> = new Set(["threadIdx", "blockIdx", "blockDim", "gridDim"]);
const other: Readonly<Record<string, string>> = { x: "y", y: "x" };

/**
 * `.y` for each `.x` of a thread's place, and the other way round, in a kernel, and the sides of the grids that it is launched with. Undefined
 * where a grid whose sides differ does not say them one by one, or is another kernel's, too.
 */
export function exchangedAxes(context: RuleContext, within: Node): Fix | undefined {
  const members = axesIn(context, within);
  const edits = members.map(({ node, axis }) =>
    replace(context.program.reading, { start: node.end - 1, end: node.end }, other[axis] ?? axis),
  );
  const launches = context.program.launches.filter(({ kernel }) => kernel?.declaration === within);
  const grids = exchangedGrids(context, launches);
  const complete = edits.length > 0 && grids ? all(...edits, ...grids) : undefined;
  return complete && { title: "Exchange the roles of x and y", safe: false, edits: complete };
}

/** Of square blocks: what x went along, in so many of them, y does now. Others say for themselves what they cover. */
function exchangedGrids(context: RuleContext, launches: readonly LaunchFact[]): (Edit | undefined)[] | undefined {
  const variables = new Variables(context.syntax, context.program.semantics);
  const { reading } = context.program;
  const square = launches.filter(({ launch }) => !launch || launch.block[0] === launch.block[1]);
  const expressions = square.flatMap(({ expression }) => expression ?? []);
  const others = context.program.launches.filter((launch) => !square.includes(launch));
  const edits = new Map<number, (Edit | undefined)[]>();
  for (const { expression, launch } of square) {
    const grid = expression?.kind === "call" ? expression.launch?.grid : undefined;
    if (!grid || !launch) return undefined;
    // What is launched there may be another kernel another time.
    const isOthersToo = others.some((each) => each.expression === expression);
    const sides = isOthersToo ? undefined : sidesOf(variables, grid, expressions);
    const [across, down] = sides ?? [];
    if (across && down) {
      const texts = [across, down].map(({ start, end }) => reading.textOf(start, end));
      if (texts[0] !== texts[1])
        edits.set(across.start, [replace(reading, across, texts[1] ?? ""), replace(reading, down, texts[0] ?? "")]);
    } else if (launch.grid[0] !== launch.grid[1]) {
      if (isOthersToo || !isDim3Variable(variables.of(grid))) return undefined;
      const name = reading.textOf(grid.start, grid.end);
      edits.set(grid.start, [replace(reading, grid, `dim3(${name}.y, ${name}.x, ${name}.z)`)]);
    }
  }
  return [...edits.values()].flat();
}

/** `a` and `b` of `dim3(a, b)`, or of the variable that was made so and that only these launches use. */
function sidesOf(variables: Variables, grid: Expression, launches: readonly Expression[]): readonly Expression[] | undefined {
  if (grid.kind === "parenthesized") return sidesOf(variables, grid.inner, launches);
  const made =
    grid.kind === "call"
      ? isDim3(grid.callee)
        ? grid.arguments
        : []
      : grid.kind === "cast"
        ? grid.operands
        : grid.kind === "list"
          ? grid.elements.map(({ value }) => value)
          : [];
  if (made.length > 1) return made;
  const variable = variables.of(grid);
  if (!variable || !("init" in variable)) return undefined;
  const isOfThese = ({ start, end }: Expression): boolean => launches.some((launch) => launch.start <= start && end <= launch.end);
  if (!variables.uses(variable).every(isOfThese)) return undefined;
  const values = variable.init?.values ?? [];
  const [only] = values;
  if (values.length > 1) return values;
  return only && only.kind !== "name" ? sidesOf(variables, only, launches) : undefined;
}

const isDim3Variable = (variable: Variable | undefined): boolean =>
  variable?.type.kind === "named" && variable.type.name.parts.at(-1)?.text === "dim3";

/** Not what a function makes sides of: only it knows what its arguments are. */
const isDim3 = (callee: Expression): boolean => callee.kind === "name" && callee.name.parts.at(-1)?.text === "dim3";

/** `threadIdx.x` and the like, in x and y, in a function. */
export function axesIn({ syntax }: RuleContext, { start, end }: Node): readonly { readonly node: Expression; readonly axis: string }[] {
  return syntax.expressions("member").flatMap((node) => {
    const axis = lastName(node.name);
    return node.start >= start && node.end <= end && isPlace(node.base) && axis in other ? [{ node, axis }] : [];
  });
}

const isPlace = (node: Expression): boolean => node.kind === "name" && indices.has(lastName(node.name));
