/** Clients that do not keep to the protocol: the server lives, answers, and says what was wrong. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startClient } from "../testing/client.ts";

const a = "file:///w/a.cu";
const poor = "__global__ void k(float *a) { a[threadIdx.x] *= 0.7; }\n";
const clean = "__global__ void k(float *a) { a[threadIdx.x] *= 0.5f; }\n";
const found = ["double-constant-in-float"];

type Client = Awaited<ReturnType<typeof startClient>>;
let client: Client;
beforeEach(async () => {
  client = await startClient();
});
afterEach(() => client.stop());

/** Good documents are answered as ever. */
async function lives(): Promise<void> {
  const uri = `file:///w/good-${Math.trunc(client.log.length)}.cu`;
  client.open(uri, poor);
  expect(await client.rules(uri)).toEqual(found);
  client.notify("textDocument/didClose", { textDocument: { uri } });
}

const values: readonly unknown[] = [null, {}, { textDocument: null }, { textDocument: { uri: 7 } }, { textDocument: { uri: a } }];

describe("requests", () => {
  test("nobody knows", async () => {
    expect(await client.answer("warplens/unknown", {})).toMatch(/^error -32601/);
    expect(await client.answer("textDocument/definition", { textDocument: { uri: a }, position: { line: 0, character: 0 } })).toMatch(
      /^error -32601/,
    );
    client.notify("warplens/unknown", {});
    client.notify("$/setTrace", { value: "loud" });
    await lives();
  });

  const methods = [
    "textDocument/hover",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "codeAction/resolve",
    "textDocument/diagnostic",
    "warplens/panel",
    "warplens/launches",
    "warplens/chooseLaunch",
    "warplens/whatIf",
    "warplens/watchWarp",
    "warplens/applyWhatIf",
    "warplens/rulePage",
    "warplens/gpus",
    "warplens/rules",
    "warplens/bugReport",
    "warplens/trace",
  ];
  test.each(methods)("%s with parameters that are none is answered", async (method) => {
    client.open(a, poor);
    for (const params of [...values, { textDocument: { uri: a }, position: {}, range: { start: 1 }, context: 3, id: [] }]) {
      const answer = await client.answer(method, params);
      if (typeof answer === "string" && answer.startsWith("error"))
        expect(answer).toMatch(/^error -32602: .*(parameters should be|received parameters by position)/);
    }
    expect(await client.answer(method, [1, 2])).toBeDefined();
    await lives();
  });

  test("places outside of the text", async () => {
    client.open(a, poor);
    await client.rules(a);
    const far = { line: 2 ** 31, character: 2 ** 31 };
    for (const position of [{ line: 0, character: 9999 }, { line: 9999, character: 0 }, far, { line: 2 ** 52, character: 0 }]) {
      expect(await client.answer("textDocument/hover", { textDocument: { uri: a }, position })).not.toEqual(expect.any(String));
      expect(await client.answer("warplens/panel", { textDocument: { uri: a }, position, launch: 99 })).toBeTruthy();
      const range = { start: far, end: position };
      expect(await client.answer("textDocument/inlayHint", { textDocument: { uri: a }, range })).toEqual([]);
      const context = { diagnostics: [{ range, message: "", source: "warplens", data: { ruleId: "x", fixes: [7] } }] };
      expect(await client.answer("textDocument/codeAction", { textDocument: { uri: a }, range, context })).toEqual([]);
    }
    for (const position of [{ line: -1, character: 0 }, { line: 0.7, character: 0 }, { line: "0", character: 0 }, null])
      expect(await client.answer("textDocument/hover", { textDocument: { uri: a }, position })).toMatch(/^error -32602/);
    await lives();
  });

  test("cancelled that nobody asked, and cancelled while they wait", async () => {
    client.notify("$/cancelRequest", { id: 4711 });
    client.notify("$/cancelRequest", { id: "x" });
    client.notify("$/cancelRequest", {});
    await lives();
  });
});

