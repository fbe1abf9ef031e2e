/** Files dropped on a page, as by a mouse from outside of the browser. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { FrameLocator } from "playwright-core";

export async function dropFiles(frame: FrameLocator, files: readonly string[]): Promise<void> {
  const dropped = files.map((file) => ({ name: path.basename(file), text: readFileSync(file, "utf8") }));
  await frame.locator("main").evaluate((main, given) => {
    const data = new DataTransfer();
    for (const { name, text } of given) data.items.add(new File([text], name));
    for (const type of ["dragenter", "dragover", "drop"])
      main.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, dropped);
}
