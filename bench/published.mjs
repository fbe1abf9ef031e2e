/**
 * What the models of GPUs that this project has not measured make of published microbenchmarks, beside what was published.
 *
 *   node bench/published.mjs [--verbose] [--write]
 *
 * --verbose lists each row; --write renews the part of docs/accuracy.md.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundle, root } from "./support/bundle.mjs";
import { count, percent, renew, table } from "./support/report.mjs";

const { values } = parseArgs({ options: { verbose: { type: "boolean", short: "v" }, write: { type: "boolean" } } });
const { errorOf, known, loadGrammarFromDisk, nameOf, publishedRows } = await import(
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
const isWithin = (row) => Math.abs(errorOf(row)) <= 0.15;
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const byPlace = [...new Set(rows.map(({ where }) => where))].map((where) => {
  const own = rows.filter((row) => row.where === where);
  const errors = own.map((row) => Math.abs(errorOf(row)));
  return [where, count(own.filter(isWithin).length, own.length), percent(median(errors)), percent(Math.max(...errors))];
});
const shown = ({ where, what, gpu, unit, published, simulated }) => [
  `${where}: ${what}`,
  gpu,
  `${figure(published)} ${unit}`.trim(),
  figure(simulated),
];
const beyond = rows.filter((row) => !isWithin(row));
const result = [
  table(["", "rows within 15 %", "median error", "worst error"], byPlace),
  table(
    ["beyond 15 %", "GPU", "published", "simulated", "error", "why"],
    beyond.map((row) => [...shown(row), signed(errorOf(row)), known.find((each) => each.row === nameOf(row))?.why ?? "not known"]),
  ),
].join("\n\n");
if (values.verbose)
  console.log(
    table(
      ["", "GPU", "published", "simulated", "error"],
      rows.map((row) => [...shown(row), signed(errorOf(row))]),
    ),
  );
console.log(result);
if (values.write) renew("published", result);
