/** The checks: each runs one tool and counts. `npm test` and `npm run ready` are lists of them. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { cache, root, run, runBin } from "./project.mjs";

/**
 * @typedef {{ passed: number, failed: number, skipped?: readonly string[] }} Outcome
 * @typedef {{ name: string, run: () => Promise<Outcome> }} Check
 */

/** A tool that says yes or no counts as one. */
const yesOrNo = (code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 });
const script = (name, args = []) => run(process.execPath, [path.join(root, "scripts", name), ...args]);

/** @type {Check} */
export const generated = { name: "generated files", run: async () => yesOrNo(await script("generate.mjs", ["--check"])) };
/** @type {Check} */
export const types = { name: "types", run: async () => yesOrNo(await runBin("typescript", ["-b"])) };
/** @type {Check} */
export const lint = {
  name: "biome",
  run: async () => yesOrNo(await runBin("@biomejs/biome", ["check", "--error-on-warnings", "--max-diagnostics=50", "."])),
};
/** @type {Check} */
export const deadCode = { name: "knip", run: async () => yesOrNo(await runBin("knip", ["--no-progress"])) };
/** @type {Check} */
export const build = { name: "build", run: async () => yesOrNo(await run(process.execPath, ["esbuild.mjs"])) };
/** @type {Check} */
export const packaged = { name: "package", run: async () => yesOrNo(await script("package.mjs")) };

/** @type {Check} */
export const unit = {
  name: "unit",
  async run() {
    const counts = path.join(cache, "unit.json");
    mkdirSync(cache, { recursive: true });
    rmSync(counts, { force: true });
    const reporter = path.join(root, "scripts/support/unit-counts.mjs");
    const code = await runBin("vitest", ["run", "--reporter=default", `--reporter=${reporter}`], { env: { UNIT_COUNTS: counts } });
    try {
      const { passed, failed, skipped } = JSON.parse(readFileSync(counts, "utf8"));
      return { passed, failed: failed || (code === 0 ? 0 : 1), skipped };
    } catch {
      return { passed: 0, failed: 1 };
    }
  },
};

/**
 * The end-to-end suite.
 * @param {"source" | "vsix"} kind the extension from dist/, or installed from the package
 * @returns {Check}
 */
export const endToEnd = (kind) => ({
  name: `end to end, from ${kind === "source" ? "source" : "the .vsix"}`,
  run: async () => (await import("../e2e.mjs")).endToEnd(kind),
});

/** Resources of the process that keep it from ending, by their kinds: all but what it writes to. */
const held = () => process.getActiveResourcesInfo().filter((kind) => !/^(TTY|Pipe|Timeout|TickObject|Immediate)/.test(kind));

/**
 * Runs checks one after another and prints what came out; the last line adds them all up. What a check has left open is told:
 * it would keep the process from ending, so that who runs the checks ends it.
 * @param {readonly Check[]} checks
 * @returns {Promise<boolean>} whether all passed
 */
export async function runChecks(checks) {
  const rows = [];
  for (const { name, run: check } of checks) {
    console.log(`\n── ${name}`);
    const started = performance.now();
    const outcome = await check().catch((error) => {
      console.error(error);
      return { passed: 0, failed: 1 };
    });
    rows.push({ name, seconds: (performance.now() - started) / 1000, skipped: [], ...outcome });
    // What has just ended is let go of within a few turns.
    for (let turn = 0; turn < 100 && held().length > 0; turn++) await new Promise((resolve) => setImmediate(resolve));
    const left = held();
    if (left.length > 0) console.log(`left open by ${name}: ${left.join(", ")}`);
  }
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  console.log("");
  for (const { name, passed, failed, seconds } of rows)
    console.log(`${name.padEnd(28)} ${`${passed} passed`.padStart(12)}${failed > 0 ? `, ${failed} failed` : ""}  ${seconds.toFixed(1)} s`);
  for (const { name, skipped } of rows) for (const reason of skipped) console.log(`skipped in ${name}: ${reason}`);
  console.log(`${total("passed")} passed, ${total("failed")} failed`);
  return total("failed") === 0;
}
