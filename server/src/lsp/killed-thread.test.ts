/** The real thread, killed in the middle of what it does: nothing that the user sees is lost. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskFiles } from "../files.ts";
import { bundled } from "../testing/bundled.ts";
import { type StartedThread, startThread, threadWorker } from "../worker/thread.ts";
import { codeLenses } from "./code-lens.ts";
import { Documents } from "./documents.ts";
import { Workspace } from "./workspace.ts";

const fixture = (name: string): string => readFileSync(new URL(`../../../test/fixtures/workspace/${name}`, import.meta.url), "utf8");
const [a, b] = ["file:///w/a.cu", "file:///w/b.cu"];
const edit = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "// one more line\n" };

let bundle: Awaited<ReturnType<typeof bundled<"worker">>>;
beforeAll(async () => {
  bundle = await bundled({ worker: "worker.ts" });
});
afterAll(() => bundle.remove());

type Moment = "opened" | "first figures" | "idle" | "edited";

/** Opens two files, edits one of them, and waits for all there is to know; at these moments the thread is killed. */
async function session(kills: readonly Moment[]) {
  const threads: StartedThread[] = [];
  const documents = new Documents();
  const happened: (() => void)[] = [];
  const happens = () => {
    for (const each of happened.splice(0)) each();
  };
  const errors: string[] = [];
  let hasFigures = false;
  const workspace = new Workspace(
    documents,
    {
      files: diskFiles,
      startWorker: (state) =>
        threadWorker({
          state,
          start() {
            const thread = startThread(bundle.scripts.worker);
            threads.push(thread);
            return thread;
          },
        }),
      pathOf: (uri) => uri.slice("file://".length),
      uriOf: (path) => `file://${path}`,
    },
    {
      error: (message) => errors.push(message),
      note: () => undefined,
      warning: (message) => errors.push(message),
      status: () => happens(),
      findings: () => happens(),
      figures() {
        if (!hasFigures) killAt("first figures");
        hasFigures = true;
        happens();
      },
      display: () => undefined,
      progress: () => ({ report: () => undefined, end: () => undefined }),
    },
  );
  const killAt = (moment: Moment) => {
    if (kills.includes(moment)) threads.at(-1)?.end();
  };
  const editor: Record<string, (params: unknown) => void> = {};
  const on = (name: string) => (handler: (...params: never[]) => unknown) => {
    editor[name] = handler as unknown as (params: unknown) => void;
    return { dispose: () => undefined };
  };
  documents.listen(
    {
      onDidOpenTextDocument: on("open"),
      onDidChangeTextDocument: on("change"),
      onDidCloseTextDocument: on("close"),
      onDidSaveTextDocument: on("save"),
    },
    workspace,
    { accepts: () => true, refused: (message) => errors.push(message) },
  );
  const isDone = (uri: string) => workspace.view(uri)?.progress === "done";
  const done = async () => {
    while (!(isDone(a) && isDone(b))) await new Promise<void>((resolve) => happened.push(resolve));
  };
  const shown = (uri: string) => {
    const view = workspace.view(uri);
    return {
      findings: workspace.diagnostics(uri).items.map(({ message, range }) => [message, range]),
      lenses: view ? codeLenses(view).map(({ command, range }) => [command?.title, range.start.line]) : [],
    };
  };
  try {
    workspace.configure({}, ["/w"]);
    for (const [uri, name] of [
      [a, "tile.cu"],
      [b, "five-rules.cu"],
    ] as const)
      editor.open?.({ textDocument: { uri, languageId: "cuda-cpp", version: 1, text: fixture(name) } });
    killAt("opened");
    await done();
    if (kills.includes("idle")) {
      killAt("idle");
      await threads.at(-1)?.ended;
    }
    editor.change?.({ textDocument: { uri: a, version: 2 }, contentChanges: [edit] });
    killAt("edited");
    await workspace.settled(a);
    await done();
    return { a: shown(a), b: shown(b), threads: threads.length, errors };
  } finally {
    workspace.dispose();
  }
}

test("what was asked is answered by the next thread, as if nothing had happened", { timeout: 300_000 }, async () => {
  const undisturbed = await session([]);
  expect(undisturbed.threads).toBe(1);
  expect(undisturbed.a.lenses.length).toBeGreaterThan(0);
  expect(undisturbed.b.findings.length).toBeGreaterThan(3);
  // What was ended twice before it was answered would be set aside: the first figures come while the file of the first end is asked again.
  for (const kills of [["first figures"], ["opened", "idle", "edited"]] as const) {
    const { a, b, threads, errors } = await session(kills);
    expect({ a, b }).toEqual({ a: undisturbed.a, b: undisturbed.b });
    expect(threads).toBeGreaterThan(1);
    for (const error of errors) expect(error).toMatch(/was ended: its thread ended with [01]/);
  }
});