describe("documents", () => {
  const change = (uri: string, version: unknown, ...contentChanges: unknown[]) =>
    client.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
  const wordAt = (line: number, start: number, end: number) => ({ start: { line, character: start }, end: { line, character: end } });
  const close = (uri: string) => client.notify("textDocument/didClose", { textDocument: { uri } });

  test("that are not open are not changed, saved or closed", async () => {
    change(a, 2, { text: poor });
    client.notify("textDocument/didSave", { textDocument: { uri: a } });
    close(a);
    expect(await client.rules(a)).toEqual([]);
    expect(client.log).toEqual([expect.stringContaining("A document that is not open was changed")]);
    await lives();
  });

  test("opened twice: the second text holds; closed twice", async () => {
    client.open(a, clean);
    client.open(a, poor);
    expect(await client.rules(a)).toEqual(found);
    close(a);
    close(a);
    expect(await client.rules(a)).toEqual([]);
    client.open(a, poor);
    expect(await client.rules(a)).toEqual(found);
  });

  test.each([
    ["go backwards", [5, 3, 1]],
    ["stand still", [1, 1, 1]],
    ["are none", [null, undefined, "x"]],
    ["are no whole numbers", [1.5, Number.MAX_VALUE, -7]],
  ])("whose versions %s", async (_, versions) => {
    client.open(a, poor);
    const rules = client.rules(a).catch(() => "asked again");
    change(a, versions[0], { text: clean });
    change(a, versions[1], { text: poor });
    change(a, versions[2], { text: clean });
    await rules;
    expect(await client.rules(a)).toEqual([]);
    change(a, versions[2], { text: poor });
    expect(await client.rules(a)).toEqual(found);
  });

  test("changed at places outside of their text, and backwards", async () => {
    client.open(a, clean);
    change(a, 2, { range: { start: { line: 99, character: 0 }, end: { line: 999, character: 7 } }, text: poor.replace("k(", "other(") });
    expect(await client.rules(a)).toEqual(found);
    const from = poor.replace("k(", "other(").indexOf("0.7") + 3;
    change(a, 3, { range: { start: { line: 1, character: from }, end: { line: 1, character: from } }, text: "f" });
    expect(await client.rules(a)).toEqual([]);
    change(a, 4, { range: { start: { line: 1, character: from + 1 }, end: { line: 1, character: from } }, text: "" });
    expect(await client.rules(a)).toEqual(found);
  });

  test.each<[string, unknown]>([
    ["a place before the first", { range: { start: { line: -1, character: 0 }, end: { line: 0, character: 1 } }, text: "x" }],
    ["half a place", { range: { start: { line: 0 }, end: { line: 0, character: 1 } }, text: "x" }],
    ["no text", { range: wordAt(0, 0, 1) }],
    ["nothing", null],
    ["a number", 7],
  ])("changed by %s stay as they are, as a whole", async (_, wrong) => {
    client.open(a, poor);
    change(a, 2, { text: clean }, wrong);
    expect(await client.rules(a)).toEqual(found);
    expect(client.log).toEqual([expect.stringContaining("A change that is none")]);
    change(a, 3, { text: clean });
    expect(await client.rules(a)).toEqual([]);
  });

  test("changed by no list", async () => {
    client.open(a, poor);
    client.notify("textDocument/didChange", { textDocument: { uri: a, version: 2 }, contentChanges: { text: clean } });
    client.notify("textDocument/didChange", { textDocument: { uri: a, version: 2 } });
    client.notify("textDocument/didChange", null);
    expect(await client.rules(a)).toEqual(found);
  });

  test("that cannot be documents are refused", async () => {
    for (const uri of ["", "a.cu", "://", "a b:/w"]) client.open(uri, poor);
    for (const params of [...values, { textDocument: { uri: a, text: 7 } }]) client.notify("textDocument/didOpen", params);
    await client.settle();
    expect(client.log.length).toBeGreaterThanOrEqual(4 + values.length + 1);
    await lives();
    // Nothing of them is left that would be told to another thread, or looked at with other settings.
    client.notify("workspace/didChangeConfiguration", { settings: null });
    client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: "a b:/w" }, { uri: 7 }, null, { uri: "file:///w/x.h" }] });
    client.notify("workspace/didChangeWatchedFiles", { changes: 7 });
    client.notify("warplens/didFocus", { uri: 7 });
    client.notify("warplens/didFocus", { uri: a, position: { line: -1 }, visible: { start: 9, end: 1 } });
    client.notify("warplens/stopSimulation", [1]);
    await lives();
  });

  test("of odd schemes and names are documents of their own", async () => {
    const uris = [
      "file:///w/a.cu",
      "file:///w/%61.cu",
      "untitled:Untitled-1",
      "untitled:/w/a.cu",
      "git:/w/a.cu?%7B%22ref%22%3A%22HEAD%22%7D",
      "git:/w/a.cu?%7B%22ref%22%3A%22~%22%7D",
      "vscode-remote://ssh-remote%2Bhost/w/a.cu",
      "vscode-vfs://github/w/a.cu",
    ];
    for (const [index, uri] of uris.entries()) client.open(uri, index % 2 ? clean : poor);
    for (const [index, uri] of uris.entries()) expect([uri, await client.rules(uri)]).toEqual([uri, index % 2 ? [] : found]);
    for (const [index, uri] of uris.entries()) change(uri, 2, { text: index % 2 ? poor : clean });
    for (const [index, uri] of uris.entries()) expect([uri, await client.rules(uri)]).toEqual([uri, index % 2 ? found : []]);
    for (const uri of uris) close(uri);
    await lives();
  });

  test("too large to read say so, and are read once they are not", async () => {
    const large = `${poor}// ${"x".repeat(9 * 2 ** 20)}\n`;
    client.open(a, large);
    const items = async () => {
      const report = (await client.request("textDocument/diagnostic", { textDocument: { uri: a } })) as { items: { message: string }[] };
      return report.items.map(({ message }) => message);
    };
    expect(await items()).toEqual(["This file is not analysed: it has 9.1 million characters; WarpLens reads up to 8 million."]);
    expect(client.statuses.at(-1)?.problems).toEqual([expect.stringContaining("a.cu: This file is not analysed")]);
    await lives();
    change(a, 2, { range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } }, text: "" });
    expect(await items()).toEqual([expect.stringContaining("0.7")]);
    expect(client.statuses.at(-1)?.problems).toEqual([]);
    change(a, 3, { range: wordAt(1, 0, 0), text: large });
    expect(await items()).toContain("This file is not analysed: it has 9.1 million characters; WarpLens reads up to 8 million.");
    change(a, 4, { text: clean });
    expect(await client.rules(a)).toEqual([]);
  });
});

