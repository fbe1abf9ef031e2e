/** Where `__constant__` variables lie: nvcc puts them into the bank one behind the other as they are declared, those that nothing uses, too. */

import type { VariableDeclaration } from "../../syntax/ast.ts";
import type { Context } from "../sema/context.ts";
import type { ScopeTree } from "../sema/scope-tree.ts";

/** Offsets of the variables in front of which every size is known. */
const banks = new WeakMap<ScopeTree, ReadonlyMap<VariableDeclaration, number>>();

/** @returns bytes from the beginning of the bank; undefined where the size of something in front is not known, or it is of a template */
export function placeInBank(context: Context, declaration: VariableDeclaration): number | undefined {
  return bankOf(context).get(declaration);
}

/** Where all of them lie that are declared in front of one whose size is not known: what a kernel's code depends on besides what it mentions. */
export const bankLayout = (context: Context): readonly number[] => [...bankOf(context).values()];

function bankOf(context: Context): ReadonlyMap<VariableDeclaration, number> {
  const bank = banks.get(context.scopes) ?? laidOut(context);
  banks.set(context.scopes, bank);
  return bank;
}

/** In bytes: what the type asks for, or `__align__` does. */
export function alignmentOfVariable(
  context: Context,
  declaration: VariableDeclaration,
  substitution?: Parameters<Context["constant"]>[1],
): number {
  const type = context.declaredType(declaration, substitution);
  const asked = declaration.specifiers.align && context.constant(declaration.specifiers.align, substitution);
  return Math.max((type && context.alignOf(type)) ?? 1, asked === undefined ? 1 : Number(asked));
}

function laidOut(context: Context): ReadonlyMap<VariableDeclaration, number> {
  const bank = new Map<VariableDeclaration, number>();
  let end = 0;
  for (const declaration of context.scopes.constants) {
    const type = context.declaredType(declaration, undefined);
    const bytes = type && context.sizeOf(type);
    if (bytes === undefined || declaration.templateParameters) break;
    const align = alignmentOfVariable(context, declaration);
    const offset = Math.ceil(end / align) * align;
    bank.set(declaration, offset);
    end = offset + bytes;
  }
  return bank;
}
