/** What is seen on a page while something is done, as it was, frame by frame. */
import type { Page } from "playwright-core";

export interface Frame {
  readonly png: Buffer;
  /** Milliseconds for which it was seen. */
  readonly ms: number;
}

/** @param act what is done meanwhile @returns the frames that differ from the one before */
export async function record(page: Page, act: () => Promise<void>): Promise<Frame[]> {
  const seen: { readonly png: Buffer; readonly at: number }[] = [];
  let isOver = false;
  const acting = act().finally(() => {
    isOver = true;
  });
  const look = async (): Promise<void> => {
    const png = await page.screenshot({ scale: "css", caret: "initial" });
    if (!seen.at(-1)?.png.equals(png)) seen.push({ png, at: Date.now() });
  };
  while (!isOver) await look();
  await acting;
  await look();
  const end = Date.now();
  return seen.map(({ png, at }, index) => ({ png, ms: (seen[index + 1]?.at ?? end) - at }));
}
