import * as assert from "node:assert/strict";
import path from "node:path";
import type { Page } from "playwright-core";
import { goToLine, openFile, runCommand } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";

export function describeEditor({ server, browser, extension, folder }: PageContext): void {
  describe("the editor, as seen", () => {
    let page: Page;
    before(async () => {
      page = await openFile(browser, server, { folder, extension, file: path.join(folder, "five-rules.cu") });
    });
    after(() => page.close());

    it("has squiggles", () => page.locator(".monaco-editor .squiggly-warning").first().waitFor());

    it("has a lens with occupancy above a kernel", () =>
      page
        .locator(".codelens-decoration", { hasText: /occupancy \d+ %/ })
        .first()
        .waitFor());

    it("has hints of sectors", () =>
      page
        .locator(".view-line", { hasText: /32\s+sectors/ })
        .first()
        .waitFor());

    it("shows in the gutter where the time goes, and says so in front of the line", async () => {
      const line = page.locator(".view-line", { hasText: /out\[x\s*\*\s*n/ }).first();
      const bar = page.locator(".glyph-margin-widgets > *").first();
      await bar.waitFor();
      assert.match(await bar.evaluate((icon) => getComputedStyle(icon).backgroundImage), /^url\("data:image\/svg\+xml,/);
      const [top, beside] = await Promise.all([line.boundingBox(), bar.boundingBox()]);
      assert.ok(top && beside && Math.abs(top.y - beside.y) < top.height / 2, "the bar stands beside the line that takes the time");
      await line.hover({ force: true, position: { x: 4, y: top.height / 2 } });
      const hover = page.locator(".monaco-hover", { hasText: "of the time of strided" }).first();
      await hover.waitFor();
      assert.match(await hover.innerText(), /\d+ % of the time of strided: waits for memory \d+ %/);
    });

    it("the bars go when they are switched off, and come again", async () => {
      const bar = page.locator(".glyph-margin-widgets > *").first();
      await runCommand(page, "WarpLens: Toggle Time of Lines");
      await bar.waitFor({ state: "detached" });
      await runCommand(page, "WarpLens: Toggle Time of Lines");
      await bar.waitFor();
    });

    it("names the GPU in the status bar, and offers others with their figures", async () => {
      await page.locator(".statusbar-item", { hasText: "H200" }).click();
      await page.locator(".quick-input-widget:visible input").first().fill("V100");
      const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "V100" }).first();
      await row.waitFor();
      assert.match(await row.innerText(), /80 SMs[\s\S]*GB\/s[\s\S]*compute capability 7\.0/);
      await page.keyboard.press("Escape");
    });

    it("an assumed value is a hint at its parameter, and a click writes what it is", async () => {
      await runCommand(page, "Go to File...");
      await page.locator(".quick-input-widget:visible input").first().fill("unlaunched.cu");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "unlaunched.cu" }).first().click();
      const hint = page.locator(".view-line span", { hasText: /^≈\s[\d.]+M,\sassumed$/ }).last();
      await hint.waitFor();
      const input = page.locator(".quick-input-widget:visible input").first();
      // On a slow machine a click may come before the editor has found out that there is something to follow. It draws the hint anew
      // under the pointer as it does, so it can't be asked that what is clicked stays what it was.
      for (let tries = 0; tries < 10 && !(await input.isVisible()); tries++) {
        await hint.click({ modifiers: ["Control"], force: true });
        await input.waitFor({ timeout: 5000 }).catch(() => undefined);
      }
      await input.fill("1<<20");
      await page.keyboard.press("Enter");
      await page
        .locator(".view-line", { hasText: /warplens:\sn=1<<20/ })
        .first()
        .waitFor();
      await hint.waitFor({ state: "detached" });
      await runCommand(page, "View: Revert and Close Editor");
      await page
        .locator(".view-line", { hasText: /out\[x/ })
        .first()
        .waitFor();
    });

    it("a click on the slowest of several launches lets another be shown", async () => {
      await runCommand(page, "Go to File...");
      await page.locator(".quick-input-widget:visible input").first().fill("launches.cu");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "launches.cu" }).first().click();
      const lens = (text: string) => page.locator(".codelens-decoration a", { hasText: text }).first();
      await lens("slowest of 3 launches").click();
      const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "Line 12" });
      await row.waitFor();
      assert.match(await row.innerText(), /\(16\) × \(64\)[\s\S]*[\d.]+ µs ± \d+ %, bound by/);
      await row.click();
      await lens("line 12, one of 3 launches").click();
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "The slowest" }).click();
      await lens("slowest of 3 launches").waitFor();
      await runCommand(page, "View: Close Editor");
      await page
        .locator(".view-line", { hasText: /out\[x/ })
        .first()
        .waitFor();
    });

    it("a refactoring shows what it changes before anything is changed", async () => {
      await runCommand(page, "Go to File...");
      await page.locator(".quick-input-widget:visible input").first().fill("tile.cu");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "tile.cu" }).first().click();
      const declared = (size: string) => page.locator(".view-line", { hasText: `square[32][${size}];` }).first();
      await declared("32").waitFor();
      await goToLine(page, "2:22");
      const row = page.locator(".action-widget .monaco-list-row", { hasText: /Pad `square` to \[32\]\[33\]: [\d.]+ to [\d.]+ µs/ });
      // There are none until the file is simulated, which is told above the kernel a moment before.
      await page
        .locator(".codelens-decoration", { hasText: /occupancy \d+ %/ })
        .first()
        .waitFor();
      const none = page.locator(".monaco-editor-overlaymessage");
      // On a slow machine a menu may come before it was tried, without what it comes to or without it, or the keys may go to what has the
      // focus still.
      const any = page.locator(".action-widget .monaco-list-row").first();
      for (let tries = 0; tries < 10; tries++) {
        await page.keyboard.press("Control+Shift+R");
        await Promise.any([any.waitFor({ timeout: 5000 }), none.waitFor({ timeout: 5000 })]).catch(() => undefined);
        if (await row.isVisible()) break;
        await page.keyboard.press("Escape");
      }
      await row.click();
      const preview = page.locator(".bulk-edit-panel");
      await preview.locator(".monaco-list-row", { hasText: "square[32][3233]" }).waitFor();
      await declared("32").waitFor();
      await preview.locator(".edit-checkbox").first().click();
      await preview.getByRole("button", { name: "Apply" }).click();
      await declared("33").waitFor();
      await runCommand(page, "View: Revert and Close Editor");
      await page
        .locator(".view-line", { hasText: /out\[x/ })
        .first()
        .waitFor();
    });

    it("the code in a finding's hover opens the rule's page", async () => {
      await page.locator(".monaco-editor .squiggly-warning").first().hover({ force: true });
      await page.locator(".monaco-hover a", { hasText: "strided-global-access" }).first().click();
      const rule = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
      await rule.getByRole("heading", { name: "strided-global-access" }).waitFor();
    });
  });
}
