/** The settings of server/src/lsp/settings.ts as the manifest's `contributes.configuration` and as docs/settings.md. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { load, write } from "../support/generated.mjs";
import { root } from "../support/project.mjs";
import { ruleSchema } from "../support/rule-schema.mjs";

const { settings } = await load("server/src/lsp/settings.ts");
const { optionsOf, ruleLevels } = await load("server/src/rules/options.ts");
const { gpus } = await load("sim-engine/src/gpus/model.ts");
const { projectKeys } = await load("server/src/lint/project-file.ts");
const catalogue = "server/src/rules/index.ts";
const { rules } = existsSync(path.join(root, catalogue)) ? await load(catalogue) : { rules: [] };

/** The JSON schema of one setting. */
function schemaOf(name, { kind, default: initial }) {
  if (name === "gpu") {
    const known = {
      enum: ["auto", ...gpus.map((gpu) => gpu.id)],
      enumDescriptions: ["From -arch, else the H200", ...gpus.map((gpu) => gpu.name)],
    };
    // Any other text may be a GPU that warplens.json describes.
    return { type: "string", anyOf: [known, { type: "string" }], default: initial };
  }
  if (kind === "rules") {
    const properties = Object.fromEntries(rules.map((rule) => [rule.id, ruleSchema(rule, optionsOf(rule), ruleLevels)]));
    return { type: "object", properties, additionalProperties: { enum: ruleLevels }, default: initial };
  }
  return kind === "strings" ? { type: "array", items: { type: "string" }, default: initial } : { type: kind, default: initial };
}

const properties = Object.fromEntries(
  Object.entries(settings).map(([name, setting], order) => [
    `warplens.${name}`,
    { ...schemaOf(name, setting), scope: "resource", order, markdownDescription: setting.description },
  ]),
);
properties["warplens.trace.server"] = {
  type: "string",
  enum: ["off", "messages", "verbose"],
  default: "off",
  scope: "window",
  order: Object.keys(properties).length,
  description: "Log the messages between the editor and the language server.",
};

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
manifest.contributes.configuration = { title: "WarpLens", properties };
write("package.json", `${JSON.stringify(manifest, null, 2)}\n`);

const rows = Object.entries(settings).map(
  ([name, setting]) => `| \`warplens.${name}\` | \`${JSON.stringify(setting.default)}\` | ${setting.description.replaceAll("|", "\\|")} |`,
);
const keys = Object.entries(projectKeys).map(([name, { description }]) => `| \`${name}\` | ${description.replaceAll("|", "\\|")} |`);
write(
  "docs/settings.md",
  `# Settings

Generated from server/src/lsp/settings.ts and server/src/lint/project-file.ts. Changes take effect at once.

## In the editor

| setting | default | |
| --- | --- | --- |
${rows.join("\n")}

## warplens.json

What holds for everyone who works on a project stands in \`warplens.json\`: the one nearest above a file is its. The editor and the command
line read it, comments are welcome, and what is wrong in it is said with its line. The editor's settings and the command line's options go
before it.

| key | |
| --- | --- |
${keys.join("\n")}

\`\`\`json
{
  "gpu": "lab-h200",
  // An H200 with a lower power limit: everything else is the H200's.
  "gpus": [{ "id": "lab-h200", "name": "Lab H200", "extends": "h200", "figures": { "clock": 1755 } }],
  "rules": { "unsigned-loop-counter": "off", "small-block": { "level": "information", "minGain": 10 } },
  "assume": ["n=1<<24"]
}
\`\`\`

A GPU of your own has an \`id\`, what it \`extends\`, and the \`figures\` that differ, by the names and units of [the GPU models](gpus.md);
a \`name\` to show and another \`computeCapability\` where it has one. Figures that cannot be, or contradict each other, are said.
`,
);
