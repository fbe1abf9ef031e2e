/** Pictures of the example in editor and panel, in a dark and a light theme. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BrowserContext, FrameLocator, Page } from "playwright-core";
import { dropFiles } from "./drop.ts";
import { type Frame, record } from "./recording.ts";
import { startServer, type VscodeInstall, type VscodeServer } from "./vscode-server.ts";
import { goToLine, openBrowser, openFile, openPanel, runCommand, setTheme, widenSideBar } from "./workbench.ts";

const themes = ["Dark Modern", "Light Modern"];

const settings = { "editor.fontSize": 13, "window.zoomLevel": 0, "breadcrumbs.enabled": false };
/** Milliseconds of a key, as somebody types. */
const keyTime = 120;

interface ScreenshotOptions {
  readonly root: string;
  readonly vscode: VscodeInstall;
  readonly chromium: string;
  readonly into: string;
}

export async function screenshots({ root, vscode, chromium, into }: ScreenshotOptions): Promise<void> {
  mkdirSync(into, { recursive: true });
  const server = await startServer(vscode, { settings });
  const browser = await openBrowser(chromium, server.home, { width: 1440, height: 900, scale: 1.5 });
  try {
    const folder = path.join(root, "examples");
    const page = await openFile(browser, server, { folder, extension: root, file: path.join(folder, "tour.cu") });
    const panel = await openPanel(page);
    await widenSideBar(page, 380);
    for (const theme of themes) {
      const name = (part: string) => path.join(into, `${part}-${nameOf(theme)}.png`);
      await setTheme(page, theme);
      await goToLine(page, 8);
      await panel.getByRole("heading", { name: "transpose" }).waitFor();
      await panel.getByRole("region", { name: "Hottest lines" }).waitFor();
      await page.locator(".codelens-decoration", { hasText: "occupancy" }).first().waitFor();
      await page.locator(".codelens-decoration", { hasText: "simulating" }).first().waitFor({ state: "detached" });
      await page.screenshot({ path: name("editor") });
      await hoverOver(page, "out[x * n + y]");
      await page.screenshot({ path: name("hover") });
      await page.mouse.move(0, 0);
    }
    // Tall enough for all of the panel.
    await page.setViewportSize({ width: 1440, height: 1400 });
    for (const theme of themes) {
      await setTheme(page, theme);
      await panel.getByRole("region", { name: "Basis" }).waitFor();
      await page.locator(".part.sidebar").screenshot({ path: path.join(into, `panel-${nameOf(theme)}.png`) });
    }
    await tried(panel);
    for (const theme of themes) {
      await setTheme(page, theme);
      await page.locator(".part.sidebar").screenshot({ path: path.join(into, `what-if-${nameOf(theme)}.png`) });
    }
    await panel.getByRole("button", { name: "Reset" }).first().click();
    await panel.getByRole("button", { name: "What if", exact: true }).click();
    await panel.locator("main").evaluate((main) => main.scrollTo(0, 0));
    await page.setViewportSize({ width: 1440, height: 900 });
    await pinned(page, panel);
    for (const theme of themes) {
      await setTheme(page, theme);
      await page.screenshot({ path: path.join(into, `pinned-${nameOf(theme)}.png`) });
    }
    await page.close();
    await measured(browser, server, root, into);
    await wholeProgram(await openFile(browser, server, { folder, extension: root, file: path.join(folder, "pipeline.cu") }), into);
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Pads a tile whose figures are pinned: the lens and the panel say what it changed. */
export async function recordEdit({ root, vscode, chromium }: Omit<ScreenshotOptions, "into">): Promise<Frame[]> {
  const server = await startServer(vscode, { settings: { ...settings, "editor.minimap.enabled": false } });
  const browser = await openBrowser(chromium, server.home, { width: 1280, height: 620 });
  try {
    const folder = path.join(root, "examples");
    const page = await openFile(browser, server, { folder, extension: root, file: path.join(folder, "tour.cu") });
    const panel = await openPanel(page);
    await widenSideBar(page, 420);
    await setTheme(page, "Dark Modern");
    await goToLine(page, 13);
    await panel.getByRole("heading", { name: "transposeTiled" }).waitFor();
    await panel.locator("main[data-progress=done]").waitFor();
    await runCommand(page, "WarpLens: Pin Figures to Compare");
    await page.locator(".codelens-decoration", { hasText: "pinned" }).first().waitFor();
    await page.keyboard.press("End");
    return await record(page, async () => {
      for (const key of ["ArrowLeft", "ArrowLeft", "Backspace", "3"]) {
        await page.keyboard.press(key, { delay: keyTime });
        await page.waitForTimeout(keyTime);
      }
      await page.locator(".codelens-decoration", { hasText: "\u2212" }).first().waitFor();
      await panel.getByText("\u2212").first().waitFor();
      await panel.locator("main[data-progress=done]").waitFor();
    });
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Turns a knob, and opens what is drawn only then. */
async function tried(panel: FrameLocator): Promise<void> {
  await panel.getByRole("button", { name: "What if", exact: true }).click();
  await panel.getByRole("button", { name: "Less: n" }).click();
  await panel.getByText("What if:").waitFor();
  const region = (name: string) => panel.getByRole("region", { name, exact: true });
  for (const name of ["Blocks on SMs", "Warp view", "Time by problem size"]) await panel.getByRole("button", { name, exact: true }).click();
  await region("Warp view").getByRole("slider", { name: "Warp 0 (of 8)" }).press("ArrowRight");
  await region("Warp view").getByText("warp 1, execution 1").waitFor();
  await region("Time by problem size").locator(".progress", { hasText: "of" }).waitFor({ state: "detached" });
  await region("Blocks on SMs").evaluate((section) => section.scrollIntoView({ block: "start" }));
}

/** A program that was measured, and what the profiler printed of it, beside what is simulated. */
async function measured(browser: BrowserContext, server: VscodeServer, root: string, into: string): Promise<void> {
  const folder = path.join(root, "server/src/measured/testing");
  const page = await openFile(browser, server, { folder, extension: root, file: path.join(folder, "launches.cu") });
  const panel = await openPanel(page);
  await widenSideBar(page, 380);
  await goToLine(page, 7);
  await panel.getByRole("heading", { name: "transpose" }).waitFor();
  await dropFiles(
    panel,
    ["raw.csv", "source.csv"].map((name) => path.join(folder, name)),
  );
  await panel.getByRole("columnheader", { name: "Measured" }).waitFor();
  await panel.locator("main[data-progress=done]").waitFor();
  await page
    .locator(".codelens-decoration", { hasText: /measured.*slowest of 2 launches$/ })
    .nth(1)
    .waitFor();
  for (const theme of themes) {
    await setTheme(page, theme);
    await page.screenshot({ path: path.join(into, `measured-${nameOf(theme)}.png`) });
  }
  await page.close();
}

/** The time line of a program with streams. */
async function wholeProgram(page: Page, into: string): Promise<void> {
  const panel = await openPanel(page);
  await widenSideBar(page, 520);
  await goToLine(page, 4);
  await panel.getByRole("button", { name: "Whole program", exact: true }).click();
  const region = panel.getByRole("region", { name: "Whole program" });
  await region.getByRole("table").waitFor();
  for (const theme of themes) {
    await setTheme(page, theme);
    await region.screenshot({ path: path.join(into, `program-${nameOf(theme)}.png`) });
  }
}

/** Pins the figures, and then pads the tile. */
async function pinned(page: Page, panel: FrameLocator): Promise<void> {
  const lens = (text: string) => page.locator(".codelens-decoration", { hasText: text }).first();
  await runCommand(page, "WarpLens: Pin Figures to Compare");
  await lens("pinned").waitFor();
  await goToLine(page, 13);
  await page.keyboard.press("End");
  for (const key of ["ArrowLeft", "ArrowLeft", "Backspace", "3"]) await page.keyboard.press(key);
  await lens("\u2212").waitFor();
  await panel.getByText("\u2212").first().waitFor();
}

const nameOf = (theme: string): string => (theme.startsWith("Dark") ? "dark" : "light");

/** Rests the mouse on the first token of a line with this text, until its hover is shown. */
async function hoverOver(page: Page, text: string): Promise<void> {
  const spaced = new RegExp(text.replace(/[[\]*+.()]/g, "\\$&").replaceAll(" ", "\\s"));
  const line = page.locator(".view-line", { hasText: spaced }).first();
  const box = await line.locator("span > span", { hasText: "out" }).first().boundingBox();
  if (!box) throw new Error(`"${text}" is not in view`);
  await page.mouse.move(box.x + 40, box.y + 40);
  await page.mouse.move(box.x + 8, box.y + box.height / 2, { steps: 6 });
  await page.locator(".monaco-hover:visible").first().waitFor();
}
