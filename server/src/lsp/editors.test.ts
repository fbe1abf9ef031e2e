/** Editors other than VS Code, by what they say of themselves when they begin (docs/editors.md): each gets all that it can show. */
import { afterEach, describe, expect, test } from "vitest";
import { type Finding, startClient } from "../testing/client.ts";

const uri = "file:///w/a.cu";
const text = `__global__ void k(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[32 * i] = 0.7 * in[i];
}
void run(float *out, const float *in) { k<<<1024, 256>>>(out, in, 262144); }
`;

interface Editor {
  readonly capabilities: object;
  /** How the user's settings get to the server. */
  readonly told: { readonly pulled: unknown } | { readonly pushed: unknown } | { readonly initial: unknown };
  /** Whether it asks for findings; else they are sent to it. */
  readonly pulls?: boolean;
}

const range = { start: { line: 2, character: 0 }, end: { line: 2, character: 28 } };
const settings = { gpu: "t4" };
const resolves = { codeActionLiteralSupport: {}, dataSupport: true, resolveSupport: { properties: ["edit"] } };

const editors: Readonly<Record<string, Editor>> = {
  "Neovim 0.11": {
    capabilities: {
      general: { positionEncodings: ["utf-8", "utf-16", "utf-32"] },
      textDocument: { codeAction: resolves, diagnostic: { dynamicRegistration: true }, inlayHint: {}, codeLens: {}, hover: {} },
      workspace: { configuration: true, inlayHint: { refreshSupport: true }, workspaceFolders: true },
      window: { workDoneProgress: true },
    },
    told: { pulled: settings },
    pulls: true,
  },
  "Emacs with eglot": {
    capabilities: {
      textDocument: { codeAction: resolves, publishDiagnostics: {}, inlayHint: {}, hover: {} },
      workspace: { configuration: true, didChangeWatchedFiles: { dynamicRegistration: true }, workspaceFolders: true },
    },
    told: { pulled: settings },
  },
  "Emacs with lsp-mode, before it was asked": {
    capabilities: { textDocument: { codeAction: resolves, publishDiagnostics: {} }, workspace: { didChangeConfiguration: {} } },
    told: { pushed: { warplens: settings } },
  },
  Helix: {
    capabilities: {
      general: { positionEncodings: ["utf-8", "utf-32", "utf-16"] },
      textDocument: { codeAction: resolves, publishDiagnostics: {}, inlayHint: {}, hover: {} },
      workspace: { configuration: true, inlayHint: {}, workspaceFolders: true },
    },
    told: { initial: { warplens: settings } },
  },
  Zed: {
    capabilities: {
      textDocument: { codeAction: resolves, diagnostic: { dynamicRegistration: true }, inlayHint: {}, codeLens: {}, hover: {} },
      workspace: { configuration: true, diagnostics: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
      window: { workDoneProgress: true },
    },
    told: { pulled: settings },
    pulls: true,
  },
  "a client that says nothing of itself": { capabilities: {}, told: { initial: settings } },
};

describe.each(Object.entries(editors))("%s", (_name, { capabilities, told, pulls = false }) => {
  let client: Awaited<ReturnType<typeof startClient>>;
  afterEach(() => client.stop());

  test("findings, figures, hints, hovers and fixes, by the user's settings", async () => {
    const initialize = { capabilities, ...("initial" in told ? { initializationOptions: told.initial } : {}) };
    client = await startClient({}, initialize);
    client.settings = "pulled" in told ? told.pulled : null;
    if ("pushed" in told) client.notify("workspace/didChangeConfiguration", { settings: told.pushed });
    client.open(uri, text);
    const about = { textDocument: { uri } };
    const title = await until(client, async () => {
      const lenses = (await client.request("textDocument/codeLens", about)) as { command: { title: string } }[];
      return lenses.map(({ command }) => command.title).find((each) => each.includes("occupancy"));
    });
    expect(title).toMatch(/^T4 · occupancy 100 %/);

    const hints = (await client.request("textDocument/inlayHint", { ...about, range })) as { label: string }[];
    expect(JSON.stringify(hints)).toContain("sectors/req, ideal");
    const hover = (await client.request("textDocument/hover", { ...about, position: { line: 2, character: 4 } })) as {
      contents: { value: string };
    };
    expect(hover.contents.value).toMatch(/sectors/);

    const findings = async (): Promise<readonly Finding[]> =>
      pulls ? ((await client.request("textDocument/diagnostic", about)) as { items: Finding[] }).items : client.sent(uri);
    // A fix is tried before it is offered.
    const fix = await until(client, async () => {
      const diagnostics = (await findings()).filter(({ code }) => code === "double-constant-in-float");
      const context = { diagnostics, triggerKind: 1 };
      const all = (await client.request("textDocument/codeAction", { ...about, range, context })) as { title: string; edit?: object }[];
      return all.find(({ edit }) => JSON.stringify(edit)?.includes("0.7f"));
    });
    expect(fix.title).toMatch(/0\.7f/);
  });
});

/** What comes once the server is so far: it goes on between requests. */
async function until<T>(client: Awaited<ReturnType<typeof startClient>>, look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await client.settle();
  }
}
