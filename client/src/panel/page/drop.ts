/** Reports that are dropped on the page: files of the system by their text, those of the editor by their address. */
import { type FromPage, longestReport, mostFiles } from "../messages.ts";

/** What the editor calls the files that are dragged from its own lists. */
const lists = ["application/vnd.code.uri-list", "text/uri-list"];

/** Takes what is dropped anywhere on the page. */
export function acceptReports(post: (message: FromPage) => void): void {
  let inside = 0;
  const mark = (by: number): void => {
    inside = by === 0 ? 0 : Math.max(0, inside + by);
    document.body.classList.toggle("dropping", inside > 0);
  };
  // Taken on the way in, and for good: the editor listens behind, and would take what is dragged away from the page, to open the file.
  const taken = (type: "dragenter" | "dragover" | "drop", then: (event: DragEvent) => void): void =>
    window.addEventListener(
      type,
      (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        then(event);
      },
      { capture: true },
    );
  taken("dragenter", () => mark(1));
  taken("dragover", () => undefined);
  window.addEventListener("dragleave", () => mark(-1));
  taken("drop", (event) => {
    mark(0);
    if (event.dataTransfer) void take(event.dataTransfer, post);
  });
}

async function take(data: DataTransfer, post: (message: FromPage) => void): Promise<void> {
  const refused = (why: string): void => post({ type: "reportRefused", why });
  const files = [...data.files];
  const uris = lists.flatMap((type) => data.getData(type).split(/\r?\n/)).filter((line) => line !== "" && !line.startsWith("#"));
  if (files.length > mostFiles || uris.length > mostFiles) refused(`A report is of ${mostFiles} files at most.`);
  else if (files.some(({ size }) => size > longestReport)) refused(`A report has ${longestReport / 1e6} million characters at most.`);
  else if (files.some(({ name }) => name.endsWith(".ncu-rep")))
    refused("A report file cannot be taken from outside of the editor: load it by the command, or drag it from the explorer.");
  else if (files.length > 0) {
    const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    post({ type: "report", texts });
  } else if (uris.length > 0) post({ type: "reportFiles", uris: [...new Set(uris)] });
}
