/** What functions and lambdas return, from what they are declared to or what they do return. */
import type { Expression, FunctionDeclaration, Statement } from "../../syntax/ast.ts";
import type { Context, Info } from "./context.ts";
import { decay, recordType, voidType } from "./type-tools.ts";
import type { Substitution, Type } from "./types.ts";

export function lambdaResult(
  context: Context,
  lambda: Expression & { kind: "lambda" },
  substitution: Substitution | undefined,
): Type | undefined {
  if (lambda.result && lambda.result.kind !== "auto") return context.typeFrom(lambda.result, substitution);
  return returnedType(context, lambda.body, substitution);
}

/** What a function returns; `auto` from its first `return`. */
export function functionResult(
  context: Context,
  declaration: FunctionDeclaration,
  substitution: Substitution | undefined,
): Type | undefined {
  if (declaration.role === "constructor") {
    const owner = context.scopes.records.get(declaration);
    const record = owner && context.currentRecord(owner, substitution);
    return record && recordType(record);
  }
  const type = context.typeFrom(declaration.result, substitution);
  if (type) return type;
  const body = mentionsAuto(declaration.result) ? context.readBody(declaration) : undefined;
  const inner = body && returnedInfo(context, body, substitution);
  return inner === "void" ? voidType : inner && context.typeFrom(declaration.result, substitution, inner);
}

const mentionsAuto = (node: FunctionDeclaration["result"]): boolean =>
  node.kind === "auto" || ((node.kind === "pointer" || node.kind === "reference") && mentionsAuto(node.to));

function returnedType(context: Context, body: Statement, substitution: Substitution | undefined): Type | undefined {
  const info = returnedInfo(context, body, substitution);
  return info === "void" ? voidType : info && decay(info.type);
}

function returnedInfo(context: Context, body: Statement, substitution: Substitution | undefined): Info | "void" | undefined {
  const returned = firstReturn(context, body, substitution);
  if (!returned?.value) return "void";
  return context.guard(() => returned.value && context.info(returned.value, substitution));
}

/** The first `return` that a compiler would keep: branches of `if constexpr` not taken are left out. */
export function firstReturn(
  context: Context,
  statement: Statement,
  substitution: Substitution | undefined,
): (Statement & { kind: "return" }) | undefined {
  const among = (statements: readonly (Statement | undefined)[]): (Statement & { kind: "return" }) | undefined => {
    for (const each of statements) {
      const found = each && firstReturn(context, each, substitution);
      if (found) return found;
    }
    return undefined;
  };
  switch (statement.kind) {
    case "return":
      return statement;
    case "block":
      return among(statement.body);
    case "if": {
      const known =
        statement.constexpr && statement.condition.kind !== "variable" ? context.constant(statement.condition, substitution) : undefined;
      return known === undefined ? among([statement.then, statement.else]) : among([Number(known) ? statement.then : statement.else]);
    }
    case "for":
    case "range-for":
    case "while":
    case "do":
    case "switch":
      return among([statement.body]);
    default:
      return undefined;
  }
}
