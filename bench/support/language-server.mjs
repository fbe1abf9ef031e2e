/** A language server as an editor has it: a process, its messages, and when each answer came. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

/** Milliseconds after which an answer is no longer awaited. */
const patience = 30_000;

export class LanguageServer {
  #child;
  #connection;
  #settings = {};
  #listeners = new Set();
  /** Documents whose simulation waits or runs, as the server last said. */
  simulating = 0;
  /** Whether published diagnostics say which version they are of. */
  versioned = true;

  /**
   * Starts a server and says hello.
   * @param {readonly string[]} command
   * @param {{ folder?: string, env?: Record<string, string> }} [options] the folder that is opened
   */
  static async start(command, { folder = process.cwd(), env = {} } = {}) {
    const server = new LanguageServer();
    const [program, ...args] = command;
    server.#child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, ...env } });
    const { stdout, stdin } = server.#child;
    server.#connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    server.#answer();
    server.#connection.listen();
    const rootUri = pathToFileURL(path.resolve(folder)).toString();
    await server.request("initialize", {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: path.basename(folder) }],
      capabilities: {
        workspace: { configuration: true, codeLens: { refreshSupport: true } },
        textDocument: { publishDiagnostics: { versionSupport: true }, synchronization: {}, codeLens: {} },
      },
    });
    server.notify("initialized", {});
    return server;
  }

  #answer() {
    const connection = this.#connection;
    connection.onRequest("workspace/configuration", ({ items }) => items.map(() => this.#settings));
    connection.onRequest("workspace/codeLens/refresh", () => {
      this.#tell({ kind: "refresh" });
      return null;
    });
    connection.onRequest(() => null);
    connection.onNotification("textDocument/publishDiagnostics", ({ uri, version, diagnostics }) => {
      if (typeof version !== "number") this.versioned = false;
      this.#tell({ kind: "diagnostics", uri, version, diagnostics });
    });
    connection.onNotification("warplens/didSimulate", ({ uri, version, progress }) =>
      this.#tell({ kind: "simulated", uri, version, isDone: progress === "done" }),
    );
    connection.onNotification("warplens/status", ({ simulating, gpu }) => {
      this.simulating = simulating;
      this.#tell({ kind: "status", simulating, gpu });
    });
    // What else a server tells, an editor would only log.
    connection.onNotification(() => undefined);
  }

  #tell(event) {
    for (const listener of [...this.#listeners]) listener(event);
  }

  request(method, params) {
    return this.#connection.sendRequest(method, params);
  }

  notify(method, params) {
    void this.#connection.sendNotification(method, params);
  }

  /**
   * The first event that fits.
   * @param {(event: { kind: string, uri?: string, version?: number }) => boolean} fits
   * @param {number} [ms] how long to wait
   * @returns {Promise<object | undefined>} undefined when it did not come in time
   */
  next(fits, ms = patience) {
    return new Promise((resolve) => {
      const end = (event) => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(event);
      };
      const listener = (event) => fits(event) && end(event);
      const timer = setTimeout(end, ms, undefined);
      this.#listeners.add(listener);
    });
  }

  /** The first diagnostics of this version or a newer one; of a server that tells no version, the next that come. */
  diagnosed(uri, version, ms) {
    return this.next((event) => event.kind === "diagnostics" && event.uri === uri && (event.version ?? version) >= version, ms);
  }

  /** Something of this version or a newer one was simulated. */
  simulated(uri, version, ms) {
    return this.next((event) => event.kind === "simulated" && event.uri === uri && event.version >= version, ms);
  }

  /** All of this version or a newer one was simulated. */
  simulatedToEnd(uri, version, ms) {
    return this.next((event) => event.kind === "simulated" && event.isDone && event.uri === uri && event.version >= version, ms);
  }

  /**
   * The lens over a line once it tells of this version, as far as the server tells: it has simulated the version and does not mark
   * the lens as being of an older text.
   * @param {number} [line] 0-based; without it, the first lens there is
   * @returns {Promise<boolean>} whether it came in time
   */
  async lens(uri, version, line) {
    const until = performance.now() + patience;
    while (performance.now() < until) {
      if (!(await this.simulated(uri, version, until - performance.now()))) return false;
      const lenses = (await this.request("textDocument/codeLens", { textDocument: { uri } })) ?? [];
      const fits = ({ range, data }) => (line === undefined || range.start.line === line) && data?.stale !== true;
      if (lenses.some(fits)) return true;
    }
    return false;
  }

  open(uri, text) {
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId: "cuda-cpp", version: 1, text } });
  }

  change(uri, version, contentChanges) {
    this.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
  }

  close(uri) {
    this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  /** Other settings, as when the user changes them. */
  configure(settings) {
    this.#settings = settings;
    this.notify("workspace/didChangeConfiguration", { settings: null });
  }

  /** Resident memory in MB (2^20 bytes); undefined where the system does not say. */
  memory() {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    } catch {
      const { stdout = "" } = spawnSync("ps", ["-o", "rss=", "-p", String(this.#child.pid)], { encoding: "utf8" });
      return Number(stdout) > 0 ? Number(stdout) / 1024 : undefined;
    }
  }

  /** @param {NodeJS.Signals} name */
  signal(name) {
    this.#child.kill(name);
  }

  /** Does not wait for work under way. */
  stop() {
    this.#connection.dispose();
    this.#child.kill();
  }
}
