/** What sema knows of whole programs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expression, FunctionDeclaration } from "../../syntax/ast.ts";
import { parseText } from "../../syntax/testing/parse-text.ts";
import { type AnyNode, walk } from "../../syntax/walk.ts";
import { bindUnit } from "./index.ts";
import { typeName } from "./type-tools.ts";

describe("launches", () => {
  test("name their kernel with its arguments, written or deduced", async () => {
    const { unit } = await parseText(`
      template <class T, int N> __global__ void scale(T *p) {}
      template <class T> __global__ void copy(T *p, const T *q, int n) {}
      void host(double *a) { scale<float, 4><<<1, 32>>>((float *)a); copy<<<2, 64>>>(a, a, 3); auto k = scale<int, 8>; k<<<1, 1>>>(nullptr); }`);
    const semantics = bindUnit(unit);
    const found: string[] = [];
    walk(unit, (node: AnyNode) => {
      if (node.kind !== "call" || !node.launch) return true;
      const callee = semantics.callee(node);
      found.push(
        `${callee?.function.name.parts[0]?.text} ${[...(callee?.substitution.values ?? [])].map(([name, value]) => `${name}=${typeof value === "object" && "kind" in value ? typeName(value as Parameters<typeof typeName>[0]) : String(value)}`).join(" ")}`,
      );
      return true;
    });
    expect(found).toEqual(["scale T=float N=4", "copy T=double", "scale T=int N=8"]);
  });

  test("a kernel's substitution from values by position", async () => {
    const { unit } = await parseText("template <class T, int N = 2> __global__ void k(T *p) { T x[N]; show(x); }");
    const semantics = bindUnit(unit);
    const kernel = semantics.functions[0] as FunctionDeclaration;
    expect(semantics.substitutionFor(kernel, [])).toBeUndefined();
    const substitution = semantics.substitutionFor(kernel, [{ kind: "floating", name: "float" }, 7n]);
    const statement = kernel.body?.body[0];
    const variable = statement?.kind === "declaration" ? statement.declarations[0] : undefined;
    const type = variable?.kind === "variable" ? semantics.declaredType(variable, substitution) : undefined;
    expect(type && typeName(type)).toBe("float[7]");
  });
});

describe("any program", () => {
  const words = [
    "int",
    "float",
    "x",
    "y",
    "T",
    "struct",
    "template",
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    ";",
    "=",
    "+",
    "*",
    "&",
    ",",
    "auto",
    "return",
    "if",
    "1",
    "2.0",
    "::",
    ".",
    "[",
    "]",
    "class",
    "typename",
    "using",
    "operator",
    "const",
    "namespace",
    "f",
    "->",
    "...",
  ];
  test("is bound and typed without an exception, and in time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...words), { maxLength: 120 }), async (tokens) => {
        const { unit } = await parseText(tokens.join(" "));
        const semantics = bindUnit(unit);
        walk(unit, (node: AnyNode) => {
          if (node.kind === "variable") semantics.declaredType(node);
          else if (expressionKinds.has(node.kind)) {
            semantics.typeOf(node as Expression);
            semantics.constant(node as Expression);
            semantics.resolve(node as Expression);
          }
          return true;
        });
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});

const expressionKinds: ReadonlySet<string> = new Set([
  "name",
  "unary",
  "binary",
  "call",
  "subscript",
  "member",
  "cast",
  "list",
  "conditional",
  "assign",
  "parenthesized",
  "lambda",
  "integer",
]);
