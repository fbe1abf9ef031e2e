/**
 * What the models of GPUs that this project has not measured make of published microbenchmarks, beside what was published.
 *
 *   node bench/published.mjs [--write]
 *
 * --write renews the table of docs/accuracy.md.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";
import { percent, renew, table } from "./support/report.mjs";

const { values } = parseArgs({ options: { write: { type: "boolean" } } });
const { errorOf, known, loadGrammarFromDisk, publishedRows } = await import(
  pathToFileURL(
    await bundle("published", [
      "server/src/validation/published.ts",
      "server/src/validation/published-deviations.ts",
      "server/src/grammar.ts",
    ]),
  ).href
);
await loadGrammarFromDisk();
const rows = publishedRows(path.join(root, "sim-engine/validation/jia-2018/kernels"));
const figure = (value) => (value === undefined ? "-" : String(Number(value.toPrecision(3))));
const signed = (error) => (Number.isNaN(error) ? "-" : `${error < 0 ? "-" : "+"}${percent(Math.abs(error))}`);
const within = rows.filter((row) => Math.abs(errorOf(row)) <= 0.15).length;
const reasonOf = ({ where, what, gpu }) => known.find(({ row }) => row === `${where}, ${what}, ${gpu}`)?.why ?? "";
const result = [
  `${within} of ${rows.length} rows are within 15 %.`,
  table(
    ["where", "what", "GPU", "unit", "published", "simulated", "error", "why"],
    rows.map((row) => [
      row.where,
      row.what,
      row.gpu,
      row.unit,
      figure(row.published),
      figure(row.simulated),
      signed(errorOf(row)),
      reasonOf(row),
    ]),
  ),
].join("\n\n");
console.log(result);
if (values.write) renew("published", result);
