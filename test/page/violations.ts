import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FrameLocator } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with a page: rule, and the elements. */
export async function violations(panel: FrameLocator): Promise<string[]> {
  const frame = await (await panel.locator("main").elementHandle())?.ownerFrame();
  assert.ok(frame, "the panel is not there");
  // As an expression: the page's policy lets no script in.
  await frame.evaluate(axe);
  return frame.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(document.body);
    return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  });
}
