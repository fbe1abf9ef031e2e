/** Refactorings as a client asks for them, from the whole server. */
import { afterEach, expect, test } from "vitest";
import type { CodeAction } from "vscode-languageserver";
import padSharedTile from "../refactorings/pad-shared-tile.ts";
import { startClient } from "../testing/client.ts";

type Client = Awaited<ReturnType<typeof startClient>>;
const uri = "file:///w/turn.cu";
const { before, cursor } = padSharedTile.example;
const at = before.indexOf(cursor);
const line = before.slice(0, at).split("\n").length - 1;
const character = at - before.lastIndexOf("\n", at) - 1;
const range = { start: { line, character }, end: { line, character } };
const kind = "refactor.rewrite.pad-shared-tile";

let client: Client | undefined;
afterEach(() => client?.stop());

const capabilities = {
  workspace: { workspaceEdit: { documentChanges: true, changeAnnotationSupport: {} } },
  textDocument: { diagnostic: {}, codeAction: { dataSupport: true, resolveSupport: { properties: ["edit"] } } },
};

/** Asks until the file is simulated. @param triggerKind 1: invoked, 2: automatic */
async function offered(of: Client, triggerKind: 1 | 2, only: readonly string[] = [kind]): Promise<CodeAction[]> {
  for (;;) {
    const changed = of.simulated();
    const actions = (await of.request("textDocument/codeAction", {
      textDocument: { uri },
      range,
      context: { diagnostics: [], only, triggerKind },
    })) as CodeAction[];
    if (actions.length > 0) return actions;
    await changed;
  }
}

test("who asks for refactorings is told what they come to, with a preview", async () => {
  client = await startClient({}, { capabilities });
  client.open(uri, before);
  const [action] = await offered(client, 1);
  expect(action?.title).toMatch(/^Pad `tile` to \[32\]\[33\]: [\d.]+ to [\d.]+ µs$/);
  expect(action?.edit).toMatchObject({
    documentChanges: [{ textDocument: { uri, version: 1 }, edits: [{ newText: "33", annotationId: "proof" }] }],
    changeAnnotations: {
      proof: { needsConfirmation: true, description: expect.stringMatching(/H200.*1 launch leaves in memory is equal$/) },
    },
  });
});

test("nothing is simulated for a cursor that rests: what is chosen then is tried then", async () => {
  client = await startClient({}, { capabilities });
  client.open(uri, before);
  const [action] = await offered(client, 2);
  expect(action).toMatchObject({ title: "Pad `tile` to [32][33]", kind });
  expect(action?.edit).toBeUndefined();
  const resolved = (await client.request("codeAction/resolve", action)) as CodeAction;
  expect(resolved.edit?.documentChanges).toMatchObject([{ edits: [{ newText: "33" }] }]);
  // What is known by now is told without being asked for.
  const [again] = await offered(client, 2);
  expect(again?.title).toMatch(/µs$/);
});

test("a client that does not ask again, nor shows previews, gets what was tried, as edits", async () => {
  client = await startClient();
  client.open(uri, before);
  const [action] = await offered(client, 1);
  expect(action?.edit?.changes?.[uri]).toMatchObject([{ newText: "33" }]);
});

test("one that fails is not offered, and the log says why", async () => {
  client = await startClient({}, { capabilities });
  // The column that each thread reads belongs to the row that padding moves.
  const hole = before.replace("= tile[threadIdx.x][threadIdx.y + j]", "= tile[0][threadIdx.x * 32 + threadIdx.y + j]");
  client.open(uri, hole);
  const all = await offered(client, 2, ["refactor.rewrite"]);
  const pad = all.find((action) => action.kind === kind);
  expect(pad).toBeDefined();
  const resolved = (await client.request("codeAction/resolve", pad)) as CodeAction;
  expect(resolved.edit).toBeUndefined();
  expect(client.log.join("\n")).toMatch(/pad-shared-tile: not offered: Pad `tile`/);
});

test("an answer of yesterday changes nothing", async () => {
  client = await startClient({}, { capabilities });
  client.open(uri, before);
  const [action] = await offered(client, 2);
  client.notify("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text: `\n${before}` }] });
  const resolved = (await client.request("codeAction/resolve", action)) as CodeAction;
  expect(resolved.edit).toBeUndefined();
  for (const data of [undefined, 7, { uri, version: 2, key: "" }])
    expect(await client.answer("codeAction/resolve", { title: "t", data })).not.toMatchObject({ edit: {} });
});
