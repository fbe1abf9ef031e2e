/** What a client says to a server that no good client would: odd order, odd values, odd bytes. The server answers, and goes on. */
import type { PanelAnswer } from "../../../server/src/lsp/protocol.ts";
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
  /** A program is open and simulated before the first message: what is asked of launches has an answer. */
  readonly isSimulated: boolean;
  readonly initialize: object;
  readonly messages: readonly Message[];
}

const folder = "/w";
const program = "file:///w/a.cu";
const uris = [program, "file:///w/b.cuh", "untitled:Untitled-1", "file:///w/%C3%A9%20%23.cu", "file:///w/warplens.json"];
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

/** Launched, with an access and a branch that a warp can be watched at. */
const launched = `__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 0.1;
}
void run(float *a, int n) { k<<<64, 128>>>(a, 8000); k<<<n, 128>>>(a, n); }
`;

/** What the panel asks of a launch in place of what stands in the source. */
function overrides(random: Random): object {
  const all = {
    gpu: random.pick(["h200", "v100-sxm2", "k80"]),
    block: [32 << random.below(6), 1, 1],
    grid: [random.below(1000), 1, 1],
    shared: 1024 * random.below(64),
    registers: 16 + random.below(200),
    parameters: { n: random.below(100_000) },
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.once(3)));
}

function place(random: Random): object {
  const [kind, text] = random.pick([
    ["access", "a[i]"],
    ["branch", "i < n"],
  ] as const);
  const start = launched.indexOf(text);
  const file = random.below(2);
  const access = { space: "global", operation: random.pick(["load", "store"]), bytesPerLane: 4 };
  return { kind, file, start, end: start + text.length, ...(kind === "access" ? access : {}) };
}

const report = {
  name: "raw.csv",
  devices: [{ name: "NVIDIA H200", computeCapability: 90 }],
  launches: [{ kernel: "k", grid: [64, 1, 1], block: [128, 1, 1], device: 0, figures: { ns: 5000 } }],
  notes: [],
};

/** What is asked of a program's launches. */
function question(random: Random): Message {
  const document = { textDocument: { uri: random.once(5) ? random.pick(uris) : program } };
  const position = { line: random.below(6), character: random.below(60) };
  const imagined = { ...document, version: random.once(5) ? random.below(4) : 1, launch: random.below(2) };
  const questions: readonly (() => Message)[] = [
    () => ({ request: "warplens/panel", params: { ...document, position, launch: random.below(3) } }),
    () => ({ request: "warplens/launches", params: { ...document, position } }),
    () => ({ request: "warplens/chooseLaunch", params: { ...document, position, launch: random.below(3) } }),
    () => ({ request: random.pick(["warplens/markdown", "warplens/outlier"]), params: { ...document, position } }),
    () => ({ request: random.pick(["warplens/heat", "warplens/pin"]), params: document }),
    () => ({ request: random.pick(["warplens/whatIf", "warplens/applyWhatIf"]), params: { ...imagined, overrides: overrides(random) } }),
    () => ({
      request: "warplens/watchWarp",
      params: {
        ...imagined,
        overrides: random.once(2) ? {} : overrides(random),
        warp: { place: place(random), block: random.below(64), warp: random.below(4) },
      },
    }),
  ];
  return random.pick(questions)();
}

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
    () => ({ request: "warplens/readReport", params: { texts: [{ name: "raw.csv", text: text() }] } }),
    () => ({ notify: "warplens/reports", params: { reports: [{ id: "1", loadedAt: 1, report }], shown: "1" } }),
    () => ({ request: "warplens/rulePage", params: { id: "double-constant-in-float" } }),
    () => ({ request: "warplens/gpus", params: {} }),
    () => ({ request: "warplens/bugReport", params: {} }),
    () => ({ request: "warplens/unknown", params: {} }),
    () => ({ request: "initialize", params: { processId: null, rootUri: "file:///w", capabilities: {} } }),
    () => ({ settings: section }),
  ];
  return random.once(4) ? question(random) : random.pick(messages)();
}

/** A whole frame, whatever is in it: how long a message is, every client knows. */
const frame = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function message(random: Random, make: () => Message): Message {
  const good = make();
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

async function openSimulated(client: Awaited<ReturnType<typeof startClient>>): Promise<void> {
  client.open(program, launched);
  for (;;) {
    const changed = client.simulated();
    const answer = (await client.request("warplens/panel", {
      textDocument: { uri: program },
      position: { line: 0, character: 0 },
    })) as PanelAnswer;
    if (answer && "report" in answer) return;
    await changed;
  }
}

const poor = "__global__ void k(float *a) { a[threadIdx.x] *= 0.1; }\n";

export const messages: Kind<MessagesInput> = {
  share: 3,

  make(random, corpus) {
    const small = corpus.sources.filter((source) => source.text.length < 2000);
    const text = (): string => (random.once(2) ? random.pick([poor, launched]) : mutated(random.pick(small), random, corpus));
    const isSimulated = random.once(3);
    return {
      isSimulated,
      initialize:
        !isSimulated && random.once(4)
          ? (mutatedValue({ rootUri: "file:///w", workspaceFolders: [{ uri: "file:///w", name: "w" }] }, random) as object)
          : {},
      messages: Array.from({ length: 4 + random.below(20) }, () =>
        message(random, () => (isSimulated && !random.once(5) ? question(random) : goodMessage(random, text))),
      ),
    };
  },

  async run({ isSimulated, initialize, messages: all }) {
    const client = await startClient({ [`${folder}/b.cuh`]: poor }, Object(initialize) === initialize ? initialize : {});
    try {
      if (isSimulated) await openSimulated(client);
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
      for (const uri of ["file:///w/good.cu", program]) {
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
