/** A folder that is not trusted: all that reads text works, and no program that its settings name is run. */
import * as assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { openFile, runCommand } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";

export function describeRestricted({ server, browser, extension, folder }: PageContext): void {
  describe("in a workspace that is not trusted", () => {
    let page: Page;
    /** Is there once the compiler that the folder's settings name was run. */
    const ran = path.join(server.home, "ran", "yes");
    before(async () => {
      const compiler = path.join(folder, "nvcc.sh");
      writeFileSync(compiler, `#!/bin/sh\ntouch "${ran}"\nexit 1\n`);
      chmodSync(compiler, 0o755);
      mkdirSync(path.dirname(ran));
      mkdirSync(path.join(folder, ".vscode"), { recursive: true });
      writeFileSync(path.join(folder, ".vscode/settings.json"), JSON.stringify({ "warplens.nvcc": compiler }));
      page = await openFile(browser, server, { folder, extension, file: path.join(folder, "five-rules.cu") });
    });
    after(() => page.close());

    it("finds, simulates and hints", async () => {
      await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
      await page.locator(".monaco-editor .squiggly-warning").first().waitFor();
      await page
        .locator(".codelens-decoration", { hasText: /H200 · occupancy \d+ %/ })
        .first()
        .waitFor();
      await page
        .locator(".view-line", { hasText: /32\s+sectors/ })
        .first()
        .waitFor();
    });

    it("runs no compiler that its settings name, until it is trusted", async () => {
      assert.equal(existsSync(ran), false);
      const watcher = watch(path.dirname(ran));
      try {
        const running = once(watcher, "change");
        await runCommand(page, "Workspaces: Manage Workspace Trust");
        await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
        await running;
      } finally {
        watcher.close();
      }
    });
  });
}
