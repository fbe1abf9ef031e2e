/** The panel in the side bar: follows the cursor in CUDA files and shows what the server knows of the launch there. */
import { label } from "@warplens/server/foreign-text";
import {
  type DidSimulateParams,
  type GpuSummary,
  gpusRequest,
  markdownRequest,
  outlierRequest,
  type PanelAnswer,
  type PanelModel,
  type PanelParams,
  type PanelProgress,
  panelRequest,
  type WarpSeen,
  type WatchWarpParams,
  type WhatIfAnswer,
  type WhatIfParams,
  watchWarpRequest,
  whatIfRequest,
} from "@warplens/server/protocol";
import {
  CancellationTokenSource,
  commands,
  Disposable,
  type Event,
  languages,
  type Position,
  type TextEditor,
  Uri,
  type WebviewView,
  type WebviewViewProvider,
  window,
  workspace,
} from "vscode";
import { type BaseLanguageClient, State } from "vscode-languageclient";
import { applyWhatIf } from "../commands/apply-what-if.ts";
import { exportDrawing } from "../commands/export-drawing.ts";
import { loadReport } from "../commands/load-report.ts";
import { revealLine } from "../commands/reveal-line.ts";
import { chooseGpu } from "../commands/select-gpu.ts";
import { documentSelector } from "../language-client.ts";
import type { Measured } from "../measured.ts";
import { panelHtml } from "./html.ts";
import { type Asked, readFromPage, type ToPage } from "./messages.ts";

interface Shown {
  readonly uri: Uri;
  readonly position: Position;
  /** The launch that the user picked; the cursor's choice until then. */
  readonly launch?: number;
}

export class PanelView implements WebviewViewProvider, Disposable {
  static readonly id = "warplens.panel";
  readonly #extension: Uri;
  readonly #client: BaseLanguageClient;
  readonly #measured: Measured;
  readonly #subscriptions: Disposable;
  #view: WebviewView | undefined;
  #shown: Shown | undefined;
  /** One request at a time: what changes meanwhile makes one more. */
  #asking = false;
  #stale = false;
  /** What the page waits for, by its number. */
  readonly #imagining = new Map<number, CancellationTokenSource>();
  /** The last model that the page was sent. */
  #model: PanelModel | undefined;

