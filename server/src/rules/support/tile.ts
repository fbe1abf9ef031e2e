/** Arrays of rows in shared memory, and where they are used. */
import type { SharedVariable } from "@warplens/sim-engine";
import type { Semantics } from "../../analysis/sema/index.ts";
import type { Expression, VariableDeclaration } from "../../syntax/ast.ts";
import type { RuleContext, SimulatedLaunch } from "../rule.ts";
import type { SyntaxIndex } from "./syntax-index.ts";
import { type Variable, Variables } from "./variables.ts";

type Subscript = Expression & { readonly kind: "subscript" };

/** An array of two dimensions, as the engine and as the source have it. */
export interface Tile {
  readonly array: SharedVariable;
  readonly variable: VariableDeclaration;
  /** What the length of its rows is declared by. */
  readonly size: Expression;
}

/** An element of it, given by all of its subscripts. */
export interface TileUse {
  readonly whole: Subscript;
  readonly row: Expression;
  readonly column: Expression;
}

/** The array that a variable is in a launch; undefined where it is none of two dimensions in shared memory. */
export function tileOf(variable: Variable | undefined, { kernel }: SimulatedLaunch): Tile | undefined {
  if (!variable || !("kind" in variable)) return undefined;
  const { type } = variable;
  const name = variable.name.parts.at(-1)?.text;
  const array = kernel.shared.find((each) => each.name === name && each.bytes !== undefined);
  const [rows = 0, , ...more] = array?.dimensions ?? [];
  if (!array || rows < 2 || more.length > 0) return undefined;
  if (type.kind !== "array" || type.of.kind !== "array" || type.of.of.kind === "array" || !type.of.size) return undefined;
  return { array, variable, size: type.of.size };
}

/** Every mention of the array; undefined where one gives less than all of an element's subscripts, or takes its address. */
export function tileUses(
  { syntax, semantics }: { readonly syntax: SyntaxIndex; readonly semantics: Semantics },
  variable: VariableDeclaration,
): readonly TileUse[] | undefined {
  const uses = new Variables(syntax, semantics).uses(variable).map((use): TileUse | undefined => {
    const inner = subscriptOf(syntax, use);
    const whole = inner && subscriptOf(syntax, inner);
    const [[row, ...others], [column, ...more]] = [inner?.indices ?? [], whole?.indices ?? []];
    if (!whole || !row || !column || others.length > 0 || more.length > 0) return undefined;
    const around = syntax.parent(whole)?.node;
    return isAddress(around) ? undefined : { whole, row, column };
  });
  return uses.every((use) => use !== undefined) ? uses : undefined;
}

/** The subscript that a node is the base of. */
function subscriptOf(syntax: SyntaxIndex, node: Expression): Subscript | undefined {
  const item = syntax.parent(node);
  return item?.role === "expression" && item.node.kind === "subscript" && item.node.base === node ? item.node : undefined;
}

const isAddress = (node: unknown): boolean => {
  const { kind, op } = (node ?? {}) as { readonly kind?: string; readonly op?: string };
  return kind === "unary" && op === "&";
};

/** The name of `tile[i][j]`. */
export const arrayNameOf = (node: Expression): (Expression & { readonly kind: "name" }) | undefined =>
  node.kind === "name"
    ? node
    : node.kind === "subscript"
      ? arrayNameOf(node.base)
      : node.kind === "parenthesized"
        ? arrayNameOf(node.inner)
        : undefined;

/** The tiles that a program's subscripts lead to, each with a launch that has it, the longest one, if it is as large in all others. */
export function* tilesOf({ program, syntax, launches }: RuleContext): Generator<{ readonly tile: Tile; readonly launch: SimulatedLaunch }> {
  const variables = new Variables(syntax, program.semantics);
  const seen = new Set<Variable>();
  const byTime = [...launches].sort((a, b) => (b.report.time?.ns ?? 0) - (a.report.time?.ns ?? 0));
  for (const access of syntax.expressions("subscript")) {
    const variable = access.base.kind === "name" ? variables.of(access.base) : undefined;
    if (!variable || seen.has(variable)) continue;
    seen.add(variable);
    const owner = syntax.code(access)?.function;
    const having = byTime.flatMap((launch) => {
      const tile = launch.fact.kernel?.declaration === owner ? tileOf(variable, launch) : undefined;
      return tile ? [{ tile, launch }] : [];
    });
    const [first, ...others] = having;
    const size = ({ tile }: (typeof having)[number]): string => tile.array.dimensions.join();
    if (first && others.every((other) => size(other) === size(first))) yield first;
  }
}
