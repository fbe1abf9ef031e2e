/** Static variables of functions: each instance of a template has its own. */
import type { VariableDeclaration } from "../../../syntax/ast.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import type { Cell } from "../values/model.ts";

function staticsHere(host: Interpreter): Map<VariableDeclaration, Cell> {
  const { substitution } = host.frame;
  if (substitution === undefined || substitution.values.size === 0) return host.statics;
  const known = host.localStatics.get(substitution) ?? new Map<VariableDeclaration, Cell>();
  host.localStatics.set(substitution, known);
  return known;
}

export const localStatic = (host: Interpreter, declaration: VariableDeclaration): Cell | undefined => staticsHere(host).get(declaration);

export function keepStatic(host: Interpreter, declaration: VariableDeclaration, cell: Cell): void {
  staticsHere(host).set(declaration, cell);
}

export function isStatic(host: Interpreter, cell: Cell): boolean {
  return [host.statics, ...host.localStatics.values()].some((statics) => [...statics.values()].includes(cell));
}