  /** @param simulated tells that what is known of a document has changed */
  constructor(extension: Uri, client: BaseLanguageClient, simulated: Event<DidSimulateParams>, measured: Measured) {
    this.#measured = measured;
    this.#extension = extension;
    this.#client = client;
    this.#subscriptions = Disposable.from(
      window.registerWebviewViewProvider(PanelView.id, this),
      window.onDidChangeActiveTextEditor((editor) => this.#follow(editor)),
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.#follow(textEditor)),
      simulated(({ uri }) => uri === this.uri && this.#refresh()),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => contentChanges.length > 0 && this.#edited(document.uri)),
      client.onDidChangeState(() => this.#refresh()),
    );
    this.#follow(window.activeTextEditor);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [Uri.joinPath(this.#extension, "dist")] };
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    view.onDidChangeVisibility(() => this.#refresh());
    view.onDidDispose(() => {
      this.#view = undefined;
    });
    view.webview.html = panelHtml(view.webview, this.#extension);
  }

  /** Opens the panel, at a line (1-based) of a file where they are given. */
  async show(uri?: unknown, line?: unknown): Promise<void> {
    if (typeof uri === "string" && Number.isSafeInteger(line)) await revealLine(uri, Math.max(1, Number(line)));
    await commands.executeCommand(`${PanelView.id}.focus`);
  }

  /** Shows a launch of a document; without, the one under the cursor. @param uri as the server has it */
  pick(uri: string, launch: number | undefined): void {
    if (!this.#shown || this.uri !== uri) return;
    const { launch: _, ...rest } = this.#shown;
    this.#shown = launch === undefined ? rest : { ...rest, launch };
    this.#refresh();
  }

  /** What is known of the launch that is shown, as Markdown; undefined where nothing is. */
  markdown(): Promise<string | undefined> {
    return this.#told(markdownRequest);
  }

  /** Measured and estimated figures of the launch that is shown, without names or source; undefined where none were measured. */
  outlier(): Promise<string | undefined> {
    return this.#told(outlierRequest);
  }

  async #told(request: string): Promise<string | undefined> {
    const { uri } = this;
    if (!this.#shown || uri === undefined || !this.#client.isRunning()) return undefined;
    return (await this.#client.sendRequest<string | null>(request, paramsOf(uri, this.#shown))) ?? undefined;
  }

  /** The document that is shown: the CUDA file that the user was in last. */
  get uri(): string | undefined {
    return this.#shown && this.#client.code2ProtocolConverter.asUri(this.#shown.uri);
  }

  #follow(editor: TextEditor | undefined): void {
    if (!editor || languages.match(documentSelector, editor.document) === 0) return;
    const { uri } = editor.document;
    const position = editor.selection.active;
    const sameLine = this.#shown?.uri.toString() === uri.toString() && this.#shown.position.line === position.line;
    if (sameLine) return;
    this.#shown = { uri, position };
    this.#refresh();
  }

  #receive(said: unknown): void {
    const message = readFromPage(said);
    switch (message?.type) {
      case "ready":
        this.#refresh();
        break;
      case "launch":
        if (this.#shown) this.#shown = { ...this.#shown, launch: message.index };
        this.#refresh();
        break;
      case "reveal":
        if (this.#model) void revealLine(this.#model.source.uri, message.line);
        break;
      case "selectGpu":
        void commands.executeCommand("warplens.selectGpu");
        break;
      case "gpus":
        void this.#tellGpus();
        break;
      case "imagine":
        void this.#imagine(message.id, message.asked);
        break;
      case "watch":
        void this.#watch(message.id, message.asked, message.warp);
        break;
      case "cancel":
        this.#imagining.get(message.id)?.cancel();
        break;
      case "report":
        void this.#measured.add({ texts: message.texts });
        break;
      case "reportFiles":
        void loadReport(
          this.#measured,
          message.uris.map((uri) => Uri.parse(uri)),
        );
        break;
      case "reportRefused":
        void window.showErrorMessage(label(`WarpLens: ${message.why}`));
        break;
      case "loadReport":
      case "outlier":
        void commands.executeCommand(`warplens.${message.type === "outlier" ? "copyOutlier" : "loadReport"}`);
        break;
      case "showReport":
        void this.#measured.show(message.id);
        break;
      case "removeReport":
        void this.#measured.remove(message.id);
        break;
      case "gpu":
        void chooseGpu(message.id);
        break;
      case "export":
        void exportDrawing(message.title, message.svg);
        break;
      case "apply":
        void applyWhatIf(this.#client, whatIfParams(message.asked)).then((why) =>
          this.#post({ type: "applied", ...(why === undefined ? {} : { why }) }),
        );
        break;
    }
  }

  #post(message: ToPage): void {
    void this.#view?.webview.postMessage(message);
  }

  async #tellGpus(): Promise<void> {
    if (this.#client.isRunning()) this.#post({ type: "gpus", gpus: await this.#client.sendRequest<GpuSummary[]>(gpusRequest) });
  }

  async #imagine(id: number, asked: Asked): Promise<void> {
    this.#post({ type: "imagined", id, answer: await this.#wished<WhatIfAnswer>(id, whatIfRequest, whatIfParams(asked)) });
  }

  async #watch(id: number, asked: Asked, warp: object): Promise<void> {
    const params = { ...whatIfParams(asked), warp: warp as WatchWarpParams["warp"] } satisfies WatchWarpParams;
    this.#post({ type: "watched", id, answer: await this.#wished<WarpSeen>(id, watchWarpRequest, params) });
  }

  /** An answer until the page wants it no more: null then, and whatever else comes of it, for the page waits for one. */
  async #wished<T>(id: number, request: string, params: WhatIfParams): Promise<T | null> {
    const source = new CancellationTokenSource();
    this.#imagining.set(id, source);
    const answer = this.#client.isRunning()
      ? await this.#client.sendRequest<T | null>(request, params, source.token).then(undefined, () => null)
      : null;
    this.#imagining.delete(id);
    source.dispose();
    return answer;
  }

  #refresh(): void {
    if (!this.#view?.visible) return;
    this.#stale = true;
    if (!this.#asking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#stale) {
      this.#stale = false;
      const message = await this.#answer();
      if (!this.#stale) await this.#view?.webview.postMessage(message);
    }
    this.#asking = false;
  }

  async #answer(): Promise<ToPage> {
    const uri = this.uri;
    if (this.#client.state !== State.Running) return { type: "empty", message: "The language server is not running." };
    if (!this.#shown || uri === undefined) return { type: "empty", message: "Open a CUDA file to see what its kernels do on the GPU." };
    const params = paramsOf(uri, this.#shown);
    try {
      return this.#messageOf(await this.#client.sendRequest<PanelAnswer>(panelRequest, params), uri);
    } catch (error) {
      return { type: "empty", message: `The language server did not answer: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  #messageOf(answer: PanelAnswer, uri: string): ToPage {
    if (answer === null) return { type: "empty", message: "Simulating…" };
    if (!("nothing" in answer)) {
      this.#model = answer;
      return { type: "model", model: answer };
    }
    const { nothing, gpu } = answer;
    // The same file on the same GPU: what was known of it stays until more is.
    const isWaiting = nothing === "waiting" || nothing === "running";
    if (isWaiting && this.#model?.uri === uri && this.#model.gpu.id === gpu.id)
      return { type: "model", model: { ...this.#model, isStale: true, progress: nothing } };
    this.#model = undefined;
    return { type: "empty", message: nothingText[nothing](gpu.name) };
  }

  /** What is shown is of the text before: told to the page at once, whenever the server says more. */
  #edited(uri: Uri): void {
    if (!this.#model || uri.toString() !== this.#shown?.uri.toString()) return;
    this.#model = { ...this.#model, isStale: true };
    void this.#view?.webview.postMessage({ type: "stale" } satisfies ToPage);
  }
}

function paramsOf(uri: string, { position: { line, character }, launch }: Shown): PanelParams {
  return { textDocument: { uri }, position: { line, character }, ...(launch === undefined ? {} : { launch }) };
}

/** As the page said it: the server reads it before it believes it. */
const whatIfParams = ({ uri, version, launch, overrides }: Asked): WhatIfParams => ({
  textDocument: { uri },
  version,
  launch,
  overrides: overrides as WhatIfParams["overrides"],
});

const nothingText: Readonly<Record<PanelProgress, (gpu: string) => string>> = {
  waiting: (gpu) => `Simulating on the ${gpu}…`,
  running: (gpu) => `Simulating on the ${gpu}…`,
  done: () => "This file has no kernel, and launches none.",
  stopped: () => "The simulation was stopped. It starts again with the next edit.",
  off: () => "Simulation is switched off in the settings.",
};
