/** What the generators of GPU and compiler data share: files, tables of cited figures. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const engine = join(dirname(fileURLToPath(import.meta.url)), "..");

/** A data file, by its path below sim-engine. */
export const readData = (...path) => JSON.parse(readFileSync(join(engine, ...path), "utf8"));

/** Of all sources those that these files cite, in the order of sim-engine/sources.json. */
export function citedSources(files) {
  const citations = files.flatMap(({ figures, sequences = {} }) => [...Object.values(figures), ...Object.values(sequences)]);
  const cited = new Set(citations.map(({ source }) => source));
  return Object.fromEntries(Object.entries(readData("sources.json")).filter(([key]) => cited.has(key)));
}

/** A file with plain values for its figures. */
export const plainOf = ({ figures, ...about }) => ({
  ...about,
  values: Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, figure.value])),
});

const cell = (text) => String(text).replaceAll("|", "\\|");
const shown = ({ value, unit }) => {
  const text = Array.isArray(value) ? value.map((v) => v.toLocaleString("en")).join(", ") : value.toLocaleString("en");
  return `${text} ${unit === "yes/no" ? `(${value ? "yes" : "no"})` : unit}`;
};

/** The last two cells of a row: basis and source. */
export function citation({ basis, source, at }, sources) {
  const { title, url } = sources[source];
  return `${basis} | ${url ? `[${cell(title)}](${url})` : cell(title)}, ${cell(at)}`;
}

/** The rows of a Markdown table: figure, value, basis, source; with `says` (by name) what each is stands behind its name. */
export function figureTable(figures, sources, says) {
  const rows = Object.entries(figures).map(([name, figure]) => {
    const meaning = says ? `${cell(says[name])} | ` : "";
    return `| ${name} | ${meaning}${shown(figure)} | ${citation(figure, sources)} |`;
  });
  const middle = says ? ["figure | what it is", "--- | ---"] : ["figure", "---"];
  return [`| ${middle[0]} | value | basis | source |`, `| ${middle[1]} | --- | --- | --- |`, ...rows];
}

export const sourceList = (sources) => [
  "## Sources",
  "",
  ...Object.values(sources).map((s) => `- ${s.author}: ${s.url ? `[${s.title}](${s.url})` : s.title}${s.date ? `, ${s.date}` : ""}`),
  "",
];

/** As the project formats its code, so that a formatter never makes the file look stale. */
export const formatted = (path, text) =>
  execFileSync(
    process.execPath,
    [join(engine, "..", "node_modules", "@biomejs", "biome", "bin", "biome"), "format", `--stdin-file-path=${path}`],
    {
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
