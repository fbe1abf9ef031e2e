import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { openFile } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";

/** Where the extension seems to come from, as a gallery would serve it: intercepted, never asked for. */
const gallery = "https://extension.test";

const types: Record<string, string> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The browser entry: client in the browser's extension host, server in a worker, no process anywhere. */
export function describeBrowserWorker({ server, browser, root, folder }: PageContext): void {
  describe("in a browser without a server process", () => {
    let page: Page;
    before(async () => {
      await browser.route(`${gallery}/**`, async (route) => {
        const file = path.join(root, new URL(route.request().url()).pathname);
        const body = await readFile(file).catch(() => undefined);
        const headers = { "access-control-allow-origin": "*", "content-type": types[path.extname(file)] ?? "text/plain" };
        await route.fulfill(body ? { body, headers } : { status: 404, headers });
      });
      page = await openFile(browser, server, {
        folder,
        file: path.join(folder, "five-rules.cu"),
        webExtension: new URL(gallery),
      });
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
