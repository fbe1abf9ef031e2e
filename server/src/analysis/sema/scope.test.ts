import { expect, test } from "vitest";
import { functionFrom } from "./library/declare.ts";
import type { LateDeclaration } from "./scope.ts";
import { ScopeTree } from "./scope-tree.ts";

test("what is declared late is made once, in its order, when somebody asks for its name", () => {
  const made: string[] = [];
  const late = (signature: string): LateDeclaration => {
    const declaration = functionFrom(signature);
    return [
      declaration.name.parts[0]?.text ?? "",
      () => {
        made.push(signature);
        return declaration;
      },
    ];
  };
  const { root } = new ScopeTree([functionFrom("int first(int)")], undefined, [
    late("int max(int, int)"),
    late("float max(float, float)"),
    late("int min(int, int)"),
  ]);
  expect(root.names.get("other")).toBeUndefined();
  expect(root.names.get("first")?.length).toBe(1);
  expect(made).toEqual([]);
  for (const _ of [1, 2]) expect(root.names.get("max")?.map(({ kind }) => kind)).toEqual(["function", "function"]);
  expect(made).toEqual(["int max(int, int)", "float max(float, float)"]);
});
