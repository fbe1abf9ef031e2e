/** What the figures of GPUs and compilers cite: nothing stands in the list for nothing, and what lies in this folder is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { data as compilers } from "../src/compilers/data.ts";
import { compilerFigureNames } from "../src/compilers/figures.ts";
import type { Citation, Source } from "../src/figures/figure.ts";
import { lintSources } from "../src/figures/lint.ts";
import { data as gpus } from "../src/gpus/data.ts";
import { behaviourNames } from "../src/gpus/model.ts";

const citations: readonly Citation<string>[] = [
  ...[...gpus.capabilities, ...gpus.products, ...compilers.compilers].flatMap(({ figures }) => Object.values(figures)),
  ...gpus.instructions,
  ...compilers.compilers.flatMap(({ sequences }) => Object.values(sequences)),
];
const sources = JSON.parse(readFileSync(join(import.meta.dirname, "..", "sources.json"), "utf8")) as Readonly<Record<string, Source>>;

test("every source is cited", () => {
  expect([...lintSources(sources, citations)]).toEqual([]);
  expect([...lintSources({ hearsay: { title: "Hearsay", author: "nobody" } }, citations)]).toEqual(["source hearsay is cited by nothing"]);
});

test("every record that a figure names is here", () => {
  const folders: Readonly<Record<string, readonly string[]>> = {
    "h200-measured": ["microbenchmarks", "."],
    "compiler-probes": ["compiler"],
  };
  const named = citations.flatMap(({ source, at }) => {
    const record = /^[\w/-]+\.(json|txt|tsv)/.exec(at)?.[0];
    return record ? (folders[source] ?? []).map((folder) => join(import.meta.dirname, folder, record)) : [];
  });
  expect(named.length).toBeGreaterThan(20);
  const missing = [...new Set(named.map((path) => path.split("/").at(-1)))].filter(
    (name) => !named.some((path) => path.endsWith(`/${name}`) && existsSync(path)),
  );
  expect(missing).toEqual([]);
});

test("every figure of a compiler, and of how a GPU behaves, is what something is computed with", () => {
  const root = join(import.meta.dirname, "..", "src");
  const code = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/^(compilers|gpus)\b|\btesting\b|\.test\.ts$/.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  const words = new Set(code.match(/\b[a-z]\w*\b/g));
  expect(words.has("smCount")).toBe(true);
  expect([...compilerFigureNames, ...behaviourNames].filter((name) => !words.has(name))).toEqual([]);
});
