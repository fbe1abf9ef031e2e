/** The end-to-end suite, from dist/ or from the package: `node scripts/e2e.mjs [--vsix]`, after a build. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./support/project.mjs";
import { ensureChromium, ensureVscode } from "./support/tools.mjs";

/**
 * @param {"source" | "vsix"} kind
 * @returns {Promise<import("./support/checks.mjs").Outcome>} where the tools cannot be had it is skipped, but under CI it fails
 */
export async function endToEnd(kind) {
  const chromium = await ensureChromium();
  const vscode = await ensureVscode();
  const missing = chromium.missing ?? vscode.missing;
  if (missing) {
    const mustRun = process.env.CI === "true";
    console.log(`Cannot run the end-to-end suite: ${missing}`);
    return { passed: 0, failed: mustRun ? 1 : 0, skipped: [missing] };
  }
  const harness = await import("../out/e2e/harness.mjs");
  return harness.endToEnd({
    root,
    vscode,
    chromium: chromium.path,
    ...(kind === "vsix" ? { vsix: path.join(root, "warplens.vsix") } : {}),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed, skipped } = await endToEnd(process.argv.includes("--vsix") ? "vsix" : "source");
  for (const reason of skipped ?? []) console.log(`skipped: ${reason}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
