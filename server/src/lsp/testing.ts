/** A workspace whose worker and editor do what a test says. */
import type { LaunchReport } from "@warplens/sim-engine";
import type { Diagnostic, FixProof } from "../lint.ts";
import type { Imagined } from "../what-if/question.ts";
import type {
  About,
  AnalysisWorker,
  Configuration,
  FileFindings,
  Input,
  KernelPlace,
  LaunchPlace,
  LaunchResult,
  SimulationMessage,
  SimulationOrder,
  WhatIf,
} from "../worker/messages.ts";
import { codeLenses } from "./code-lens.ts";
import { Documents } from "./documents.ts";
import type { Platform } from "./platform.ts";
import type { StatusParams } from "./protocol.ts";
import { Workspace } from "./workspace.ts";

export const finding = (message: string, character = 0): Diagnostic => ({
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

const withPlaces = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map((each) => ({ ...each, place: { start: each.range.start.character, end: each.range.end.character } }));

export type Findings = Omit<FileFindings, "about">;

/** Of one line of text. */
export const findings = (...diagnostics: Diagnostic[]): Findings => ({
  diagnostics: withPlaces(diagnostics),
  kernels: [],
  syntaxErrors: 0,
  failures: [],
  isSettled: true,
});

/** Everything that was promised before has happened. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Asked {
  readonly what: "find" | "settle" | "simulate" | "imagine";
  readonly path: string;
  readonly about: About;
  readonly order?: SimulationOrder;
  readonly question?: WhatIf;
  /** Answers what a launch would do otherwise. */
  imagined(imagined: Imagined): Promise<void>;
  /** Ends a search for findings, or their being settled. */
  found(findings: Findings): Promise<void>;
  fail(error: Error): Promise<void>;
  /** Tells what a simulation found out. */
  launches(kernels: readonly KernelPlace[], launches: readonly LaunchPlace[], syntaxErrors?: number): void;
  result(launch: number, result: Partial<LaunchResult>): void;
  simulatedFindings(...diagnostics: Diagnostic[]): void;
  end(): Promise<void>;
  /** What came of trying the first fix of a finding, behind the end. */
  tried(diagnostic: number, proof: FixProof): void;
  isCancelled: boolean;
}

/** Answers as the thread does: about the newest text and settings it was told, one request at a time. */
function manualWorker() {
  const asked: Asked[] = [];
  const inputs: Input[] = [];
  const versions = new Map<string, number>();
  const configurations = new Map<string, Configuration>();
  let stop: () => void = () => undefined;
  const aboutOf = (path: string): About => {
    const configuration = configurations.get(path);
    return { version: versions.get(path) ?? 0, revision: configuration?.revision ?? 0, gpu: configuration?.gpu.id ?? "" };
  };
  const ask = (what: Asked["what"], path: string, done: (answer: FileFindings | boolean) => void, fail: (error: Error) => void) => {
    const about = aboutOf(path);
    const request: Asked & { told: (message: SimulationMessage) => void } = {
      what,
      path,
      about,
      isCancelled: false,
      told: () => undefined,
      imagined: settle,
      found(result) {
        done({ about, ...result });
        return settle();
      },
      fail(error) {
        fail(error);
        return settle();
      },
      launches: (kernels, launches, syntaxErrors = 0) => request.told({ type: "launches", about, kernels, launches, syntaxErrors }),
      result: (launch, result) =>
        request.told({ type: "result", about, launch, result: { templateArguments: [], sharedArrays: [], ...result } }),
      simulatedFindings: (...diagnostics) => request.told({ type: "findings", about, diagnostics: withPlaces(diagnostics), failures: [] }),
      end() {
        request.told({ type: "end", about });
        done(true);
        return settle();
      },
      tried: (diagnostic, proof) => request.told({ type: "proof", about, diagnostic, fix: 0, proof }),
    };
    asked.push(request);
    return request;
  };
  const worker: AnalysisWorker = {
    tell(input) {
      inputs.push(input);
      if (input.does === "open" || input.does === "edit") versions.set(input.path, input.version);
      if (input.does === "configure") configurations.set(input.path, input.configuration);
    },
    find: (path) => new Promise((done, fail) => ask("find", path, (answer) => done(answer as FileFindings), fail)),
    settle: (path) =>
      new Promise((done, fail) => {
        const request = ask("settle", path, (answer) => done(answer as FileFindings), fail);
        stop = () => {
          request.isCancelled = true;
          done(undefined);
        };
      }),
    headers: () => Promise.resolve([]),
    outdated: () => Promise.resolve([]),
    simulate: (path, order, told) =>
      new Promise((done, fail) => {
        const request = Object.assign(
          ask("simulate", path, (answer) => done(answer === true), fail),
          { order },
        );
        request.told = (message) => request.isCancelled || told(message);
        stop = () => {
          request.isCancelled = true;
          done(false);
        };
      }),
    imagine: (path, question) =>
      new Promise((done, fail) => {
        const request = Object.assign(
          ask("imagine", path, () => undefined, fail),
          { question },
        );
        request.imagined = (imagined) => {
          done(imagined);
          return settle();
        };
        stop = () => {
          request.isCancelled = true;
          done(undefined);
        };
      }),
    watch: () => Promise.resolve(undefined),
    write: () => Promise.resolve(undefined),
    tryRefactorings: () => Promise.resolve([]),
    rest: () => undefined,
    cancel: () => stop(),
    dispose: () => undefined,
  };
  return { worker, asked, inputs };
}

/** @param more of the platform */
export function setUp(files: Record<string, string> = {}, more: Partial<Platform> = {}) {
  const { worker, asked, inputs } = manualWorker();
  const errors: string[] = [];
  const warnings: string[] = [];
  const notes: string[] = [];
  /** URIs, each time that something of theirs has changed. */
  const told: { readonly findings: string[]; readonly figures: string[]; display: number } = { findings: [], figures: [], display: 0 };
  const statuses: StatusParams[] = [];
  const bars: { gpu: string; cancel: () => void; reports: string[]; hasEnded: boolean }[] = [];
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
    ...more,
  };
  const workspace = new Workspace(documents, platform, {
    error: (message) => errors.push(message),
    note: (message) => notes.push(message),
    warning: (message) => warnings.push(message),
    status: (status) => statuses.push(status),
    findings: (uri) => told.findings.push(uri),
    figures: (uri) => told.figures.push(uri),
    display: () => told.display++,
    progress(gpu, cancel) {
      const bar = { gpu, cancel, reports: [] as string[], hasEnded: false };
      bars.push(bar);
      return {
        report: (done, of) => bar.reports.push(of === undefined ? "" : `${done} of ${of}`),
        end() {
          bar.hasEnded = true;
        },
      };
    },
  });
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
  return {
    workspace,
    asked,
    inputs,
    errors,
    warnings,
    notes,
    told,
    statuses,
    bars,
    files,
    editor,
    configure: (section: object) => workspace.configure(section, ["/w"]),
    open: (path: string, text: string) =>
      editor.open?.({ textDocument: { uri: `file://${path}`, languageId: "cuda-cpp", version: 1, text } }),
    type: (path: string, version: number, text: string) =>
      editor.change?.({ textDocument: { uri: `file://${path}`, version }, contentChanges: [{ text }] }),
    messages: (path: string) =>
      workspace.diagnostics(`file://${path}`).items.map(({ message, range }) => `${message}@${range.start.character}`),
    lenses(path: string) {
      const view = workspace.view(`file://${path}`);
      return view ? codeLenses(view).map(({ command }) => command?.title ?? "") : [];
    },
  };
}

