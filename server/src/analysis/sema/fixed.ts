/** Which expressions the compiler knows the value of, in each instance of the templates that they stand in. */
import type { Expression, Name, VariableDeclaration } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";

/** Constants that are made of constants: so deep. */
const deepest = 8;

/** What a question has found of the variables that it came by: one may be named any number of times, and so may what it is made of. */
type Known = Map<VariableDeclaration, boolean>;

/** Its value is a constant, if another one for each instance of a template: `(float)N / 2` of `template <int N>`. */
export const isFixed = (context: Context, written: Expression): boolean => isFixedAt(context, written, new Map(), 0);

function isFixedAt(context: Context, written: Expression, known: Known, depth: number): boolean {
  if (context.constant(written, undefined) !== undefined) return true;
  if (depth > deepest) return false;
  const expression = context.clarify(written);
  const inner = (...all: readonly Expression[]): boolean => all.every((each) => isFixedAt(context, each, known, depth + 1));
  switch (expression.kind) {
    case "integer":
    case "float":
    case "bool":
    case "char":
    case "sizeof":
      return true;
    case "parenthesized":
      return inner(expression.inner);
    case "cast":
      return inner(...expression.operands);
    case "unary":
      return /^[-+!~]$/.test(expression.op) && inner(expression.operand);
    case "binary":
      return expression.op !== "," && inner(expression.left, expression.right);
    case "conditional":
      return inner(expression.condition, expression.then, expression.else);
    case "name":
      return isFixedName(context, expression.name, known, depth);
    default:
      return false;
  }
}

function isFixedName(context: Context, name: Name, known: Known, depth: number): boolean {
  const [first, ...more] = name.parts;
  // A member of what a template is given: those are constants, as objects have theirs by `.`.
  if (first && more.length > 0) {
    const [owner] = context.find({ ...name, parts: [first] }, undefined).entities;
    return owner?.kind === "template-parameter";
  }
  const [entity, ...others] = context.find(name, undefined).entities;
  if (!entity || others.length > 0) return false;
  if (entity.kind === "template-parameter") return entity.parameter.kind === "value";
  if (entity.kind !== "variable") return false;
  const found = known.get(entity.declaration) ?? isFixedVariable(context, entity.declaration, known, depth);
  known.set(entity.declaration, found);
  return found;
}

function isFixedVariable(context: Context, { specifiers, type, init }: VariableDeclaration, known: Known, depth: number): boolean {
  const [value, ...values] = init?.values ?? [];
  const isConstant = specifiers.constexpr === true || ("const" in type && type.const === true);
  return isConstant && value !== undefined && values.length === 0 && isFixedAt(context, value, known, depth + 1);
}
