/** The JSON schema of `warplens.json`, for the editor's completion and hovers. What is wrong in the file the server says better. */
import { load, write } from "../support/generated.mjs";
import { ruleSchema } from "../support/rule-schema.mjs";

const { projectKeys } = await load("server/src/lint/project-file.ts");
const { gpus, capabilities, figureDefinitions } = await load("sim-engine/src/gpus/model.ts");
const { rules } = await load("server/src/rules/index.ts");
const { optionsOf, ruleLevels } = await load("server/src/rules/options.ts");

const texts = { type: "array", items: { type: "string" } };
const selectors = { type: "array", items: { anyOf: [{ enum: ["ALL", ...rules.map(({ id }) => id)] }, { type: "string" }] } };
const model = { enum: gpus.map(({ id }) => id), enumDescriptions: gpus.map(({ name }) => name) };
const ruleSchemas = Object.fromEntries(rules.map((rule) => [rule.id, ruleSchema(rule, optionsOf(rule), ruleLevels)]));
const figureSchemas = Object.fromEntries(
  Object.entries(figureDefinitions).map(([name, { unit, list, says }]) => {
    const number = { type: "number", minimum: 0 };
    return [name, { ...(list ? { type: "array", items: number } : number), description: `${says}, in ${unit}.` }];
  }),
);
/** A place to fill in, in the editor's snippet syntax. */
const place = (number, text) => `\${${number}:${text}}`;
const ownGpu = {
  type: "object",
  required: ["id", "extends"],
  properties: {
    id: { type: "string", pattern: "^[a-z0-9][a-z0-9.-]*$", description: "What `gpu`, `--gpu` and `warplens.gpu` call it." },
    name: { type: "string", description: "What is shown of it; its id when it has none." },
    extends: { ...model, description: "The GPU model it is otherwise like." },
    computeCapability: {
      enum: capabilities.map(({ computeCapability }) => computeCapability),
      description: "When it is another than the extended model's: the limits are then those of this capability.",
    },
    figures: { type: "object", properties: figureSchemas, description: "The figures that differ, by the names and units of docs/gpus.md." },
  },
  defaultSnippets: [
    {
      label: "a GPU of your own",
      body: { id: place(1, "my-gpu"), name: place(2, "My GPU"), extends: place(3, "h200"), figures: { smCount: `^${place(4, 132)}` } },
    },
  ],
};
const schemas = {
  gpu: { type: "string", anyOf: [model, { type: "string" }] },
  gpus: { type: "array", items: ownGpu },
  simulate: { type: "boolean", default: true },
  rules: { type: "object", properties: ruleSchemas },
  leastGain: { type: "number", minimum: 0, maximum: 100, default: 5 },
  select: selectors,
  ignore: selectors,
  gates: {
    ...texts,
    examples: [["transpose on h200: time < 200 us", "*: no new finding of error"]],
    defaultSnippets: [
      { label: "a bound", body: [`${place(1, "kernel")}: ${place(2, "time < 200 us")}`] },
      { label: "no new findings", body: ["*: no new finding of error"] },
    ],
  },
  baseline: { type: "string" },
};
const properties = Object.entries(projectKeys).map(([name, { description }]) => [
  name,
  { ...(schemas[name] ?? texts), markdownDescription: description },
]);
const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "WarpLens project settings",
  type: "object",
  allowTrailingCommas: true,
  properties: Object.fromEntries(properties),
};
write("client/schemas/warplens.schema.json", `${JSON.stringify(schema, null, 2)}\n`);
