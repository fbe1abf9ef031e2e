/** What a kernel is promised of its launches. */
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import type { Context } from "./context.ts";
import { lastName } from "./scope.ts";

/** `__launch_bounds__`, which may stand at another declaration of the kernel: in front of it, without a body. */
export function launchBoundsOf(context: Context, kernel: FunctionDeclaration): readonly Expression[] {
  if (kernel.specifiers.launchBounds) return kernel.specifiers.launchBounds;
  const home = context.scopes.scopeOf.get(kernel)?.parent ?? context.scopes.root;
  for (const each of context.scopes.own(home, lastName(kernel.name))) {
    if (each.kind !== "function" || !isSame(each.declaration, kernel)) continue;
    if (each.declaration.specifiers.launchBounds) return each.declaration.specifiers.launchBounds;
  }
  return [];
}

/** Another declaration without a body, of as many parameters, those of templates by the same names. */
const isSame = (a: FunctionDeclaration, b: FunctionDeclaration): boolean =>
  !a.body &&
  a.parameters.length === b.parameters.length &&
  a.templateParameters?.length === b.templateParameters?.length &&
  (a.templateParameters ?? []).every((each, index) => each.name === b.templateParameters?.[index]?.name);
