/** Where the source says the numbers that a launch is given. */
import type { LaunchFact, Program } from "../analysis/facts.ts";
import type { Expression, VariableDeclaration } from "../syntax/ast.ts";

/** A number's text in the opened file. */
export interface NumberPlace {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** A literal, rather than an expression of other values. */
  readonly isLiteral: boolean;
}

/** Where the argument for a parameter is said: itself where it is a literal, else what the variable that is given begins with. */
export function argumentPlace({ expression, kernel }: LaunchFact, program: Program, parameter: string): NumberPlace | undefined {
  if (expression?.kind !== "call" || !expression.launch) return undefined;
  const index = kernel?.declaration.parameters.findIndex(({ name }) => name === parameter) ?? -1;
  const given = expression.arguments[index];
  return given && numberPlace(given, program);
}

/** The same of the sides of grid or block, as many as are written, or of the dynamic shared memory. */
export function configurationPlaces(
  { expression }: LaunchFact,
  program: Program,
  what: "grid" | "block" | "shared",
): readonly (NumberPlace | undefined)[] {
  const written = expression?.kind === "call" ? expression.launch?.[what] : undefined;
  return written ? sidesOf(written, program).map((side) => numberPlace(side, program)) : [];
}

/** `dim3(x, y)`, a variable that is one, or one number. */
function sidesOf(written: Expression, program: Program): readonly Expression[] {
  const { semantics } = program;
  const expression = semantics.clarify(bare(written));
  if (expression.kind === "cast" && expression.style === "functional") return expression.operands;
  if (expression.kind === "list") return expression.elements.map(({ value }) => value);
  const declaration = variableOf(expression, program);
  const values = declaration?.init?.values ?? [];
  const [only] = values;
  if (values.length > 1) return values;
  if (only && bare(only).kind === "list") return sidesOf(only, program);
  const initial = only && semantics.clarify(bare(only));
  return initial?.kind === "cast" && initial.style === "functional" ? initial.operands : [expression];
}

function numberPlace(expression: Expression, program: Program): NumberPlace | undefined {
  const given = bare(expression);
  if (given.kind === "integer") return placed(given, program);
  const values = variableOf(given, program)?.init?.values ?? [];
  const [initial] = values;
  return initial && values.length === 1 ? placed(bare(initial), program) : undefined;
}

function placed(expression: Expression, { reading }: Program): NumberPlace | undefined {
  const place = reading.spelled(expression.start, expression.end);
  if (place?.file !== 0) return undefined;
  const text = (reading.sources[0] ?? "").slice(place.start, place.end);
  return { start: place.start, end: place.end, text, isLiteral: expression.kind === "integer" };
}

/** The one variable that a name stands for. */
function variableOf(expression: Expression, { semantics }: Program): VariableDeclaration | undefined {
  const [declaration, ...others] = expression.kind === "name" ? semantics.resolve(expression) : [];
  return declaration && "kind" in declaration && declaration.kind === "variable" && others.length === 0 ? declaration : undefined;
}

const bare = (expression: Expression): Expression => (expression.kind === "parenthesized" ? bare(expression.inner) : expression);
