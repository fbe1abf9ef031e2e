/**
 * How long the panel takes in the real VS Code: until it is painted for the first time, and from a model that arrives to the frame that
 * shows it. `npm run build && node bench/panel.mjs`
 */
import path from "node:path";
import { root } from "../scripts/support/project.mjs";
import { ensureChromium, ensureVscode } from "../scripts/support/tools.mjs";

/** Where the cursor goes: a line of each kernel of the example. */
const lines = [8, 17, 29, 38, 46];
const rounds = 4;

const chromium = await ensureChromium();
const vscode = await ensureVscode();
const { startServer, openBrowser, openFile, openPanel, goToLine } = await import("../out/e2e/harness.mjs");
const server = await startServer(vscode);
const browser = await openBrowser(chromium.path, server.home);
try {
  const folder = path.join(root, "examples");
  const page = await openFile(browser, server, { folder, extension: root, file: path.join(folder, "tour.cu") });
  await page.locator(".codelens-decoration", { hasText: "occupancy" }).first().waitFor();
  const asked = performance.now();
  const panel = await openPanel(page);
  await panel.locator("main h1").waitFor();
  console.log(
    `from the command to the figures: ${(performance.now() - asked).toFixed(0)} ms, with what VS Code takes for its palette and a web view`,
  );
  await panel.locator("main[data-progress=done]").waitFor();
  const painted = await panel.locator("main").evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    script: performance.getEntriesByType("resource").find(({ name }) => name.endsWith("panel.js"))?.responseEnd,
  }));
  console.log(
    `the page's own first paint: ${painted.paint?.toFixed(0)} ms after it was made (its script was there after ${painted.script?.toFixed(0)} ms)`,
  );
  await panel.locator("main").evaluate(() => {
    globalThis.taken = [];
    // Before the page's own: it draws within the event.
    window.addEventListener(
      "message",
      ({ data }) => {
        if (data?.type !== "model") return;
        const from = performance.now();
        requestAnimationFrame(() => {
          const drawn = performance.now();
          // What is queued in a frame runs once it has been painted.
          setTimeout(() => globalThis.taken.push({ drawn: drawn - from, painted: performance.now() - from }));
        });
      },
      { capture: true },
    );
  });
  for (let round = 0; round < rounds; round++)
    for (const line of lines) {
      await goToLine(page, line);
      const seen = round * lines.length + lines.indexOf(line);
      await panel.locator("main").evaluate(
        (_, least) =>
          new Promise((resolve) => {
            const look = () => (globalThis.taken.length > least ? resolve() : requestAnimationFrame(look));
            look();
          }),
        seen,
      );
    }
  const taken = await panel.locator("main").evaluate(() => globalThis.taken);
  for (const what of ["drawn", "painted"]) {
    const sorted = taken.map((each) => each[what]).sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
    console.log(`from a model to ${what}, ${sorted.length} times: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
  }
} finally {
  await browser.close();
  await server.stop();
}
