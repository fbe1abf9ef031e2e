#!/usr/bin/env node
// Writes what is generated from the GPU data files: src/gpus/data.ts with the sources, src/gpus/values.ts without, and docs/gpus.md.
// `--check` fails when one is stale.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { write } from "../../scripts/support/generated.mjs";
import { citation, citedSources, engine, figureTable, formatted, plainOf, readData, sourceList } from "./figures.mjs";

const read = (...path) => readData("gpus", ...path);
const version = (capability) => capability.split(".").reduce((major, minor) => Number(major) * 100 + Number(minor));

const { reference, order } = read("index.json");
const files = readdirSync(join(engine, "gpus")).filter(
  (name) => !["index.json", "instructions.json"].includes(name) && name.endsWith(".json"),
);
const strays = files.filter((name) => !order.includes(name.slice(0, -5)));
if (strays.length > 0) throw new Error(`gpus/index.json does not list ${strays.join(", ")}`);
const capabilities = readdirSync(join(engine, "gpus", "capabilities"))
  .map((name) => read("capabilities", name))
  .sort((a, b) => version(a.computeCapability) - version(b.computeCapability));
const products = order.map((id) => read(`${id}.json`));
const instructions = Object.entries(read("instructions.json")).map(([prefix, row]) => ({ prefix, ...row }));
const sources = citedSources([...capabilities, ...products, { figures: Object.fromEntries(instructions.entries()) }]);
const data = { reference, instructions, sources, capabilities, products };

const generated = "// Generated from sim-engine/gpus by sim-engine/scripts/gpus.mjs. Do not edit.";
const source = `${generated}
import type { GpuData } from "./files.ts";

export const data: GpuData = ${JSON.stringify(data)};
`;

const plain = {
  reference,
  instructions: instructions.map(({ prefix, pipe, latency, work, integerWork }) => ({ prefix, pipe, latency, work, integerWork })),
  capabilities: capabilities.map(plainOf),
  products: products.map(plainOf),
};
const values = `${generated}
import type { PlainData } from "./files.ts";

export const plain: PlainData = ${JSON.stringify(plain)};
`;

const value = (product, name) => product.figures[name].value.toLocaleString("en");
const table = [
  "| id | GPU | compute capability | SMs | clock, MHz | memory, GB/s | L2, MB | also known as |",
  "| --- | --- | --- | --- | --- | --- | --- | --- |",
  ...data.products.map((p) =>
    [
      "",
      `[\`${p.id}\`](#${p.id})`,
      p.name,
      p.computeCapability,
      value(p, "smCount"),
      value(p, "clock"),
      value(p, "dramBandwidth"),
      (p.figures.l2Bytes.value / 1048576).toFixed(2).replace(/\.?0+$/, ""),
      p.aliases.join(", "),
      "",
    ]
      .join(" | ")
      .trim(),
  ),
];
const docs = [
  "<!-- Generated from sim-engine/gpus by sim-engine/scripts/gpus.mjs. Do not edit. -->",
  "# GPU models",
  "",
  "Every figure says where it comes from. *specified*: the maker says so. *measured*: somebody measured it on that GPU. *derived*:",
  "computed from other figures, as its row says. *assumed*: taken from another GPU or estimated, as its row says.",
  `What a card's table lacks is taken from the ${data.products.find((p) => p.id === reference).name} and counts as assumed there.`,
  "Accuracy that was not measured on a GPU is not claimed for it.",
  "",
  "A GPU that is not here, or one whose clock or memory differs, is described in `warplens.json` by what it has otherwise than one of",
  "these, with the names and units of the tables below:",
  "",
  "```json",
  "{",
  '  "gpu": "my-h200",',
  '  "gpus": [',
  '    { "id": "my-h200", "name": "H200, 600 W limit", "extends": "h200", "figures": { "clock": 1755, "smCount": 120 } }',
  "  ]",
  "}",
  "```",
  "",
  "`computeCapability` may be another than that of the extended GPU: its limits are then taken from the tables by capability. Such a GPU",
  "can be chosen wherever one is: `--gpu`, the setting `warplens.gpu`, the picker. `warplens gpus my-h200` shows which figures are yours.",
  "`warplens calibrate` measures the GPU at hand and writes such a description: [calibrate.md](calibrate.md).",
  "",
  ...table,
  "",
  ...data.products.flatMap((p) => [
    `## ${p.id}`,
    "",
    `${p.name}, ${p.chip}, compute capability [${p.computeCapability}](#compute-capability-${p.computeCapability.replace(".", "")}).`,
    "",
    ...figureTable(p.figures, sources),
    "",
  ]),
  ...data.capabilities.flatMap((c) => [
    `## Compute capability ${c.computeCapability}`,
    "",
    `${c.architecture}.`,
    "",
    ...figureTable(c.figures, sources),
    "",
  ]),
  "## Instructions",
  "",
  "Where instructions execute and how long a dependent one waits, on every GPU: the first row that an opcode begins with is its own.",
  "",
  "| opcode | pipe | cycles | basis | source |",
  "| --- | --- | --- | --- | --- |",
  ...instructions.map((row) => `| ${row.prefix || "others"} | ${row.pipe} | ${row.latency} | ${citation(row, sources)} |`),
  "",
  ...sourceList(sources),
].join("\n");

write("sim-engine/src/gpus/data.ts", formatted("sim-engine/src/gpus/data.ts", source));
write("sim-engine/src/gpus/values.ts", formatted("sim-engine/src/gpus/values.ts", values));
write("docs/gpus.md", docs);
