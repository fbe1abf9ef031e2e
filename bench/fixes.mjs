/**
 * Tries every fix, and counts what comes of it by rule.
 *
 *   node bench/fixes.mjs [FILE...] [--rule ID] [--nvcc] [--list]
 *
 * FILE: sources; without, the `found` cases of the rules' tests. --nvcc: whether what compiled before compiles after, too (where there is
 * an nvcc). --list: each fix that is not proved, with the reason. Exit 1 where a fix that is proved does not compile.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { bundle, root } from "./support/bundle.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rule: { type: "string" }, nvcc: { type: "boolean" }, list: { type: "boolean" } },
});
const warplens = await import(
  pathToFileURL(await bundle("fixes", ["server/src/validation/proved-fixes.ts", "server/src/grammar.ts", "server/src/files.ts"])).href
);
await warplens.loadGrammarFromDisk();
const settings = { computeCapability: 90, defines: [], includeDirs: [], launches: [], assume: [], argv: [] };

/** The `found` cases of the rules' tests: their files run with a `testRule` that only collects. */
async function testCases() {
  const folder = path.join(root, "server/src/rules");
  const tests = readdirSync(folder).filter((name) =>
    /\btestRule\(/.test(name.endsWith(".test.ts") ? readFileSync(path.join(folder, name), "utf8") : ""),
  );
  const stubs = {
    tables:
      "export const testRule = (rule, { found }) => globalThis.collected.push([rule.id, found]); export const findingsOf = () => []; export const analyseCode = () => ({});",
    vitest:
      "const none = new Proxy(() => none, { get: () => none }); export { none as test, none as it, none as describe, none as expect, none as beforeAll };",
  };
  const outfile = path.join(root, "node_modules/.cache/warplens-found-cases.mjs");
  await build({
    stdin: { contents: tests.map((name) => `import "./server/src/rules/${name}";`).join("\n"), resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["web-tree-sitter", "tree-sitter-cuda"],
    outfile,
    ignoreAnnotations: true,
    plugins: [
      {
        name: "collect",
        setup(plugin) {
          plugin.onResolve({ filter: /rule-tables\.ts$|^vitest$/ }, ({ path: of }) => ({
            path: of === "vitest" ? of : "tables",
            namespace: "stub",
          }));
          plugin.onLoad({ filter: /.*/, namespace: "stub" }, ({ path: of }) => ({ contents: stubs[of], loader: "js" }));
        },
      },
    ],
  });
  globalThis.collected = [];
  await import(pathToFileURL(outfile).href);
  const withoutMarks = (code) =>
    code
      .split("\n")
      .filter((line) => !/^[ \t]*\/\/[ \t]*\^+/.test(line))
      .join("\n");
  return globalThis.collected
    .flatMap(([rule, found]) =>
      Object.entries(found).map(([name, { code }]) => ({ name: `${rule}: ${name}`, rule, text: withoutMarks(code) })),
    )
    .filter(({ rule }) => values.rule === undefined || values.rule === rule);
}

const noFiles = { read: () => undefined };
const subjects =
  positionals.length > 0
    ? positionals.map((name) => ({
        name,
        path: path.resolve(name),
        text: readFileSync(name, "utf8"),
        files: warplens.diskFiles,
        rule: values.rule,
      }))
    : (await testCases()).map((each) => ({ ...each, path: "/project/case.cu", files: noFiles }));

const folder = mkdtempSync(path.join(tmpdir(), "warplens-fixes-"));
function compiles(text, beside) {
  const file = path.join(folder, "case.cu");
  writeFileSync(file, text);
  const include = beside === undefined ? [] : ["-I", path.dirname(beside)];
  const { status } = spawnSync("nvcc", ["-std=c++17", "-arch=sm_90", "-w", ...include, "-cubin", "-o", path.join(folder, "case.o"), file], {
    stdio: "ignore",
  });
  return status === 0;
}
const hasNvcc = values.nvcc === true && spawnSync("nvcc", ["--version"], { stdio: "ignore" }).status === 0;
if (values.nvcc && !hasNvcc) console.log("there is no nvcc here: nothing is compiled");

const counts = new Map();
let broken = 0;
for (const { name, path: file, text, files, rule } of subjects) {
  let tried;
  const started = Date.now();
  try {
    tried = warplens.triedFixes(file, text, files, settings, rule === undefined ? undefined : [rule]);
  } catch (error) {
    console.log(`${name}: ${error.stack}`);
    continue;
  }
  const compiled = hasNvcc && tried.length > 0 && compiles(text, files === noFiles ? undefined : file);
  for (const { ruleId, title, proof, fixed, left } of tried) {
    const row = counts.get(ruleId) ?? { fixes: 0, proved: 0, unchecked: 0, withheld: 0, compiled: 0, broken: 0, "still found": 0 };
    counts.set(ruleId, row);
    row.fixes++;
    row[proof.verdict]++;
    if (proof.verdict !== "proved" && values.list) console.log(`${name}: ${title}: ${proof.verdict}: ${proof.why}`);
    if (proof.verdict === "withheld") continue;
    if (left[0] >= left[1]) {
      row["still found"]++;
      if (values.list) console.log(`${name}: ${title}: still found`);
    }
    if (!compiled) continue;
    row.compiled++;
    if (compiles(fixed, files === noFiles ? undefined : file)) continue;
    row.broken++;
    broken++;
    console.log(`${name}: ${title}: does not compile any more\n${fixed}`);
  }
  if (Date.now() - started > 5000 && values.list) console.log(`${name}: ${tried.length} fixes took ${Date.now() - started} ms`);
}
rmSync(folder, { recursive: true, force: true });
const sum = (key) => [...counts.values()].reduce((all, row) => all + row[key], 0);
const columns = ["fixes", "proved", "unchecked", "withheld", "still found", "compiled", "broken"];
console.log(`| rule | ${columns.join(" | ")} |\n| --- |${" ---: |".repeat(columns.length)}`);
for (const [ruleId, row] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`| ${ruleId} | ${columns.map((key) => row[key]).join(" | ")} |`);
console.log(`| all | ${columns.map(sum).join(" | ")} |`);
process.exitCode = broken > 0 ? 1 : 0;
