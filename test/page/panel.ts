import * as assert from "node:assert/strict";
import path from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { goToLine, openFile, openPanel, runCommand, setTheme, widenSideBar } from "../harness/workbench.ts";
import type { PageContext } from "./index.ts";
import { misfits } from "./misfits.ts";
import { violations } from "./violations.ts";

export function describePanel({ server, browser, extension, folder }: PageContext): void {
  describe("the panel, as seen", () => {
    let page: Page;
    let panel: FrameLocator;
    const refused: string[] = [];

    before(async () => {
      page = await openFile(browser, server, { folder, extension, file: path.join(folder, "five-rules.cu") });
      page.on("console", (message) => {
        if (/Content Security Policy/.test(message.text()) && /panel\.(js|css)|vscode-resource/.test(message.text()))
          refused.push(message.text());
      });
      panel = await openPanel(page);
    });
    after(() => page.close());

    it("shows the kernel under the cursor and follows it", async () => {
      await goToLine(page, 4);
      await panel.getByRole("heading", { name: "strided" }).waitFor();
      await goToLine(page, 9);
      await panel.getByRole("heading", { name: "gather" }).waitFor();
    });

    it("shows occupancy with its limiter, memory, time and lines", async () => {
      // What comes later is drawn anew, and takes the keys' place away.
      await panel.locator("main[data-progress=done]").waitFor();
      for (const name of ["Occupancy", "Memory", "Time", "Hottest lines", "Basis"])
        await panel.getByRole("region", { name, exact: true }).waitFor();
      const occupancy = await panel.getByRole("region", { name: "Occupancy" }).innerText();
      assert.match(occupancy, /Theoretical\s+100 %/);
      assert.match(occupancy, /Limited by\s+warps/);
      for (const [resource, change] of [
        ["registers", "over 32: 75 %"],
        ["shared memory", "over 27.5 KB: 88 %"],
        ["block size", "288: 98 %"],
      ]) {
        const chart = panel.getByRole("slider", { name: `Occupancy by ${resource}` });
        assert.match((await chart.getAttribute("aria-label")) ?? "", new RegExp(`: 100 %; .*${change}`));
        assert.ok(occupancy.includes(change ?? ""), `${change} is not in ${occupancy}`);
        await chart.focus();
        await page.keyboard.press("ArrowRight");
        assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /^\d+: \d+ %$/);
        const value = panel.locator(".resource", { has: chart }).locator(".value").first();
        assert.match(await value.innerText(), /: \d+ %$/);
        await chart.blur();
        assert.doesNotMatch(await value.innerText(), /%$/);
      }
      const memory = panel.getByRole("region", { name: "Memory" });
      for (const level of ["Requested", "L1", "L2", "DRAM"]) await memory.getByRole("row", { name: level }).waitFor();
      assert.match(await panel.getByRole("region", { name: "Time", exact: true }).innerText(), /Bound by \w+/);
    });

    it("a click on a line goes there", async () => {
      await goToLine(page, 4);
      await panel.getByRole("heading", { name: "strided" }).waitFor();
      const line = panel.getByRole("button", { name: /out\[x \* n \+ y\]/ });
      await line.click();
      await page.locator(".statusbar-item", { hasText: "Ln 4, Col 1" }).waitFor();
    });

    it("the pick of a launch shows that launch", async () => {
      const picker = panel.getByRole("combobox", { name: "Launch" });
      const options = await picker.locator("option").allInnerTexts();
      await picker.selectOption({ index: options.findIndex((text) => text.startsWith("average")) });
      await panel.getByRole("heading", { name: "average" }).waitFor();
    });

    it("code that does not parse leaves the figures, marked, until it is mended", async () => {
      await goToLine(page, 4);
      const figures = panel.getByRole("region", { name: "Occupancy" });
      await panel.getByRole("heading", { name: "strided" }).waitFor();
      const note = panel.getByText("before your last edit");
      await note.waitFor({ state: "hidden" });
      await panel.locator("main").evaluate((main) => {
        new MutationObserver(() => {
          if (!main.querySelector("section")) main.dataset.emptied = main.textContent ?? "";
        }).observe(main, { childList: true, subtree: true });
      });
      await page.keyboard.press("End");
      await page.keyboard.type(" out[ = {");
      await note.waitFor();
      await figures.waitFor();
      await panel.getByRole("heading", { name: "strided" }).waitFor();
      await runCommand(page, "File: Revert File");
      await note.waitFor({ state: "hidden" });
      await figures.waitFor();
      await panel.locator("main[data-progress=done]").waitFor();
      assert.equal(await panel.locator("main").getAttribute("data-emptied"), null);
    });

    it("every control is reached by keyboard and has a name", async () => {
      const controls = panel.locator("button, select, input");
      for (const control of await controls.all()) {
        await control.focus();
        assert.ok(await control.evaluate((node) => node.ownerDocument.activeElement === node), "not focusable");
        const name = await control.evaluate(
          (node) => node.getAttribute("aria-label") ?? node.closest("label")?.textContent ?? node.textContent,
        );
        assert.ok(name?.trim(), "no name");
      }
    });

    it("nothing is wider than a narrow side bar", async () => {
      const overflow = await panel.locator("main").evaluate((main) => main.scrollWidth - main.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    });

    it("says of which kernel and GPU it is however far it is scrolled", async () => {
      await panel.locator("main").evaluate((main) => main.scrollTo(0, main.scrollHeight));
      for (const part of [panel.getByRole("heading", { level: 1 }), panel.getByRole("button", { name: "H200" })]) {
        const box = await part.evaluate((node) => node.getBoundingClientRect().top);
        assert.ok(box >= 0, `it is ${-box} px out of sight`);
      }
      await panel.locator("main").evaluate((main) => main.scrollTo(0, 0));
    });

    it("keeps what it shows while it is hidden", async () => {
      await panel.getByRole("radio", { name: "instructions" }).check();
      await runCommand(page, "View: Show Explorer");
      panel = await openPanel(page);
      assert.ok(await panel.getByRole("radio", { name: "instructions" }).isChecked());
    });

    describe("what if", () => {
      const knob = (name: string) => panel.getByRole("textbox", { name });
      const note = () => panel.getByText("What if:");
      const tried = (values: string) => panel.locator(".imagined", { hasText: values });
      before(async () => {
        await goToLine(page, 4);
        await panel.getByRole("heading", { name: "strided" }).waitFor();
        await panel.getByRole("button", { name: "What if", exact: true }).click();
        await knob("Block x").waitFor();
      });

      it("a step of a knob moves the figures, with what they were, and nothing in the editor", async () => {
        const before = await panel.locator(".figure .value").first().innerText();
        await panel.getByRole("button", { name: "Less: n" }).click();
        await tried("n 1,024").waitFor();
        assert.match(await panel.locator(".figures").innerText(), new RegExp(`\u2212\\d+ % from ${before.replace(" ", "\\s")}`));
        assert.match(await panel.getByRole("region", { name: "Time", exact: true }).innerText(), /was [\d.]+ [µm]s/);
        assert.equal(await panel.getByText("before your last edit").isVisible(), false);
        assert.equal(await knob("Grid y").inputValue(), "128");
        await page
          .locator(".codelens-decoration", { hasText: `· ${before.replace(" ", "\u00a0")}` })
          .or(page.locator(".codelens-decoration", { hasText: before }))
          .first()
          .waitFor();
      });

      it("a click is not lost to what comes while the button is down", async () => {
        const button = panel.getByRole("button", { name: "More: n" });
        await button.hover();
        await page.mouse.down();
        // What the extension tells the page has the knobs drawn anew.
        await button.evaluate(() => window.dispatchEvent(new MessageEvent("message", { data: { type: "applied", why: "no reason" } })));
        await page.mouse.up();
        await note().waitFor({ state: "detached" });
        await panel.getByRole("button", { name: "Less: n" }).click();
        await tried("n 1,024").waitFor();
      });

      it("what memory and lines were is told, too", async () => {
        const memory = await panel.getByRole("region", { name: "Memory" }).getByRole("row", { name: "DRAM" }).innerText();
        assert.match(memory, /[\d.]+\s[kM]B\s+was [\d.]+\sMB/);
        await panel.getByRole("radio", { name: "time" }).check();
        await panel.getByRole("region", { name: "Hottest lines" }).locator(".ghost").first().waitFor({ state: "attached" });
      });

      it("by keyboard, too", async () => {
        await knob("Block y").focus();
        await page.keyboard.press("ArrowUp");
        await tried("block 32 × 16").waitFor();
        assert.ok(await knob("Block y").evaluate((node) => node.ownerDocument.activeElement === node), "the knob keeps the focus");
      });

      it("a sweep begins from what is tried", async () => {
        await panel.getByRole("button", { name: "Time by block size", exact: true }).click();
        const region = panel.getByRole("region", { name: "Time by block size" });
        await region.locator(".imagined", { hasText: "Begins from what is tried: block 32 × 16, n 1,024" }).waitFor();
        await region.getByRole("slider", { name: /^Time by threads a block\. Now 512 threads: [\d.]+ [µn]s/ }).waitFor();
        await knob("Block y").press("ArrowUp");
        await region.getByText("Of other values than those that are tried now.").waitFor();
        await panel.getByRole("button", { name: "Time by block size", exact: true }).click();
      });

      it("another GPU is compared with this one", async () => {
        await panel.getByRole("combobox", { name: "GPU" }).selectOption({ label: "T4" });
        await panel.getByText("on the T4").waitFor();
        await panel.getByRole("button", { name: "NVIDIA T4" }).waitFor();
      });

      it("what the GPU does not take is said at the knob", async () => {
        await panel.getByRole("button", { name: "Reset" }).first().click();
        await note().waitFor({ state: "detached" });
        await knob("Block x").fill("2000");
        await knob("Block x").press("Enter");
        await panel.getByRole("alert").waitFor();
        assert.equal(await panel.getByRole("alert").innerText(), "16,000 threads a block: the H200 allows 1,024");
        assert.equal(await knob("Block x").getAttribute("aria-invalid"), "true");
        assert.ok(await panel.getByRole("button", { name: "Apply" }).isDisabled());
        await panel.getByRole("button", { name: "Reset" }).first().click();
      });

      it("nobody is kept from it", async () => assert.deepEqual(await violations(panel), []));

      it("applied, it stands in the source", async () => {
        await knob("Block y").fill("4");
        await knob("Block y").press("Enter");
        await tried("block 32 × 4").waitFor();
        await panel.getByRole("checkbox", { name: "Grid follows" }).uncheck();
        await knob("Grid y").fill("256");
        await knob("Grid y").press("Enter");
        await tried("block 32 × 4").waitFor();
        await panel.getByRole("button", { name: "Apply" }).click();
        await note().waitFor({ state: "detached" });
        await goToLine(page, 34);
        await page
          .locator(".view-line", { hasText: /dim3\(32,\s4\)/ })
          .first()
          .waitFor();
        await runCommand(page, "File: Revert File");
        await page
          .locator(".view-line", { hasText: /dim3\(32,\s8\)/ })
          .first()
          .waitFor();
        await panel.getByRole("button", { name: "What if", exact: true }).click();
      });
    });

    describe("sweeps", () => {
      const open = async (name: string, points: number): Promise<Locator> => {
        const region = panel.getByRole("region", { name, exact: true });
        await panel.getByRole("button", { name, exact: true }).click();
        await region
          .locator(".progress", { hasText: `of ${points}` })
          .or(region.locator(".chart, table"))
          .first()
          .waitFor();
        await region.locator(".progress").waitFor({ state: "detached" });
        return region;
      };
      before(async () => {
        await goToLine(page, 9);
        await panel.getByRole("heading", { name: "gather" }).waitFor();
        await panel.locator("main[data-progress=done]").waitFor();
      });

      it("time by block size: the axis says what, the arrow keys each value", async () => {
        const region = await open("Time by block size", 12);
        const chart = region.getByRole("slider", { name: /^Time by threads a block\. Now 256 threads: [\d.]+ µs/ });
        assert.match((await chart.getAttribute("aria-label")) ?? "", /All: 32 threads: .*; 1024 threads: /);
        assert.match(await chart.innerText(), /µs[\s\S]*32/);
        await chart.focus();
        await page.keyboard.press("ArrowRight");
        assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /^384 threads: [\d.]+ µs, bound by/);
        assert.match(await region.locator(".readout").innerText(), /^384 threads/);
        await page.keyboard.press("Home");
        assert.match(await region.locator(".readout").innerText(), /^32 threads/);
        const box = await chart.boundingBox();
        assert.ok(box);
        await page.mouse.move(box.x + box.width - 12, box.y + box.height / 2);
        await region.locator(".readout", { hasText: "1024 threads" }).waitFor();
      });

      it("GPUs side by side, the fastest first, with what bounds each", async () => {
        const region = await open("GPUs side by side", 26);
        const rows = await region.locator("tbody tr").allInnerTexts();
        assert.ok(rows.length >= 20, rows.join("\n"));
        assert.match(rows[0] ?? "", /B200/);
        assert.match(rows.find((row) => row.startsWith("T4")) ?? "", /T4\s+[\d.]+ [µm]s\s+[\d.]+×\s+\w+/);
        assert.equal(
          await region
            .locator("tr[aria-current]")
            .innerText()
            .then((row) => row.split("\t")[0]),
          "H200",
        );
      });

      it("time and bandwidth by the problem's size", async () => {
        await goToLine(page, 16);
        await panel.getByRole("heading", { name: "average" }).waitFor();
        await panel.getByRole("region", { name: "GPUs side by side" }).locator("table").waitFor({ state: "detached" });
        const region = await open("Time by problem size", 9);
        assert.equal(await region.getByRole("slider").count(), 2);
        await region.getByRole("slider", { name: /^DRAM bandwidth by n\. Now n = 65,536: [\d.]+ [GT]B\/s/ }).waitFor();
      });

      it("the roofline says where the kernel stands, and where it stood", async () => {
        await panel.getByRole("button", { name: "Roofline", exact: true }).click();
        const region = panel.getByRole("region", { name: "Roofline" });
        const drawing = region.getByRole("img", {
          name: /^Roofline\. [\d.]+ [GT]FLOP\/s, \d+ % of the FP32 peak\. .*a byte of DRAM: at most /,
        });
        await drawing.waitFor();
        assert.match(await region.innerText(), /Operations: FP32 [\d.]+M, FP64 [\d.]+k?/);
        assert.equal(await drawing.locator("circle").count(), 2);
        await runCommand(page, "WarpLens: Pin Figures to Compare");
        await region.getByRole("img", { name: /Before: [\d.]+ [GT]FLOP\/s\.$/ }).waitFor();
        assert.equal(await drawing.locator("circle").count(), 4);
        await runCommand(page, "WarpLens: Pin Figures to Compare");
        await panel.getByText("Compared with what is pinned").waitFor({ state: "detached" });
      });

      it("blocks on SMs: the waves, the last one first, by the arrow keys", async () => {
        await goToLine(page, 4);
        await panel.getByRole("heading", { name: "strided" }).waitFor();
        await panel.getByRole("button", { name: "Blocks on SMs", exact: true }).click();
        const region = panel.getByRole("region", { name: "Blocks on SMs" });
        const view = region.getByRole("slider", {
          name: /^Blocks on the SMs, wave by wave\. 16,384 blocks in 16 waves: each of the 132 SMs holds 8 at once, 1,056 together\./,
        });
        const readout = region.locator(".readout");
        await readout.getByText("Wave 16, the last: 544 blocks, 4 or 5 on each SM, 52\u00a0% of the room.").waitFor();
        await view.focus();
        await page.keyboard.press("ArrowLeft");
        await readout.getByText("Waves 5 to 15, each: 1,056 blocks, 8 on each SM, full.").waitFor();
        assert.equal(await view.getAttribute("aria-valuenow"), "5");
        await page.keyboard.press("Home");
        assert.equal(await view.getAttribute("aria-valuetext"), "Wave 1 of 16: 1,056 blocks, 8 on each SM, full");
      });

      it("a warp's lanes onto sectors, by the arrow keys, too", async () => {
        await goToLine(page, 4);
        await panel.getByRole("heading", { name: "strided" }).waitFor();
        await panel.getByRole("button", { name: "Warp view", exact: true }).click();
        const region = panel.getByRole("region", { name: "Warp view" });
        const view = region.getByRole("slider", {
          name: /line 4, global store: 32 sectors, ideal 4\. 32 lanes of 4 bytes, neighbours 8192 bytes apart, in 32 sectors/,
        });
        await view.focus();
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        assert.equal(await region.locator(".readout").innerText(), "Lane 1: byte 8,192 from the lowest, sector 256.");
        assert.equal(await view.getAttribute("aria-valuenow"), "1");
        await region.getByRole("combobox", { name: "Access or branch" }).selectOption({ label: "line 4, global load: 4 sectors, ideal 4" });
        await region.getByText("in 4 sectors of 32 bytes, 100 % of them asked for").waitFor();
      });

      it("another warp and another turn of a loop, by keyboard", async () => {
        await goToLine(page, 16);
        await panel.getByRole("heading", { name: "average" }).waitFor();
        const region = panel.getByRole("region", { name: "Warp view" });
        await region.getByText("Block 128, warp 0, execution 1").waitFor();
        await region.getByRole("slider", { name: "Warp 0 (of 8)" }).focus();
        await page.keyboard.press("ArrowRight");
        await region.getByText("Block 128, warp 1, execution 1").waitFor();
        await region.getByRole("slider", { name: "Execution 1 (of 64)" }).focus();
        await page.keyboard.press("ArrowRight");
        const turned = region.getByRole("slider", { name: "Execution 2 (of 64)" });
        assert.ok(await turned.evaluate((node) => node.ownerDocument.activeElement === node), "the slider keeps the focus");
        await region.getByRole("slider", { name: /^Block 128, warp 1, execution 2, line 16, global load/ }).waitFor();
        await region.getByRole("combobox", { name: "Block" }).selectOption({ label: "255, the last" });
        await region.getByText("Block 255, warp 1, execution 1").waitFor();
      });

      it("which lanes of a branch go which way", async () => {
        await goToLine(page, 24);
        await panel.getByRole("heading", { name: "reduce" }).waitFor();
        const region = panel.getByRole("region", { name: "Warp view" });
        const picker = region.getByRole("combobox", { name: "Access or branch" });
        await picker.locator("option", { hasText: "line 24, branch: 100 % of" }).waitFor({ state: "attached" });
        const options = await picker.locator("option").allInnerTexts();
        await picker.selectOption({ index: options.findIndex((text) => text.startsWith("line 24, branch")) });
        const view = region.getByRole("slider", { name: /1 lane .*31 lanes .*: the warp goes both ways, one after the other\./ });
        await view.focus();
        await page.keyboard.press("ArrowRight");
        assert.match((await view.getAttribute("aria-valuetext")) ?? "", /^Lane 0: /);
        assert.match(await region.locator("svg").innerHTML(), /0x00000001|0xfffffffe/);
      });

      it("the whole program: what runs when, and where it stands", async () => {
        await panel.getByRole("button", { name: "Whole program", exact: true }).click();
        const region = panel.getByRole("region", { name: "Whole program" });
        await region.getByRole("img", { name: /^Time line of the program: \d+ things in 1 streams, [\d.]+ [µm]s\./ }).waitFor();
        assert.match(await region.innerText(), /Kernels run for [\d.]+ [µm]s \(\d+ %\)\./);
        const row = region.locator("tbody tr", { hasText: "average" }).first();
        const line = /line (\d+)/.exec(await row.innerText())?.[1];
        await row.getByRole("button", { name: /^line \d+$/ }).click();
        await page.locator(".statusbar-item", { hasText: `Ln ${line},` }).waitFor();
      });

      it("nobody is kept from them", async () => assert.deepEqual(await violations(panel), []));

      it("a drawing can be exported", async () => {
        await panel.getByRole("button", { name: "Export as SVG: Warp view" }).click();
        const input = page.locator(".quick-input-widget:visible input").first();
        await input.waitFor();
        await page.waitForFunction((node) => /warp-view\.svg$/.test((node as HTMLInputElement).value), await input.elementHandle());
        await page.keyboard.press("Escape");
      });
    });

    describe("narrow, with all of it open and something tried", () => {
      const whole = { width: 1280, height: 800 };
      before(async () => {
        await goToLine(page, 16);
        await panel.getByRole("heading", { name: "average" }).waitFor();
        for (const name of ["What if", "Time by block size", "GPUs side by side"])
          await panel.getByRole("button", { name, exact: true, expanded: false }).click();
        await panel.getByRole("button", { name: "Less: n" }).click();
        await panel.locator(".imagined", { hasText: "n 32,768" }).first().waitFor();
        // All of them at once: each waits for the others, and ends.
        await panel.getByRole("button", { name: "Cancel", exact: true }).first().waitFor({ state: "detached" });
      });
      after(async () => {
        await page.setViewportSize(whole);
        await widenSideBar(page, 300);
        await panel.getByRole("button", { name: "Reset" }).first().click();
      });

      for (const width of [300, 200])
        it(`nothing is cut, broken or in the way of something else at ${width} px`, async () => {
          await widenSideBar(page, width);
          await panel.locator("main").evaluate(laidOut);
          assert.deepEqual(await misfits(panel), []);
          assert.deepEqual(await violations(panel), []);
        });

      it("nor at 200 % zoom", async () => {
        // Half as many pixels of the page's own.
        await page.setViewportSize({ width: whole.width / 2, height: whole.height / 2 });
        await panel.locator("main").evaluate(laidOut);
        assert.deepEqual(await misfits(panel), []);
        const [head, all] = await panel
          .locator(".top")
          .evaluate((top) => [top.getBoundingClientRect().height, top.parentElement?.clientHeight ?? 0] as const);
        assert.ok(head < all / 3, `the head takes ${head} of ${all} px`);
      });

      it("the warp that is shown is of the block that is chosen", async () => {
        const region = panel.getByRole("region", { name: "Warp view" });
        const chosen = await region.getByRole("combobox", { name: "Block" }).evaluate((select) => (select as HTMLSelectElement).value);
        await region.getByText(`Block ${Number(chosen).toLocaleString("en-US")}, warp`).waitFor();
      });
    });

    for (const theme of ["Light Modern", "Dark Modern", "Dark High Contrast", "Light High Contrast"])
      it(`nobody is kept from it in ${theme}`, async () => {
        await setTheme(page, theme);
        assert.deepEqual(await violations(panel), []);
      });

    for (const theme of ["Light Modern", "Dark Modern", "Dark High Contrast"])
      it(`text can be read in ${theme}`, async () => {
        await setTheme(page, theme);
        for (const part of ["h1", "dd", ".quiet"]) {
          const ratio = await panel.locator(part).first().evaluate(contrast);
          assert.ok(ratio >= 4.5, `${part} has a contrast of ${ratio.toFixed(1)}`);
        }
      });

    it("loads nothing that its policy refuses", () => assert.deepEqual(refused, []));
  });
}

/** Resolves once the page has taken its new size. Runs in the page. */
const laidOut = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });

/** The contrast of an element's text with what is behind it, as WCAG defines it. Runs in the page. */
function contrast(element: Element): number {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("no canvas");
  const luminance = (layers: readonly string[]) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const layer of layers) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    const channels = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((channel) => channel / 255);
    const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind: string[] = [];
  for (let at: Element | null = element; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
  behind.unshift(getComputedStyle(document.documentElement).getPropertyValue("--vscode-sideBar-background"));
  const text = luminance([...behind, getComputedStyle(element).color]);
  const ground = luminance(behind);
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
}
