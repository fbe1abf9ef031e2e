/** The list of refactorings from the files in server/src/refactorings, and their page. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load, write } from "../support/generated.mjs";
import { root } from "../support/project.mjs";

const folder = "server/src/refactorings";
const isOne = (name) =>
  name.endsWith(".ts") && /^export default defineRefactoring\(/m.test(readFileSync(path.join(root, folder, name), "utf8"));
const ids = readdirSync(path.join(root, folder))
  .filter(isOne)
  .map((name) => path.basename(name, ".ts"))
  .sort();
const identifier = (id) => id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const imports = [...ids, "refactoring"]
  .sort()
  .map((id) =>
    id === "refactoring" ? `import type { Refactoring } from "./refactoring.ts";` : `import ${identifier(id)} from "./${id}.ts";`,
  );
write(
  `${folder}/index.ts`,
  `/** Generated from this folder by scripts/generate/refactorings.mjs: do not edit. */\n${imports.join("\n")}\n\n/** Every refactoring, by id. */\nexport const refactorings: readonly Refactoring[] = [\n${ids.map((id) => `  ${identifier(id)},\n`).join("")}];\n`,
);

const { refactorings } = await load(`${folder}/index.ts`);
const { refactoringsPage } = await load(`${folder}/page.ts`);
write("docs/refactorings.md", refactoringsPage(refactorings));