/** Kernels of the text `one two three`, each launched where it stands. */
export function kernelsIn(text: string): { readonly kernels: KernelPlace[]; readonly launches: LaunchPlace[] } {
  const kernels = [...text.matchAll(/\w+/g)].map(({ 0: name, index }): KernelPlace => {
    const at = { start: index, end: index + name.length };
    return { name, nameAt: at, at, parameters: [], syntaxErrors: 0 };
  });
  const launches = kernels.map(({ name }, kernel): LaunchPlace => ({ kernel, kernelName: name, templateArguments: [], line: 1 }));
  return { kernels, launches };
}

/** A report with little in it but a time. @param ns nanoseconds */
export const reportOf = (ns: number, more: Partial<LaunchReport> = {}): LaunchReport => ({
  kernel: "",
  templateArguments: [],
  grid: [1, 1, 1],
  block: [32, 1, 1],
  dynamicSharedBytes: 0,
  resources: { registersPerThread: { value: 16, basis: "estimated" }, staticSharedBytes: 0, localBytesPerThread: 0 },
  occupancy: { theoreticalPct: 50, blocksPerSm: 1, activeWarpsPerSm: 1, limiters: [], wavesPerSm: 1 },
  traffic: { globalLoadRequests: 0, globalLoadSectors: 0, globalStoreRequests: 0, globalStoreSectors: 0 },
  shared: { loadInstructions: 0, storeInstructions: 0, loadWavefronts: 0, storeWavefronts: 0 },
  instructions: { warp: 1, thread: 32 },
  time: { ns, range: [ns / 1.25, ns * 1.25], cycles: ns, boundBy: "issue", dramGBs: 0, dramPctOfPeak: 0, requestedGBs: 0, parts: [] },
  lines: {},
  otherLines: {},
  accesses: [],
  branches: [],
  loops: [],
  assumptions: [],
  simulated: { blocks: 1, of: 1, ms: 1, warpInstructions: 1, exact: true },
  ...more,
});
