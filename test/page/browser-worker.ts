import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { openFile } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";

/** Where extensions seem to come from, as a gallery would serve them: intercepted, never asked for. */
const gallery = "https://extension.test";
const files = "https://files.test";

const types: Record<string, string> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves an extension from a folder. */
async function serve(browser: BrowserContext, origin: string, root: string): Promise<URL> {
  await browser.route(`${origin}/**`, async (route) => {
    const file = path.join(root, new URL(route.request().url()).pathname);
    const body = await readFile(file).catch(() => undefined);
    const headers = { "access-control-allow-origin": "*", "content-type": types[path.extname(file)] ?? "text/plain" };
    await route.fulfill(body ? { body, headers } : { status: 404, headers });
  });
  return new URL(origin);
}

/** The browser entry: client in the browser's extension host, server in a worker, no process anywhere. */
export function describeBrowserWorker({ server, browser, root, folder }: PageContext): void {
  describe("in a browser without a server process", () => {
    let page: Page;
    before(async () => {
      const file = path.join(folder, "five-rules.cu");
      page = await openFile(browser, server, { folder, file, webExtensions: [await serve(browser, gallery, root)] });
    });
    after(() => page.close());

    it("finds what needs no simulation", () => page.locator(".monaco-editor .squiggly-error").first().waitFor());

    it("simulates", async () => {
      // Lenses of kernels farther down are there, too, and may come first.
      const lens = page.locator(".codelens-decoration:visible", { hasText: /occupancy \d+ %/ }).first();
      await lens.waitFor();
      assert.match(await lens.innerText(), /H200/);
    });
  });
}

/** A workspace that is on no disk: headers and settings of the project come through the editor. */
export function describeVirtualWorkspace({ server, browser, root }: PageContext): void {
  describe("in a virtual workspace", () => {
    let page: Page;
    before(async () => {
      const webExtensions = [await serve(browser, gallery, root), await serve(browser, files, path.join(root, "test/virtual"))];
      const folder = "vscode-test-web://repository/project";
      page = await openFile(browser, server, { folder, file: `${folder}/main.cu`, webExtensions });
    });
    after(() => page.close());

    it("finds what rests on a header of the project", async () => {
      await page.locator(".monaco-editor .squiggly-warning").first().waitFor();
      const line = page.locator(".view-line", { hasText: /32\s+sectors/ }).first();
      await line.waitFor();
      assert.match(await line.innerText(), /SIDE/);
    });

    it("simulates the GPU of the project's own settings", async () => {
      const lens = page.locator(".codelens-decoration:visible", { hasText: /occupancy \d+ %/ }).first();
      await lens.waitFor();
      assert.match(await lens.innerText(), /^T4 · /);
    });
  });
}
