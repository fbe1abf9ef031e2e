import { expect, test } from "vitest";
import type { Diagnostic } from "../lint.ts";
import type { AnalysisWorker, Configuration, FileFindings } from "../worker/messages.ts";
import { Documents } from "./documents.ts";
import type { StatusParams } from "./protocol.ts";
import { Workspace } from "./workspace.ts";

const finding = (message: string, character = 0): Diagnostic => ({
  path: "/w/a.cu",
  ruleId: "some-rule",
  severity: "warning",
  message,
  range: { start: { line: 0, character }, end: { line: 0, character: character + 1 } },
  fixes: [],
  related: [],
  tags: [],
  simulated: false,
  url: "",
});
/** Of one line of text. */
const findings = (...diagnostics: Diagnostic[]): Findings => ({
  diagnostics: diagnostics.map((each) => ({ ...each, place: { start: each.range.start.character, end: each.range.end.character } })),
  kernels: [],
  syntaxErrors: 0,
  failures: [],
});
type Findings = Omit<FileFindings, "about">;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A workspace whose worker and editor do what the test says; nothing is simulated. */
function setUp(files: Record<string, string> = {}) {
  const jobs: { path: string; gpu: string; end: (found: Findings) => void; fail: (error: Error) => void }[] = [];
  const versions = new Map<string, number>();
  const configurations = new Map<string, Configuration>();
  const worker: AnalysisWorker = {
    tell(input) {
      if (input.does === "open" || input.does === "edit") versions.set(input.path, input.version);
      if (input.does === "configure") configurations.set(input.path, input.configuration);
    },
    find(path) {
      const configuration = configurations.get(path);
      const about = { version: versions.get(path) ?? 0, revision: configuration?.revision ?? 0, gpu: configuration?.gpu.id ?? "" };
      return new Promise((end, fail) => jobs.push({ path, gpu: about.gpu, end: (found) => end({ about, ...found }), fail }));
    },
    headers: () => Promise.resolve([]),
    simulate: () => Promise.resolve(false),
    cancel: () => undefined,
    dispose: () => undefined,
  };
  const errors: string[] = [];
  const stale: string[] = [];
  const statuses: StatusParams[] = [];
  const documents = new Documents();
  const editor: Record<string, (params: unknown) => void> = {};
  const on = (name: string) => (handler: (...params: never[]) => unknown) => {
    editor[name] = handler as unknown as (params: unknown) => void;
    return { dispose: () => undefined };
  };
  const platform = {
    files: { read: (path: string) => files[path] },
    startWorker: () => worker,
    pathOf: (uri: string) => uri.slice("file://".length),
    uriOf: (path: string) => `file://${path}`,
  };
  const workspace = new Workspace(documents, platform, {
    log: () => undefined,
    error: (message) => errors.push(message),
    status: (status) => statuses.push(status),
    changed: (uri) => stale.push(uri),
  });
  documents.listen(
    {
      onDidOpenTextDocument: on("open"),
      onDidChangeTextDocument: on("change"),
      onDidCloseTextDocument: on("close"),
      onDidSaveTextDocument: on("save"),
    },
    workspace,
  );
  const configure = (section: object) => workspace.configure({ simulate: false, ...section }, ["/w"]);
  const open = (path: string, text: string) =>
    editor.open?.({ textDocument: { uri: `file://${path}`, languageId: "cuda-cpp", version: 1, text } });
  const type = (path: string, version: number, text: string) =>
    editor.change?.({ textDocument: { uri: `file://${path}`, version }, contentChanges: [{ text }] });
  const messages = (path: string) =>
    workspace.diagnostics(`file://${path}`).map(({ message, range }) => `${message}@${range.start.character}`);
  const end = async (index: number, found: Findings) => {
    jobs[index]?.end(found);
    await settle();
  };
  return { workspace, jobs, errors, stale, statuses, files, editor, configure, open, type, messages, end };
}

test("whoever asks waits for the findings of the present text", async () => {
  const { workspace, jobs, configure, open, messages, end } = setUp();
  configure({});
  open("/w/a.cu", "abc");
  let answered = false;
  const asked = workspace.settled("file:///w/a.cu").then(() => (answered = true));
  await settle();
  expect([jobs.length, answered]).toEqual([1, false]);
  await end(0, findings(finding("bad", 1)));
  await asked;
  expect(messages("/w/a.cu")).toEqual(["bad@1"]);
});

test("typing lets the old request go, with findings where they moved to", async () => {
  const { workspace, configure, open, type, messages, end } = setUp();
  configure({});
  open("/w/a.cu", "abc");
  await settle();
  await end(0, findings(finding("bad", 1)));
  type("/w/a.cu", 2, "--abc");
  await settle();
  const asked = workspace.settled("file:///w/a.cu");
  type("/w/a.cu", 3, "---abc");
  await asked;
  expect(messages("/w/a.cu")).toEqual(["bad@4"]);
});

test("another setting makes all anew, what is looked at first; results of the old one do not count", async () => {
  const { workspace, jobs, configure, open, end } = setUp();
  configure({});
  open("/w/b.cu", "b");
  open("/w/a.cu", "a");
  await settle();
  for (const index of [0, 1]) await end(index, findings());
  workspace.focus("file:///w/b.cu");
  configure({ gpu: "t4" });
  await settle();
  configure({ gpu: "v100" });
  await settle();
  await end(2, findings());
  await end(3, findings());
  await end(4, findings());
  expect(jobs.slice(2).map(({ path, gpu }) => [path, gpu])).toEqual([
    ["/w/a.cu", "t4"],
    ["/w/b.cu", "v100-sxm2"],
    ["/w/a.cu", "v100-sxm2"],
  ]);
});

test("a worker that fails leaves nobody waiting, and says so", async () => {
  const { workspace, jobs, errors, configure, open, messages } = setUp();
  configure({});
  open("/w/a.cu", "abc");
  const asked = workspace.settled("file:///w/a.cu");
  await settle();
  jobs[0]?.fail(new Error("out of memory"));
  await asked;
  expect(messages("/w/a.cu")).toEqual([]);
  expect(errors).toEqual(["The analysis of file:///w/a.cu failed: out of memory"]);
});

test("warplens.json is marked as it is typed, and holds as it is saved", async () => {
  const { jobs, statuses, files, editor, configure, open, type, messages, end } = setUp();
  configure({});
  open("/w/a.cu", "abc");
  open("/w/warplens.json", "{}");
  await settle();
  await end(0, findings());
  type("/w/warplens.json", 2, '{ "gpu": 3 }');
  await settle();
  expect(messages("/w/warplens.json")).toEqual(['`gpu` should be a GPU\'s id, such as "h200"@9']);
  expect(jobs.length).toBe(1);
  files["/w/warplens.json"] = '{ "gpu": "mine", "gpus": [{ "id": "mine", "extends": "t4" }] }';
  editor.save?.({ textDocument: { uri: "file:///w/warplens.json" } });
  await settle();
  expect(jobs.at(-1)?.gpu).toBe("mine");
  expect(statuses.at(-1)).toMatchObject({ gpu: { id: "mine", own: true }, chosenBy: "warplens.json", problems: [] });
});
