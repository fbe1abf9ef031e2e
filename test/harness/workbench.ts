/** VS Code's workbench in Chromium: opening it, and the few gestures that tests and screenshots share. */
import path from "node:path";
import { type BrowserContext, chromium, type FrameLocator, type Page } from "playwright-core";
import type { VscodeServer } from "./vscode-server.ts";

const switches = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--no-first-run",
  // Nothing is fetched from anywhere but this machine.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
}

export async function openBrowser(
  executablePath: string,
  home: string,
  { width = 1280, height = 800, scale = 1 }: Look = {},
): Promise<BrowserContext> {
  const browser = await chromium.launchPersistentContext(path.join(home, "browser"), {
    executablePath,
    headless: true,
    viewport: { width, height },
    deviceScaleFactor: scale,
    args: switches,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  });
  // A busy machine is slow, not wrong.
  browser.setDefaultTimeout(55_000);
  return browser;
}

export interface Opening {
  readonly folder: string;
  /** An extension's folder, loaded as it stands there. */
  readonly extension?: string | undefined;
  /** A module with `run()`, loaded in the extension host. */
  readonly tests?: string;
  readonly file?: string;
  /** Loads extensions into the browser's own extension host, from where they are served. */
  readonly webExtensions?: readonly URL[];
}

/** The address that opens a folder, by its path or by its address; extension, tests and file travel in its payload. */
export function workbenchUrl({ authority }: VscodeServer, { folder, extension, tests, file }: Opening): string {
  const remote = (target: string) => (target.startsWith("/") ? `vscode-remote://${authority}${target}` : target);
  const payload = [
    ...(extension ? [["extensionDevelopmentPath", remote(extension)]] : []),
    ...(tests ? [["extensionTestsPath", remote(tests)]] : []),
    ...(file ? [["openFile", remote(file)]] : []),
  ];
  return `http://${authority}/?${new URLSearchParams({ folder, payload: JSON.stringify(payload) })}`;
}

/** A page with a file open in the editor, and the extension known to the workbench. */
export async function openFile(browser: BrowserContext, server: VscodeServer, opening: Opening & { readonly file: string }): Promise<Page> {
  const page = await browser.newPage();
  if (opening.webExtensions) await developWebExtensions(page, opening.webExtensions);
  await page.goto(workbenchUrl(server, opening));
  await page.locator(".monaco-editor .view-lines").first().waitFor();
  // The palette lists what is known when it opens: a command that comes later is never found.
  await page.locator(".activitybar [aria-label='WarpLens']").first().waitFor();
  return page;
}

/** Puts extensions into the workbench's configuration, which the page carries in an attribute. */
async function developWebExtensions(page: Page, urls: readonly URL[]): Promise<void> {
  const extensions = urls.map(({ protocol, host, pathname }) => ({
    $mid: 1,
    scheme: protocol.slice(0, -1),
    authority: host,
    path: pathname,
  }));
  await page.addInitScript((added) => {
    const original = Element.prototype.getAttribute;
    Element.prototype.getAttribute = function (name) {
      const value = original.call(this, name);
      if (name !== "data-settings" || this.id !== "vscode-workbench-web-configuration" || value === null) return value;
      return JSON.stringify({ ...JSON.parse(value), developmentOptions: { extensions: added } });
    };
  }, extensions);
}

/** Types into the open quick pick and takes the first row with that text. */
async function pick(page: Page, typed: string, row: string): Promise<void> {
  const widget = page.locator(".quick-input-widget:visible");
  await widget.locator("input").first().fill(typed);
  await widget.locator(".monaco-list-row", { hasText: row }).first().click();
}

/** Runs a command of the palette by its title. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  await pick(page, `>${title}`, title);
}

/** What the workbench says of its themes. */
const themeClasses: Readonly<Record<string, string>> = {
  "Dark Modern": "vs-dark",
  "Light Modern": "vs",
  "Dark High Contrast": "hc-black",
  "Light High Contrast": "hc-light",
};

/** Chooses a colour theme by its name, and waits until it is seen. */
export async function setTheme(page: Page, theme: string): Promise<void> {
  await runCommand(page, "Preferences: Color Theme");
  await pick(page, theme, theme);
  await page.locator(".quick-input-widget:visible").waitFor({ state: "hidden" });
  await page.locator(`.monaco-workbench.${themeClasses[theme]}`).waitFor();
}

/** Puts the cursor on a line, 1-based, or at a line and column: `2:22`. */
export async function goToLine(page: Page, line: number | string): Promise<void> {
  await page.locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+g");
  const input = page.locator(".quick-input-widget:visible input").first();
  await input.fill(`:${line}`);
  await input.press("Enter");
}

/** Opens WarpLens in the side bar. @returns the panel's page */
export async function openPanel(page: Page): Promise<FrameLocator> {
  await runCommand(page, "WarpLens: Show Panel");
  const panel = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  await panel.locator("main").waitFor();
  return panel;
}

/** Drags the side bar's edge. @param width in pixels */
export async function widenSideBar(page: Page, width: number): Promise<void> {
  const box = await page.locator(".part.sidebar").boundingBox();
  if (!box) throw new Error("The side bar is not shown");
  await page.mouse.move(box.x + box.width, 400);
  await page.mouse.down();
  await page.mouse.move(box.x + width, 400, { steps: 4 });
  await page.mouse.up();
}
