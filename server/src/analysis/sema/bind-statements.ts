/** Binding statements: which scopes they open, what they declare. */
import type { Declaration, Expression, Statement, VariableDeclaration } from "../../syntax/ast.ts";
import type { AnyNode } from "../../syntax/walk.ts";
import { insert, type Scope, scope } from "./scope.ts";

/** What the tree of scopes does for declarations and expressions inside statements. */
export interface StatementBinder {
  readonly ranges: WeakMap<VariableDeclaration, Expression>;
  declareAll(declarations: readonly Declaration[], scope: Scope): void;
  declareVariable(declaration: VariableDeclaration, scope: Scope): void;
  bindExpressions(node: AnyNode, scope: Scope): void;
}

/** Opens the scopes a statement has, and binds what is declared in it. */
export function bindStatement(binder: StatementBinder, statement: Statement, parent: Scope): void {
  const nested = (): Scope => {
    const inner = scope("block", statement, parent);
    insert(parent, inner);
    return inner;
  };
  const condition = (each: Expression | VariableDeclaration | undefined, scope: Scope): void => {
    if (each?.kind === "variable") binder.declareVariable(each, scope);
    else if (each) binder.bindExpressions(each, scope);
  };
  switch (statement.kind) {
    case "block": {
      const inner = nested();
      for (const each of statement.body) bindStatement(binder, each, inner);
      break;
    }
    case "declaration":
      binder.declareAll(statement.declarations, parent);
      break;
    case "if": {
      const inner = nested();
      if (statement.init) bindStatement(binder, statement.init, inner);
      condition(statement.condition, inner);
      bindStatement(binder, statement.then, inner);
      if (statement.else) bindStatement(binder, statement.else, inner);
      break;
    }
    case "for": {
      const inner = nested();
      if (statement.init) bindStatement(binder, statement.init, inner);
      condition(statement.condition, inner);
      if (statement.step) binder.bindExpressions(statement.step, inner);
      bindStatement(binder, statement.body, inner);
      break;
    }
    case "range-for": {
      const inner = nested();
      binder.declareVariable(statement.variable, inner);
      binder.ranges.set(statement.variable, statement.range);
      binder.bindExpressions(statement.range, inner);
      bindStatement(binder, statement.body, inner);
      break;
    }
    case "while":
    case "switch": {
      const inner = nested();
      if (statement.kind === "switch" && statement.init) bindStatement(binder, statement.init, inner);
      condition(statement.condition, inner);
      bindStatement(binder, statement.body, inner);
      break;
    }
    case "do": {
      const inner = nested();
      bindStatement(binder, statement.body, inner);
      binder.bindExpressions(statement.condition, inner);
      break;
    }
    case "try": {
      bindStatement(binder, statement.body, parent);
      for (const handler of statement.handlers) bindStatement(binder, handler, parent);
      break;
    }
    default:
      binder.bindExpressions(statement, parent);
  }
}
