/** Arguments of a kernel that nothing launches: each pointer has a buffer of its own, scalars are not known. */
import type { FunctionDeclaration } from "../syntax/ast.ts";
import type { CapturedArguments } from "./host/launches/launch-entry.ts";
import type { Semantics } from "./sema/index.ts";
import type { Substitution } from "./sema/types.ts";

export function unknownArguments(
  kernel: FunctionDeclaration,
  semantics: Semantics,
  substitution: Substitution | undefined,
): CapturedArguments {
  const args = kernel.parameters.map((parameter, k) => ({
    name: parameter.name ?? `#${k + 1}`,
    type: semantics.declaredType(parameter, substitution),
    argument: { kind: "unknown" as const, reason: "nothing here launches the kernel" },
    inputs: [],
  }));
  return { arguments: args, buffers: [] };
}
