import { expect, test } from "vitest";
import { FileParser, read } from "./index.ts";
import { testParser } from "./testing/parse-text.ts";
import { walk } from "./walk.ts";

const nested = (count: number, open: string, close: string): string => `${open.repeat(count)}1${close.repeat(count)}`;

test("an item says whether a limit was met where it was converted", async () => {
  const parts = ["int a = 1;", `int b = ${nested(3000, "(", ")")};`, "void f() { g(1, 2); }", `int ${"*".repeat(3000)} c;`];
  const parsed = new FileParser(await testParser).parse(
    read("/src/limits.cu", parts.join("\n"), { read: () => undefined }, { computeCapability: 90 }),
  );
  const items = parsed?.placed.map(({ item }) => item) ?? [];
  const cut = items.map(({ declarations }) => {
    let found = false;
    for (const declaration of declarations)
      walk(declaration, (node) => {
        found ||= node.kind === "unknown" && node.limit !== undefined;
        return true;
      });
    return found;
  });
  expect(cut).toEqual([false, true, false, true]);
  expect(items.map(({ isLimited }) => isLimited)).toEqual(cut);
});
