#!/usr/bin/env node
// Writes what is generated from the GPU data files: src/gpus/data.ts with the sources, src/gpus/values.ts without, and docs/gpus.md.
// `--check` fails when one is stale.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const engine = join(dirname(fileURLToPath(import.meta.url)), "..");
const check = process.argv.includes("--check");
const read = (...path) => JSON.parse(readFileSync(join(engine, "gpus", ...path), "utf8"));
const version = (capability) => capability.split(".").reduce((major, minor) => Number(major) * 100 + Number(minor));

const { reference, order } = read("index.json");
const files = readdirSync(join(engine, "gpus")).filter((name) => !["index.json", "sources.json"].includes(name) && name.endsWith(".json"));
const strays = files.filter((name) => !order.includes(name.slice(0, -5)));
if (strays.length > 0) throw new Error(`gpus/index.json does not list ${strays.join(", ")}`);
const capabilities = readdirSync(join(engine, "gpus", "capabilities"))
  .map((name) => read("capabilities", name))
  .sort((a, b) => version(a.computeCapability) - version(b.computeCapability));
const data = { reference, sources: read("sources.json"), capabilities, products: order.map((id) => read(`${id}.json`)) };

const generated = "// Generated from sim-engine/gpus by sim-engine/scripts/gpus.mjs. Do not edit.";
const source = `${generated}
import type { GpuData } from "./files.ts";

export const data: GpuData = ${JSON.stringify(data)};
`;

const valuesOf = ({ figures, ...about }) => ({
  ...about,
  values: Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, figure.value])),
});
const plain = { reference, capabilities: capabilities.map(valuesOf), products: data.products.map(valuesOf) };
const values = `${generated}
import type { PlainData } from "./files.ts";

export const plain: PlainData = ${JSON.stringify(plain)};
`;

const cell = (text) => String(text).replaceAll("|", "\\|");
const shown = (figure) => {
  const value = Array.isArray(figure.value)
    ? figure.value.map((v) => v.toLocaleString("en")).join(", ")
    : figure.value.toLocaleString("en");
  return `${value} ${figure.unit === "yes/no" ? `(${figure.value ? "yes" : "no"})` : figure.unit}`;
};
const rows = (figures) =>
  Object.entries(figures).map(([name, figure]) => {
    const { title, url } = data.sources[figure.source];
    return `| ${name} | ${shown(figure)} | ${figure.basis} | ${url ? `[${cell(title)}](${url})` : cell(title)}, ${cell(figure.at)} |`;
  });
const head = ["| figure | value | basis | source |", "| --- | --- | --- | --- |"];
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
  "",
  ...table,
  "",
  ...data.products.flatMap((p) => [
    `## ${p.id}`,
    "",
    `${p.name}, ${p.chip}, compute capability [${p.computeCapability}](#compute-capability-${p.computeCapability.replace(".", "")}).`,
    "",
    ...head,
    ...rows(p.figures),
    "",
  ]),
  ...data.capabilities.flatMap((c) => [
    `## Compute capability ${c.computeCapability}`,
    "",
    `${c.architecture}.`,
    "",
    ...head,
    ...rows(c.figures),
    "",
  ]),
  "## Sources",
  "",
  ...Object.values(data.sources).map((s) => `- ${s.author}: ${s.url ? `[${s.title}](${s.url})` : s.title}${s.date ? `, ${s.date}` : ""}`),
  "",
].join("\n");

/** As the project formats its code, so that a formatter never makes the file look stale. */
const formatted = (path, text) =>
  execFileSync(
    process.execPath,
    [join(engine, "..", "node_modules", "@biomejs", "biome", "bin", "biome"), "format", `--stdin-file-path=${path}`],
    {
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );

const outputs = [
  [join(engine, "src", "gpus", "data.ts"), formatted("sim-engine/src/gpus/data.ts", source)],
  [join(engine, "src", "gpus", "values.ts"), formatted("sim-engine/src/gpus/values.ts", values)],
  [join(engine, "..", "docs", "gpus.md"), docs],
];
let stale = 0;
for (const [path, text] of outputs) {
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (check) console.error(`${relative(process.cwd(), path)} is stale: run sim-engine/scripts/gpus.mjs`);
  else writeFileSync(path, text);
  stale++;
}
process.exitCode = check && stale > 0 ? 1 : 0;
