/**
 * The end-to-end run: the suite inside the extension host and the checks of the page from outside, both in one VS Code in a
 * browser; and the suite once more in a desktop VS Code where one can be had.
 */
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import type { BrowserContext } from "playwright-core";
import { checkPage, checkRestricted } from "../page/index.ts";
import { runOnDesktop } from "./desktop.ts";
import { print, readResults, type Tally, type TestResult, tally } from "./results.ts";
import { startServer, type VscodeInstall, type VscodeServer } from "./vscode-server.ts";
import { openBrowser, workbenchUrl } from "./workbench.ts";

export { recordEdit, screenshots } from "./screenshots.ts";
export { startServer } from "./vscode-server.ts";
export { goToLine, openBrowser, openFile, openPanel, workbenchUrl } from "./workbench.ts";

export interface EndToEndOptions {
  readonly root: string;
  readonly vscode: VscodeInstall;
  readonly chromium: string;
  /** Installs this package; without it the extension runs from `root`. */
  readonly vsix?: string;
}

export async function endToEnd({ root, vscode, chromium, vsix }: EndToEndOptions): Promise<Tally> {
  const results: TestResult[] = [];
  const record = (result: TestResult) => {
    print(result);
    results.push(result);
  };
  const extension = vsix ? undefined : root;
  const suite = await session({ vscode, chromium, vsix }, (server, browser, resultsFile) =>
    runSuite(server, browser, { root, extension, resultsFile }),
  );
  for (const result of suite) record(result);
  await session({ vscode, chromium, vsix }, (server, browser) =>
    checkPage({ root, server, browser, extension, folder: workspace(root, server) }, record),
  );
  await session({ vscode, chromium, vsix, asksTrust: true }, (server, browser) =>
    checkRestricted({ root, server, browser, extension, folder: workspace(root, server) }, record),
  );
  const desktop = vsix ? [] : await runOnDesktop(root, path.join(root, ".cache"));
  if (typeof desktop === "string") return { ...tally(results), skipped: [...tally(results).skipped, desktop] };
  for (const result of desktop) record({ ...result, title: `desktop › ${result.title}` });
  return tally(results);
}

type Session<T> = (server: VscodeServer, browser: BrowserContext, resultsFile: string) => Promise<T>;

/** A fresh server and browser for some work; both are gone afterwards. */
async function session<T>(
  using: { vscode: VscodeInstall; chromium: string; vsix: string | undefined; asksTrust?: boolean },
  work: Session<T>,
): Promise<T> {
  const resultsFile = path.join(process.cwd(), ".cache", `e2e-${process.pid}.jsonl`);
  rmSync(resultsFile, { force: true });
  const server = await startServer(using.vscode, {
    vsix: using.vsix,
    asksTrust: using.asksTrust ?? false,
    env: { WARPLENS_E2E_RESULTS: resultsFile, ...(using.vsix ? { WARPLENS_E2E_INSTALLED: "1" } : {}) },
  });
  try {
    const browser = await openBrowser(using.chromium, server.home);
    try {
      return await work(server, browser, resultsFile);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    rmSync(resultsFile, { force: true });
  }
}

/** A copy of the fixtures: tests write settings into it. With a program that was measured, and what the profiler printed of it. */
function workspace(root: string, server: VscodeServer): string {
  const folder = path.join(server.home, "workspace");
  cpSync(path.join(root, "test/fixtures/workspace"), folder, { recursive: true });
  cpSync(path.join(root, "server/src/measured/testing"), path.join(folder, "measured"), { recursive: true });
  return folder;
}

async function runSuite(
  server: VscodeServer,
  browser: BrowserContext,
  { root, extension, resultsFile }: { root: string; extension: string | undefined; resultsFile: string },
): Promise<TestResult[]> {
  const page = await browser.newPage();
  const ended = new Promise<number>((resolve) => {
    void page.exposeFunction("codeAutomationExit", (code: number) => resolve(code));
  });
  const log: string[] = [];
  await page.exposeFunction("codeAutomationLog", (_kind: string, args: readonly unknown[]) => log.push(args.map(String).join(" ")));
  const crashed = new Promise<number>((resolve) => page.once("crash", () => resolve(-1)));
  const opening = {
    folder: workspace(root, server),
    // An installed extension needs none under development, but its tests do.
    extension: extension ?? path.join(root, "test/runner"),
    tests: path.join(root, "out/e2e/suite.cjs"),
  };
  await page.goto(workbenchUrl(server, opening));
  const code = await Promise.race([ended, crashed, deadline()]);
  const results = readResults(resultsFile);
  const failed = results.some(({ state }) => state === "failed");
  if (results.length === 0 || (code !== 0 && !failed)) {
    const why = code === undefined ? "did not end in time" : `ended with code ${code}`;
    results.push({ title: "the suite in the extension host", state: "failed", error: [`It ${why}.`, ...log.slice(-40)].join("\n") });
  }
  return results;
}

/** A run that hangs is cut: nothing waits on this. */
function deadline(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, suiteLimitMs, undefined).unref());
}
const suiteLimitMs = 480_000;
