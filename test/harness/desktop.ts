/** The suite in a desktop VS Code, where Microsoft's servers can be reached and there is a display. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTests } from "@vscode/test-electron";
import { readResults, type TestResult } from "./results.ts";

const releases = "https://update.code.visualstudio.com/api/releases/stable";

/** Why there can be no desktop VS Code here; undefined where there can. */
async function obstacle(): Promise<string | undefined> {
  if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return "no display for a desktop VS Code";
  const answer = await fetch(releases, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return answer?.ok ? undefined : "a desktop VS Code cannot be downloaded here";
}

/** @returns the tests' results, or why they could not run */
export async function runOnDesktop(root: string, cache: string): Promise<TestResult[] | string> {
  const missing = await obstacle();
  if (missing) return missing;
  const home = mkdtempSync(path.join(tmpdir(), "wl-"));
  const folder = path.join(home, "workspace");
  const resultsFile = path.join(home, "results.jsonl");
  cpSync(path.join(root, "test/fixtures/workspace"), folder, { recursive: true });
  try {
    const code = await runTests({
      cachePath: path.join(cache, "vscode-test"),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(root, "out/e2e/suite.cjs"),
      extensionTestsEnv: { WARPLENS_E2E_RESULTS: resultsFile },
      launchArgs: [folder, "--disable-extensions", "--disable-workspace-trust", `--user-data-dir=${path.join(home, "data")}`],
    }).catch((error: unknown) => String(error));
    const results = readResults(resultsFile);
    const failed = results.some(({ state }) => state === "failed");
    if (code !== 0 && !failed) results.push({ title: "desktop VS Code", state: "failed", error: `It ended with ${code}.` });
    return results;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
