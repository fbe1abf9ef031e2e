/** What of a page does not fit where it stands: seen by a user at once, and by no rule of accessibility. */
import type { FrameLocator } from "playwright-core";

/** Labels in drawings that are cut or run into each other, words that are broken letter by letter, and what is wider than the page. */
export const misfits = (panel: FrameLocator): Promise<string[]> => panel.locator("main").evaluate(findMisfits);

/** Runs in the page. */
function findMisfits(main: HTMLElement): string[] {
  /** Pixels by which glyphs may reach over what is measured of them. */
  const slack = 1.5;
  const found: string[] = [];
  const edge = main.getBoundingClientRect().left + main.clientWidth - Number.parseFloat(getComputedStyle(main).paddingRight);
  if (main.scrollWidth > main.clientWidth) found.push(`the page is ${main.scrollWidth - main.clientWidth} px too wide`);
  for (const svg of main.querySelectorAll("svg")) {
    const room = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }));
    for (const [index, { words, box }] of texts.entries()) {
      if (box.left < room.left - slack || box.right > room.right + slack) found.push(`"${words}" is cut`);
      for (const other of texts.slice(index + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        // Lines of text may be set close.
        if (across > slack && down > box.height / 3) found.push(`"${words}" runs into "${other.words}"`);
      }
    }
  }
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.textContent ?? "";
    if (node.parentElement?.closest("svg, select") || words.trim() === "") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    const longestLine = words.length / lines;
    if (lines > 2 && longestLine < 4) found.push(`"${words}" is broken into ${lines} lines`);
    const isCutOnPurpose = node.parentElement && getComputedStyle(node.parentElement).textOverflow === "ellipsis";
    const beyond = range.getBoundingClientRect().right - edge;
    if (!isCutOnPurpose && beyond > slack) found.push(`"${words}" reaches ${beyond.toFixed(0)} px into the margin`);
  }
  return found;
}
