/** The list of rules from the files in server/src/rules, and their pages in docs/rules. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load, write } from "../support/generated.mjs";
import { root } from "../support/project.mjs";

const folder = "server/src/rules";
const isRule = (name) =>
  name.endsWith(".ts") &&
  !name.endsWith(".test.ts") &&
  /^export default defineRule\(/m.test(readFileSync(path.join(root, folder, name), "utf8"));
const ids = readdirSync(path.join(root, folder))
  .filter(isRule)
  .map((name) => path.basename(name, ".ts"))
  .sort();
const identifier = (id) => id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const imports = [...ids, "rule"]
  .sort()
  .map((id) => (id === "rule" ? `import type { Rule } from "./rule.ts";` : `import ${identifier(id)} from "./${id}.ts";`));
write(
  `${folder}/index.ts`,
  `/** Generated from this folder by scripts/generate/rules.mjs: do not edit. */\n${imports.join("\n")}\n\n/** Every rule, by id. */\nexport const rules: readonly Rule[] = [\n${ids.map((id) => `  ${identifier(id)},\n`).join("")}];\n`,
);

const { rules } = await load(`${folder}/index.ts`);
const { rulePage, catalogue } = await load(`${folder}/page.ts`);
for (const rule of rules) write(`docs/rules/${rule.id}.md`, rulePage(rule));
write("docs/rules/README.md", catalogue(rules));