describe("a client that", () => {
  test("answers nothing that it is asked", async () => {
    client.onAsked = () => {
      throw new Error("no");
    };
    client.open(a, poor);
    expect(await client.rules(a)).toEqual(found);
    client.settings = { gpu: "t4" };
    client.notify("workspace/didChangeConfiguration", { settings: null });
    await lives();
  });

  test.each<[string, unknown]>([
    ["numbers", 7],
    ["a list", [1, [2]]],
    ["values of the wrong kind", { gpu: {}, rules: [], argv: 7, codeLens: "x", inlayHints: { loops: null }, defines: [1] }],
    ["names of what every object has", { rules: { toString: "off", constructor: "loud" }, __proto__: { gpu: 7 } }],
    ["what cannot be read", { launches: ["k: grid", "::::", "`"], assume: ["n=", "=", "k.x=uniform("], defines: ["=", "1=2", "A(=B"] }],
  ])("has %s for settings", async (_, settings) => {
    client.settings = settings;
    client.notify("workspace/didChangeConfiguration", { settings: null });
    await lives();
  });

  test.each<[string, object]>([
    ["no capabilities", { capabilities: {} }],
    ["capabilities of the wrong kind", { capabilities: { workspace: 7, textDocument: "x" } }],
    ["no folders", { workspaceFolders: null, rootUri: null }],
    ["folders of the wrong kind", { workspaceFolders: [null, { uri: 7 }, { uri: "a b:/" }], rootUri: 7 }],
    ["one folder, as clients had it before", { workspaceFolders: undefined, rootUri: "file:///w" }],
    ["options of its own", { initializationOptions: { assets: 7 }, trace: "loud", locale: 7 }],
  ])("says hello with %s", async (_, initialize) => {
    await client.stop();
    client = await startClient({}, initialize);
    await lives();
  });

  test.each<[string, string]>([
    ["no JSON", "Content-Length: 5\r\n\r\n{{{{{"],
    ["JSON that is no message", "Content-Length: 2\r\n\r\n[]"],
    ["a number", "Content-Length: 1\r\n\r\n7"],
    ["no method", 'Content-Length: 24\r\n\r\n{"jsonrpc":"2.0","id":1}'],
    ["an answer that nobody waits for", 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":99,"result":null}\n'],
  ])("sends %s", async (_, bytes) => {
    client.write(bytes);
    await lives();
  });

  test("has settings in a project that nobody can read", async () => {
    await client.stop();
    client = await startClient({ "/w/warplens.json": "[".repeat(100_000), "/w/compile_commands.json": '[{"directory":7}]' });
    client.open(a, poor);
    expect(await client.rules(a)).toEqual(found);
    expect(client.statuses.at(-1)?.problems).toContain("warplens.json, line 1: this is nested too deep");
    client.open("file:///w/warplens.json", '{"gpus":'.repeat(100_000));
    expect(await client.rules("file:///w/warplens.json")).toEqual([""]);
    await lives();
  });
});
