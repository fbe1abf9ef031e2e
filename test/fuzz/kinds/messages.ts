/** What a client says to a server that no good client would: odd order, odd values, odd bytes. The server answers, and goes on. */
import { startClient } from "../../../server/src/testing/client.ts";
import { Fault, type Kind } from "../kind.ts";
import { mutated } from "../mutate.ts";
import { mutatedValue } from "../mutate-value.ts";
import { byMembers } from "../parts.ts";
import type { Random } from "../random.ts";

type Message =
  | { readonly notify: string; readonly params: unknown }
  | { readonly request: string; readonly params: unknown }
  /** What the server is told when it asks for its settings. */
  | { readonly settings: unknown }
  | { readonly bytes: string };

interface MessagesInput {
  readonly initialize: object;
  readonly messages: readonly Message[];
}

const folder = "/w";
const uris = ["file:///w/a.cu", "file:///w/b.cuh", "untitled:Untitled-1", "file:///w/%C3%A9%20%23.cu", "file:///w/warplens.json"];
const languages = ["cuda-cpp", "cuda", "cpp", "plaintext", "json", "jsonc"];
const section = {
  gpu: "h100-sxm",
  simulate: true,
  rules: { "double-constant-in-float": "error" },
  launches: ["k: grid=(4,1,1) block=(32,1,1)"],
  assume: ["n=64"],
  argv: ["1"],
  defines: ["A=1"],
  includeDirs: ["inc"],
  inlayHints: { loops: true },
  codeLens: { enabled: true },
};

function goodMessage(random: Random, text: () => string): Message {
  const textDocument = { uri: random.pick(uris) };
  const position = (): object => ({ line: random.below(30), character: random.below(60) });
  const range = (): object => ({ start: position(), end: position() });
  const document = { textDocument };
  const messages: readonly (() => Message)[] = [
    () => ({
      notify: "textDocument/didOpen",
      params: { textDocument: { ...textDocument, languageId: random.pick(languages), version: random.below(4), text: text() } },
    }),
    () => ({
      notify: "textDocument/didChange",
      params: {
        textDocument: { ...textDocument, version: random.below(9) },
        contentChanges: Array.from({ length: 1 + random.below(3) }, () =>
          random.once(4) ? { text: text() } : { range: range(), text: random.pick(["", "1", "\n", "}", "0.5", "float x;\r\n", "é\ud800"]) },
        ),
      },
    }),
    () => ({ notify: "textDocument/didClose", params: document }),
    () => ({ notify: "textDocument/didSave", params: document }),
    () => ({ notify: "workspace/didChangeWatchedFiles", params: { changes: [{ uri: textDocument.uri, type: 1 + random.below(3) }] } }),
    () => ({ notify: "workspace/didChangeConfiguration", params: { settings: null } }),
    () => ({ notify: "workspace/didChangeWorkspaceFolders", params: { event: { added: [{ uri: "file:///v", name: "v" }], removed: [] } } }),
    () => ({ notify: "warplens/didFocus", params: { ...textDocument, position: position(), visible: { start: 0, end: 30 } } }),
    () => ({ notify: "warplens/stopSimulation", params: {} }),
    () => ({ notify: "$/cancelRequest", params: { id: random.below(20) } }),
    () => ({ notify: "initialized", params: {} }),
    () => ({ request: "textDocument/hover", params: { ...document, position: position() } }),
    () => ({ request: "textDocument/codeLens", params: document }),
    () => ({ request: "textDocument/inlayHint", params: { ...document, range: range() } }),
    () => ({ request: "textDocument/diagnostic", params: document }),
    () => ({
      request: "textDocument/codeAction",
      params: {
        ...document,
        range: range(),
        context: { diagnostics: [{ range: range(), message: "", source: "warplens", code: "double-constant-in-float" }] },
      },
    }),
    () => ({ request: "warplens/panel", params: { ...document, position: position(), launch: random.below(3) } }),
    () => ({ request: "warplens/rulePage", params: { id: "double-constant-in-float" } }),
    () => ({ request: "warplens/gpus", params: {} }),
    () => ({ request: "warplens/bugReport", params: {} }),
    () => ({ request: "warplens/unknown", params: {} }),
    () => ({ request: "initialize", params: { processId: null, rootUri: "file:///w", capabilities: {} } }),
    () => ({ settings: section }),
  ];
  return random.pick(messages)();
}

/** A whole frame, whatever is in it: how long a message is, every client knows. */
const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function message(random: Random, text: () => string): Message {
  const good = goodMessage(random, text);
  if (random.once(12)) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...("settings" in good || "bytes" in good ? {} : good) });
    const at = random.below(body.length);
    return {
      bytes: frame(random.once(2) ? body.slice(0, at) : body.slice(0, at) + String.fromCharCode(random.below(256)) + body.slice(at)),
    };
  }
  if (!random.once(3)) return good;
  if ("settings" in good) return { settings: mutatedValue(good.settings, random) };
  return "params" in good ? { ...good, params: mutatedValue(good.params, random) } : good;
}

const poor = "__global__ void k(float *a) { a[threadIdx.x] *= 0.1; }\n";

export const messages: Kind<MessagesInput> = {
  share: 3,

  make(random, corpus) {
    const small = corpus.sources.filter((source) => source.text.length < 2000);
    const text = (): string => (random.once(2) ? poor : mutated(random.pick(small), random, corpus));
    return {
      initialize: random.once(4)
        ? (mutatedValue({ rootUri: "file:///w", workspaceFolders: [{ uri: "file:///w", name: "w" }] }, random) as object)
        : {},
      messages: Array.from({ length: 4 + random.below(20) }, () => message(random, text)),
    };
  },

  async run({ initialize, messages: all }) {
    const client = await startClient({ [`${folder}/b.cuh`]: poor }, Object(initialize) === initialize ? initialize : {});
    try {
      const answers: Promise<readonly [method: string, answer: unknown]>[] = [];
      for (const each of all) {
        if ("notify" in each) client.notify(each.notify, each.params);
        else if ("request" in each) {
          // A server ends with the process of its client, which is none where the number is odd.
          const params =
            each.request === "initialize" && typeof each.params === "object" ? { ...each.params, processId: null } : each.params;
          answers.push(client.answer(each.request, params).then((answer) => [each.request, answer]));
        } else if ("settings" in each) client.settings = each.settings;
        else client.write(each.bytes);
      }
      // A second hello, or one without capabilities, is the library's to refuse.
      for (const [method, answer] of await Promise.all(answers))
        if (method !== "initialize" && typeof answer === "string" && answer.startsWith("error -32603")) throw new Fault(answer);
      for (const line of client.log)
        if (/\b(?:TypeError|RangeError|ReferenceError|SyntaxError: )\b|\bfailed on\b/.test(line)) throw new Fault(line);
      client.settings = {};
      client.notify("workspace/didChangeConfiguration", { settings: null });
      // A macro called as the good document's kernel, say, holds until they are taken over.
      await client.settle();
      // A good document is answered as ever, and one that was treated badly as soon as it is treated well.
      for (const uri of ["file:///w/good.cu", "file:///w/a.cu"]) {
        client.notify("textDocument/didClose", { textDocument: { uri } });
        client.open(uri, poor);
        const rules = await client.rules(uri).catch(() => client.rules(uri));
        if (rules.join() !== "double-constant-in-float")
          throw new Fault(`${uri} has the findings ${rules.join(", ") || "none"} afterwards`);
      }
    } finally {
      await client.stop();
    }
    return { messages: all.length };
  },

  parts: (input) => [byMembers(input.messages, (left) => ({ ...input, messages: left }))],
};
