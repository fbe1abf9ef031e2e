/**
 * Prints findings of one rule in real code, chosen at random, for reading by eye; the last line counts all there are.
 * `node scripts/sample-findings.mjs RULE FOLDER... [--count 40] [--seed 1] [--simulate]`, after a build.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./support/project.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    simulate: { type: "boolean", default: false },
  },
});
const [rule, ...folders] = positionals;
if (!rule || folders.length === 0) {
  console.error("usage: node scripts/sample-findings.mjs RULE FOLDER... [--count 40] [--seed 1] [--simulate]");
  process.exit(2);
}

/** Numbers in [0, 1), the same for a seed every time (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const started = performance.now();
const args = ["check", ...folders, "--select", rule, "--format", "json", ...(values.simulate ? [] : ["--no-simulate"])];
const ran = spawnSync(process.execPath, [path.join(root, "dist/cli.js"), ...args], { encoding: "utf8", maxBuffer: 2 ** 30 });
if (ran.status === 2 || ran.status === null) {
  console.error(ran.stderr);
  process.exit(2);
}
const { files } = JSON.parse(ran.stdout);
const found = files.flatMap((file) => file.diagnostics.map((diagnostic) => ({ file: file.path, ...diagnostic })));
const next = random(Number(values.seed));
const chosen = found
  .map((finding) => ({ finding, order: next() }))
  .sort((a, b) => a.order - b.order)
  .slice(0, Number(values.count));
for (const [index, { finding }] of chosen.entries()) {
  const { line, character } = finding.range.start;
  const text = readFileSync(finding.file, "utf8").split("\n")[line]?.trim() ?? "";
  const fixes = finding.fixes.map(({ title, safe }) => `${safe ? "safe" : "unsafe"}: ${title}`).join("; ");
  console.log(`${index + 1}. ${finding.file}:${line + 1}:${character + 1}\n   ${text}\n   ${finding.message}\n   ${fixes || "no fix"}`);
}
console.log(`${found.length} findings in ${files.length} files, ${((performance.now() - started) / 1000).toFixed(0)} s`);
