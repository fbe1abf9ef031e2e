import * as assert from "node:assert/strict";
import path from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { dropFiles } from "../harness/drop.ts";
import { goToLine, openFile, openPanel, runCommand, setTheme } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";
import { violations } from "./violations.ts";

export function describeMeasured({ server, browser, extension, folder }: PageContext): void {
  describe("measured figures in the panel, as seen", () => {
    let page: Page;
    let panel: FrameLocator;
    const file = (name: string): string => path.join(folder, "measured", name);
    const section = () => panel.getByRole("region", { name: "Measured" });
    const reports = () => section().getByRole("listitem");
    const lens = (text: string) => page.locator(".codelens-decoration", { hasText: text }).first();

    before(async () => {
      page = await openFile(browser, server, { folder, extension, file: file("launches.cu") });
      panel = await openPanel(page);
      await goToLine(page, 3);
      await panel.getByRole("heading", { name: "axpy" }).waitFor();
    });
    after(() => page.close());

    it("says how to get a report, where there is none", async () => {
      await section().getByRole("button", { name: "Measured", exact: true }).click();
      await section().getByText("ncu --csv --page raw").waitFor();
      await section().getByRole("button", { name: "Load report…" }).waitFor();
    });

    it("a report that is dropped stands beside the estimates: figures, lines and lens", async () => {
      await dropFiles(panel, [file("raw.csv"), file("source.csv")]);
      const row = section().getByRole("row", { name: "Global load sectors" });
      assert.match(await row.innerText(), /1\.05M\s+1\.05M\s+✓ 0 %/);
      // The panel remembers what was chosen in it before.
      await panel.getByRole("radio", { name: "time", exact: true }).check();
      const line = panel.getByRole("region", { name: "Hottest lines" }).getByRole("button", { name: /if \(i < n\)/ });
      assert.match(await line.innerText(), /\d+ %\s+85 %/);
      await lens("measured 41.6 µs").waitFor();
      assert.match(await panel.locator(".figures").innerText(), /41\.6 µs measured\s+✓/);
    });

    it("what is not a report is refused, with its name", async () => {
      await dropFiles(panel, [file("launches.cu")]);
      await page.getByText("launches.cu holds no table of Nsight Compute's").first().waitFor();
      await runCommand(page, "Notifications: Clear All Notifications");
      assert.equal(await reports().count(), 1);
    });

    it("several are kept, one is chosen, and one removed, by keyboard", async () => {
      await dropFiles(panel, [file("direct.csv")]);
      const radio = (name: string) => section().getByRole("radio", { name });
      await radio("direct.csv").waitFor();
      assert.ok(await radio("direct.csv").isChecked());
      await radio("raw.csv").focus();
      await page.keyboard.press("Space");
      await section().getByText("One launch in raw.csv, source.csv.").waitFor();
      await section().getByRole("button", { name: "Remove direct.csv" }).focus();
      await page.keyboard.press("Enter");
      await radio("direct.csv").waitFor({ state: "detached" });
      assert.equal(await reports().count(), 1);
    });

    it("is not wider than a narrow side bar", async () => {
      const overflow = await panel.locator("main").evaluate((main) => main.scrollWidth - main.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    });

    for (const theme of ["Light Modern", "Dark Modern", "Dark High Contrast", "Light High Contrast"])
      it(`nobody is kept from it in ${theme}`, async () => {
        await setTheme(page, theme);
        assert.deepEqual(await violations(panel), []);
      });

    it("goes with the last report", async () => {
      await section().getByRole("button", { name: "Remove raw.csv" }).click();
      await lens("measured").waitFor({ state: "detached" });
    });
  });
}
